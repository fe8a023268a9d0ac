package algorithms

import "math/bits"

// HCCL's RHD (recursive halving and doubling) wants a power of two. Of n indices a block
// of 2^⌊log2 n⌋ takes part: of each of the first pairs as many as are too many, the even
// index for both, and all the indices behind the pairs. At first the odd indices hand over
// what they have, and at last they get the result.

// foldPart is the first step of that, or (back) the last.
type foldPart struct {
	n      int
	back   bool
	reduce bool
	slice  bool // only the odd index's slice moves, else all slices
	slices int
}

func (f foldPart) lanes(int) int      { return 1 }
func (f foldPart) steps(int, int) int { return 1 }

func (foldPart) regular() bool { return true }

func (f foldPart) step(i, _, _ int) Step {
	st := Idle
	if i >= 2*pairs(f.n) {
		return st
	}
	half := Half{Peer: ref(i^1, 0, 0), Set: f.set(i | 1)}
	if odd := i%2 == 1; odd != f.back {
		st.Send = half
	} else {
		st.Recv = half
		st.Reduce = f.reduce
	}
	return st
}

// set is what moves between a pair.
func (f foldPart) set(odd int) Set {
	if f.slice {
		return slice(odd, f.slices)
	}
	return Set{Count: int32(f.slices), Stride: 1, Mod: int32(f.slices), Width: 1}
}

// cost is that of the first pair, whose slices are largest.
func (f foldPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return h.step(sum(sizes, f.set(1)), f.reduce), true
}

// pairs is the number of indices that sit out.
func pairs(n int) int { return n - blockSize(n) }

// blockSize is the largest power of two in n.
func blockSize(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

// folded is a part of the block: its index b stands for index 2b of the first pairs, or
// for an index behind them.
type folded struct {
	part
	n int
}

func (f folded) step(i, lane, k int) Step {
	h := pairs(f.n)
	b := i - h
	if i < 2*h {
		if i%2 == 1 {
			return Idle
		}
		b = i / 2
	}
	st := f.part.step(b, lane, k)
	f.unfold(&st.Send.Peer)
	f.unfold(&st.Recv.Peer)
	return st
}

// unfold makes an index of n of one of the block.
func (f folded) unfold(r *Ref) {
	switch h := int32(pairs(f.n)); {
	case r.Rank < 0:
	case r.Rank < h:
		r.Rank *= 2
	default:
		r.Rank += h
	}
}

// halvingPart exchanges slices between indices of a block that differ in one bit: adding
// up, the highest bit first, each sends the slices of the partner's half, so that halves
// become smaller at every step; gathering and collecting, the lowest first, each sends
// the slices of its own half. The first `twice` indices own two slices each, the others one.
//
// Doubling, as HCCL's documentation has it where the code has the above, starts with the
// lowest bit: the nearest exchange the largest half. Which slices an index then ends with
// does not follow its number, but the number with its bits reversed.
type halvingPart struct {
	n, twice int
	move     move
	doubling bool
}

func (p halvingPart) lanes(int) int      { return 1 }
func (p halvingPart) steps(int, int) int { return doublings(p.n) }

func (halvingPart) regular() bool { return true }

func (p halvingPart) step(b, _, k int) Step {
	bit := p.bit(k)
	peer := ref(b^bit, 0, k)
	mine, theirs := p.half(b, bit), p.half(b^bit, bit)
	if p.move == addUp {
		return Step{After: None, Send: Half{Peer: peer, Set: theirs}, Recv: Half{Peer: peer, Set: mine}, Reduce: true}
	}
	st := Idle
	if p.move == gather || p.holds(b, bit) && b&bit != 0 {
		st.Send = Half{Peer: peer, Set: mine}
	}
	if p.move == gather || p.holds(b, bit) && b&bit == 0 {
		st.Recv = Half{Peer: peer, Set: theirs}
	}
	return st
}

// holds says whether an index still collects when the partners differ in bit: it has none
// of the bits that came before.
func (p halvingPart) holds(b, bit int) bool {
	if p.doubling {
		return b < 2*bit
	}
	return b%bit == 0
}

// bit is the bit in which partners of step k differ.
func (p halvingPart) bit(k int) int {
	if p.doubling == (p.move != addUp) {
		k = doublings(p.n) - 1 - k
	}
	return 1 << k
}

// half is the slices that index b has left after adding up at bit, or before passing them
// on at it.
func (p halvingPart) half(b, bit int) Set {
	if p.doubling {
		count := p.n / (2 * bit)
		return Set{First: int32(reversed(b%(2*bit), 2*bit) * count), Count: int32(count), Stride: 1, Mod: int32(p.n), Width: 1}
	}
	first := p.first(b &^ (bit - 1))
	return Set{First: int32(first), Count: int32(p.first(b&^(bit-1)+bit) - first), Stride: 1, Mod: int32(p.first(p.n)), Width: 1}
}

// first is the first slice of index b.
func (p halvingPart) first(b int) int { return b + min(b, p.twice) }

// cost follows index 0, with whose slices no others compare. Collecting, it receives those
// of its partner.
func (p halvingPart) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	for k := range p.steps(0, 0) {
		b := 0
		if p.move == collect {
			b = p.bit(k)
		}
		ps += h.step(sum(sizes, p.half(b, p.bit(k))), p.move == addUp)
	}
	return ps, true
}
