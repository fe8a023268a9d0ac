package choose

import (
	"fmt"

	"hcclsim/algorithms"
)

// pipelineBuffer is the least buffer of HCCL's AlltoAll pipelines, bytes.
const pipelineBuffer = 80 * mib

const pairwise = "pairwise"

// exchange is the choice for collectives in which every pair has data of its own.
func (s *situation) exchange() verdict {
	v := verdict{"mesh", "", fmt.Sprintf("%d servers, %d ranks", s.servers, s.ranks), sourceAlltoAll + ", SelectAlgforAlltoAll"}
	switch {
	case s.collective == algorithms.SendRecv:
		return verdict{pairwise, "point to point", "", assumed}
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
		return verdict{string(t), "HCCL_ALGO", fmt.Sprintf("level1:%s", t), sourceVariable}
	}
	v := verdict{pairwise, "inside the servers, then between them", fmt.Sprintf("%d servers", s.servers), sourceAlltoAll + ", SelectAlgforAlltoAll"}
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
