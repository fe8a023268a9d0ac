package algorithms

import "math/bits"

// binomialPart moves the whole buffer along a binomial tree rooted at index 0. Reducing,
// at step k an index with the k lowest bits clear and bit k set sends to the index
// without that bit; broadcasting, the same happens backwards.
type binomialPart struct {
	n      int
	reduce bool
}

func (b binomialPart) lanes(int) int      { return 1 }
func (b binomialPart) steps(int, int) int { return bits.Len(uint(b.n - 1)) }

func (binomialPart) regular() bool { return true }

func (b binomialPart) step(i, _, k int) Step {
	bit := 1 << k
	if !b.reduce {
		bit = 1 << (b.steps(i, 0) - 1 - k)
	}
	st := Idle
	partner := i ^ bit
	if i%bit != 0 || partner >= b.n {
		return st
	}
	half := Half{Peer: ref(partner, 0, k), Set: slice(0, 1)}
	if inner := i < partner; inner == b.reduce {
		st.Recv = half
		st.Reduce = b.reduce
	} else {
		st.Send = half
	}
	return st
}

// cost: index 0 takes part in every step, and nobody is later than it.
func (b binomialPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return int64(b.steps(0, 0)) * h.step(sizes(0), b.reduce), true
}
