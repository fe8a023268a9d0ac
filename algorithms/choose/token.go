package choose

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
)

// What users can force, from HCCL's inter_server_algo_support.md and
// inter_superpod_algo_support.md.
var (
	level1Tokens = map[string][]Token{
		"910a": {tokenRing, tokenHDR, tokenNHR, tokenNHRV1, tokenNB},
		"910b": {tokenRing, tokenHDR, tokenNHR, tokenNHRV1, tokenNB, tokenPipeline, tokenPairwise},
		"a3":   {tokenRing, tokenNHR, tokenNB, tokenAHC, tokenAHCBroke},
	}
	level2Tokens = []Token{tokenRing, tokenNHR, tokenNB, tokenHDR}
)

// serves says which collectives HCCL has an algorithm for.
func serves(t Token, c algorithms.Collective) bool {
	exchange := c == algorithms.AlltoAll || c == algorithms.AlltoAllV
	unrooted := c == algorithms.AllReduce || c == algorithms.AllGather || c == algorithms.ReduceScatter
	switch t {
	case tokenRing:
		return unrooted || c == algorithms.Reduce || c == algorithms.Scatter
	case tokenHDR:
		return unrooted || c == algorithms.Reduce || c == algorithms.Broadcast
	case tokenNHR, tokenNB:
		return unrooted || c == algorithms.Broadcast || c == algorithms.Scatter
	case tokenNHRV1:
		return unrooted || c == algorithms.Broadcast
	case tokenAHC, tokenAHCBroke:
		return unrooted
	case tokenPipeline:
		return unrooted || exchange
	case tokenPairwise:
		return exchange
	}
	return false
}

// asks says whether a level of HCCL_ALGO is set to an algorithm.
func asks(t Token) bool { return t != "" && t != tokenNA && t != tokenNull }

// between is the algorithm between servers: HCCL_ALGO's, or the automatic choice where
// that is not set or not to be had.
func (s *situation) between() level1 {
	t := s.tokens[1]
	if !asks(t) {
		return s.product.level1(s)
	}
	why := ""
	switch {
	case !slices.Contains(level1Tokens[s.Product], t):
		why = fmt.Sprintf("%s has none", s.Product)
	case !serves(t, s.collective):
		why = fmt.Sprintf("not for %s", s.collective)
	case t == tokenPipeline && s.Settings.Deterministic != NotDeterministic:
		why = "not in deterministic mode"
	case t == tokenPipeline && s.npus == 1:
		why = "one NPU a server"
	case t == tokenPipeline:
		return s.forcedPipeline()
	default:
		return level1{token: t, rule: "HCCL_ALGO", value: fmt.Sprintf("level1:%s", t), source: sourceVariable}
	}
	auto := s.product.level1(s)
	s.warnf("HCCL_ALGO level1:%s is not to be had (%s): the automatic choice %s runs", t, why, auto.token)
	return auto
}

// forcedPipeline is HCCL_ALGO level1:pipeline over servers of several NPUs, or H-D_R, which
// is what HCCL's levels take for it where its pipeline cannot run.
func (s *situation) forcedPipeline() level1 {
	switch n := s.contexts(); {
	case n > maxContexts:
		s.warnf("HCCL_ALGO level1:pipeline needs %d contexts of %d: HCCL falls back to H-D_R", n, maxContexts)
		return level1{token: tokenHDR, rule: "pipeline beyond the contexts of a graph",
			value: fmt.Sprintf("%d > %d contexts", n, maxContexts), source: sourceSelector}
	case !s.pipelines():
		what := strings.TrimSpace(s.DType + " " + s.Op)
		s.warnf("HCCL_ALGO level1:pipeline adds inline, and nothing reduces %s inline: HCCL falls back to its mesh, and H-D_R between the servers", what)
		return level1{token: tokenHDR, rule: "pipeline without inline reduce", value: what, source: sourceMesh}
	}
	return level1{token: tokenPipeline, rule: "HCCL_ALGO", value: "level1:pipeline", source: sourceVariable}
}

