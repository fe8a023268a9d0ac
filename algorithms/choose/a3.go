package choose

import (
	"fmt"

	"hcclsim/algorithms"
)

// level0A3: two rings over the dies of a server, one over less than four or an odd number.
func level0A3(s *situation) verdict {
	v := verdict{algorithm: "double-ring", rule: "level 0 by the wiring",
		value: fmt.Sprintf("%d dies: HCCS_SW links = 2 x SIO links", s.npus), source: sourceConfigurator + ", GetDefaultAlgoLevel0Module"}
	if s.npus < 4 || s.npus%2 == 1 {
		v.algorithm, v.value = ring, fmt.Sprintf("%d dies in one ring", s.npus)
	}
	return v
}

// staticA3 is the default by the number of servers, with NHR for H-D_R, and with ring for
// every Reduce.
func staticA3(s *situation) level1 {
	l := static(s)
	switch {
	case s.collective == algorithms.Reduce:
		return level1{token: tokenRing, rule: "Reduce has ring only",
			value: l.value, source: sourceReduce + ", SelectAlgfor91093"}
	case l.token == tokenHDR || s.collective == algorithms.Scatter && (s.servers >= 8 || power2(s.servers)):
		l.token, l.rule = tokenNHR, "default by the number of servers, NHR for H-D_R"
	}
	return l
}

// unequalA3: AHC for AllReduce; elsewhere NHR, or ring where there is no NHR, over all.
func unequalA3(s *situation) verdict {
	v := verdict{algorithm: "ahc", rule: "servers of different size", value: fmt.Sprint(s.Groups, " ranks"), source: assumed}
	s.unasked(v)
	if s.collective == algorithms.AllReduce {
		s.warnf("servers of different size %v: HCCL searches its own ring size (AllReduceARSFor91093), which is not simulated: ahc runs", s.Groups)
		return v
	}
	v.algorithm, v.source = "nhr", sourceConfigurator
	if s.collective == algorithms.Reduce || s.collective == algorithms.Gather {
		v.algorithm = ring
	}
	s.warnf("servers of different size %v: HCCL's own form is not simulated, and %s runs over all ranks", s.Groups, v.algorithm)
	return v
}

// smallA3 are the A3's forms of small messages: flat over all dies.
func smallA3(s *situation) (verdict, bool) {
	switch s.collective {
	case algorithms.AllReduce:
		return s.smallAllReduce()
	case algorithms.AllGather:
		return s.smallAllGather()
	case algorithms.ReduceScatter:
		return s.smallReduceScatter()
	case algorithms.Broadcast:
		return s.smallBroadcast()
	}
	return verdict{}, false
}

// flatNHR is NHR over all ranks.
func (s *situation) flatNHR() string {
	if s.oneshot(s.Bytes) {
		return "nhr-oneshot"
	}
	return "nhr"
}

// upTo is the rule that takes an algorithm for messages up to a limit.
func upTo(algorithm, rule string, data, limit int64, source string) (verdict, bool) {
	return verdict{algorithm: algorithm, rule: rule,
		value: fmt.Sprintf("%s <= %s", size(data), size(limit)), source: source + ", SelectAlgfor91093"}, data <= limit
}

func (s *situation) smallAllReduce() (verdict, bool) {
	npus := int64(s.npus)
	if s.pods > 1 {
		if s.data >= 64*kib && s.data <= 256*kib {
			s.warnf("HCCL runs NHR inside the super-pods and then between them, which is not simulated: nhr runs over all ranks")
			return upTo("nhr", "middle size over super-pods", s.data, 256*kib, sourceAllReduce)
		}
		if v, ok := upTo(s.flatNHR(), "small message over super-pods", s.data, 16*kib*npus, sourceAllReduce); ok || s.inline {
			return v, ok
		}
		return upTo("nhr", "no inline reduce over super-pods", s.data, 4*mib*npus, sourceAllReduce)
	}
	switch {
	case s.servers > 1 && !s.inline:
		return verdict{algorithm: s.flatNHR(), rule: "no inline reduce",
			value: s.DType + " " + s.Op, source: sourceAllReduce + ", SelectAlgfor91093"}, true
	case s.npus <= 2 || s.servers == 1 && (!s.inline || s.overflows(4*s.data)):
		return verdict{}, false
	case s.servers == 1:
		return upTo("rhd-oneshot", "small message in one server", s.data, 512*kib*int64(s.ranks), sourceAllReduce)
	}
	return upTo(s.flatNHR(), "small message in one super-pod", s.data, mib*npus, sourceAllReduce)
}

