package model

import (
	"testing"

	"hcclsim/sim"
)

// The max-min facts: what fair sharing must give on eight ranks of a crossbar, to one
// picosecond per transfer on the way (docs/model.md, "Sharing").

const megabyte = 1_000_000

func near(t *testing.T, what string, got, want sim.Time, within sim.Time) {
	t.Helper()
	if d := got - want; d < -within || d > within {
		t.Errorf("%s: got %d ps, want %d ps within %d", what, got, want, within)
	}
}

func TestIncast(t *testing.T) {
	s := newScript(8, megabyte)
	for r := 1; r < 8; r++ {
		s.send(r, 0, 0)
	}
	res, ends := play(t, crossbar(8), s)
	for lane, end := range ends[0] {
		near(t, "sender", end, 281*sim.Microsecond, 1)
		_ = lane
	}
	near(t, "all", sim.Time(res.Time), 281*sim.Microsecond, 1)
}

func TestIncastOfUnequalSizes(t *testing.T) {
	s := newScript(8, 0, 1*megabyte, 2*megabyte, 3*megabyte, 4*megabyte, 5*megabyte, 6*megabyte, 7*megabyte)
	for r := 1; r < 8; r++ {
		s.send(r, 0, int32(r))
	}
	_, ends := play(t, crossbar(8), s)
	want := []sim.Time{281, 521, 721, 881, 1001, 1081, 1121}
	for i, end := range ends[0] {
		near(t, "sender", end, want[i]*sim.Microsecond, sim.Time(i+1))
	}
}

func TestSharingIsMaxMinNotEqualSplit(t *testing.T) {
	s := newScript(8, megabyte)
	for r := 1; r <= 4; r++ {
		s.send(r, 0, 0)
	}
	s.send(1, 7, 0)
	_, ends := play(t, crossbar(8), s)
	for _, end := range ends[0] {
		near(t, "to 0", end, 161*sim.Microsecond, 1)
	}
	// 1 MB at 18.75 GB/s and 1 us.
	near(t, "1 to 7", ends[7][0], 54_333_334, 1)
}

func TestAllToAllAtOnce(t *testing.T) {
	s := newScript(8, megabyte)
	for a := range 8 {
		for b := range 8 {
			if a != b {
				s.send(a, b, 0)
			}
		}
	}
	res, ends := play(t, crossbar(8), s)
	for _, rank := range ends {
		for _, end := range rank {
			near(t, "lane", end, 281*sim.Microsecond, 1)
		}
	}
	if got := res.Busiest[0].Share; got < 0.99 {
		t.Errorf("the busiest link was used %.3f of the time, want all but the latency", got)
	}
}
