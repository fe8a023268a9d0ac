package algorithms

import "math/bits"

// nhrPart is one half of HCCL's NHR (nonuniform hierarchical ring). Dealing out, at step k
// index i sends to i-d, d = 2^k, the slices of i-d, i-3d, i-5d and so on. Gathering runs the
// same messages backwards: the last step first, from receiver to sender.
//
// Alone, slice q belongs to index q, and the slices of a message lie apart. Where only the
// whole matters, in AllReduce and Broadcast, the slices are reordered so that those of most
// messages lie together, each a single request: see set.
type nhrPart struct {
	n         int
	move      move
	reordered bool
}

func (h nhrPart) lanes(int) int      { return 1 }
func (h nhrPart) steps(int, int) int { return doublings(h.n) }

func (nhrPart) regular() bool { return true }

func (h nhrPart) step(i, _, k int) Step {
	d := h.distance(k)
	to, from := wrap(i-d, h.n), wrap(i+d, h.n)
	if h.move == gather {
		return Step{
			After: None,
			Send:  Half{Peer: ref(from, 0, k), Set: h.set(i, d, dealt(h.n, d, 0))},
			Recv:  Half{Peer: ref(to, 0, k), Set: h.set(to, d, dealt(h.n, d, 0))},
		}
	}
	st := Idle
	if n := h.sends(i, d); n > 0 {
		st.Send = Half{Peer: ref(to, 0, k), Set: h.set(to, d, n)}
	}
	if n := h.sends(from, d); n > 0 {
		st.Recv = Half{Peer: ref(from, 0, k), Set: h.set(i, d, n)}
		st.Reduce = h.move == addUp
	}
	return st
}

// distance is that of the partners of step k.
func (h nhrPart) distance(k int) int {
	if h.move == gather {
		k = doublings(h.n) - 1 - k
	}
	return 1 << k
}

// sends is the number of slices that index i deals out at distance d. Scattering, only
// the indices less than d behind index 0 have been reached, and have what lies beyond
// them.
func (h nhrPart) sends(i, d int) int {
	behind := 0
	if h.move == scatter && i > 0 {
		if behind = h.n - i; behind >= d {
			return 0
		}
	}
	return dealt(h.n, d, behind)
}

// set is the slices of the indices i, i-2d, i-4d and so on, count of them.
//
// To reorder, HCCL halves the list of indices again and again, even places before odd, as
// long as parts have an even number of them; and once more if that leaves messages of
// several slices. So the lower bits of an index, reversed, say which part is its own, and
// within it the order is that of half the index, modulo the size of the part: a progression
// again.
func (h nhrPart) set(i, d, count int) Set {
	s := Set{First: int32(i), Count: int32(count), Stride: int32(wrap(-2*d, h.n)), Mod: int32(h.n), Width: 1}
	if !h.reordered {
		return s
	}
	power, odd := factors(h.n)
	if 2*d <= power {
		// All indices with the same lower bits: they sit side by side.
		part := h.n / (2 * d)
		return Set{Count: int32(count), Stride: 1, Mod: int32(part), Base: int32(reversed(i%(2*d), 2*d) * part), Width: 1}
	}
	s.Base = int32(reversed(i%power, power) * odd)
	s.First = int32(halved(i/power, odd))
	s.Stride = int32(wrap(-halved(2*d/power, odd), odd))
	s.Mod = int32(odd)
	return s
}

// factors divides n into a power of two and an odd number.
func factors(n int) (power, odd int) {
	power = n & -n
	return power, n / power
}

// reversed is i < power, a power of two, with its bits in reverse.
func reversed(i, power int) int {
	return int(bits.Reverse64(uint64(i)) >> 1 >> (63 - bits.TrailingZeros(uint(power))))
}

// halved is i/2 modulo an odd number; of one or three indices, each of which travels
// alone, it is i.
func halved(i, odd int) int {
	switch {
	case odd <= 3:
		return i
	case i%2 == 0:
		return i / 2
	}
	return (i + odd) / 2
}

// cost follows the messages of one index, which has full slices only, or all prefixes of
// the slices; see busiest. Scattering it follows index 0, for whom everybody waits. That
// is the longest path for a power of two, as nobody sends larger slices later; and where no
// slice but the last is short: index 0 may send that one, but sends one slice more than
// others, in the step whose distance is the lowest bit of n-1 (where the last is empty the
// paths may be equally long, but for roundings). The gathering that comes after it can go
// from index 0 to the busiest in as many steps.
func (h nhrPart) cost(m Hockney, sizes func(int) int64) (ps int64, exact bool) {
	steps := h.steps(0, 0)
	most := func(k int) int { return dealt(h.n, h.distance(k), 0) }
	if h.move != scatter {
		x := h.busiest(sizes)
		return m.path(steps, h.move == addUp, sizes, most, func(k int) Set { return h.set(x, h.distance(k), most(k)) })
	}
	for k := range steps {
		ps += m.step(sum(sizes, h.set(wrap(-h.distance(k), h.n), h.distance(k), most(k))), false)
	}
	power, _ := factors(h.n)
	return ps, power == h.n || sizes(1) == 0 || sizes(h.n-2) == sizes(0)
}

// busiest is an index all of whose messages are among the largest of their steps, if
// slices are as even as they can be or if there is one only.
func (h nhrPart) busiest(sizes func(int) int64) int {
	if h.reordered && h.n%2 == 1 && h.n > 3 && sizes(1) > 0 {
		return h.n - 3 // in the middle of the seats: its first message is all up to there
	}
	return 0
}
