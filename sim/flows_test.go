package sim

import (
	"math"
	"strings"
	"testing"
)

// One flow over one or two links, and flows that share one: closed forms.
func TestFlowTimes(t *testing.T) {
	gbs := func(g int64) Rate { return PerSecond(g * 1e9) }
	over := func(bytes int64, weight int32, limit Rate, uses ...Use) start {
		return start{bytes: bytes, uses: uses, weight: weight, limit: limit}
	}
	first, second := Use{0, One}, Use{1, One}
	for _, c := range []struct {
		name   string
		starts []start
		want   []Time // over links of 3 GB/s and 7 GB/s
	}{
		{"alone, rounded up", []start{over(1, 1, 0, first)}, []Time{334}},
		{"alone, exact", []start{over(3, 1, 0, first)}, []Time{1000}},
		{"alone, a terabyte", []start{over(1e12, 1, 0, second)}, []Time{142_857_142_857_143}},
		{"alone, weight is of no account", []start{over(1, 4, 0, first)}, []Time{334}},
		{"the tightest link", []start{over(1e6, 1, 0, first, second)}, []Time{333_333_334}},
		{"no bytes", []start{over(0, 1, 0, first)}, []Time{0}},
		{"no links", []start{over(1e12, 1, 0)}, []Time{0}},
		{"no links, a cap", []start{over(1e6, 1, gbs(2))}, []Time{500_000_000}},
		{"a cap", []start{over(1e6, 1, gbs(2), first)}, []Time{500_000_000}},
		{"a factor", []start{over(1e6, 1, 0, Use{0, 2 * One})}, []Time{666_666_667}},
		{"a factor below one", []start{over(1e6, 1, 0, Use{0, One / 2})}, []Time{166_666_667}},
		{"two share", []start{over(1e6, 1, 0, first), over(1e6, 1, 0, first)}, []Time{666_666_667, 666_666_667}},
		{"weights 1 and 2", []start{over(1e6, 1, 0, first), over(2e6, 2, 0, first)}, []Time{1e9, 1e9}},
		{"the cap of one leaves more to the other", []start{over(1e6, 1, gbs(1), first), over(2e6, 1, 0, first)}, []Time{1e9, 1e9}},
		{"caps that add up to the capacity", []start{over(1e6, 1, gbs(1), first), over(4e6, 1, gbs(2), first)}, []Time{1e9, 2e9}},
		{"a doubled factor takes a double share", []start{over(1e6, 1, 0, first), over(1e6, 1, 0, Use{0, 2 * One})}, []Time{1e9, 1e9}},
		{"the shorter leaves its share", []start{over(1e6, 1, 0, first), over(2e6, 1, 0, first)}, []Time{666_666_667, 1e9}},
		{"a flow slowed elsewhere leaves the rest", []start{
			over(1e6, 1, 0, first), over(1e6, 1, 0, first), over(1e6, 1, 0, first, second), over(6e6, 1, 0, second)},
			[]Time{1e9, 1e9, 1e9, 1e9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := run(t, []Rate{gbs(3), gbs(7)}, c.starts)
			for i, want := range c.want {
				// A shared link gives each flow its share rounded down.
				if got := n.ends[i]; got < want || got > want+1 {
					t.Errorf("flow %d ends at %d ps, want %d", i, got, want)
				}
				if len(c.starts) == 1 && n.ends[i] != want {
					t.Errorf("alone it ends at %d ps, want exactly %d", n.ends[i], want)
				}
			}
		})
	}
}

// Finished tells how long a flow would have taken with its links to itself.
func TestAlone(t *testing.T) {
	n := run(t, crossbar(3), []start{message(1, 0, 1e6), message(2, 0, 2e6), message(0, 1, 5e5)})
	for i, want := range []Time{40 * Microsecond, 80 * Microsecond, 20 * Microsecond} {
		if n.alone[i] != want {
			t.Errorf("flow %d alone: %d ps, want %d", i, n.alone[i], want)
		}
	}
	if n.ends[0] <= n.alone[0] || n.ends[2] != n.alone[2] {
		t.Errorf("ends %v: the first is slowed, the last is not", n.ends)
	}
}

// Doubling every capacity halves every time.
func TestCapacityScales(t *testing.T) {
	var starts []start
	for i := range 12 {
		starts = append(starts, message(i%3, 3+i%4, int64(1+i)<<20))
	}
	slow := run(t, crossbar(8), starts)
	fast := crossbar(8)
	for i := range fast {
		fast[i] *= 2
	}
	quick := run(t, fast, starts)
	for i := range starts {
		if d := slow.ends[i] - 2*quick.ends[i]; d < -2 || d > 2 {
			t.Errorf("flow %d: %d ps, and %d at twice the capacity", i, slow.ends[i], quick.ends[i])
		}
	}
}

