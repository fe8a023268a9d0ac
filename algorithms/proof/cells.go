package proof

import (
	"iter"
	"math/bits"

	"hcclsim/algorithms"
)

// bufferNames are the names of the buffers in errors.
var bufferNames = [...]string{"data", "in", "out", "scratch"}

const buffers = len(bufferNames)

// ends are the buffers that hold the input and the result.
func ends(r algorithms.Request) (input, result algorithms.Buffer) {
	if r.InPlace {
		return algorithms.Data, algorithms.Data
	}
	return algorithms.In, algorithms.Out
}

// cells numbers the slices that ranks have: those of the user's buffers that there is room
// for, those of Scratch that a step names. So an AlltoAll of p ranks, which has p x p
// slices, takes room for the p of each rank.
type cells struct {
	first  [buffers]int // the word of rank 0 and slice 0
	words  [buffers]int // of one rank
	there  []uint64     // a bit for every slice of every buffer of every rank
	before []int32      // by word: the cells of the words before it; the last: all cells
}

// reset takes in the rooms of the user's buffers.
func (c *cells) reset(s *algorithms.Schedule) {
	n := 0
	for b := range algorithms.Buffer(buffers) {
		c.first[b], c.words[b] = n, (s.Slices(b)+63)/64
		n += s.Ranks() * c.words[b]
	}
	c.there = zeros(c.there, n)
	users := []algorithms.Buffer{algorithms.In, algorithms.Out}
	if s.Request.InPlace {
		users = []algorithms.Buffer{algorithms.Data}
	}
	for rank := range s.Ranks() {
		for _, b := range users {
			for slice := range s.Slices(b) {
				if s.Room(b, rank, slice) {
					c.add(int32(rank), b, slice)
				}
			}
		}
	}
}

// add makes a cell, which has no number yet.
func (c *cells) add(rank int32, b algorithms.Buffer, slice int) {
	c.there[c.word(rank, b, slice)] |= 1 << (slice % 64)
}

// number gives the cells their numbers.
func (c *cells) number() {
	c.before = c.before[:0]
	n := int32(0)
	for _, w := range c.there {
		c.before = append(c.before, n)
		n += int32(bits.OnesCount64(w))
	}
	c.before = append(c.before, n)
}

// count is the number of cells.
func (c *cells) count() int { return int(c.before[len(c.there)]) }

func (c *cells) word(rank int32, b algorithms.Buffer, slice int) int {
	return c.first[b] + int(rank)*c.words[b] + slice/64
}

// has says whether a rank has a slice of a buffer.
func (c *cells) has(rank int32, b algorithms.Buffer, slice int) bool {
	return c.there[c.word(rank, b, slice)]>>(slice%64)&1 == 1
}

// cell is the number of a slice that a rank has.
func (c *cells) cell(rank int32, b algorithms.Buffer, slice int) int {
	w := c.word(rank, b, slice)
	return int(c.before[w]) + bits.OnesCount64(c.there[w]&(1<<(slice%64)-1))
}

// of lists the slices that a rank has of a buffer, in order.
func (c *cells) of(rank int, b algorithms.Buffer) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := c.word(int32(rank), b, 0)
		for i, w := range c.there[first : first+c.words[b]] {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// zeros returns n times 0, in the memory of s if it is large enough.
func zeros[T int32 | uint64](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
