package algorithms

// plane divides the ranks into groups of size ranks that are stride apart: the ranks of a
// server (stride 1), or those of the same number in all servers (stride: ranks of a
// server). Within a group ranks have indices 0 to size-1, counted from the root.
type plane struct{ size, stride, root int }

func (p plane) index(rank int) int {
	i := rank/p.stride%p.size - p.root
	if i < 0 {
		i += p.size
	}
	return i
}

// rank is the rank of an index in the group of another rank.
func (p plane) rank(of, index int) int {
	index += p.root
	if index >= p.size {
		index -= p.size
	}
	return of + (index-of/p.stride%p.size)*p.stride
}

// group numbers the groups of the plane.
func (p plane) group(rank int) int {
	return rank/(p.stride*p.size)*p.stride + rank%p.stride
}

// part is a schedule of one group: its refs are to indices of the group, and its sets
// number its own slices. Its Send halves leave from one buffer, its Recv halves arrive in
// one, whatever Buf says. The lanes of a part begin together.
type part interface {
	lanes(index int) int
	steps(index, lane int) int
	step(index, lane, k int) Step
	// cost is the closed form, or an estimate (exact is false); sizes gives the bytes of the part's slices, of which none
	// is larger than slice 0.
	cost(h Hockney, sizes func(slice int) int64) (ps int64, exact bool)
}

// phase is a part that all groups of a plane do at once. Its slice i is width slices of
// the whole program, from group*shift + i*width on.
type phase struct {
	part     part
	plane    plane
	from, to Buffer
	width    int
	shift    int
}

// sequence is a program of phases, one after the other. Lane 0 is the main stream: at the
// end of a phase it waits for the other lanes of its rank, one idle step each, and the
// other lanes begin the next phase with an idle step that waits for lane 0. Ranks do not
// wait for each other but in the steps of the parts.
type sequence struct {
	phases []phase
	ranks  int
	slices int
}

// Ranks implements Program.
func (s *sequence) Ranks() int { return s.ranks }

// Slices implements Program.
func (s *sequence) Slices(Buffer) int { return s.slices }

// Lanes implements Program.
func (s *sequence) Lanes(rank int) int {
	n := 1
	for f := range s.phases {
		ph := &s.phases[f]
		n = max(n, ph.part.lanes(ph.plane.index(rank)))
	}
	return n
}

// Steps implements Program.
func (s *sequence) Steps(rank, lane int) int { return s.offset(len(s.phases), rank, lane) }

// offset is the number of steps of a lane before phase f.
func (s *sequence) offset(f, rank, lane int) int {
	n := 0
	for g := range f {
		n += s.length(g, rank, lane)
	}
	return n
}

// length is the number of steps of a lane in phase f, joins included.
func (s *sequence) length(f, rank, lane int) int {
	ph := &s.phases[f]
	i := ph.plane.index(rank)
	lanes := ph.part.lanes(i)
	if lane >= lanes {
		return 0
	}
	n := ph.part.steps(i, lane)
	switch {
	case lane == 0 && f < len(s.phases)-1:
		n += lanes - 1
	case lane > 0 && n > 0:
		n += entry(f, lane)
	}
	return n
}

// entry is the number of idle steps with which a lane begins phase f.
func entry(f, lane int) int {
	if f > 0 && lane > 0 {
		return 1
	}
	return 0
}

// Step implements Program.
func (s *sequence) Step(rank, lane, k int) Step {
	f, begin := 0, 0
	for n := s.length(0, rank, lane); k >= begin+n; n = s.length(f, rank, lane) {
		begin += n
		f++
	}
	ph := &s.phases[f]
	i := ph.plane.index(rank)
	k -= begin
	if k < entry(f, lane) {
		return idleAfter(rank, 0, s.offset(f, rank, 0)-1)
	}
	k -= entry(f, lane)
	if n := ph.part.steps(i, lane); k >= n {
		other := k - n + 1
		if s.length(f, rank, other) == 0 {
			return Idle
		}
		return idleAfter(rank, other, s.offset(f+1, rank, other)-1)
	}
	st := ph.part.step(i, lane, k)
	st.After = s.globalRef(f, rank, st.After)
	st.Send = s.globalHalf(f, rank, st.Send, ph.from)
	st.Recv = s.globalHalf(f, rank, st.Recv, ph.to)
	return st
}

// idleAfter is an idle step behind another lane's step; step < 0: behind nothing.
func idleAfter(rank, lane, step int) Step {
	st := Idle
	if step >= 0 {
		st.After = Ref{Rank: int32(rank), Lane: int32(lane), Step: int32(step)}
	}
	return st
}

// globalRef turns a ref of phase f's part, seen from a rank, into one of the program.
func (s *sequence) globalRef(f, rank int, r Ref) Ref {
	if r.Rank < 0 {
		return None
	}
	g := s.phases[f].plane.rank(rank, int(r.Rank))
	k := s.offset(f, g, int(r.Lane)) + entry(f, int(r.Lane)) + int(r.Step)
	return Ref{Rank: int32(g), Lane: r.Lane, Step: int32(k)}
}

func (s *sequence) globalHalf(f, rank int, h Half, b Buffer) Half {
	if h.Peer.Rank < 0 {
		return Half{Peer: None}
	}
	ph := &s.phases[f]
	h.Peer = s.globalRef(f, rank, h.Peer)
	h.Buf = b
	h.Set.Base = int32(ph.plane.group(rank)*ph.shift) + h.Set.Base*int32(ph.width)
	h.Set.Width *= int32(ph.width)
	return h
}
