package algorithms

// plane divides the ranks into groups of size ranks that are stride apart: the ranks of a
// server (stride 1), or those of the same number in all servers (stride: ranks of a
// server). Within a group ranks have indices 0 to size-1, counted from the root.
type plane struct{ size, stride, root int }

func (p plane) index(rank int) int {
	i := rank
	if p.stride > 1 {
		i /= p.stride
	}
	if i >= p.size {
		i %= p.size
	}
	if i -= p.root; i < 0 {
		i += p.size
	}
	return i
}

// rank is the rank of index other in the group of the rank whose index is i.
func (p plane) rank(rank, i, other int) int {
	return rank + (p.unrooted(other)-p.unrooted(i))*p.stride
}

// unrooted is the index counted from the lowest rank.
func (p plane) unrooted(index int) int {
	if index += p.root; index >= p.size {
		index -= p.size
	}
	return index
}

// part is a schedule of one group: its refs are to indices of the group, and its sets
// number its own slices. Its Send halves leave from one buffer, its Recv halves arrive in
// one, but for those whose Buf is across. The lanes of a part begin together.
type part interface {
	lanes(index int) int
	steps(index, lane int) int
	step(index, lane, k int) Step
	// regular says that lanes and steps are the same for every index, and steps for every
	// lane but 0.
	regular() bool
	// cost is the closed form, or an estimate (exact is false); sizes gives the bytes of the part's slices, of which none
	// is larger than slice 0.
	cost(h Hockney, sizes func(slice int) int64) (ps int64, exact bool)
}

// place is where a part runs: in the groups of a plane, on slices of the program.
type place struct {
	plane plane
	width int     // slices of the program that are one of the part's
	base  [2]term // the sum is the first slice of a group
	only  members
	// ranked: slice i of the part belongs to the group's i-th rank counted from the lowest,
	// not from the root.
	ranked bool
	costs  int // which of Levels the steps have
}

// term is a coordinate of a rank, counted from the root's, times a number of slices.
type term struct{ div, mod, root, by int }

func (t *term) of(rank int) int {
	if t.by == 0 {
		return 0
	}
	c := rank/t.div%t.mod - t.root
	if c < 0 {
		c += t.mod
	}
	return c * t.by
}

// members are the ranks that have one coordinate in common with the root; mod 0: all ranks.
type members struct{ div, mod, at int }

func (m members) have(rank int) bool { return m.mod == 0 || rank/m.div%m.mod == m.at }

