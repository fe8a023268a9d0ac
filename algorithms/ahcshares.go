package algorithms

// AHC's ReduceScatter and AllGather cut the slice of every rank into logical parts: slice
// r*parts + x of the program is part x of rank r's. A share is what a rank of a group has of
// all slices.
//
// ReduceScatter: inside the groups every rank adds up its share (ahcShares); between
// groups its segments of that go round the owners, so that each group ends with the slices
// of its own ranks (ahcRound); inside again, everybody gets the pieces of its own slice (ahcDeal).
// AllGather is the same backwards.
//
// HCCL uses NB inside, and NHR between many groups. Here both are rings: the shares of
// several ranks, or the slices of several groups, are no progression that a Set could name. The bytes
// are the same, the messages g-1 instead of the logarithm.

// ahcShares is a ring inside each group, whose slices are shares.
type ahcShares struct {
	*ahc
	move move
}

func (ahcShares) lanes(int) int { return 1 }

func (p ahcShares) steps(i, _ int) int {
	group, _ := p.find(i)
	return p.size(group) - 1
}

func (ahcShares) regular() bool { return false }

func (p ahcShares) step(i, _, k int) Step {
	group, number := p.find(i)
	g := p.size(group)
	ring := ringPart{n: g, reduce: p.move == addUp}
	st := ring.step(number, 0, k)
	for _, h := range []*Half{&st.Send, &st.Recv} {
		h.Peer.Rank += int32(p.starts[group])
		h.Set = p.share(int(h.Set.First), g)
	}
	return st
}

// share is what rank l of a group of g has of all slices.
func (a *ahc) share(l, g int) Set {
	return Set{First: int32(l), Count: int32(a.ranks()), Stride: int32(g), Mod: int32(a.ranks() * g), Width: int32(a.parts / g)}
}

// ahcRound is a ring between the groups for every segment, whose slices are the segment's
// pieces of the slices of a group's ranks.
type ahcRound struct {
	*ahc
	move move
}

func (p ahcRound) lanes(i int) int { return p.segments(i) }

func (p ahcRound) steps(int, int) int { return p.groups() - 1 }

func (ahcRound) regular() bool { return false }

func (p ahcRound) step(i, lane, k int) Step {
	group, number := p.find(i)
	segment := p.first(group, number) + lane
	ring := ringPart{n: p.groups(), reduce: p.move == addUp}
	st := ring.step(group, 0, k)
	for _, h := range []*Half{&st.Send, &st.Recv} {
		h.Peer = p.lane(int(h.Peer.Rank), segment, k)
		h.Set = p.pieces(segment, int(h.Set.First))
	}
	return st
}

// pieces are those of a segment in the slices of a group's ranks.
func (a *ahc) pieces(segment, group int) Set {
	g, width := int32(a.size(group)), a.segment(segment)
	stride := int32(a.parts / width)
	return Set{Count: g, Stride: stride, Mod: g * stride, Base: int32(a.starts[group]*a.parts + a.cuts[segment]), Width: int32(width)}
}

// ahcDeal moves, inside each group, the shares of its own ranks' slices: collecting, from
// those that have a share to the slice's own rank, else back. In step k every rank sends to
// the one that is k+1 further.
type ahcDeal struct {
	*ahc
	move move
}

func (ahcDeal) lanes(int) int { return 1 }

func (p ahcDeal) steps(i, _ int) int {
	group, _ := p.find(i)
	return p.size(group) - 1
}

func (ahcDeal) regular() bool { return false }

func (p ahcDeal) step(i, _, k int) Step {
	group, number := p.find(i)
	g := p.size(group)
	to, from := wrap(number+k+1, g), wrap(number-k-1, g)
	return Step{
		After: None,
		Send:  Half{Peer: ref(p.starts[group]+to, 0, k), Set: p.dealt(group, number, to)},
		Recv:  Half{Peer: ref(p.starts[group]+from, 0, k), Set: p.dealt(group, from, number)},
	}
}

// dealt is what a rank of a group sends to another: its own share of the other's slice, or the
// other's share of its own.
func (p ahcDeal) dealt(group, from, to int) Set {
	g := p.size(group)
	owner, share := to, from
	if p.move == scatter {
		owner, share = from, to
	}
	return slice((p.starts[group]+owner)*g+share, p.ranks()*g).scaled(0, p.parts/g)
}
