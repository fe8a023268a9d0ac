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
	switch {
	case s.collective == algorithms.SendRecv:
		return verdict{pairwise, "point to point", "", assumed}
	case s.Product == "a3":
		v := s.fullMesh("direct full mesh over all dies", "expansion mode AI_CPU")
		s.unasked(v)
		return v
	case s.servers == 1 || s.ranks <= 2:
		v := s.fullMesh("full mesh", fmt.Sprintf("%d servers, %d ranks", s.servers, s.ranks))
		s.unasked(v)
		return v
	case s.unequal:
		v := s.fullMesh("servers of different size", fmt.Sprint(s.Groups, " ranks"))
		s.unasked(v)
		return v
	}
	return s.staged()
}

// fullMesh is the exchange of all pairs at once where the catalogue has it.
func (s *situation) fullMesh(rule, value string) verdict {
	v := verdict{"mesh", rule, value, sourceAlltoAll + ", SelectAlgforAlltoAll"}
	if !algorithms.Offers(v.algorithm, s.collective) {
		v.algorithm = pairwise
	}
	return v
}

// staged is the choice over several servers of the 910A and the 910B: HCCL_ALGO's on the
// 910B, else inside the servers first, then pair by pair between them.
func (s *situation) staged() verdict {
	t := s.tokens[1]
	roomy := s.npus > 1 && !(s.Settings.Buffer > 0 && s.Settings.Buffer < pipelineBuffer)
	pipelined := roomy && s.contexts() <= maxContexts && algorithms.Offers("pipeline", s.collective)
	if s.Product == "910b" && (t == tokenPairwise || t == tokenPipeline && pipelined) {
		return verdict{string(t), "HCCL_ALGO", fmt.Sprintf("level1:%s", t), sourceVariable}
	}
	v := verdict{pairwise, "inside the servers, then between them", fmt.Sprintf("%d servers", s.servers), sourceAlltoAll + ", SelectAlgforAlltoAll"}
	if s.npus > 1 {
		v.algorithm = "mesh+" + pairwise
	}
	if !algorithms.Offers(v.algorithm, s.collective) {
		s.warnf("HCCL exchanges inside the servers, then between them, which is not simulated: %s runs over all ranks", pairwise)
		v.algorithm = pairwise
	}
	switch {
	case asks(t):
		s.warnf("HCCL_ALGO level1:%s is not to be had for %s: %s runs", t, s.collective, v.algorithm)
	case s.Product == "910b" && s.collective == algorithms.AlltoAllV && roomy:
		s.warnf("HCCL's continuous pipeline for AlltoAllV is not simulated: %s runs", v.algorithm)
	}
	return v
}
