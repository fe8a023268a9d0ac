package algorithms

// starPart moves the whole buffer between index 0 and every other index at once. Index 0
// has a lane for each of the others.
type starPart struct {
	n      int
	reduce bool
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
	if root := i == 0; root == s.reduce {
		st.Recv = half
		st.Reduce = s.reduce
	} else {
		st.Send = half
	}
	return st
}

// cost: the messages travel at once; the reductions at index 0 follow each other.
func (s starPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	n, others := sizes(0), int64(s.n-1)
	ps := h.atOnce(others, n)
	if s.reduce {
		ps += others * h.reduce(n)
	}
	return ps, true
}
