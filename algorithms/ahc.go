package algorithms

import (
	"fmt"
	"slices"
	"sort"
)

// ahc is the division of ranks and buffer of HCCL's AHC (asymmetric hierarchical
// concatenation), for groups of different sizes. The buffer is cut into as many logical
// parts as the least common multiple of the sizes, so that in every group they can be
// dealt out evenly: of g ranks, rank l has the parts*1/g parts from l*parts/g on. The owners of
// a logical part, one in each group, reduce it among themselves. Logical parts with the
// same owners form a segment; rank l of a group has one or several.
//
// AllReduce is a reduce-scatter inside the groups (ahcInside), an AllReduce of every
// segment between its owners (ahcBetween), and an all-gather inside. All are parts over all
// ranks in one group, whose slices are parts times the number of groups.
type ahc struct {
	starts []int // first rank of each group, then the number of ranks
	parts  int   // logical parts
	cuts   []int // first logical part of each segment, then the number of parts
}

// maxAHCSlices is what AHC's buffer may be cut into.
const maxAHCSlices = 1 << 20

// newAHC divides groups of the given sizes.
func newAHC(sizes []int) (*ahc, error) {
	a := &ahc{parts: 1, starts: []int{0}}
	for _, g := range sizes {
		a.parts = lcm(a.parts, g)
		if a.parts*len(sizes) > maxAHCSlices {
			return nil, fmt.Errorf("the least common multiple of the group sizes (%d up to here) times %d groups: the buffer is cut into that many slices, of which there can be %d",
				a.parts, len(sizes), maxAHCSlices)
		}
		a.starts = append(a.starts, a.starts[len(a.starts)-1]+g)
	}
	for _, g := range sizes {
		for l := range g {
			a.cuts = append(a.cuts, l*a.parts/g)
		}
	}
	slices.Sort(a.cuts)
	a.cuts = append(slices.Compact(a.cuts), a.parts)
	return a, nil
}

// lcm is the least common multiple.
func lcm(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// ahc adds the phases of AHC over all ranks, whose slices are those of a.
func (c *composer) ahc(a *ahc, in Buffer) {
	inside, between := c.everywhere(1), c.everywhere(1)
	inside.costs = 0
	c.add(ahcInside{a, addUp}, inside, in, in)
	c.add(ahcBetween{a}, between, in, in)
	c.add(ahcInside{a, gather}, inside, in, in)
}

// groups is the number of groups.
func (a *ahc) groups() int { return len(a.starts) - 1 }

// slices is the number of slices of the buffer.
func (a *ahc) slices() int { return a.parts * a.groups() }

// size is the number of ranks of a group.
func (a *ahc) size(group int) int { return a.starts[group+1] - a.starts[group] }

// find is the group of a rank, and its number in it.
func (a *ahc) find(rank int) (group, number int) {
	group = sort.SearchInts(a.starts, rank+1) - 1
	return group, rank - a.starts[group]
}

// owner is the number, in a group, of the rank that has a segment.
func (a *ahc) owner(group, segment int) int {
	return a.cuts[segment] * a.size(group) / a.parts
}

// first is the first segment of a rank; number may be the size of the group.
func (a *ahc) first(group, number int) int {
	return sort.SearchInts(a.cuts, number*a.parts/a.size(group))
}

// segment is the number of logical parts of a segment.
func (a *ahc) segment(s int) int { return a.cuts[s+1] - a.cuts[s] }

// even says whether all groups are of the same size.
func (a *ahc) even() bool {
	return a.parts == a.size(0) && a.starts[a.groups()] == a.parts*a.groups()
}

// ahcInside is the reduce-scatter, or all-gather, inside the groups: NB.
type ahcInside struct {
	*ahc
	move move
}

func (ahcInside) lanes(int) int { return 1 }

func (p ahcInside) steps(i, lane int) int {
	group, _ := p.find(i)
	return p.nb(group).steps(0, lane)
}

func (ahcInside) regular() bool { return false }

func (p ahcInside) nb(group int) nbPart { return nbPart{n: p.size(group), move: p.move} }

func (p ahcInside) step(i, lane, k int) Step {
	group, number := p.find(i)
	st := p.nb(group).step(number, lane, k)
	for _, h := range []*Half{&st.Send, &st.Recv} {
		if h.Peer.Rank >= 0 {
			h.Peer.Rank += int32(p.starts[group])
			h.Set = h.Set.scaled(0, p.slices()/p.size(group))
		}
	}
	return st
}

// scaled is a set of slices each of which is width slices from base on.
func (s Set) scaled(base, width int) Set {
	s.Base = int32(base) + s.Base*int32(width)
	s.Width *= int32(width)
	return s
}

// ahcBetween is the AllReduce of the segments, side by side: a rank has a lane for each
// of its segments. The segment is cut into a piece for each group. Few groups form a
// ring, more of them use NHR.
type ahcBetween struct{ *ahc }

// ringGroups is up to where AHC uses a ring, HCCL's AHC_LEVEL0_GROUP_SIZE_THRESHOLD.
const ringGroups = 3

func (p ahcBetween) lanes(i int) int {
	group, number := p.find(i)
	return p.first(group, number+1) - p.first(group, number)
}

func (p ahcBetween) steps(int, int) int { return 2 * p.rounds() }

func (ahcBetween) regular() bool { return false }

// rounds is the number of steps of each half, in which pieces are added up, then gathered.
func (p ahcBetween) rounds() int {
	if n := p.groups(); n <= ringGroups {
		return n - 1
	}
	return doublings(p.groups())
}

func (p ahcBetween) step(i, lane, k int) Step {
	group, number := p.find(i)
	segment := p.first(group, number) + lane
	st := p.piecewise(group, k)
	for _, h := range []*Half{&st.Send, &st.Recv} {
		if h.Peer.Rank < 0 {
			continue
		}
		other := int(h.Peer.Rank)
		owner := p.owner(other, segment)
		h.Peer = ref(p.starts[other]+owner, segment-p.first(other, owner), k)
		h.Set = h.Set.scaled(p.cuts[segment]*p.groups(), p.segment(segment))
	}
	return st
}

// piecewise is the step of a group in the AllReduce of one segment, whose slices are its
// pieces. Partners are in the same step.
func (p ahcBetween) piecewise(group, k int) Step {
	move, half := addUp, k
	if k >= p.rounds() {
		move, half = gather, k-p.rounds()
	}
	if p.groups() <= ringGroups {
		ring := ringPart{n: p.groups(), reduce: move == addUp}
		return ring.step(group, 0, half)
	}
	return nhrPart{n: p.groups(), move: move, reordered: true}.step(group, 0, half)
}
