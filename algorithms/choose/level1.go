package choose

import (
	"fmt"
	"math/big"
	"math/bits"

	"hcclsim/algorithms"
)

const (
	// maxContexts is what one FFTS+ graph holds (HCCL_FFTS_CAPACITY).
	maxContexts = 65535
	// latency is what HCCL's selector assumes for a step between servers, microseconds.
	latency = 60
)

func power2(n int) bool { return n&(n-1) == 0 }

// logarithm is that of n to base 2, rounded up.
func logarithm(n int) int64 { return int64(bits.Len(uint(n - 1))) }

// static is HCCL's default by the number of servers (GetDefaultAlgoLevel1V1), with the
// replacements of collectives that lack it.
func static(s *situation) level1 {
	m := s.servers
	l := level1{token: tokenHDR, rule: "default by the number of servers",
		value: fmt.Sprintf("%d servers >= 8", m), source: sourceConfigurator + ", GetDefaultAlgoLevel1V1"}
	switch {
	case m >= 8:
	case power2(m) && m > 1:
		l.value = fmt.Sprintf("%d servers: a power of two", m)
	default:
		l.token, l.value = tokenRing, fmt.Sprintf("%d servers: under 8, no power of two", m)
	}
	switch {
	case s.collective == algorithms.Broadcast && l.token == tokenRing:
		return level1{token: tokenHDR, rule: "Broadcast has no ring between servers",
			value: l.value, source: sourceBroadcast}
	case s.collective == algorithms.Scatter && l.token == tokenHDR:
		return level1{token: tokenRing, rule: "Scatter has no H-D_R", value: l.value, source: sourceScatter}
	case s.collective == algorithms.Gather:
		return level1{token: tokenRing, rule: "ring between servers", value: l.value, source: assumed}
	}
	return l
}

// selector910B is the 910B's op-by-op selector: the pipeline, else the lowest of three
// costs, for AllReduce, AllGather and ReduceScatter.
func selector910B(s *situation) level1 {
	switch s.collective {
	case algorithms.AllReduce, algorithms.AllGather, algorithms.ReduceScatter:
		if l, ok := s.pipeline(); ok {
			return l
		}
		return s.lowest()
	}
	return static(s)
}

// pipeline says whether the selector takes the pipeline.
func (s *situation) pipeline() (level1, bool) {
	mode := s.Settings.Deterministic
	floor, bytes, what := int64(32*kib), s.data, "a rank's part"
	switch {
	case s.collective == algorithms.AllReduce:
		floor, bytes, what = mib, s.data/int64(s.ranks), "S/(servers*NPUs)"
	case s.collective == algorithms.ReduceScatter && mode == IsDeterministic:
		floor = 256 * kib
	}
	contexts := s.contexts()
	switch {
	case !s.pipelines() || bytes < floor || contexts > maxContexts:
		return level1{}, false
	case s.collective.Reduces() && (mode == Strict || mode == IsDeterministic && s.npus == 2):
		return level1{}, false
	}
	return level1{token: tokenPipeline, rule: "pipeline",
		value: fmt.Sprintf("%s %s >= %s, %d <= %d contexts", what, size(bytes), size(floor), contexts, maxContexts), source: sourceSelector}, true
}

// pipelines says whether there is a pipeline at all: over servers of several NPUs, for what
// is reduced on the way or not reduced (IsMultiMeshInlineReduce).
func (s *situation) pipelines() bool {
	return s.npus > 1 && (s.inline || !s.collective.Reduces())
}

// contexts is HCCL's estimate of the contexts that a pipeline takes
// (CalcContextNumForPipeline).
func (s *situation) contexts() int {
	steps, peers := s.servers, s.npus-1
	ordered := s.Settings.Deterministic == IsDeterministic && s.collective.Reduces()
	step := 5*peers + 7 + 1
	if ordered {
		step += peers
	}
	n := steps*step + 4 + 1
	switch s.collective {
	case algorithms.AlltoAll, algorithms.AlltoAllV:
		n += steps
	case algorithms.AllReduce:
		n *= 2
	}
	if ordered {
		n += steps - 1
	}
	return n
}

// assumedBandwidth is what HCCL assumes between servers, GB/s (GetBandWidthPerNPU).
func (s *situation) assumedBandwidth() int64 {
	if s.Product == "910a" {
		return 10 // 12.5 * 0.8
	}
	return 20 // 25 * 0.8
}

// lowest compares the costs that HCCL computes for ring, NHR and H-D_R: steps at 60 us and
// bytes at the assumed bandwidth. Ring and NHR move the same bytes, so that the size does
// not matter. Of equals ring comes before NHR, NHR before H-D_R.
func (s *situation) lowest() level1 {
	costs := s.costs()
	best := 0
	for i, c := range costs {
		if c.time.Cmp(costs[best].time) < 0 {
			best = i
		}
	}
	value := ""
	for i, c := range costs {
		if i > 0 {
			value += ", "
		}
		value += fmt.Sprintf("%s %sus", c.token, c.time.FloatString(1))
	}
	return level1{token: costs[best].token, rule: "lowest cost by 60us a step", value: value, source: sourceSelector}
}

type tokenCost struct {
	token Token
	time  *big.Rat // microseconds
}

// costs are those of SelectAlgoTypeFor{AllReduce,AllGather,ReduceScatter}, in the order of
// preference.
func (s *situation) costs() []tokenCost {
	m, steps := int64(s.servers), logarithm(s.servers)
	passes, bytes := int64(1), big.NewRat(s.loop(), 1)
	if s.collective == algorithms.AllReduce {
		passes, bytes = 2, big.NewRat(s.loop(), int64(s.npus))
	}
	transfer := new(big.Rat).Quo(bytes, s.selectorBandwidth())
	cost := func(steps, blocks int64) *big.Rat {
		t := new(big.Rat).Mul(transfer, big.NewRat(blocks, m))
		t.Add(t, big.NewRat(steps*latency, 1))
		return t.Mul(t, big.NewRat(passes, 1))
	}
	hdr := m - 1
	if !power2(s.servers) {
		hdr = 2*m - 1
	}
	return []tokenCost{{tokenRing, cost(m-1, m-1)}, {tokenNHR, cost(steps, m-1)}, {tokenHDR, cost(steps, hdr)}}
}

// loop is the data of one round through HCCL's buffer, of all ranks in AllGather and
// ReduceScatter.
func (s *situation) loop() int64 {
	if s.Settings.Buffer == 0 {
		return s.Bytes
	}
	return min(s.Bytes, s.Settings.Buffer)
}

// selectorBandwidth is in bytes per microsecond. HCCL takes two servers for the two halves
// of a server of 16 NPUs, joined by PCIe.
func (s *situation) selectorBandwidth() *big.Rat {
	gib := big.NewRat(s.assumedBandwidth(), 1)
	if s.ranks == 2*s.npus && s.Product != "910a" {
		gib.SetFrac64(64*85, 100)
	}
	return gib.Mul(gib, big.NewRat(1<<30, 1e6))
}
