package algorithms

import (
	"fmt"
	"slices"
	"sort"
)

// ahc is the division of ranks and buffer of HCCL's AHC (asymmetric hierarchical
// concatenation), for groups of different sizes. What is to be divided, the buffer or the
// slice of every rank, is cut into as many logical parts as the least common multiple of the
// sizes, so that in every group they can be dealt out evenly: of g ranks, rank l has the
// parts/g from l*parts/g on. The owners of a logical part, one in each group, exchange it
// among themselves. Logical parts with the same owners form a segment; a rank has one or
// several, and a lane for each.
//
// AllReduce cuts the buffer. It is a reduce-scatter inside the groups (ahcInside), an
// AllReduce of every segment between its owners (ahcBetween), and an all-gather inside. All
// are parts over all ranks in one group, and have as many slices as there are logical parts
// times groups. ReduceScatter and AllGather cut the slices of ranks: see ahcShares.
type ahc struct {
	starts []int // first rank of each group, then the number of ranks
	parts  int   // logical parts
	cuts   []int // first logical part of each segment, then the number of parts
	each   int   // slices of the program in a logical part: one a group, or one a rank
}

// maxAHCSlices is what AHC's buffer may be cut into.
const maxAHCSlices = 1 << 20

// newAHC divides the buffer between groups of the given sizes, for AllReduce.
func newAHC(sizes []int) (*ahc, error) {
	a := groupsOf(sizes)
	a.each = a.groups()
	if err := a.divide(); err != nil {
		return nil, err
	}
	a.cut()
	return a, nil
}

// newAHCShares divides the slices of ranks, for ReduceScatter and AllGather. As a segment
// is then a piece of every rank's slice, its size must divide that of a slice, so that a
// set can name the pieces: segments are cut further.
func newAHCShares(sizes []int) (*ahc, error) {
	a := groupsOf(sizes)
	a.each = a.ranks()
	if err := a.divide(); err != nil {
		return nil, err
	}
	a.cut()
	var finer []int
	for s := range len(a.cuts) - 1 {
		size := gcd(a.segment(s), a.parts)
		for at := a.cuts[s]; at < a.cuts[s+1]; at += size {
			finer = append(finer, at)
		}
	}
	a.cuts = append(finer, a.parts)
	return a, nil
}

// ahcOf divides what a request's collective needs.
func ahcOf(r Request) (*ahc, error) {
	if r.Collective == ReduceScatter || r.Collective == AllGather {
		return newAHCShares(r.Groups)
	}
	return newAHC(r.Groups)
}

// groupsOf numbers the ranks of groups.
func groupsOf(sizes []int) *ahc {
	a := &ahc{starts: []int{0}}
	for _, g := range sizes {
		a.starts = append(a.starts, a.ranks()+g)
	}
	return a
}

// divide finds the number of logical parts.
func (a *ahc) divide() error {
	a.parts = 1
	for group := range a.groups() {
		a.parts = lcm(a.parts, a.size(group))
		if a.slices() > maxAHCSlices {
			return fmt.Errorf("the groups have sizes with a least common multiple of %d or more: the buffer would be cut into %d times as many slices, which is more than %d",
				a.parts, a.each, maxAHCSlices)
		}
	}
	return nil
}

// cut finds the segments.
func (a *ahc) cut() {
	for group := range a.groups() {
		for l := range a.size(group) {
			a.cuts = append(a.cuts, l*a.parts/a.size(group))
		}
	}
	slices.Sort(a.cuts)
	a.cuts = append(slices.Compact(a.cuts), a.parts)
}

// lcm is the least common multiple.
func lcm(a, b int) int { return a / gcd(a, b) * b }

// gcd is the greatest common divisor.
func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// ahc adds the phases of AHC over all ranks, whose slices are those of a.
func (c *composer) ahc(a *ahc, in Buffer) {
	places := [2]place{c.everywhere(1), c.everywhere(1)}
	places[insideGroups].costs = 0
	for _, p := range a.phases(c.r.Collective) {
		c.add(p.part, places[p.level], in, in)
	}
}

// ahcPhase is a phase of AHC, inside the groups or between them.
type ahcPhase struct {
	part
	level int
}

const (
	insideGroups = iota
	betweenGroups
)

// phases are those of a collective, in order.
func (a *ahc) phases(c Collective) []ahcPhase {
	switch c {
	case ReduceScatter:
		return []ahcPhase{{ahcShares{a, addUp}, insideGroups}, {ahcRound{a, addUp}, betweenGroups}, {ahcDeal{a, collect}, insideGroups}}
	case AllGather:
		return []ahcPhase{{ahcDeal{a, scatter}, insideGroups}, {ahcRound{a, gather}, betweenGroups}, {ahcShares{a, gather}, insideGroups}}
	}
	return []ahcPhase{{ahcInside{a, addUp}, insideGroups}, {ahcBetween{a}, betweenGroups}, {ahcInside{a, gather}, insideGroups}}
}

// layout cuts the buffer, or the slices of ranks.
func (a *ahc) layout(r Request) *cuts {
	if r.Collective == ReduceScatter || r.Collective == AllGather {
		return newCuts(r, a.ranks(), a.parts, 0)
	}
	return newCuts(r, 1, a.slices(), 0)
}

// groups is the number of groups.
func (a *ahc) groups() int { return len(a.starts) - 1 }

// slices is the number of slices of the program.
func (a *ahc) slices() int { return a.parts * a.each }

// ranks is the number of ranks.
func (a *ahc) ranks() int { return a.starts[len(a.starts)-1] }

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

// segments is the number of segments of a rank.
func (a *ahc) segments(rank int) int {
	group, number := a.find(rank)
	return a.first(group, number+1) - a.first(group, number)
}

// lane is step k of a group's lane for a segment.
func (a *ahc) lane(group, segment, k int) Ref {
	owner := a.owner(group, segment)
	return ref(a.starts[group]+owner, segment-a.first(group, owner), k)
}

// segment is the number of logical parts of a segment.
func (a *ahc) segment(s int) int { return a.cuts[s+1] - a.cuts[s] }

// even says whether all groups are of the same size.
func (a *ahc) even() bool {
	return a.parts == a.size(0) && a.ranks() == a.parts*a.groups()
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

func (p ahcBetween) lanes(i int) int { return p.segments(i) }

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
		if h.Peer.Rank >= 0 {
			h.Peer = p.lane(int(h.Peer.Rank), segment, k)
			h.Set = h.Set.scaled(p.cuts[segment]*p.groups(), p.segment(segment))
		}
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
