package algorithms

// cost is that of the slowest group. It is a bound from above where groups differ, as
// then some wait for others.
func (p ahcInside) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	exact = p.even()
	for group := range p.groups() {
		wide := func(q int) int64 {
			return sum(sizes, slice(q, p.size(group)).scaled(0, p.slices()/p.size(group)))
		}
		part, ok := p.nb(group).cost(h, wide)
		ps, exact = max(ps, part), exact && ok
	}
	return ps, exact
}

// cost is that of the slowest segment. Where all groups are of one size every rank has one
// segment, of which the first is the largest. Otherwise it is a bound from above: a message
// of a segment shares a port with one message of each other segment of its rank at most,
// and its reduction waits for one of each.
func (p ahcBetween) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	if p.even() {
		return p.alone(h, sizes)
	}
	for segment := range len(p.cuts) - 1 {
		ps = max(ps, p.shared(h, segment, sizes))
	}
	return ps, false
}

// piece is the size of a piece of a segment; no other piece is larger than the first.
func (p ahcBetween) piece(segment, q int, sizes func(int) int64) int64 {
	return sum(sizes, slice(q, p.groups()).scaled(p.cuts[segment]*p.groups(), p.segment(segment)))
}

// alone is the time of the first segment if its ranks have no other.
func (p ahcBetween) alone(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	n := p.groups()
	halves := []part{nhrPart{n: n, move: addUp, reordered: true}, nhrPart{n: n, move: gather, reordered: true}}
	if n <= ringGroups {
		halves = []part{&ringPart{n: n, reduce: true}, &ringPart{n: n}}
	}
	exact = true
	for _, half := range halves {
		t, ok := half.cost(h, func(q int) int64 { return p.piece(0, q, sizes) })
		ps, exact = ps+t, exact && ok
	}
	return ps, exact
}

// shared bounds the time of a segment from above.
func (p ahcBetween) shared(h Hockney, segment int, sizes func(int) int64) (ps int64) {
	lanes, reductions := 0, int64(0)
	for group := range p.groups() {
		owner := p.owner(group, segment)
		first, next := p.first(group, owner), p.first(group, owner+1)
		lanes = max(lanes, next-first)
		var waits int64
		for other := first; other < next; other++ {
			waits += h.reduce(int64(p.pieces(0)) * p.piece(other, 0, sizes))
		}
		reductions = max(reductions, waits)
	}
	n := p.piece(segment, 0, sizes)
	if n == 0 {
		return 0
	}
	for k := range p.steps(0, 0) {
		ps += h.step(int64(lanes*p.pieces(k))*n, false)
		if k < p.rounds() {
			ps += reductions
		}
	}
	return ps
}

// pieces is the largest number of pieces in a message of step k.
func (p ahcBetween) pieces(k int) int {
	if p.groups() <= ringGroups {
		return 1
	}
	return dealt(p.groups(), 1<<min(k, p.steps(0, 0)-1-k), 0)
}

// AHCBounds are bounds of AHC's AllReduce under Hockney's model, in picoseconds: there is no
// closed form where groups differ. The lower one is what the busiest rank needs by itself:
// its lanes' steps one after the other, and on one port all that it sends or receives. The
// upper one adds up the slowest group, the slowest segment and the slowest group again,
// see ahcBetween.cost.
func AHCBounds(r Request, l Levels) (lower, upper int64, err error) {
	a, err := newAHC(r.Groups)
	if err != nil {
		return 0, 0, err
	}
	layout := newCuts(r, 1, a.slices(), 0)
	sizes := func(i int) int64 {
		_, n := layout.Span(Scratch, i)
		return n
	}
	parts := []part{ahcInside{a, addUp}, ahcBetween{a}, ahcInside{a, gather}}
	levels := []Hockney{l.Inside, l.Between, l.Inside}
	for f, p := range parts {
		ps, _ := p.cost(levels[f], sizes)
		upper += ps
	}
	for rank := range r.Ranks() {
		var own int64
		for f, p := range parts {
			own += byItself(p, rank, levels[f], sizes)
		}
		lower = max(lower, own)
	}
	return lower, upper, nil
}

// byItself is the time that an index needs in a part if it never waits for others.
func byItself(p part, i int, h Hockney, sizes func(int) int64) int64 {
	var longest, sent, got int64
	for lane := range p.lanes(i) {
		var ps int64
		for k := range p.steps(i, lane) {
			st := p.step(i, lane, k)
			out, in := sum(sizes, st.Send.Set), sum(sizes, st.Recv.Set)
			sent, got = sent+out, got+in
			ps += max(h.step(out, false), h.step(in, st.Reduce))
		}
		longest = max(longest, ps)
	}
	if h.PairLinks {
		return longest
	}
	return max(longest, h.step(max(sent, got), false))
}