// phase is a part that all groups of a plane do at once.
type phase struct {
	place
	part     part
	from, to Buffer

	// Of a regular part, so that no step has to ask for them again: lanes, and the number
	// of steps with joins in lane 0 and in the others. Lanes is 0 of other parts.
	regular           bool
	lanes, main, side int

	// Where this phase and all before it are regular: the steps of lane 0 before it.
	settled bool
	before  int

	number int // among the phases
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

// newSequence makes the program of the phases.
func newSequence(phases []phase, ranks, slices int) *sequence {
	s := &sequence{phases: phases, ranks: ranks, slices: slices}
	settled, before := true, 0
	for f := range phases {
		ph := &phases[f]
		ph.number = f
		if !ph.part.regular() || ph.only.mod > 0 {
			settled = false
			continue
		}
		ph.lanes = ph.part.lanes(0)
		ph.main = s.length(f, 0, 0)
		ph.side = s.length(f, 0, 1)
		ph.regular = true
		ph.settled, ph.before = settled, before
		before += ph.main
	}
	return s
}

// Lanes implements Program.
func (s *sequence) Lanes(rank int) int {
	n := 1
	for f := range s.phases {
		if ph := &s.phases[f]; ph.regular {
			n = max(n, ph.lanes)
		} else {
			n = max(n, ph.lanesOf(rank))
		}
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
	if !ph.regular {
		return s.irregular(f, rank, lane)
	}
	switch {
	case lane == 0:
		return ph.main
	case lane < ph.lanes:
		return ph.side
	}
	return 0
}

func (s *sequence) irregular(f, rank, lane int) int {
	ph := &s.phases[f]
	lanes := ph.lanesOf(rank)
	if lane >= lanes {
		return 0
	}
	n := ph.part.steps(ph.plane.index(rank), lane)
	switch {
	case lane == 0 && f < len(s.phases)-1:
		n += lanes - 1
	case lane > 0 && n > 0:
		n += entry(f, lane)
	}
	return n
}

// lanesOf is the number of lanes that a rank has in the phase.
func (ph *phase) lanesOf(rank int) int {
	if !ph.only.have(rank) {
		return 0
	}
	return ph.part.lanes(ph.plane.index(rank))
}

// entry is the number of idle steps with which a lane begins phase f.
func entry(f, lane int) int {
	if f > 0 && lane > 0 {
		return 1
	}
	return 0
}

// Step implements Program.
func (s *sequence) Step(rank, lane, k int) (st Step) {
	f := 0
	for n := s.length(0, rank, lane); k >= n; n = s.length(f, rank, lane) {
		k -= n
		f++
	}
	if k < entry(f, lane) {
		return idleAfter(rank, 0, s.offset(f, rank, 0)-1)
	}
	k -= entry(f, lane)
	ph := &s.phases[f]
	i := ph.plane.index(rank)
	if lane == 0 && ph.lanes != 1 {
		if n := ph.part.steps(i, 0); k >= n {
			return s.join(f, rank, k-n+1)
		}
	}
	st = ph.part.step(i, lane, k)
	base := ph.base[0].of(rank) + ph.base[1].of(rank)
	if st.After.Rank >= 0 {
		st.After = s.globalRef(ph, rank, i, st.After)
	}
	s.globalHalf(ph, rank, i, base, &st.Send, ph.from, ph.to)
	s.globalHalf(ph, rank, i, base, &st.Recv, ph.to, ph.from)
	return st
}

// join is the idle step of lane 0 that waits for another lane at the end of phase f.
func (s *sequence) join(f, rank, lane int) Step {
	if s.length(f, rank, lane) == 0 {
		return Idle
	}
	return idleAfter(rank, lane, s.offset(f+1, rank, lane)-1)
}

// idleAfter is an idle step behind another lane's step; step < 0: behind nothing.
func idleAfter(rank, lane, step int) Step {
	st := Idle
	if step >= 0 {
		st.After = ref(rank, lane, step)
	}
	return st
}

// globalRef turns a ref of a phase's part, seen from a rank and its index i, into one of
// the program.
func (s *sequence) globalRef(ph *phase, rank, i int, r Ref) Ref {
	r.Rank = int32(ph.plane.rank(rank, i, int(r.Rank)))
	if r.Lane == 0 && ph.settled {
		r.Step += int32(ph.before)
		return r
	}
	r.Step += int32(s.offset(ph.number, int(r.Rank), int(r.Lane)) + entry(ph.number, int(r.Lane)))
	return r
}

// globalHalf does the same to a half, whose group's slices begin at base. It is in the buffer
// `here`, or across in the other one of the phase.
func (s *sequence) globalHalf(ph *phase, rank, i, base int, h *Half, here, other Buffer) {
	if h.Peer.Rank < 0 {
		*h = Half{Peer: None}
		return
	}
	h.Peer = s.globalRef(ph, rank, i, h.Peer)
	if h.Buf == across {
		here = other
	}
	h.Buf = here
	if ph.ranked && h.Set.Count > 0 {
		h.Set.First = int32(wrap(int(h.Set.First)+ph.plane.root*int(h.Set.Mod)/ph.plane.size, int(h.Set.Mod)))
	}
	h.Set.Base = int32(base) + h.Set.Base*int32(ph.width)
	h.Set.Width *= int32(ph.width)
}
