package scenarios

import (
	"slices"
	"strings"

	"hcclsim/algorithms/choose"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// variables are the names that may stand under env, those with a decoder act. The others
// are known so that a misspelt one is an error and a right one is a warning, not silence.
// Their values are what a user exports.
var variables = []struct {
	name   string
	decode func(document.Value, *choose.Settings)
}{
	{"HCCL_ALGO", decodeAlgo},
	{"HCCL_BUFFSIZE", decodeBuffer},
	{"HCCL_CONNECT_TIMEOUT", nil},
	{"HCCL_DETERMINISTIC", decodeDeterministic},
	{"HCCL_EXEC_TIMEOUT", nil},
	{"HCCL_IF_IP", nil},
	{"HCCL_INTER_HCCS_DISABLE", nil},
	{"HCCL_INTRA_PCIE_ENABLE", nil},
	{"HCCL_INTRA_ROCE_ENABLE", nil},
	{"HCCL_LOGIC_SUPERPOD_ID", nil},
	{"HCCL_MULTI_QP_THRESHOLD", nil},
	{"HCCL_OP_EXPANSION_MODE", nil},
	{"HCCL_OP_RETRY_ENABLE", nil},
	{"HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT", nil},
	{"HCCL_RDMA_QPS_PER_CONNECTION", nil},
	{"HCCL_RDMA_QP_PORT_CONFIG_PATH", nil},
	{"HCCL_RDMA_RETRY_CNT", nil},
	{"HCCL_RDMA_SL", nil},
	{"HCCL_RDMA_SPLIT_THRESHOLD", nil}, // hcclsim's own
	{"HCCL_RDMA_TC", nil},
	{"HCCL_RDMA_TIMEOUT", nil},
	{"HCCL_RING_THRESHOLD", func(v document.Value, s *choose.Settings) { s.RingThreshold = decodeThreshold(v) }}, // hcclsim's own
	{"HCCL_SOCKET_IFNAME", nil},
	{"HCCL_TREE_THRESHOLD", func(v document.Value, s *choose.Settings) { s.TreeThreshold = decodeThreshold(v) }}, // hcclsim's own
}

// defaultBuffer is HCCL_BUFFSIZE where it is not set, MiB.
const defaultBuffer = 200

// environment is what env says.
type environment struct {
	settings choose.Settings
	acts     []document.Value // the variables that auto reads
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
			variables[i].decode(v, &e.settings)
			e.acts = append(e.acts, v)
		}
	}
	return e
}

func decodeAlgo(v document.Value, s *choose.Settings) {
	algo, err := choose.ParseAlgo(v.Text(""))
	if err != nil {
		v.Errorf("%v", err)
	}
	s.Algo = algo
}

func decodeBuffer(v document.Value, s *choose.Settings) {
	s.Buffer = int64(v.Int(defaultBuffer, document.Range(0, 1<<20))) << 20
}

func decodeDeterministic(v document.Value, s *choose.Settings) {
	words := []string{"false", "true", "strict"}
	s.Deterministic = choose.Deterministic(max(slices.Index(words, document.Enum(v, words[0], words)), 0))
}

// decodeThreshold reads a size with or without a unit; a bare number is bytes.
func decodeThreshold(v document.Value) *int64 {
	text := v.Text("")
	if text != "" && strings.Trim(text, "0123456789") == "" {
		text += "B"
	}
	size, err := units.ParseBytes(text)
	if err != nil {
		v.Errorf("%v", err)
	}
	bytes := int64(size)
	return &bytes
}

// idle warns of variables that only auto reads where nothing is auto.
func (e environment) idle(auto bool) []Warning {
	warnings := e.warnings
	if !auto {
		for _, v := range e.acts {
			warnings = append(warnings, noEffect(v, "here: only the algorithm auto reads it"))
		}
	}
	return warnings
}

// Unset are the variables that auto reads and that the scenario leaves to their defaults,
// in alphabetical order; none if it asks for auto nowhere.
func (p *Plan) Unset() []string {
	auto := slices.ContainsFunc(p.Points, func(point Point) bool { return point.Row.Requested == auto })
	root, err := document.Parse(p.Name, p.Resolved)
	if !auto || err != nil {
		return nil
	}
	var names []string
	for _, v := range variables {
		set := root.Key("env").Key(v.name) != nil || slices.Contains(p.Swept, "env."+v.name)
		if v.decode != nil && !set {
			names = append(names, v.name)
		}
	}
	return names
}