// A flow that is slowed and sped up again has events that are stale.
func TestStaleEvents(t *testing.T) {
	long, short := message(1, 0, 1e6), message(2, 0, 1e4)
	short.at = Microsecond
	n := run(t, crossbar(3), []start{long, short})
	// The short one takes 2 * 0.4 us, and the long one loses 0.4 us.
	if n.ends[1] != 1_800_000 || n.ends[0] != 40_400_000 {
		t.Errorf("ends %v", n.ends)
	}
	// Two starts, two ends, and the one that came too early: no event when a flow slows down.
	if n.Events() != 5 {
		t.Errorf("%d events, want 5", n.Events())
	}
	if _, _, ok := n.flows.Finished(0); ok {
		t.Error("a flow finished twice")
	}
}

func TestCarried(t *testing.T) {
	uses := []Use{{0, One}, {1, Ratio(4178, 4096)}}
	n := run(t, crossbar(1), []start{{bytes: 4096 * 1000, uses: uses, weight: 1}, {bytes: 4096, uses: uses, weight: 1}})
	if got := n.flows.Carried(0); got != 4096*1001 {
		t.Errorf("%d bytes, want %d", got, 4096*1001)
	}
	if got := n.flows.Carried(1); got != 4178*1001 {
		t.Errorf("%d wire bytes, want %d", got, 4178*1001)
	}
}

func TestCheckCapacity(t *testing.T) {
	// 25 GB/s for 1 ps is 0.025 B: 1,000,000 B take exactly 40 us.
	n := run(t, crossbar(2), []start{message(0, 1, 1e6)})
	if err := n.flows.CheckCapacity(40 * Microsecond); err != nil {
		t.Error(err)
	}
	if err := n.flows.CheckCapacity(40*Microsecond - 1); err == nil || !strings.Contains(err.Error(), "link 0 carried 1000000 bytes") {
		t.Errorf("a picosecond too short: %v", err)
	}
	n.flows.links[3].carried.lo++ // 2^-32 byte too much
	if err := n.flows.CheckCapacity(40 * Microsecond); err == nil || !strings.Contains(err.Error(), "link 3") {
		t.Errorf("a corrupted link: %v", err)
	}
}

// What cannot be simulated ends the run with an error instead of a wrong time.
func TestLimits(t *testing.T) {
	one := []Use{{0, One}}
	for _, c := range []struct {
		name     string
		capacity Rate
		starts   []start
		want     string
	}{
		{"too long", 1, []start{{bytes: 1 << 40, uses: one, weight: 1}}, "106 days"},
		{"as many flows as units", 2, []start{{bytes: 0, uses: one, weight: 1}, {bytes: 0, uses: one, weight: 1}}, ""},
		{"more flows than units", 2, []start{{bytes: 0, uses: one, weight: 2}, {bytes: 0, uses: one, weight: 1}}, "too many"},
		{"a load beyond 64 bits", math.MaxInt64, []start{
			{bytes: 1, uses: []Use{{0, 1 << 63}}, weight: 1}, {bytes: 1, uses: []Use{{0, 1 << 63}}, weight: 1}}, "too many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := load([]Rate{c.capacity}, c.starts)
			n.Run(n)
			err := n.flows.CheckCapacity(Never)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if (n.flows.Active() > 0) != (c.want != "") {
				t.Errorf("%d flows are left", n.flows.Active())
			}
		})
	}
}

func TestRates(t *testing.T) {
	if got := PerSecond(25e9); got != 25e9*65536 {
		t.Errorf("25 GB/s is %d", got)
	}
	if got := PerSecond(math.MaxInt64); got <= 0 || int64(got>>16) != 1<<47-1 {
		t.Errorf("the fastest rate is %d", got)
	}
	if Ratio(5, 5) != One || Ratio(10, 5) != 2*One || Ratio(1, 3) != 1431655765 || Ratio(2, 3) != 2863311531 {
		t.Error("ratios are not to the nearest")
	}
}

// A step of flows allocates nothing once the slabs have grown, whether the flows are
// alone or coupled.
func TestFlowsDoNotAllocate(t *testing.T) {
	for name, pairs := range map[string][][2]int32{"ring": ring(64), "mesh": mesh(8), "random": random(16, 64)} {
		s := newSteps(128, pairs)
		s.bytes = func(flow int) int64 { return int64(1+flow) << 10 }
		s.advance(10_000)
		if allocs := testing.AllocsPerRun(10, func() { s.advance(1000) }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