func (s *situation) smallAllGather() (verdict, bool) {
	if s.pods > 1 {
		if v, ok := upTo("rhd", "small message over super-pods", s.data, 16*kib, sourceAllGather); ok {
			return v, true
		}
		if s.data > 256*kib {
			return verdict{}, false
		}
		s.warnf("HCCL runs NHR inside the super-pods and then between them, which is not simulated: nhr runs over all ranks")
		return upTo("nhr", "middle size over super-pods", s.data, 256*kib, sourceAllGather)
	}
	rounds := int64(1) // through the buffer, at most
	limit := int64(512 * kib)
	if s.servers > 1 && s.npus%2 == 0 {
		rounds = 2
	}
	if s.servers > 1 && s.npus%4 == 0 {
		rounds, limit = 4, mib
	}
	if s.npus <= 2 || s.overflows((s.Bytes+rounds-1)/rounds) {
		return verdict{}, false
	}
	return upTo("rhd", "small message in one super-pod", s.data*int64(s.servers), limit, sourceAllGather)
}

// smallReduceScatter takes the thresholds of NPUs with seven HCCS ports.
func (s *situation) smallReduceScatter() (verdict, bool) {
	whole := power2(s.ranks)
	limited := whole && s.overflows((s.Bytes+1)/2)
	switch {
	case s.servers == 1 && s.inline && s.npus > 2 && !limited:
		return upTo("mesh-chunk", "small message in one server", s.data, 512*kib, sourceReduceScat)
	case s.servers == 1:
		return verdict{}, false
	case !s.inline && s.pods == 1:
		return verdict{algorithm: "rhd", rule: "no inline reduce",
			value: s.DType + " " + s.Op, source: sourceReduceScat + ", SelectAlgfor91093"}, true
	case !s.inline && whole:
		return upTo("rhd", "no inline reduce over super-pods", s.data, 4*mib, sourceReduceScat)
	case !s.inline:
		return upTo("rhd", "no inline reduce over super-pods", s.data, 2*mib, sourceReduceScat)
	case s.pods > 1 || s.npus <= 2 || limited:
		return verdict{}, false
	case whole:
		return upTo("rhd", "small message in one super-pod", s.data*int64(s.servers), mib, sourceReduceScat)
	}
	return upTo("rhd", "small message, ranks no power of two", s.data, 256*kib, sourceReduceScat)
}

func (s *situation) smallBroadcast() (verdict, bool) {
	npus := int64(s.npus)
	switch {
	case s.pods > 1:
		return upTo(s.flatNHR(), "small message over super-pods", s.data, 16*kib*npus, sourceBroadcast)
	case s.npus <= 2:
		return verdict{}, false
	case s.servers == 1:
		return upTo("rhd", "small message in one server", s.data, 512*kib*int64(s.ranks), sourceBroadcast)
	}
	return upTo(s.flatNHR(), "small message in one super-pod", s.data, mib*npus, sourceBroadcast)
}

// podPipeline warns where HCCL overlaps the levels over super-pods: for more than 608 MiB,
// in blocks of 4 MiB and more, of which two of every rank fit in the buffer.
func (s *situation) podPipeline() {
	block := s.Settings.Buffer / 2 / int64(s.ranks)
	switch {
	case s.collective != algorithms.AllGather && s.collective != algorithms.ReduceScatter:
	case s.collective == algorithms.ReduceScatter && !s.inline:
	case s.Bytes <= 608*mib || s.Settings.Buffer > 0 && block < 4*mib:
	default:
		s.warnf("HCCL overlaps the levels of more than 608MiB over super-pods in a pipeline, which is not simulated: they run one after the other")
	}
}

// overflows says whether bytes do not fit in HCCL's buffer.
func (s *situation) overflows(bytes int64) bool {
	return s.Settings.Buffer > 0 && bytes > s.Settings.Buffer
}
