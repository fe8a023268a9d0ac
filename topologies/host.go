package topologies

import (
	"slices"

	"hcclsim/model"
	"hcclsim/topologies/document"
)

// host reads the CPU of a server, and what joins it to the NPUs: links of their own, or the
// switches of an entry of links, with their uplinks.
func host(v document.Value, links []model.Link, c *classes) model.Host {
	if !v.Present() {
		return model.Host{}
	}
	link := v.Key("link").Require()
	h := model.Host{
		Class:    c.read(link.Key("class")),
		Latency:  link.Key("latency").Duration(0),
		Overhead: v.Key("overhead").Duration(0),
		Memory:   rate(v, "memory"),
		Reduce:   rate(v, "reduce"),
		NIC:      rate(v, "nic"),
	}
	through := slices.ContainsFunc(links, func(l model.Link) bool {
		return l.Class == h.Class && l.Connect == model.Switch && l.Uplink.Bandwidth > 0
	})
	switch wide := link.Key("bandwidth"); {
	case wide.Present():
		h.Bandwidth = document.Pick(wide, bandwidth)
	case !through && h.Class != "":
		wide.Errorf("is missing: no switch of class %s with an uplink joins the NPUs to the host", h.Class)
	}
	return h
}
