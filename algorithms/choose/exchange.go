package choose

import (
	"fmt"

	"hcclsim/algorithms"
)

// pipelineBuffer is the least buffer of HCCL's AlltoAll pipelines, bytes.
const pipelineBuffer = 80 * mib

const pairwise = "pairwise"

// exchanges says whether every pair has data of its own.
func (s *situation) exchanges() bool {
	return s.collective == algorithms.AlltoAll || s.collective == algorithms.AlltoAllV || s.collective == algorithms.SendRecv
}

// exchange is the choice for collectives in which every pair has data of its own.
func (s *situation) exchange() verdict {
	v := verdict{algorithm: "mesh", rule: "",
		value: fmt.Sprintf("%d servers, %d ranks", s.servers, s.ranks), source: sourceAlltoAll + ", SelectAlgforAlltoAll"}
	switch {
	case s.collective == algorithms.SendRecv:
		v = verdict{algorithm: pairwise, rule: "point to point", value: "", source: assumed}
	case s.Product == "a3":
		v.rule = "direct full mesh over all dies"
	case s.servers == 1 || s.ranks <= 2:
		v.rule = "full mesh"
	case s.unequal:
		v.rule = "servers of different size: full mesh over all ranks"
	default:
		return s.staged()
	}
	s.unasked(v)
	return v
}

// staged is the choice over several servers of the 910A and the 910B: HCCL_ALGO's on the
// 910B, else inside the servers first, then pair by pair between them.
func (s *situation) staged() verdict {
	t := s.tokens[1]
	roomy := s.npus > 1 && !(s.Settings.Buffer > 0 && s.Settings.Buffer < pipelineBuffer)
	pipelined := roomy && s.contexts() <= maxContexts
	if s.Product == "910b" && (t == tokenPairwise || t == tokenPipeline && pipelined) {
		return verdict{algorithm: string(t), rule: "HCCL_ALGO", value: fmt.Sprintf("level1:%s", t), source: sourceVariable}
	}
	v := verdict{algorithm: pairwise, rule: "inside the servers, then between them",
		value: fmt.Sprintf("%d servers", s.servers), source: sourceAlltoAll + ", SelectAlgforAlltoAll"}
	if s.npus > 1 {
		v.algorithm = "mesh+" + pairwise
	}
	switch {
	case asks(t):
		s.warnf("HCCL_ALGO level1:%s is not to be had for %s: %s runs", t, s.collective, v.algorithm)
	case s.Product == "910b" && s.collective == algorithms.AlltoAllV && roomy:
		s.warnf("HCCL's continuous pipeline for AlltoAllV is not simulated: %s runs", v.algorithm)
	}
	return v
}
