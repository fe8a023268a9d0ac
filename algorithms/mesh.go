package algorithms

// meshPart is one half of an exchange between all pairs: lane 0 is for local work and
// joins, lanes 1 to n-1 have one peer each. Lane q of index i faces lane n-q of index
// i+q where data are written, and of index i-q where they are read, as in the recorded
// runs of HCCL (docs/model.md). Either the pairs only signal each other that they are
// ready, or the data move and a signal follows. The two are parts of their own because
// all lanes of a rank join between them: nobody moves data before every peer is ready.
type meshPart struct {
	n    int
	move move
	data bool
	grid grid // of swap
}

func (m meshPart) lanes(int) int { return m.n }

func (m meshPart) steps(_, lane int) int {
	switch {
	case lane == 0:
		return 0
	case m.data:
		return 2
	}
	return 1
}

// write says whether the sender moves the data; else the receiver does.
func (m meshPart) write() bool { return m.move != gather && m.move != collect }

func (meshPart) regular() bool { return true }

func (m meshPart) step(i, lane, k int) Step {
	shift := m.n - lane
	if m.write() {
		shift = lane
	}
	peer := (i + shift) % m.n
	partner := ref(peer, m.n-lane, k)
	rooted := m.move == scatter || m.move == collect
	switch {
	case rooted && i != 0 && peer != 0:
		return Idle
	case !m.data || k == 1:
		return Step{After: None, Send: Half{Peer: partner}, Recv: Half{Peer: partner}}
	}
	st := Step{After: None, Send: Half{Peer: partner}, Recv: Half{Peer: partner}, Synced: true, Drive: Read}
	switch m.move {
	case spread:
		st.Send.Set, st.Recv.Set = slice(0, 1), slice(0, 1)
	case swap:
		st.Send.Set, st.Recv.Set = m.grid.blocks(i, peer), m.grid.blocks(peer, i)
	case addUp, scatter:
		st.Send.Set, st.Recv.Set = slice(peer, m.n), slice(i, m.n)
	default:
		st.Send.Set, st.Recv.Set = slice(i, m.n), slice(peer, m.n)
	}
	if m.write() {
		st.Drive = Write
	}
	st.Reduce = m.move == addUp || m.move == spread
	if rooted {
		// Index 0 is the one that moves the data, out of it or into it.
		if sends := (i == 0) == m.write(); sends {
			st.Recv = Half{Peer: None}
		} else {
			st.Send = Half{Peer: None}
		}
	}
	return st
}

// cost: signals are free. Index 0 receives, or sends, slice 0 from or to all others; on
// one port that is the longest queue, and no flow in it is ever slowed by another port.
func (m meshPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	if !m.data {
		return 0, true
	}
	others := int64(m.n - 1)
	switch m.move {
	case addUp, spread:
		return h.atOnce(others, sizes(0)) + others*h.reduce(sizes(0)), true
	case gather:
		return h.atOnce(others, sizes(0)), true
	case swap:
		n, even := m.grid.largest(m.n, sizes)
		return h.atOnce(others, n), even
	}
	return h.slicesAtOnce(m.n, sizes), true
}
