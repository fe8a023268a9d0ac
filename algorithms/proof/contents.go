package proof

import (
	"fmt"
	"math/bits"

	"hcclsim/algorithms"
)

// contents is what every slice of every buffer of every rank holds.
type contents struct {
	g      *graph
	slices int
	words  int      // of a set of ranks
	origin []int32  // by cell: which slice of the input it is, or -1: undefined
	ranks  []uint64 // by cell: the ranks whose inputs went into it
}

// cell numbers a slice of a buffer of a rank.
func (c *contents) cell(rank int32, b algorithms.Buffer, slice int) int {
	return (int(rank)*buffers+int(b))*c.slices + slice
}

func (c *contents) set(cell int) []uint64 { return c.ranks[cell*c.words : (cell+1)*c.words] }

// fill puts the input of the collective where it is before the start.
func (c *contents) fill(g *graph) {
	c.g, c.slices, c.words = g, g.s.Slices(algorithms.Scratch), (g.ranks+63)/64
	cells := g.ranks * buffers * c.slices
	c.origin = fill(c.origin, cells)
	if cap(c.ranks) < cells*c.words {
		c.ranks = make([]uint64, cells*c.words)
	}
	c.ranks = c.ranks[:cells*c.words]
	r, b := g.s.Request, algorithms.In
	if r.InPlace {
		b = algorithms.Data
	}
	for rank := range g.ranks {
		for slice := range c.slices {
			switch {
			case r.Collective == algorithms.AllGather && owner(g.s, slice) != rank:
			case r.Collective == algorithms.Broadcast && rank != r.Root:
			default:
				cell := c.cell(int32(rank), b, slice)
				c.origin[cell] = int32(slice)
				clear(c.set(cell))
				c.set(cell)[rank/64] |= 1 << (rank % 64)
			}
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
	send, to := g.steps[m.from].Send, &g.steps[m.to]
	recv := to.Recv
	if recv.Buf == algorithms.In {
		return fmt.Errorf("%s writes into its input", g.name(m.to))
	}
	for j := range send.Set.Len() {
		a, b := send.Set.Slice(j), recv.Set.Slice(j)
		if _, bytes := g.s.Layout.Span(send.Buf, a); bytes == 0 {
			continue
		}
		source := c.cell(g.refs[m.from].Rank, send.Buf, a)
		sink := c.cell(g.refs[m.to].Rank, recv.Buf, b)
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
	r, b := g.s.Request, algorithms.Out
	if r.InPlace {
		b = algorithms.Data
	}
	for rank := range g.ranks {
		if r.Collective == algorithms.Reduce && rank != r.Root {
			continue
		}
		for slice := range c.slices {
			if _, bytes := g.s.Layout.Span(b, slice); bytes == 0 {
				continue
			}
			if r.Collective == algorithms.ReduceScatter && owner(g.s, slice) != rank {
				continue
			}
			if err := c.checkCell(c.cell(int32(rank), b, slice), slice); err != nil {
				return fmt.Errorf("rank %d ends with slice %d of %s %w", rank, slice, bufferNames[b], err)
			}
		}
	}
	return nil
}

// checkCell compares a cell with the promise: all ranks' inputs where the collective
// reduces, else the input of the one rank that had it.
func (c *contents) checkCell(cell, slice int) error {
	r := c.g.s.Request
	if c.origin[cell] < 0 {
		return fmt.Errorf("empty")
	}
	if int(c.origin[cell]) != slice {
		return fmt.Errorf("holding slice %d", c.origin[cell])
	}
	for rank := range c.g.ranks {
		want := true
		switch r.Collective {
		case algorithms.AllGather:
			want = rank == owner(c.g.s, slice)
		case algorithms.Broadcast:
			want = rank == r.Root
		}
		has := c.set(cell)[rank/64]>>(rank%64)&1 == 1
		if want && !has {
			return fmt.Errorf("without the contribution of rank %d", rank)
		}
		if has && !want {
			return fmt.Errorf("with the input of rank %d in it", rank)
		}
	}
	return nil
}
