package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/topologies/document"
)

// idleKeys warns of keys of the topology that an override, a sweep or the scenario has set
// and that do nothing on this machine. What a whole topology says of itself, in a file or in
// the scenario, is not warned about.
func idleKeys(tree *document.Node, c []assignment, s settled) (warnings []Warning) {
	npus, _ := tree.Get("topology.server.npus")
	whole := npus != nil && npus.Origin.File == tree.Origin.File && npus.Origin.Label == ""
	ours := func(path string, at document.Origin) bool {
		return at.Label != "" || at.File == tree.Origin.File && !whole ||
			slices.ContainsFunc(c, func(a assignment) bool { return a.path == "topology."+path })
	}
	var visit func(n *document.Node, path string)
	visit = func(n *document.Node, path string) {
		within := func(step string) string { return strings.TrimPrefix(path+"."+step, ".") }
		for _, k := range n.Keys {
			visit(k.Value, within(k.Name))
		}
		for i, item := range n.Items {
			visit(item, within(strconv.Itoa(i)))
		}
		if n.Kind == document.Mapping || n.Kind == document.List || !ours(path, n.Origin) {
			return
		}
		why := idleHere(s.topology, path)
		if why == "" {
			why = s.idleInRun(path)
		}
		if why != "" {
			warnings = append(warnings, Warning{n.Position(), fmt.Sprintf("topology.%s has no effect on %s: %s", path, s.topology.Name, why)})
		}
	}
	if topology := tree.Key("topology"); topology != nil {
		visit(topology, "")
	}
	return warnings
}

// idleInRun says why a key of a topology does nothing for what runs; "" if it acts.
func (s settled) idleInRun(path string) string {
	runs := func(acts func(e entry, name string) bool) bool {
		return slices.ContainsFunc(s.entries, func(e entry) bool {
			return e.asks() || slices.ContainsFunc(e.names(), func(name string) bool { return acts(e, name) })
		})
	}
	switch path {
	case "product":
		if !runs(s.asksProduct) {
			return "nothing that runs is chosen or laid out by product"
		}
	case "pods":
		spans := slices.ContainsFunc(s.topology.Server.Links, func(l model.Link) bool { return l.Pod.Spans })
		if !spans && !runs(func(_ entry, name string) bool { return strings.Count(name, "+") == 2 || name == best }) {
			return "no link spans a super-pod, and no algorithm has three levels"
		}
	case "npu.nic.grain":
		if !slices.ContainsFunc(s.allEntries(), func(e entry) bool { return e.collective.Reduces() }) {
			return "nothing that runs reduces"
		}
	case "npu.copies", "npu.marker", "npu.slice_align":
		if len(s.sets) == 0 && !runs(func(_ entry, name string) bool { return !IsFile(name) }) {
			return "only files run, which say themselves what is copied and cut"
		}
	}
	return s.idleParts(path)
}

// idleParts says why a key of a part of the machine does nothing where that part is not in
// use; "" if it is.
func (s settled) idleParts(path string) string {
	within := func(key string) bool { return path == key || strings.HasPrefix(path, key+".") }
	p := model.Point{Topology: s.topology, Settings: s.env.machine}
	mode, _ := p.Expands()
	switch {
	case within("npu.aiv") && mode != model.ExpandAIV:
		return fmt.Sprintf("collectives run as %s", mode)
	case within("npu.host.launch.ai_cpu") && mode != model.ExpandAICPU, within("npu.host.launch.aiv") && mode != model.ExpandAIV:
		return fmt.Sprintf("collectives run as %s", mode)
	case within("npu.cores") && mode != model.ExpandAIV && s.topology.NPU.Reduce.Cores == 0 && !s.hasKernels():
		return "nothing that runs takes AI cores"
	case within("npu.streams") && len(s.sets) == 0:
		return "no streams are written out"
	case within("server.host") && !s.usesHosts():
		return "nothing that runs goes through a host"
	}
	return ""
}

