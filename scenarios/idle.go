package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/model"
	"hcclsim/topologies/document"
)

// idleKeys warns of keys of the topology that an override, a sweep or the scenario has set
// and that do nothing on this machine. What a whole topology says of itself, in a file or in
// the scenario, is not warned about.
func idleKeys(tree *document.Node, c []assignment, t model.Topology) (warnings []Warning) {
	npus, _ := tree.Get("topology.server.npus")
	whole := npus != nil && npus.Origin.File == tree.Origin.File && npus.Origin.Label == ""
	ours := func(path string, at document.Origin) bool {
		return at.Label != "" || at.File == tree.Origin.File && !whole ||
			slices.ContainsFunc(c, func(a assignment) bool { return a.path == "topology."+path })
	}
	var visit func(n *document.Node, path string)
	visit = func(n *document.Node, path string) {
		for _, k := range n.Keys {
			p := strings.TrimPrefix(path+"."+k.Name, ".")
			if k.Value.Kind == document.Mapping {
				visit(k.Value, p)
			} else if why := idleHere(t, p); why != "" && ours(p, k.Value.Origin) {
				warnings = append(warnings, Warning{k.Value.Position(), fmt.Sprintf("topology.%s has no effect on %s: %s", p, t.Name, why)})
			}
		}
	}
	if topology := tree.Key("topology"); topology != nil {
		visit(topology, "")
	}
	return warnings
}

// tasksOnly are the keys that cost nothing under the ideal handshake, which knows no tasks.
var tasksOnly = []string{"npu.scheduler", "npu.notify", "npu.dma.engines", "npu.dma.setup", "npu.dma.remote",
	"npu.limits", "npu.nic.mtu", "npu.nic.header", "npu.nic.request", "npu.marker"}

// idleHere says why a key of a topology does nothing; "" if it acts. docs/model.md,
// section 16, lists what each key is for.
func idleHere(t model.Topology, path string) string {
	within := func(key string) bool { return path == key || strings.HasPrefix(path, key+".") }
	switch {
	case t.Servers == 1 && (within("network") || within("npu.nic")):
		return "there is one server"
	case t.Pods <= 1 && spansPod(t) && (within("network") || within("npu.nic")):
		return "links join all servers"
	case inlineEverywhere(t) && (within("npu.reduce.bandwidth") || within("npu.reduce.setup")):
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
