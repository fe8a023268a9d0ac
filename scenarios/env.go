package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/algorithms/choose"
	"hcclsim/model"
	"hcclsim/topologies/document"
)

// variables are the names that may stand under env, those with a decoder act. The others
// are known so that a misspelt one is an error and a right one is a warning, not silence.
// Their values are what a user exports.
var variables = []struct {
	name   string
	decode func(document.Value, *environment)
}{
	{"HCCL_ALGO", decodeAlgo},
	{"HCCL_BUFFSIZE", decodeBuffer},
	{"HCCL_CONNECT_TIMEOUT", nil},
	{"HCCL_DETERMINISTIC", decodeDeterministic},
	{"HCCL_EXEC_TIMEOUT", nil},
	{"HCCL_IF_IP", nil},
	{"HCCL_INTER_HCCS_DISABLE", decodeHCCSDisable},
	{"HCCL_INTRA_PCIE_ENABLE", func(v document.Value, e *environment) { e.links.pcie = decodeSwitch(v) }},
	{"HCCL_INTRA_ROCE_ENABLE", func(v document.Value, e *environment) { e.links.roce = decodeSwitch(v) }},
	{"HCCL_LOGIC_SUPERPOD_ID", nil},
	{"HCCL_MULTI_QP_THRESHOLD", decodeMultiQP},
	{"HCCL_OP_EXPANSION_MODE", decodeExpansion},
	{"HCCL_OP_RETRY_ENABLE", nil},
	{"HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT", nil},
	{"HCCL_RDMA_QPS_PER_CONNECTION", decodeQueuePairs},
	{"HCCL_RDMA_QP_PORT_CONFIG_PATH", nil},
	{"HCCL_RDMA_RETRY_CNT", nil},
	{"HCCL_RDMA_SL", nil},
	{"HCCL_RDMA_SPLIT_THRESHOLD", decodeSplit}, // hcclsim's own
	{"HCCL_RDMA_TC", nil},
	{"HCCL_RDMA_TIMEOUT", nil},
	{"HCCL_RING_THRESHOLD", func(v document.Value, e *environment) { e.settings.RingThreshold = decodeThreshold(v) }}, // hcclsim's own
	{"HCCL_SOCKET_IFNAME", nil},
	{"HCCL_TREE_THRESHOLD", func(v document.Value, e *environment) { e.settings.TreeThreshold = decodeThreshold(v) }}, // hcclsim's own
}

// ofHCCL are the variables that HCCL's rules read.
var ofHCCL = []string{"HCCL_ALGO", "HCCL_BUFFSIZE", "HCCL_DETERMINISTIC"}

// defaultBuffer is HCCL_BUFFSIZE where it is not set, MiB.
const defaultBuffer = 200

// environment is what env says.
type environment struct {
	settings choose.Settings // what choosers read
	machine  model.Settings  // what the machine does
	links    linkChoice      // which links it uses
	acts     []document.Value
	warnings []Warning
}

// decodeEnv reads env. Variables that do nothing yet are warned about.
func decodeEnv(env document.Value) environment {
	e := environment{settings: choose.Settings{Buffer: defaultBuffer << 20}}
	var names []string
	for _, v := range variables {
		names = append(names, v.name)
	}
	for _, v := range env.Entries() {
		i := slices.Index(names, v.Name())
		switch {
		case i < 0:
			v.Errorf("unknown variable %s%s", v.Name(), nearest(v.Name(), names))
		case variables[i].decode == nil:
			v.Text("")
			e.warnings = append(e.warnings, noEffect(v, "in this version"))
		default:
			variables[i].decode(v, &e)
			e.acts = append(e.acts, v)
		}
	}
	return e
}

func decodeAlgo(v document.Value, e *environment) {
	text := v.Text("")
	if v.Node().Kind != document.Scalar {
		return // which has been reported
	}
	algo, err := choose.ParseAlgo(text)
	if err != nil {
		v.Errorf("%v", err)
	}
	e.settings.Algo = algo
}

