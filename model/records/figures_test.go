package records

import (
	"math"
	"strings"
	"testing"

	"hcclsim/model/units"
)

func TestBandwidths(t *testing.T) {
	// Factors: NVIDIA/nccl-tests doc/PERFORMANCE.md. 10^9 byte in 1 s are 1 GB/s.
	for _, c := range []struct {
		collective string
		ranks      int
		time       units.Duration
		alg, bus   float64
	}{
		{"allreduce", 8, units.Second, 1, 1.75},
		{"allreduce", 2, units.Second / 4, 4, 4},
		{"allgather", 8, units.Second, 1, 0.875},
		{"reducescatter", 4, units.Second, 1, 0.75},
		{"alltoall", 16, units.Second / 2, 2, 1.875},
		{"broadcast", 8, units.Second, 1, 1},
		{"reduce", 8, units.Second / 8, 8, 8},
		{"sendrecv", 2, units.Second, 1, 1},
		{"allreduce", 1, units.Second, 1, 0},
		{"broadcast", 1, units.Second, 1, 0},
		{"allreduce", 8, 0, 0, 0},
	} {
		r := Row{Collective: c.collective, Ranks: c.ranks, Bytes: 1e9, Time: c.time}
		if r.AlgBW() != c.alg || r.BusBW() != c.bus {
			t.Errorf("%s of %d ranks in %s us: algbw %v, busbw %v; want %v, %v",
				c.collective, c.ranks, micros(c.time), r.AlgBW(), r.BusBW(), c.alg, c.bus)
		}
	}
}

func TestBound(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []Part
		want  string
	}{
		{"largest", []Part{{"launch", 17}, {"wire:hccs", 83}}, "wire hccs 83%"},
		{"first of equals", []Part{{"launch", 50}, {"reduce", 50}}, "launch 50%"},
		{"half a percent rounds up", []Part{{"latency", 125}, {"notify", 75}}, "latency 63%"},
		{"all", []Part{{"latency", math.MaxInt64}}, "latency 100%"},
		{"no overflow", []Part{{"latency", math.MaxInt64 / 4}, {"wire:a", math.MaxInt64 - math.MaxInt64/4}}, "wire a 75%"},
		{"nothing", nil, ""},
	} {
		r := Row{Critical: c.parts}
		for _, p := range c.parts {
			r.Time += p.Time
		}
		if got := r.Bound(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, r := range sample()[:2] {
		if err := Check(r); err != nil {
			t.Error(err)
		}
		r.Time++
		if err := Check(r); err == nil || !strings.Contains(err.Error(), "the critical path explains") {
			t.Errorf("a picosecond is unexplained, got %v", err)
		}
	}
	if err := Check(Row{Critical: []Part{{"launch", 2}, {"engine", -2}}}); err == nil {
		t.Error("a negative part passes")
	}
	if err := Check(Row{Time: 1}); err == nil {
		t.Error("a row without causes passes")
	}
}

func TestMicros(t *testing.T) {
	for text, d := range map[string]units.Duration{
		"0.000000":             0,
		"0.000001":             1,
		"61.234567":            61_234_567,
		"9223372036854.775807": math.MaxInt64,
	} {
		if got := micros(d); got != text {
			t.Errorf("%d ps prints as %s, want %s", d, got, text)
		}
		if got, err := parseMicros(text); got != d || err != nil {
			t.Errorf("%s reads as %d ps, %v; want %d", text, got, err, d)
		}
	}
	if got, err := parseMicros("12.5"); got != 12_500_000 || err != nil {
		t.Errorf("12.5 reads as %d, %v", got, err)
	}
	for _, bad := range []string{"", ".", "1.", ".5", "1e3", "-1", "+1", "1.0000001", "0x1", "9223372036854.775808", "1 "} {
		if got, err := parseMicros(bad); err == nil {
			t.Errorf("%q reads as %d ps", bad, got)
		}
	}
	if got := micros(-1_500_000); got != "-1.500000" {
		t.Errorf("-1.5 us prints as %s", got)
	}
}
