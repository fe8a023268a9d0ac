package exchange

import (
	"bytes"
	"slices"
	"testing"

	"hcclsim/algorithms"
)

// TestOrderInside makes sure that written files need no order between their gpus but that
// of the data: of any two steps of a gpu that touch the same chunk, one of them writing, one
// is known to come first by thread blocks and dependencies alone.
func TestOrderInside(t *testing.T) {
	for _, name := range algorithms.Names() {
		for _, c := range algorithms.Collectives() {
			groups := []int{6}
			if !algorithms.Flat(name) {
				groups = []int{3, 3}
			}
			r := algorithms.Request{Collective: c, Groups: groups, Bytes: 6 * 512, Elem: 4, InPlace: c.HasInPlace(), Segment: 128}
			s, err := algorithms.New(name, r)
			if err != nil {
				continue
			}
			var text bytes.Buffer
			if Write(&text, s) != nil {
				continue // TestRoundTrip knows why
			}
			a, err := Read(name, &text)
			if err != nil {
				t.Fatal(err)
			}
			for rank := range a.gpus {
				ordered(t, a, rank, newNumbering(c, a.Ranks, a.ChunksPerLoop, r.InPlace))
			}
		}
	}
}

// ordered fails where two steps of a gpu are in no order.
func ordered(t *testing.T, a *Algorithm, rank int, n numbering) {
	t.Helper()
	g := &a.gpus[rank]
	known := make([][]int, len(g.blocks))
	for b := range known {
		known[b] = make([]int, len(g.blocks))
	}
	clocks := make(map[place][]int)
	type access struct {
		at     place
		writes bool
	}
	touched := make(map[cell][]access)
	for _, at := range g.order {
		i := g.instruction(at)
		now := known[at.block]
		if i.after.block >= 0 {
			for b, k := range clocks[i.after] {
				now[b] = max(now[b], k)
			}
		}
		touch := func(c chunk, writes bool) {
			b, set := n.set(rank, c, i.count)
			for j := range set.Len() {
				c := cell{b, set.Slice(j)}
				for _, other := range touched[c] {
					if (writes || other.writes) && other.at != at && other.at.step >= now[other.at.block] {
						t.Errorf("%s: gpu %d: %v and %v touch %v in no order", a.File, rank, other.at, at, c)
					}
				}
				touched[c] = append(touched[c], access{at, writes})
			}
		}
		if kinds[i.kind].src {
			touch(i.src, false)
		}
		if kinds[i.kind].dst {
			touch(i.dst, true)
		}
		now[at.block] = at.step + 1
		clocks[at] = slices.Clone(now)
	}
}
