package scenarios

import (
	"fmt"
	"maps"
	"slices"

	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// onMachine are the variables that act in the machine, and say there when they do not.
var onMachine = map[string]func(environment, []entry, model.Topology) string{
	"HCCL_BUFFSIZE":                idleBuffer,
	"HCCL_INTER_HCCS_DISABLE":      idleHCCSDisable,
	"HCCL_INTRA_PCIE_ENABLE":       idleIntra,
	"HCCL_INTRA_ROCE_ENABLE":       idleIntra,
	"HCCL_MULTI_QP_THRESHOLD":      idleMultiQP,
	"HCCL_OP_EXPANSION_MODE":       idleExpansion,
	"HCCL_RDMA_QPS_PER_CONNECTION": idleQueuePairs,
	"HCCL_RDMA_SPLIT_THRESHOLD":    idleSplit,
}

// decodeBuffer reads a number of MiB.
func decodeBuffer(v document.Value, e *environment) {
	if n := v.Node(); n != nil && n.Kind == document.Scalar && !units.Plain(n.Text) {
		v.Errorf("expected a whole number of MiB such as 200, got %q", n.Text)
		return
	}
	e.settings.Buffer = int64(v.Int(defaultBuffer, document.Range(0, 1<<20))) << 20
	e.machine.Buffer = units.Bytes(e.settings.Buffer)
}

// expansions are the words of HCCL_OP_EXPANSION_MODE, and who carries the tasks then. HCCL
// has HOST_TS beside HOST, and other names on the 950.
var expansions = map[string]model.Expansion{
	"HOST": model.ExpandHost, "HOST_TS": model.ExpandHost,
	"AI_CPU": model.ExpandAICPU, "AICPU_TS": model.ExpandAICPU, "AIV": model.ExpandAIV,
}

func decodeExpansion(v document.Value, e *environment) {
	word := document.Enum(v, "", slices.Sorted(maps.Keys(expansions)))
	e.machine.Expansion = expansions[word]
}

// idleBuffer says why the buffer makes no rounds; "" if it does. Without a limit, or what rounds
// the default would make.
func idleBuffer(e environment, entries []entry, t model.Topology) string {
	settings := e.machine
	if settings.Buffer == 0 && t.Product != "" {
		settings.Buffer = defaultBuffer << 20
	}
	for _, one := range entries {
		if one.rounds(t, settings) {
			return ""
		}
	}
	return "no size needs more than one round"
}

// rounds says whether one of the entry's sizes needs more than one round. What is still to be
// chosen is taken to move no more than its size.
func (e entry) rounds(t model.Topology, settings model.Settings) bool {
	for _, name := range e.algorithms {
		if name == auto || name == best || IsFile(name) {
			if settings.Buffer > 0 && slices.ContainsFunc(e.amounts(), func(size units.Bytes) bool { return size > settings.Buffer }) {
				return true
			}
			continue
		}
		points := e.points(t, settings, name)
		for i := range points {
			if rounds, err := points[i].Rounds(); err != nil || len(rounds) > 1 {
				return true
			}
		}
	}
	return false
}

// idleExpansion says why it makes no difference who carries the tasks; "" if it does.
func idleExpansion(e environment, entries []entry, t model.Topology) string {
	p := model.Point{Topology: e.links.onto(t)}
	own, _ := p.Expands()
	p.Settings = e.machine
	set, fell := p.Expands()
	issue := map[model.Expansion]model.Issue{model.ExpandHost: t.NPU.Host.Host, model.ExpandAICPU: t.NPU.Host.AICPU, model.ExpandAIV: t.NPU.Host.AIV}
	switch {
	case fell:
		return fmt.Sprintf("AI cores do not reach over the network, the collectives run as %s", set)
	case own == set:
		return fmt.Sprintf("the topology says %s too", own)
	case own != model.ExpandAIV && set != model.ExpandAIV && issue[own] == issue[set] && issue[own].Task == 0:
		return fmt.Sprintf("issuing tasks costs nothing under %s and %s (npu.host.launch)", own, set)
	}
	return ""
}

// decodeQueuePairs reads a count that HCCL bounds to 32 (its documentation).
func decodeQueuePairs(v document.Value, e *environment) {
	e.machine.QueuePairs = v.Int(1, document.Range(1, 32))
}

// decodeMultiQP reads KiB, which HCCL bounds to 8192.
func decodeMultiQP(v document.Value, e *environment) {
	e.machine.MultiQP = units.Bytes(v.Int(512, document.Range(1, 8192))) << 10
}

// decodeSplit reads a size with or without a unit; a bare number is bytes.
func decodeSplit(v document.Value, e *environment) { e.machine.Split = v.Bytes(0, document.Bare) }

// withoutRDMA says why nothing goes over RDMA; "" if something may.
func withoutRDMA(t model.Topology) string {
	switch {
	case t.Network.Connect == model.NetworkNone, t.Servers == 1 && !t.Network.Within:
		return "nothing goes over RDMA in one server"
	case t.Servers > 1 && t.Pods <= 1 && spansPod(t):
		return "links join all servers"
	case t.NPU.Handshake == model.Ideal:
		return "the topology's handshake is ideal, without requests"
	}
	return ""
}

func idleQueuePairs(e environment, entries []entry, t model.Topology) string {
	if why := withoutRDMA(t); why != "" {
		return why
	}
	if e.machine.QueuePairs <= 1 {
		return "one queue pair is the default"
	}
	threshold := e.machine.MultiQP
	if threshold == 0 {
		threshold = model.MultiQP
	}
	if largestOf(entries) <= threshold {
		return fmt.Sprintf("no message is above HCCL_MULTI_QP_THRESHOLD, %v", threshold)
	}
	return ""
}

func idleMultiQP(e environment, _ []entry, t model.Topology) string {
	if why := withoutRDMA(t); why != "" {
		return why
	}
	if e.machine.QueuePairs <= 1 {
		return "there is one queue pair between two ranks (HCCL_RDMA_QPS_PER_CONNECTION)"
	}
	return ""
}

func idleSplit(e environment, entries []entry, t model.Topology) string {
	if why := withoutRDMA(t); why != "" {
		return why
	}
	switch split, most := e.machine.Split, t.NPU.NIC.Request.Max; {
	case split == 0:
		return "0 is the default: only npu.nic.request.max cuts"
	case split >= most:
		return fmt.Sprintf("a request carries at most npu.nic.request.max, %v", most)
	case largestOf(entries) <= split:
		return "no message is larger"
	}
	return ""
}

// largestOf is the largest size of the entries.
func largestOf(entries []entry) (largest units.Bytes) {
	for _, e := range entries {
		for _, size := range e.amounts() {
			largest = max(largest, size)
		}
	}
	return largest
}