// decodeDeterministic reads a word, in which HCCL does not tell capitals apart.
func decodeDeterministic(v document.Value, e *environment) {
	words := []string{"false", "true", "strict"}
	i := slices.Index(words, strings.ToLower(v.Text(words[0])))
	if i < 0 {
		document.Enum(v, words[0], words)
		return
	}
	e.settings.Deterministic = choose.Deterministic(i)
}

// decodeThreshold reads a size with or without a unit; a bare number is bytes.
func decodeThreshold(v document.Value) *int64 {
	bytes := int64(v.Bytes(0, document.Bare))
	return &bytes
}

// idle warns of variables that do nothing for these entries on a machine: that neither it
// nor a chooser reads.
func (e environment) idle(entries []entry, t model.Topology) []Warning {
	warnings := e.warnings
	asking := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !e.asks() })
	for _, v := range e.acts {
		why := e.unread(v.Name(), asking, t.Product)
		if idle := onMachine[v.Name()]; idle != nil {
			here := idle(e, entries, t)
			switch {
			case here == "" || !slices.Contains(ofHCCL, v.Name()):
				why = here
			case why != "":
				why = here + ", and " + why
			}
		}
		switch {
		case why != "":
			warnings = append(warnings, noEffect(v, "here: "+why))
		case v.Name() == "HCCL_ALGO":
			warnings = append(warnings, idleOperators(v, asking)...)
		case v.Name() == "HCCL_RDMA_SPLIT_THRESHOLD" && e.machine.Split < t.NPU.NIC.MTU:
			warnings = append(warnings, Warning{v.Node().Position(), fmt.Sprintf("%s: %v is less than a packet, npu.nic.mtu %v: is a unit missing? a bare number is bytes", v.Path(), e.machine.Split, t.NPU.NIC.MTU)})
		}
	}
	return warnings
}

// unread says why no chooser reads a variable; "" if one does.
func (e environment) unread(name string, asking []entry, product string) string {
	ruled := slices.ContainsFunc(asking, func(one entry) bool { return !one.tabled(e.settings) })
	ofHCCL := slices.Contains(ofHCCL, name)
	switch {
	case len(asking) == 0:
		return "only the algorithm auto reads it"
	case ofHCCL && product == "":
		return "the topology is of no product whose HCCL has rules"
	case ofHCCL && !ruled:
		return "thresholds or ranges decide all sizes"
	}
	return ""
}

// idleOperators warns of settings of HCCL_ALGO for operators that no entry has.
func idleOperators(v document.Value, asking []entry) (warnings []Warning) {
	for setting := range strings.SplitSeq(strings.ReplaceAll(v.Text(""), " ", ""), "/") {
		operator, _, specific := strings.Cut(setting, "=")
		if specific && operator != "others" && !slices.ContainsFunc(asking, func(e entry) bool { return operatorOf(e.collective) == operator }) {
			warnings = append(warnings, Warning{v.Node().Position(), fmt.Sprintf("%s: %s= has no effect here: auto chooses for no %s", v.Path(), operator, operator)})
		}
	}
	return warnings
}

// operatorOf is HCCL_ALGO's name for a collective.
func operatorOf(c algorithms.Collective) string {
	switch c {
	case algorithms.Barrier:
		return string(algorithms.AllReduce)
	case algorithms.AlltoAllV:
		return string(algorithms.AlltoAll)
	}
	return string(c)
}

// Unset are the variables that the machine reads, or auto if it is asked, and that the
// scenario leaves to their defaults, in alphabetical order.
func (p *Plan) Unset() []string {
	auto := slices.ContainsFunc(p.Points, func(point Point) bool { return point.Row.Requested == auto })
	root, err := document.Parse(p.Name, p.Resolved)
	if err != nil {
		return nil
	}
	var names []string
	for _, v := range variables {
		set := root.Key("env").Key(v.name) != nil || slices.Contains(p.Swept, "env."+v.name)
		if v.decode != nil && !set && (auto || onMachine[v.name] != nil) {
			names = append(names, v.name)
		}
	}
	return names
}
