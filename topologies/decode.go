package topologies

import (
	"regexp"
	"slices"
	"strings"

	"hcclsim/model"
	"hcclsim/topologies/document"
)

const (
	kind = "Topology"
	// maxNPUs bounds servers times NPUs.
	maxNPUs       = 1 << 20
	maxServerNPUs = 4096
	// maxClasses bounds the link classes of a topology, that of the network included.
	maxClasses = 5
)

// Decode checks a topology document and returns the machine that it describes. The
// presets, if any, go before those that the document prefers. The error is a
// document.Errors with everything that is wrong.
func Decode(n *document.Node, presets ...string) (model.Topology, error) {
	d := document.NewDecoder()
	for _, p := range presets {
		if !slices.Contains(document.Presets, p) {
			d.Errorf(document.Origin{Label: "--preset " + p}, "", "unknown preset %q, expected one of %s", p, strings.Join(document.Presets, ", "))
		}
	}
	root := d.Root(n)
	root.ReadHeader(kind)
	root.Key("description").Text("")
	d.Prefer(presets...)
	for _, p := range root.Key("preset").OneOrMore() {
		d.Prefer(document.Enum(p, "", document.Presets))
	}

	t := model.Topology{
		Name:    root.Key("name").Text("unnamed"),
		Product: document.Enum(root.Key("product"), "", products),
	}
	c := classes{}
	t.Server = server(root.Key("server").Require(), &c)
	readServers(root, &t)
	t.NPU = npu(root.Key("npu"), t.Server.NPUs)
	t.Network = network(root.Key("network"), t, &c)
	checkServers(root, t)
	return t, d.Err()
}

// products are those whose rules HCCL chooses by.
var products = []string{"910a", "910b", "a3"}

// readServers reads how many servers there are, how they are divided into super-pods, and
// how many NPUs of each take part.
func readServers(root document.Value, t *model.Topology) {
	servers, ranks, pods := root.Key("servers"), root.Key("ranks"), root.Key("pods")
	for _, r := range ranks.List() {
		t.Ranks = append(t.Ranks, r.Int(1, document.Range(1, last(t.Server.NPUs)+1)))
	}
	t.Servers = servers.Int(max(1, len(t.Ranks)), document.Range(1, maxNPUs))
	switch {
	case t.Ranks == nil && ranks.Present() && ranks.Node().Kind == document.List:
		ranks.Errorf("names no server, expected the NPUs that take part of each, such as [8, 4]")
	case t.Ranks != nil && len(t.Ranks) != t.Servers:
		ranks.Errorf("gives the NPUs of %d servers, but servers is %d", len(t.Ranks), t.Servers)
	}
	if t.Pods = pods.Int(1, document.Range(1, maxNPUs)); t.Servers%t.Pods != 0 {
		pods.Errorf("%d servers do not divide evenly into %d super-pods", t.Servers, t.Pods)
	}
}

// checkServers checks what several servers need: a network, unless they are one super-pod
// and links span it.
func checkServers(root document.Value, t model.Topology) {
	servers := root.Key("servers")
	if t.Servers*t.Server.NPUs > maxNPUs {
		servers.Errorf("%d servers of %d NPUs are more than %d NPUs", t.Servers, t.Server.NPUs, maxNPUs)
	}
	network, nic := root.Key("network").Present(), root.Key("npu").Key("nic").Present()
	spans := slices.ContainsFunc(t.Server.Links, func(l model.Link) bool { return l.Pod.Spans })
	if t.Servers == 1 || spans && t.Pods == 1 && !network {
		return
	}
	if !network {
		servers.Errorf("%d servers need a network, e.g. network: {class: roce, connect: switch, latency: 1.5us}", t.Servers)
	}
	if !nic { // which must have a bandwidth
		servers.Errorf("%d servers need NICs, e.g. npu.nic.bandwidth: 25GB/s", t.Servers)
	}
}

func server(v document.Value, c *classes) model.Server {
	s := model.Server{NPUs: v.Key("npus").Int(0, document.Required, document.Range(1, maxServerNPUs))}
	for _, l := range v.Key("links").List() {
		s.Links = append(s.Links, link(l, s.NPUs, c))
	}
	s.Host = host(v.Key("host"), s.Links, c)
	return s
}

// last is the highest NPU number of a server. If the number of NPUs is wrong, which has
// been reported, any number will do.
func last(npus int) int64 {
	if npus == 0 {
		return maxServerNPUs - 1
	}
	return int64(npus) - 1
}

// classes collects the link classes of a topology.
type classes []string

var className = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// read reads the class of a link or of the network.
func (c *classes) read(v document.Value) string {
	name := v.Text("", document.Required)
	switch {
	case name == "":
		if v.Present() && v.Node().Kind == document.Scalar {
			v.Errorf("the class has no name")
		}
	case name == "local" || name == "memory":
		v.Errorf("class %q is taken: it stands for the inside of an NPU", name)
	case !className.MatchString(name):
		v.Errorf("class %q is not a lower-case word such as hccs or pcie-x16", name)
	case !slices.Contains(*c, name):
		if *c = append(*c, name); len(*c) == maxClasses+1 {
			v.Errorf("class %q is one too many, a topology has at most %d", name, maxClasses)
		}
	}
	return name
}
