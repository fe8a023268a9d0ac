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
	sinks := g.halves.received(m.to)
	for j, source := range g.halves.sent(m.from) {
		switch sink := sinks[j]; {
		case source < 0:
		case c.origin[source] < 0:
			return fmt.Errorf("%s sends slice %d of %s, which the rank does not hold", g.name(m.from), send.Set.Slice(j), bufferNames[send.Buf])
		case to.Reduce:
			if err := c.add(m, int(sink), int(source), j); err != nil {
				return err
			}
		default:
			c.origin[sink] = c.origin[source]
			copy(c.set(int(sink)), c.set(int(source)))
		}
	}
	return nil
}

// add combines what a cell holds with what arrives from another: the j-th of a message.
func (c *contents) add(m message, sink, source, j int) error {
	g, recv := c.g, &c.g.steps[m.to].Recv
	switch {
	case c.origin[sink] < 0:
		return fmt.Errorf("%s adds to slice %d of %s, which the rank does not hold", g.name(m.to), recv.Set.Slice(j), bufferNames[recv.Buf])
	case c.origin[sink] != c.origin[source]:
		return fmt.Errorf("%s adds slice %d of the input to slice %d of it", g.name(m.to), c.origin[source], c.origin[sink])
	}
	to, from := c.set(sink), c.set(source)
	for w := range to {
		if twice := to[w] & from[w]; twice != 0 {
			return fmt.Errorf("%s counts rank %d twice in slice %d", g.name(m.to), w*64+bits.TrailingZeros64(twice), recv.Set.Slice(j))
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
			if g.halves.sizes[result][slice] == 0 || !g.s.Gets(rank, slice) {
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
