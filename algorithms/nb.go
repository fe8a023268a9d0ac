package algorithms

// nbPart is one half of HCCL's NB (nonuniform Bruck). Dealing out, at step k index i sends
// to i+d, d = 2^k, the slices of i+d, i+3d, i+5d and so on. Gathering it sends to i+d all
// that it has: its own slice and those of the d-1 indices before it; at the last step
// those that i+d lacks.
type nbPart struct {
	n    int
	move move
}

func (b nbPart) lanes(int) int      { return 1 }
func (b nbPart) steps(int, int) int { return doublings(b.n) }

func (nbPart) regular() bool { return true }

func (b nbPart) step(i, _, k int) Step {
	d := 1 << k
	to, from := wrap(i+d, b.n), wrap(i-d, b.n)
	st := Idle
	if b.move == gather {
		st.Send = Half{Peer: ref(to, 0, k), Set: b.held(i, d)}
		st.Recv = Half{Peer: ref(from, 0, k), Set: b.held(from, d)}
		return st
	}
	if n := b.sends(i, d); n > 0 {
		st.Send = Half{Peer: ref(to, 0, k), Set: b.beyond(to, d, n)}
	}
	if n := b.sends(from, d); n > 0 {
		st.Recv = Half{Peer: ref(from, 0, k), Set: b.beyond(i, d, n)}
		st.Reduce = b.move == addUp
	}
	return st
}

// sends is the number of slices that index i deals out at distance d. Scattering, only
// the first d indices have been reached, and have what lies beyond them.
func (b nbPart) sends(i, d int) int {
	switch {
	case b.move != scatter:
		return dealt(b.n, d, 0)
	case i >= d:
		return 0
	}
	return dealt(b.n, d, i)
}

// beyond is the slices i, i+2d, i+4d and so on, count of them.
func (b nbPart) beyond(i, d, count int) Set {
	return Set{First: int32(i), Count: int32(count), Stride: int32(wrap(2*d, b.n)), Mod: int32(b.n), Width: 1}
}

// held is what index i passes on when it has d slices: i, i-1, i-2 and so on.
func (b nbPart) held(i, d int) Set {
	return Set{First: int32(i), Count: int32(min(d, b.n-d)), Stride: int32(b.n - 1), Mod: int32(b.n), Width: 1}
}

// cost follows index 0 where slices are dealt out: scattering, nobody sends as many
// slices, or as large ones. Gathering, it follows slice 0 to the indices 1, 3, 7 and so on,
// which send the first slices of all; or, where there is no other slice, stays at index 0.
func (b nbPart) cost(m Hockney, sizes func(int) int64) (ps int64, exact bool) {
	steps := b.steps(0, 0)
	most := func(k int) int { return dealt(b.n, 1<<k, 0) }
	switch b.move {
	case scatter:
		for k := range steps {
			ps += m.step(sum(sizes, b.beyond(1<<k, 1<<k, most(k))), false)
		}
		return ps, true
	case addUp:
		return m.path(steps, true, sizes, most, func(k int) Set { return b.beyond(0, 1<<k, most(k)) })
	}
	most = func(k int) int { return int(b.held(0, 1<<k).Count) }
	return m.path(steps, false, sizes, most, func(k int) Set {
		if sizes(1) == 0 {
			return b.held(0, 1<<k)
		}
		return b.held(1<<k-1, 1<<k)
	})
}
