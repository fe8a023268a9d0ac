package algorithms

// ringPart is one round of n-1 steps around the ring in which every index sends one
// slice to the next and receives one from the one before. Reducing, index i sends slice
// i-1-k at step k and ends with the sum of slice i; gathering, it sends slice i-k and
// ends with all slices.
type ringPart struct {
	n      int
	reduce bool
}

func (r *ringPart) lanes(int) int      { return 1 }
func (r *ringPart) steps(int, int) int { return r.n - 1 }

func (*ringPart) regular() bool { return true }

func (r *ringPart) step(i, _, k int) Step {
	first := i - k
	if r.reduce {
		first--
	}
	return Step{
		After:  None,
		Send:   Half{Peer: ref(wrap(i+1, r.n), 0, k), Set: slice(first, r.n)},
		Recv:   Half{Peer: ref(wrap(i-1, r.n), 0, k), Set: slice(first-1, r.n)},
		Reduce: r.reduce,
	}
}

// cost follows slice 0 around the ring: it waits for nothing, and nothing is larger.
func (r *ringPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return int64(r.n-1) * h.step(sizes(0), r.reduce), true
}

// chainPart passes the whole buffer from index to index: away from index 0, or reducing
// towards it. Every index first receives, then sends.
type chainPart struct {
	n      int
	reduce bool
}

func (c chainPart) lanes(int) int      { return 1 }
func (c chainPart) steps(int, int) int { return 2 }

func (chainPart) regular() bool { return true }

func (c chainPart) step(i, _, k int) Step {
	source, sink := i-1, i+1
	if c.reduce {
		source, sink = sink, source
	}
	st := Idle
	if k == 0 && source >= 0 && source < c.n {
		st.Recv = Half{Peer: ref(source, 0, 1), Set: slice(0, 1)}
		st.Reduce = c.reduce
	}
	if k == 1 && sink >= 0 && sink < c.n {
		st.Send = Half{Peer: ref(sink, 0, 0), Set: slice(0, 1)}
	}
	return st
}

func (c chainPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return int64(c.n-1) * h.step(sizes(0), c.reduce), true
}

func ref(index, lane, step int) Ref {
	return Ref{Rank: int32(index), Lane: int32(lane), Step: int32(step)}
}

// slice is the set of one slice, i mod n.
func slice(i, n int) Set {
	return Set{First: int32(wrap(i, n)), Count: 1, Stride: 1, Mod: int32(n), Width: 1}
}

// wrap is i mod n. Near the range it needs no division, which a ring's steps would feel.
func wrap(i, n int) int {
	switch {
	case i >= 0 && i < n:
		return i
	case i < 0 && i >= -n:
		return i + n
	}
	if i %= n; i < 0 {
		i += n
	}
	return i
}
