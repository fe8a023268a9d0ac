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
	lanes, reductions := p.crowd(segment, func(other int) int64 {
		return h.reduce(int64(p.most(0)) * p.piece(other, 0, sizes))
	})
	n := p.piece(segment, 0, sizes)
	if n == 0 {
		return 0
	}
	for k := range p.steps(0, 0) {
		ps += h.step(int64(lanes*p.most(k))*n, false)
		if k < p.rounds() {
			ps += reductions
		}
	}
	return ps
}

// crowd is the largest number of lanes of the ranks that have a segment, and the largest
// sum of what one thing of each of a rank's segments costs.
func (a *ahc) crowd(segment int, cost func(other int) int64) (lanes int, sum int64) {
	for group := range a.groups() {
		owner := a.owner(group, segment)
		first, next := a.first(group, owner), a.first(group, owner+1)
		lanes = max(lanes, next-first)
		var all int64
		for other := first; other < next; other++ {
			all += cost(other)
		}
		sum = max(sum, all)
	}
	return lanes, sum
}

// most is the largest number of pieces in a message of step k.
func (p ahcBetween) most(k int) int {
	if p.groups() <= ringGroups {
		return 1
	}
	return dealt(p.groups(), 1<<min(k, p.steps(0, 0)-1-k), 0)
}

// cost is that of the slowest group.
func (p ahcShares) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	for group := range p.groups() {
		g := p.size(group)
		ps = max(ps, int64(g-1)*h.step(sum(sizes, p.share(0, g)), p.move == addUp))
	}
	return ps, p.alike(sizes)
}

// cost is that of the slowest segment, bounded as in ahcBetween.
func (p ahcRound) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	for segment := range len(p.cuts) - 1 {
		lanes, reductions := p.crowd(segment, func(other int) int64 { return h.reduce(p.largest(other, sizes)) })
		n := p.largest(segment, sizes)
		if n == 0 {
			continue
		}
		step := h.step(int64(lanes)*n, false)
		if p.move == addUp {
			step += reductions
		}
		ps = max(ps, int64(p.groups()-1)*step)
	}
	return ps, p.alike(sizes)
}

// largest is the size of a segment's largest message.
func (p ahcRound) largest(segment int, sizes func(int) int64) (n int64) {
	for group := range p.groups() {
		n = max(n, sum(sizes, p.pieces(segment, group)))
	}
	return n
}

// cost is that of the slowest group.
func (p ahcDeal) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	for group := range p.groups() {
		g := p.size(group)
		ps = max(ps, int64(g-1)*h.step(sum(sizes, p.dealt(group, 0, 0)), false))
	}
	return ps, p.alike(sizes)
}

// alike says whether all ranks do the same with as much.
func (a *ahc) alike(sizes func(int) int64) bool {
	return a.even() && sizes(0) == sizes(a.slices()-1)
}

// AHCBounds are bounds of AHC under Hockney's model, in picoseconds: there is no closed form
// where groups differ. The lower one is what the busiest rank needs by itself: its lanes'
// steps one after the other, and on one port all that it sends or receives. The upper one,
// which is the estimate, adds up the slowest group, the slowest segment and the slowest group
// again, see ahcBetween.cost.
func AHCBounds(r Request, l Levels) (lower, upper int64, err error) {
	a, err := ahcOf(r)
	if err != nil {
		return 0, 0, err
	}
	layout := a.layout(r)
	sizes := func(i int) int64 {
		_, n := layout.Span(Scratch, i)
		return n
	}
	costs := [2]Hockney{insideGroups: l.Inside, betweenGroups: l.Between}
	phases := a.phases(r.Collective)
	for _, p := range phases {
		ps, _ := p.cost(costs[p.level], sizes)
		upper += ps
	}
	for rank := range r.Ranks() {
		var own int64
		for _, p := range phases {
			own += byItself(p, rank, costs[p.level], sizes)
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
