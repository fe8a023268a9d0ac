package proof

import (
	"fmt"
	"math/bits"
	"slices"

	"hcclsim/algorithms"
)

// contents is what every cell holds.
type contents struct {
	g      *graph
	words  int      // of a set of ranks
	origin []int32  // by cell: which slice of the input it is, or -1: undefined
	ranks  []uint64 // by cell: the ranks whose inputs went into it
	want   []uint64 // by slice of the input: the ranks that bring it
}

func (c *contents) set(cell int) []uint64 { return c.ranks[cell*c.words : (cell+1)*c.words] }

func (c *contents) wanted(slice int) []uint64 { return c.want[slice*c.words : (slice+1)*c.words] }

// fill puts the input of the collective where it is before the start.
func (c *contents) fill(g *graph) {
	c.g, c.words = g, (g.ranks+63)/64
	input, _ := ends(g.s.Request)
	c.origin = fill(c.origin, g.cells.count())
	c.ranks = zeros(c.ranks, g.cells.count()*c.words)
	c.want = zeros(c.want, g.s.Slices(input)*c.words)
	for rank := range g.ranks {
		for slice := range g.cells.of(rank, input) {
			if !g.s.Brings(rank, slice) {
				continue
			}
			cell := g.cells.cell(int32(rank), input, slice)
			c.origin[cell] = int32(slice)
			c.set(cell)[rank/64] |= 1 << (rank % 64)
			c.wanted(slice)[rank/64] |= 1 << (rank % 64)
		}
	}
}

// replay moves the contents along all messages.
func (c *contents) replay() error {
	for _, v := range c.g.order {
		if m := v - c.g.node(0); m >= 0 {
			if err := c.move(c.g.messages[m]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *contents) move(m message) error {
	g := c.g
	send, to := &g.steps[m.from].Send, &g.steps[m.to]
	recv := &to.Recv
	if recv.Buf == algorithms.In {
		return fmt.Errorf("%s writes into its input", g.name(m.to))
	}
	for j := range send.Set.Len() {
		a, b := send.Set.Slice(j), recv.Set.Slice(j)
		if _, bytes := g.s.Layout.Span(send.Buf, a); bytes == 0 {
			continue
		}
		source := g.cells.cell(g.refs[m.from].Rank, send.Buf, a)
		sink := g.cells.cell(g.refs[m.to].Rank, recv.Buf, b)
		if c.origin[source] < 0 {
			return fmt.Errorf("%s sends slice %d of %s, which the rank does not hold", g.name(m.from), a, bufferNames[send.Buf])
		}
		if !to.Reduce {
			c.origin[sink] = c.origin[source]
			copy(c.set(sink), c.set(source))
			continue
		}
		if err := c.add(m, sink, source, b); err != nil {
			return err
		}
	}
	return nil
}

// add combines what a cell holds with what arrives from another.
func (c *contents) add(m message, sink, source, slice int) error {
	g := c.g
	switch {
	case c.origin[sink] < 0:
		return fmt.Errorf("%s adds to slice %d of %s, which the rank does not hold", g.name(m.to), slice, bufferNames[g.steps[m.to].Recv.Buf])
	case c.origin[sink] != c.origin[source]:
		return fmt.Errorf("%s adds slice %d of the input to slice %d of it", g.name(m.to), c.origin[source], c.origin[sink])
	}
	to, from := c.set(sink), c.set(source)
	for w := range to {
		if twice := to[w] & from[w]; twice != 0 {
			return fmt.Errorf("%s counts rank %d twice in slice %d", g.name(m.to), w*64+bits.TrailingZeros64(twice), slice)
		}
		to[w] |= from[w]
	}
	return nil
}

// check compares the end with what the collective promises.
func (c *contents) check() error {
	g := c.g
	_, result := ends(g.s.Request)
	for rank := range g.ranks {
		for slice := range g.cells.of(rank, result) {
			if _, bytes := g.s.Layout.Span(result, slice); bytes == 0 || !g.s.Gets(rank, slice) {
				continue
			}
			if err := c.checkCell(g.cells.cell(int32(rank), result, slice), slice); err != nil {
				return fmt.Errorf("rank %d ends with slice %d of %s %w", rank, slice, bufferNames[result], err)
			}
		}
	}
	return nil
}

// checkCell compares a cell of the result with the promise: the inputs of all ranks that
// bring the slice, and of no other.
func (c *contents) checkCell(cell, slice int) error {
	if c.origin[cell] < 0 {
		return fmt.Errorf("empty")
	}
	if int(c.origin[cell]) != slice {
		return fmt.Errorf("holding slice %d", c.origin[cell])
	}
	has, want := c.set(cell), c.wanted(slice)
	if slices.Equal(has, want) {
		return nil
	}
	for w := range has {
		if missing := want[w] &^ has[w]; missing != 0 {
			return fmt.Errorf("without the contribution of rank %d", w*64+bits.TrailingZeros64(missing))
		}
	}
	for w := range has {
		if alien := has[w] &^ want[w]; alien != 0 {
			return fmt.Errorf("with the input of rank %d in it", w*64+bits.TrailingZeros64(alien))
		}
	}
	return nil
}