// usesHosts says whether an algorithm or a copy goes through hosts.
func (s settled) usesHosts() bool {
	if slices.ContainsFunc(s.allEntries(), func(e entry) bool { return slices.ContainsFunc(e.names(), algorithms.NeedsHosts) }) {
		return true
	}
	return slices.ContainsFunc(s.sets, func(set *streamSet) bool {
		return slices.ContainsFunc(set.streams, func(st stream) bool {
			return slices.ContainsFunc(st.operators, func(o operator) bool { return o.kind == opCopyHost })
		})
	})
}

// asksProduct says whether an algorithm is laid out by product: nb in slices that HCCL
// rounds up, and mixes of the A3 from outside in.
func (s settled) asksProduct(e entry, name string) bool {
	outside := e.collective == algorithms.AllGather || e.collective == algorithms.ReduceScatter
	return name == best || slices.Contains(strings.Split(name, "+"), "nb") && e.collective == algorithms.AllReduce ||
		s.topology.Product == "a3" && outside && strings.Contains(name, "+")
}

// tasksOnly are the keys that cost nothing under the ideal handshake, which knows no tasks.
var tasksOnly = []string{"npu.scheduler", "npu.notify", "npu.dma.engines", "npu.dma.setup", "npu.dma.remote",
	"npu.limits", "npu.nic.mtu", "npu.nic.header", "npu.nic.request", "npu.marker", "npu.nic.drive", "npu.nic.path",
	"npu.nic.stages", "npu.nic.arbitration", "npu.nic.grain", "npu.nic.finack", "npu.sync", "npu.host.launch.task",
	"npu.aiv.setup", "npu.aiv.notify", "npu.aiv.copy", "npu.aiv.reduce"}

// idleHere says why a key of a topology does nothing; "" if it acts. docs/model.md,
// section 16, lists what each key is for.
func idleHere(t model.Topology, path string) string {
	within := func(key string) bool { return path == key || strings.HasPrefix(path, key+".") }
	switch {
	case t.Servers == 1 && !t.Network.Within && (within("network") || within("npu.nic")):
		return "there is one server"
	case t.Pods <= 1 && spansPod(t) && (within("network") || within("npu.nic")):
		return "links join all servers"
	case strings.HasPrefix(path, "server.links."):
		return idleLink(t, strings.Split(path, ".")[2:])
	case within("npu.nic.stages") && !t.NPU.NIC.Staged:
		return "npu.nic.path is direct"
	case path == "npu.nic.grain" && t.NPU.NIC.Inline:
		return "what goes over RDMA is reduced on the way"
	case path == "network.within" && !t.Network.Within:
		return "false is the default"
	case inlineEverywhere(t) && (within("npu.reduce.bandwidth") || within("npu.reduce.setup") || within("npu.reduce.on") || within("npu.reduce.cores")):
		return "reductions are done on the way"
	case t.NPU.Handshake != model.Ideal:
		return ""
	}
	for _, key := range tasksOnly {
		if within(key) {
			return "its handshake is ideal, without tasks"
		}
	}
	return ""
}

// idleLink says why a key of a link does nothing: its index comes first.
func idleLink(t model.Topology, path []string) string {
	i, err := strconv.Atoi(path[0])
	if err != nil || i >= len(t.Server.Links) || len(path) < 2 {
		return ""
	}
	l := t.Server.Links[i]
	switch {
	case path[1] == "single" && l.Single.Read >= l.Bandwidth.Read && l.Single.Write >= l.Bandwidth.Write:
		return "the link itself carries no more"
	case path[1] == "pod" && t.Servers == 1:
		return "there is one server"
	case path[1] == "pod" && t.Servers == t.Pods:
		return "there is one server in each super-pod"
	}
	return ""
}

// spansPod says whether links of the servers join all NPUs of a super-pod.
func spansPod(t model.Topology) bool {
	return slices.ContainsFunc(t.Server.Links, func(l model.Link) bool {
		return l.Pod.Spans && len(l.Groups) == 1 && len(l.Groups[0]) == t.Server.NPUs
	})
}

// inlineEverywhere says whether nothing is left for the reduce unit.
func inlineEverywhere(t model.Topology) bool {
	return t.NPU.Reduce.Inline && (t.Servers == 1 || t.NPU.NIC.Inline)
}
