package topologies

import (
	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

var connects = []model.Connect{model.FullMesh, model.Crossbar, model.RingOf, model.Pairs, model.Switch}

// link reads one entry of server.links in a server of so many NPUs.
func link(v document.Value, npus int, c *classes) model.Link {
	l := model.Link{
		Class:     c.read(v.Key("class")),
		Connect:   document.Enum(v.Key("connect"), "", connects, document.Required),
		Bandwidth: document.Pick(v.Key("bandwidth").Require(), bandwidth),
		Latency:   v.Key("latency").Duration(0),
		Drive:     drive(v.Key("drive")),
	}
	if single := v.Key("single"); single.Present() {
		l.Single = document.Pick(single, bandwidth)
	}
	l.Pod = podLink(v.Key("pod"), l.Connect)
	members := v.Key("npus").Require()
	l.Groups = groups(members, npus)
	if members.Present() {
		checkGroups(members, l)
	}

	up := v.Key("uplink")
	switch {
	case l.Connect == model.Switch && len(l.Groups) > 1:
		up.Require()
		fallthrough
	case l.Connect == model.Switch:
		l.Uplink.Bandwidth = up.Key("bandwidth").Rate(0, document.Required, document.Positive)
		l.Uplink.Latency = up.Key("latency").Duration(0)
	case l.Connect != "" && up.Present():
		up.Errorf("has a meaning with connect: switch only")
	}
	return l
}

// bandwidth reads one bandwidth for both directions of drive, or {read, write}.
func bandwidth(v document.Value) model.Bandwidth {
	if n := v.Node(); n == nil || n.Kind != document.Mapping {
		both := v.Rate(0, document.Positive)
		return model.Bandwidth{Read: both, Write: both}
	}
	one := func(key string) units.Rate { return v.Key(key).Rate(0, document.Required, document.Positive) }
	return model.Bandwidth{Read: one("read"), Write: one("write")}
}

// podLink reads whether an entry spans its super-pod, and the latency that crossing servers
// adds: one for both directions of drive, or {read, write}.
func podLink(v document.Value, c model.Connect) model.PodLink {
	if !v.Present() {
		return model.PodLink{}
	}
	if c != model.Crossbar && c != "" {
		v.Errorf("has a meaning with connect: crossbar only")
	}
	p := model.PodLink{Spans: true}
	latency := v.Key("latency").Require()
	if n := latency.Node(); n == nil || n.Kind != document.Mapping {
		p.Read = latency.Duration(0)
		p.Write = p.Read
		return p
	}
	p.Read = latency.Key("read").Duration(0, document.Required)
	p.Write = latency.Key("write").Duration(0, document.Required)
	return p
}

func drive(v document.Value) algorithms.Drive {
	if document.Enum(v, "write", []string{"write", "read"}) == "read" {
		return algorithms.Read
	}
	return algorithms.Write
}

// groups reads which NPUs an entry joins: all, a list of NPUs, or a list of such lists.
func groups(v document.Value, npus int) [][]int {
	if n := v.Node(); n == nil || n.Kind == document.Scalar {
		document.Enum(v, "all", []string{"all"})
		all := make([]int, npus)
		for i := range all {
			all[i] = i
		}
		return [][]int{all}
	}
	elements := v.List()
	nested := 0
	for _, e := range elements {
		if e.Node().Kind == document.List {
			nested++
		}
	}
	switch {
	case len(elements) == 0:
		if v.Node().Kind == document.List {
			v.Errorf("joins no NPUs, expected all, a list such as [0, 1], or a list of lists")
		}
		return nil
	case nested == 0:
		return [][]int{group(elements, npus)}
	case nested < len(elements):
		v.Errorf("mixes NPUs and lists of NPUs")
		return nil
	}
	var all [][]int
	for _, e := range elements {
		all = append(all, group(e.List(), npus))
	}
	return all
}

// group reads the numbers of NPUs that are joined with each other; -1 for a wrong one.
func group(elements []document.Value, npus int) []int {
	var members []int
	seen := map[int]bool{}
	for _, e := range elements {
		i := e.Int(-1, document.Range(0, last(npus)))
		if i >= 0 && seen[i] {
			e.Errorf("NPU %d is repeated", i)
		}
		seen[i] = true
		members = append(members, i)
	}
	return members
}

// checkGroups checks what each shape asks of its groups.
func checkGroups(v document.Value, l model.Link) {
	port := map[int]bool{}
	listed := v.Node().Kind == document.List // `all` may be one NPU
	for _, g := range l.Groups {
		switch {
		case l.Connect == model.Pairs && len(g) != 2:
			v.Errorf("connect: pairs joins two NPUs each, got a group of %d; expected a list of pairs such as [[0, 1], [2, 3]]", len(g))
			return
		case listed && len(g) == 0, listed && len(g) == 1 && l.Connect != model.Switch:
			v.Errorf("a group of %d NPUs joins nothing", len(g))
			return
		case l.Connect != model.Crossbar && l.Connect != model.Switch:
			continue
		}
		for _, i := range g {
			if i >= 0 && port[i] {
				v.Errorf("NPU %d is in two groups, but has one port into a %s", i, l.Connect)
				return
			}
			port[i] = true
		}
	}
}
