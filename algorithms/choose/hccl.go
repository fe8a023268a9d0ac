package choose

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
)

// Sizes of HCCL's rules, bytes.
const (
	kib = 1 << 10
	mib = 1 << 20
)

// HCCL's public sources, as Choice.Source names them: files of the component hcomm.
const (
	sourceConfigurator = "HCCL alg_configurator.cc"
	sourceSelector     = "HCCL coll_alg_operator.cc, GetDefaultAlgoLevel1V2"
	sourceAllReduce    = "HCCL all_reduce_operator.cc"
	sourceAllGather    = "HCCL all_gather_operator.cc"
	sourceReduceScat   = "HCCL reduce_scatter_operator.cc"
	sourceBroadcast    = "HCCL broadcast_operator.cc"
	sourceReduce       = "HCCL reduce_operator.cc"
	sourceScatter      = "HCCL scatter_operator.cc"
	sourceAlltoAll     = "HCCL alltoall_operator.cc"
	sourceMesh         = "HCCL coll_{all_reduce,reduce_scatter}_mesh_executor.cc"
	sourceVariable     = "HCCL HCCL_ALGO.md"
	assumed            = "assumed"
)

// verdict is what a rule says: an algorithm of the catalogue, and why.
type verdict struct{ algorithm, rule, value, source string }

// level1 is what decides between servers, or super-pods: a token, and why.
type level1 struct {
	token               Token
	rule, value, source string
}

// rules are those of one product.
type rules struct {
	// level0 is the algorithm inside a server; empty where HCCL sees one plane of all ranks.
	level0 func(*situation) verdict
	// small is the form of a small message, which does not ask HCCL_ALGO.
	small func(*situation) (verdict, bool)
	// level1 is the automatic choice between servers.
	level1 func(*situation) level1
	// unequal is the algorithm of servers of different size.
	unequal func(*situation) verdict
}

var products = map[string]rules{
	"910a": {level0: level0910A, small: small910A, level1: static, unequal: unequalFlat},
	"910b": {level0: level0910B, small: small910B, level1: selector910B, unequal: unequalFlat},
	"a3":   {level0: level0A3, small: smallA3, level1: staticA3, unequal: unequalA3},
}

// situation is a question with what the rules ask of it.
type situation struct {
	Question
	product    rules
	collective algorithms.Collective // a Barrier is an AllReduce
	servers    int
	npus       int // of a server
	ranks      int
	pods       int
	unequal    bool
	data       int64 // what HCCL calls the size: of one rank's part in AllGather and ReduceScatter
	inline     bool  // product, type and operation reduce on the way
	tokens     Tokens
	warnings   []string
}

// HCCL does what HCCL's public sources do on the product; see the package comment.
func HCCL(q Question) (Choice, error) {
	s, err := newSituation(q)
	if err != nil {
		return Choice{}, err
	}
	v := s.decide()
	return settle(q, Choice{Algorithm: v.algorithm, By: byHCCL, Rule: v.rule, Value: v.value, Source: v.source, Warnings: s.warnings})
}

func newSituation(q Question) (*situation, error) {
	product, known := products[q.Product]
	if !known {
		return nil, fmt.Errorf("no rules of HCCL for product %q (there are: 910a, 910b, a3)", q.Product)
	}
	if len(q.Groups) == 0 || slices.Min(q.Groups) < 1 {
		return nil, fmt.Errorf("servers with %v ranks: expected at least one server, and one rank in each", q.Groups)
	}
	s := &situation{Question: q, product: product, collective: q.Collective,
		servers: len(q.Groups), npus: q.Groups[0], ranks: q.Ranks(), pods: max(q.Pods, 1),
		data: q.Bytes, inline: q.InlineReduce && reducesInline(q), tokens: q.Settings.Algo.For(q.Collective)}
	switch q.Collective {
	case algorithms.Barrier:
		s.collective = algorithms.AllReduce
	case algorithms.AllGather, algorithms.ReduceScatter:
		s.data = q.Bytes / int64(s.ranks)
	}
	s.unequal = slices.ContainsFunc(q.Groups, func(n int) bool { return n != s.npus })
	return s, nil
}

// reducesInline says whether the product's DMA engines and NICs reduce the type and
// operation on the way (device_capacity.cc, IsDataTypeSupport and IsRedOpSupport).
func reducesInline(q Question) bool {
	types, ops := []string{"", "fp32", "fp16", "bf16", "int8", "int16", "int32"}, []string{"", "sum", "max", "min"}
	if q.Product == "910a" {
		types, ops = []string{"", "fp32"}, []string{"", "sum"}
	}
	return slices.Contains(types, q.DType) && slices.Contains(ops, q.Op)
}

func (s *situation) warnf(format string, arguments ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, arguments...))
}

// decide takes the steps of the package comment.
func (s *situation) decide() verdict {
	s.strict()
	s.idle()
	if s.exchanges() {
		return s.exchange()
	}
	if s.forcesAHC() {
		return s.ahc()
	}
	if s.unequal {
		return s.product.unequal(s)
	}
	if v, ok := s.product.small(s); ok {
		s.unasked(v)
		return v
	}
	if s.servers == 1 {
		if v := s.product.level0(s); v.algorithm != "" {
			s.unasked(v)
			return v
		}
	}
	between := s.between()
	if between.token == tokenPipeline {
		return s.pipelined(between)
	}
	return s.hierarchy(s.product.level0(s), between)
}

// strict warns of what HCCL's strict mode does beyond the deterministic one.
func (s *situation) strict() {
	if s.Settings.Deterministic == Strict && s.collective.Reduces() && slices.Contains([]string{"", "fp32", "fp16", "bf16"}, s.DType) {
		s.warnf("HCCL_DETERMINISTIC=strict: HCCL's order-preserving form is not simulated, the deterministic one runs")
	}
}

func (s *situation) pipelined(by level1) verdict {
	if s.Settings.Deterministic != NotDeterministic && s.collective.Reduces() {
		s.warnf("HCCL's deterministic pipeline adds by local reductions, which is not simulated: pipeline runs")
	}
	return verdict{algorithm: "pipeline", rule: by.rule, value: by.value, source: by.source}
}

// hierarchy joins the levels that have more than one member.
func (s *situation) hierarchy(inside verdict, between level1) verdict {
	name := s.nameOf(between.token)
	if inside.algorithm == "" {
		return verdict{algorithm: name, rule: between.rule, value: between.value, source: between.source}
	}
	var levels []string
	if s.npus > 1 {
		levels = append(levels, inside.algorithm)
	}
	if s.servers > s.pods {
		levels = append(levels, name)
	}
	if s.pods > 1 {
		s.podPipeline()
		pods := s.level2()
		levels = append(levels, algorithmOf(pods.token))
		if s.servers == s.pods {
			between = pods
		}
	}
	return verdict{algorithm: strings.Join(levels, "+"), rule: between.rule, value: between.value, source: between.source}
}
