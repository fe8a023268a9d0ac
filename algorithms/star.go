package algorithms

// starPart moves the whole buffer, or each index's own slice, between index 0 and every
// other index at once. Index 0 has a lane for each of the others.
type starPart struct {
	n    int
	move move // addUp, gather: the whole buffer, to index 0 and from it; scatter, collect: slices
}

func (s starPart) lanes(i int) int {
	if i == 0 {
		return s.n - 1
	}
	return 1
}

func (s starPart) steps(int, int) int { return 1 }

func (starPart) regular() bool { return false }

func (s starPart) step(i, lane, _ int) Step {
	st := Idle
	peer := ref(0, i-1, 0)
	if i == 0 {
		peer = ref(lane+1, 0, 0)
	}
	half := Half{Peer: peer, Set: slice(0, 1)}
	if s.own() {
		half.Set = slice(max(i, int(peer.Rank)), s.n)
	}
	if root := i == 0; root == s.inwards() {
		st.Recv = half
		st.Reduce = s.move == addUp
	} else {
		st.Send = half
	}
	return st
}

func (s starPart) own() bool     { return s.move == scatter || s.move == collect }
func (s starPart) inwards() bool { return s.move == addUp || s.move == collect }

// cost: the messages travel at once; the reductions at index 0 follow each other.
func (s starPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	if s.own() {
		return h.slicesAtOnce(s.n, sizes), true
	}
	n, others := sizes(0), int64(s.n-1)
	ps := h.atOnce(others, n)
	if s.move == addUp {
		ps += others * h.reduce(n)
	}
	return ps, true
}

// slicesAtOnce is the time of the slices of all indices but 0 when they begin together at
// one end.
func (h Hockney) slicesAtOnce(n int, sizes func(int) int64) int64 {
	var most, total int64
	for q := 1; q < n; q++ {
		most = max(most, sizes(q))
		total += sizes(q)
	}
	if h.PairLinks {
		return h.step(most, false)
	}
	return h.step(total, false)
}
