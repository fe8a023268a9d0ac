package algorithms

import (
	"slices"
	"testing"
)

// Three servers of two ranks; rank 1 of server 1 has index 3. Block b is slices 2b and
// 2b+1. Adding up, server 1 works on blocks 2, 0 and 1, and the ring brings blocks 0 and 1
// from server 2; gathering alone, the ring comes from server 0, in AllReduce from server 2.
func TestPipelineMessages(t *testing.T) {
	const i = 3
	shape := pipelinePart{servers: 3, n: 2, depth: 2}
	alone, onward := shape, shape
	alone.gather, onward.gather, onward.onward = true, true, true
	for _, c := range []struct {
		name string
		part pipelinePart
		ring string // what the ring brings
		mesh string // what the peer, index 2, brings
	}{
		{"reduce-scatter", shape, "- 5:1 5:3", "2:5 2:1 2:3"},
		{"all-gather", alone, "1:1 1:5 -", "2:2 2:0 2:4"},
		{"all-gather of AllReduce", onward, "5:5 5:1 -", "2:2 2:4 2:0"},
	} {
		if got := messagesOf(c.part, i, ringLane); got != c.ring {
			t.Errorf("%s: the ring brings %q, want %q", c.name, got, c.ring)
		}
		if got := messagesOf(c.part, i, firstPeer); got != c.mesh {
			t.Errorf("%s: the mesh brings %q, want %q", c.name, got, c.mesh)
		}
	}
}

// TestPipelineGates: no lane begins a round before the mesh is through with the one before;
// and where data are added up the ring has sent what was in the buffer, depth rounds ago.
func TestPipelineGates(t *testing.T) {
	for depth := 2; depth <= 5; depth++ {
		p := pipelinePart{servers: 7, n: 4, depth: depth}
		for k := 1; k < p.servers; k++ {
			for q := 1; q < p.n; q++ {
				gate := p.mesh(9, q, k).After
				for lane := firstPeer; lane <= p.n; lane++ {
					join := p.step(9, 0, int(gate.Step)-p.n+lane-ringLane).After
					if join != ref(9, lane, k-1) {
						t.Fatalf("depth %d: round %d begins after %+v, want lane %d's round %d", depth, k, join, lane, k-1)
					}
				}
				want := None
				if sent := k + 1 - depth; sent > 0 {
					want = ref(9, ringLane, sent)
				}
				if got := p.step(9, 0, int(gate.Step)).After; got != want {
					t.Errorf("depth %d: the gate of round %d waits for %+v, want %+v", depth, k, got, want)
				}
			}
		}
	}
}

// speeds are costs of both levels: equal, a slow ring, a slow mesh, and a ring that is as
// fast as the mesh with its reductions, or nearly.
var speeds = []Levels{
	levelsOfSpeed(5_000_000, 25e9, 5_000_000, 25e9),
	levelsOfSpeed(1_000_000, 100e9, 10_000_000, 12.5e9),
	levelsOfSpeed(5_000_000, 10e9, 1_000_000, 50e9),
	levelsOfSpeed(5_000_000, 25e9, 8_000_000, 25e9),
	levelsOfSpeed(5_000_000, 25e9, 7_500_000, 25e9),
	levelsOfSpeed(5_000_000, 25e9, 4_500_000, 25e9),
}

func levelsOfSpeed(a, rate, between, rateBetween int64) Levels {
	return Levels{
		Inside:  Hockney{Alpha: a, Bandwidth: rate, Reduce: 100e9, PairLinks: true},
		Between: Hockney{Alpha: between, Bandwidth: rateBetween, Reduce: 100e9},
	}
}