// level2 is the algorithm between super-pods.
func (s *situation) level2() level1 {
	auto := level1{token: tokenNHR, rule: "default between super-pods",
		value: fmt.Sprintf("%d super-pods", s.pods), source: sourceConfigurator}
	if !serves(auto.token, s.collective) {
		auto.token, auto.source = tokenRing, assumed // for Reduce and Gather
	}
	t := s.tokens[2]
	switch {
	case !asks(t):
		return auto
	case t == tokenPipeline && (s.collective == algorithms.AllGather || s.collective == algorithms.ReduceScatter):
		s.warnf("HCCL_ALGO level2:pipeline works with zero copy only, which is not simulated: %s runs", auto.token)
		return auto
	case !slices.Contains(level2Tokens, t) || !serves(t, s.collective) ||
		t == tokenHDR && (s.collective == algorithms.AllGather || s.collective == algorithms.ReduceScatter):
		s.warnf("HCCL_ALGO level2:%s is not to be had for %s: %s runs", t, s.collective, auto.token)
		return auto
	}
	return level1{token: t, rule: "HCCL_ALGO", value: fmt.Sprintf("level2:%s", t), source: sourceVariable}
}

func (s *situation) forcesAHC() bool {
	t := s.tokens[1]
	return s.Product == "a3" && s.servers > 1 && (t == tokenAHC || t == tokenAHCBroke) && serves(t, s.collective)
}

// ahc is HCCL_ALGO level1:AHC, which takes level 2 too.
func (s *situation) ahc() verdict {
	if t := s.tokens[2]; asks(t) && t != tokenAHC {
		s.warnf("HCCL_ALGO level2:%s has no effect: level1:%s sets level 2 to AHC too", t, s.tokens[1])
	}
	if s.collective != algorithms.AllReduce {
		s.warnf("AHC's %s goes round rings inside and between the servers here; HCCL's takes a logarithm of the steps", s.collective)
	}
	return verdict{algorithm: "ahc", rule: "HCCL_ALGO", value: fmt.Sprintf("level1:%s", s.tokens[1]), source: sourceVariable}
}

// algorithmOf is the catalogue's name of a token.
func algorithmOf(t Token) string {
	switch t {
	case tokenHDR:
		return "rhd"
	case tokenNHR, tokenNHRV1:
		return "nhr"
	case tokenNB:
		return "nb"
	}
	return ring
}

// nameOf is the catalogue's name of the algorithm between servers, in its form for this
// size.
func (s *situation) nameOf(t Token) string {
	if t == tokenNHRV1 {
		s.warnf("HCCL_ALGO level1:NHR_V1 is not simulated: NHR runs")
		t = tokenNHR
	}
	perNPU := s.Bytes / int64(s.npus)
	switch {
	case s.pods > 1:
		return algorithmOf(t) // the small forms are those of two levels
	case t == tokenNHR && s.oneshot(perNPU):
		return "nhr-oneshot"
	case t == tokenNB && s.collective == algorithms.Broadcast && s.binaryTree(perNPU):
		return "nb-tree"
	}
	return algorithmOf(t)
}

// oneshot says whether NHR moves bytes as a whole (op_context.h, NHR_ALLREDUCE_SMALL_SIZE
// and NHR_BCAST_SMALL_SIZE).
func (s *situation) oneshot(bytes int64) bool {
	return s.collective == algorithms.AllReduce && bytes <= 256*kib || s.collective == algorithms.Broadcast && bytes <= 2*mib
}

// binaryTree says whether NB broadcasts bytes along a binary tree: for two servers, or
// below a multiple of 60,000 bytes for each GB/s that HCCL assumes. Up to four servers the
// multiple is their number; for more, whose Bruck takes n steps, (2n-2)/(n-2), rounded down.
func (s *situation) binaryTree(bytes int64) bool {
	base, m := int64(60_000)*s.assumedBandwidth(), int64(s.servers)
	switch {
	case m == 2:
		return true
	case m <= 4:
		return bytes < m*base
	}
	n := logarithm(s.servers)
	return bytes < (2*n-2)/(n-2)*base
}
