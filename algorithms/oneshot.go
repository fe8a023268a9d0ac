package algorithms

// One-shot schedules move the whole buffer where others move slices: fewer steps of more
// bytes, for small data.

// doublingPart is one step of recursive doubling: indices that differ in one bit exchange
// all that they have, and add it up. Each sends from one buffer and adds in another.
type doublingPart struct{ n, bit int }

func (d doublingPart) lanes(int) int      { return 1 }
func (d doublingPart) steps(int, int) int { return 1 }

func (doublingPart) regular() bool { return true }

func (d doublingPart) step(i, _, _ int) Step {
	half := Half{Peer: ref(i^d.bit, 0, 0), Set: slice(0, 1)}
	return Step{After: None, Send: half, Recv: half, Reduce: true}
}

func (d doublingPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return h.step(sizes(0), true), true
}

// treePart broadcasts the whole buffer: at step k the indices below 2^k send to those
// 2^k further on, the nearest first. NB's distances on a binary tree.
type treePart struct{ n int }

func (t treePart) lanes(int) int      { return 1 }
func (t treePart) steps(int, int) int { return doublings(t.n) }

func (treePart) regular() bool { return true }

func (t treePart) step(i, _, k int) Step {
	d := 1 << k
	st := Idle
	if i < d && i+d < t.n {
		st.Send = Half{Peer: ref(i+d, 0, k), Set: slice(0, 1)}
	}
	if i >= d && i < 2*d {
		st.Recv = Half{Peer: ref(i-d, 0, k), Set: slice(0, 1)}
	}
	return st
}

// cost: index 0 takes part in every step, and nobody is later than it.
func (t treePart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return int64(t.steps(0, 0)) * h.step(sizes(0), false), true
}