// TestPipelineCost compares the cost with HCCL's formula, which knows no reductions, and
// with the same with reductions.
func TestPipelineCost(t *testing.T) {
	const s = 100_000
	sizes := func(int) int64 { return s }
	for _, l := range speeds {
		free := l
		free.Inside.Reduce = 0
		mesh := l.Inside.Alpha + Duration(s, l.Inside.Bandwidth)
		ring := l.Between.Alpha + Duration(s, l.Between.Bandwidth)
		const g = 1_000_000
		for servers := 2; servers <= 9; servers++ {
			for n := 2; n <= 8; n++ {
				p := pipelinePart{servers: servers, n: n, depth: 2}
				rounds, peers := int64(servers-1), int64(n-1)
				formula := max(ring, mesh)*rounds + mesh
				if got, exact := p.levels(free, sizes); got != formula || !exact {
					t.Errorf("%+v %+v: adding up takes %d ps, want %d", p, free, got, formula)
				}
				// What arrives in a round is reduced in the order of arrival.
				arrivals := append(slices.Repeat([]int64{mesh}, n-1), ring)
				slices.Sort(arrivals)
				all := int64(0)
				for _, t := range arrivals {
					all = max(all, t) + g
				}
				want := mesh + peers*g + rounds*all
				if got, exact := p.levels(l, sizes); got != want || !exact {
					t.Errorf("%+v %+v: adding up takes %d ps with reductions, want %d", p, l, got, want)
				}
				p.gather = true
				if got, exact := p.levels(l, sizes); got != formula || !exact {
					t.Errorf("%+v %+v: gathering takes %d ps, want %d", p, l, got, formula)
				}
			}
		}
	}
}

// TestPipelineUneven: followed server by server, even slices give the formula, and short
// ones never take longer. Of three servers with ranks for themselves the last one's block is
// short, so that the ring's rounds are followed along the long ones.
func TestPipelineUneven(t *testing.T) {
	even := func(int) int64 { return 100_000 }
	for _, l := range speeds {
		for servers := 2; servers <= 7; servers++ {
			for n := 1; n <= 4; n++ {
				short := func(i int) int64 {
					if i >= servers*n-n {
						return 40_000
					}
					return 100_000
				}
				for _, p := range []pipelinePart{
					{servers: servers, n: n, depth: 2},
					{servers: servers, n: n, depth: 2, gather: true},
					{servers: servers, n: n, depth: 2, gather: true, onward: true},
				} {
					want, _ := p.levels(l, even)
					if got := p.uneven(l, even); got != want {
						t.Errorf("%+v %+v: %d ps followed, the formula says %d", p, l, got, want)
					}
					got, exact := p.levels(l, short)
					if got > want || !exact {
						t.Errorf("%+v %+v: %d ps with a short block, %d without (exact: %t)", p, l, got, want, exact)
					}
				}
			}
		}
	}
	// The ring alone: a full block goes all the way, 9 us a hop of which 4 are its bytes.
	p := pipelinePart{servers: 3, n: 1, depth: 2, gather: true}
	lastShort := func(i int) int64 { return []int64{100_000, 100_000, 40_000}[i] }
	if got, _ := p.levels(speeds[0], lastShort); got != 2*9_000_000 {
		t.Errorf("gathering around a ring of three takes %d ps, want two hops of 9 us", got)
	}
}

// TestPipelineOnePort: everything at once on one port: n-1 messages of the mesh, then n a
// round.
func TestPipelineOnePort(t *testing.T) {
	h := Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 100e9}
	sizes := func(int) int64 { return 100_000 }
	p := pipelinePart{servers: 4, n: 3, depth: 2}
	// 5+2*4+2*1 us, then three rounds of 5+3*4+3*1.
	if got, exact := p.cost(h, sizes); got != 75_000_000 || !exact {
		t.Errorf("adding up takes %d ps (exact: %t), want 75 us", got, exact)
	}
	p.gather = true
	if got, exact := p.cost(h, sizes); got != 64_000_000 || !exact {
		t.Errorf("gathering takes %d ps (exact: %t), want 3*17+13 us", got, exact)
	}
}
