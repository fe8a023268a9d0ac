package proof

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hcclsim/algorithms"
)

// TestRacesAgainstAllPairs: the conflicts that are looked at, and the ways to decide them
// quickly, give what every pair of accesses gives, on schedules of which some steps do not
// wait for others, or do not signal them, any more.
func TestRacesAgainstAllPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	races, orders, dropped := 0, 0, 0
	for _, name := range []string{"ring", "mesh", "mesh-chunk", "star", "double-tree", "pipeline", "mesh+ring", "mesh-chunk+rhd"} {
		for range 60 {
			r := algorithms.Request{
				Collective: algorithms.AllReduce, Groups: []int{3, 3}, Bytes: 480, Elem: 4, Segment: 60,
				InPlace: random.IntN(2) == 0, Copies: algorithms.Copies(random.IntN(3)),
			}
			s, err := algorithms.New(name, r)
			if err != nil {
				t.Fatal(err)
			}
			s.Program = careless(s, random)
			var g graph
			if g.load(s) != nil {
				continue // a deadlock, perhaps
			}
			ordered := random.IntN(2) == 0
			got, want := new(asked).quick(t, &g, ordered, &dropped), new(asked).exact(&g, ordered)
			if got != want {
				t.Fatalf("%s: a race is found: %t, there is one: %t", name, got, want)
			}
			if want {
				races++
			} else {
				orders++
			}
		}
	}
	if races < 100 || orders < 100 || dropped < 10_000 {
		t.Errorf("%d races, %d without, %d conflicts decided by the main lanes", races, orders, dropped)
	}
}

// careless leaves out some of what steps wait for, in about half of the schedules.
func careless(s *algorithms.Schedule, random *rand.Rand) algorithms.Program {
	waits, signals := map[algorithms.Ref]bool{}, map[algorithms.Ref]bool{}
	for range random.IntN(3) {
		rank := random.IntN(s.Ranks())
		lane := random.IntN(s.Lanes(rank))
		if s.Steps(rank, lane) == 0 {
			continue
		}
		step := at(int32(rank), int32(lane), int32(random.IntN(s.Steps(rank, lane))))
		if random.IntN(2) == 0 {
			waits[step] = true
		} else if st := s.Step(rank, lane, int(step.Step)); st.Send.Peer.Rank >= 0 && st.Send.Set.Count == 0 {
			signals[step] = true
		}
	}
	return mutant{s.Program, func(rank, lane, k int, st *algorithms.Step) {
		me := at(int32(rank), int32(lane), int32(k))
		if waits[me] {
			st.After = algorithms.None
		}
		if signals[me] {
			st.Send.Peer = algorithms.None
		}
		if st.Recv.Peer.Rank >= 0 && signals[st.Recv.Peer] && st.Recv.Set.Count == 0 {
			st.Recv.Peer = algorithms.None
		}
	}}
}

// asked asks races in two ways.
type asked struct{ races }

// quick looks at as few conflicts as check does, by the main lanes first. What these decide
// has to be right.
func (r *asked) quick(t *testing.T, g *graph, ordered bool, dropped *int) bool {
	r.g, r.ordered = g, ordered
	r.collect()
	r.clash()
	r.contract()
	all := slices.Clone(r.conflicts)
	r.checkMain()
	left := slices.Clone(r.conflicts)
	r.conflicts = r.conflicts[:0]
	for _, k := range all {
		open := k
		open.open = true
		if !slices.Contains(left, open) {
			r.conflicts = append(r.conflicts, k)
		}
	}
	*dropped += len(r.conflicts)
	if err := r.checkReach(); err != nil {
		t.Fatalf("the main lanes are said to order it: %v", err)
	}
	r.conflicts = left
	return r.checkReach() != nil
}

// exact looks at all pairs of accesses of a cell.
func (r *asked) exact(g *graph, ordered bool) bool {
	r.g, r.ordered = g, ordered
	r.collect()
	r.contract()
	for cell := range len(r.first) - 1 {
		ts := r.touches[r.first[cell]:r.first[cell+1]]
		for i, second := range ts {
			for _, first := range ts[:i] {
				if !r.commute(first.kind, second.kind) {
					r.conflicts = append(r.conflicts, conflict{cell: int32(cell), first: first, second: second})
				}
			}
		}
	}
	return r.checkReach() != nil
}
