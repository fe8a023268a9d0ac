package exchange

import (
	"fmt"

	"hcclsim/algorithms"
)

// table is a program that is written out: what a file says takes memory anyway.
type table struct {
	numbering
	scratch int                   // slices of Scratch
	lanes   [][][]algorithms.Step // by rank
}

// Ranks implements algorithms.Program.
func (t *table) Ranks() int { return t.ranks }

// Lanes implements algorithms.Program.
func (t *table) Lanes(rank int) int { return len(t.lanes[rank]) }

// Steps implements algorithms.Program.
func (t *table) Steps(rank, lane int) int { return len(t.lanes[rank][lane]) }

// Step implements algorithms.Program.
func (t *table) Step(rank, lane, k int) algorithms.Step { return t.lanes[rank][lane][k] }

// Slices implements algorithms.Program.
func (t *table) Slices(b algorithms.Buffer) int {
	if b == algorithms.Scratch {
		return t.scratch
	}
	return t.slices
}

// cut is a layout: a buffer in equal slices of whole elements, of which the first ones have
// one element more if there is a rest.
type cut struct {
	numbering
	elem int64 // bytes
	size int64 // of a slice, bytes
	long int   // slices that have one element more
	// longScratch is up to where the slices of Scratch are long.
	longScratch int
}

// newCut cuts the largest buffer of a rank, which has some elements.
func newCut(n numbering, elements, elem int64) *cut {
	pieces := int64(n.slices)
	if n.collective == algorithms.AlltoAll {
		pieces = int64(n.perRank())
	}
	return &cut{numbering: n, elem: elem, size: elements / pieces * elem, long: int(elements % pieces)}
}

func (c *cut) uneven() bool { return c.long > 0 }

// start is where a slice begins in a buffer that has all slices.
func (c *cut) start(slice int) int64 {
	return int64(slice)*c.size + int64(min(slice, c.long))*c.elem
}

// Span implements algorithms.Layout.
func (c *cut) Span(b algorithms.Buffer, slice int) (offset, bytes int64) {
	switch {
	case b == algorithms.Scratch && slice < c.longScratch:
		return int64(slice) * (c.size + c.elem), c.size + c.elem
	case b == algorithms.Scratch:
		return int64(slice)*c.size + int64(c.longScratch)*c.elem, c.size
	case b == algorithms.Out && c.collective == algorithms.AlltoAll:
		return int64(slice/c.ranks) * c.size, c.size
	}
	offset = c.start(slice)
	bytes = c.start(slice+1) - offset
	if b == algorithms.In && c.ownInput() || b == algorithms.Out && c.ownOutput() {
		offset -= c.start(slice / c.perRank() * c.perRank())
	}
	return offset, bytes
}

// sized is the table for slices of two sizes. A message must leave from slices of the size
// that they arrive in: each chunk of Scratch is either long or short, and gets a number of
// its own, first all long ones.
func (t *table) sized(c *cut) (*table, error) {
	multiple := int64(t.slices) * c.elem
	if t.collective == algorithms.AlltoAll {
		return nil, fmt.Errorf("expected a multiple of %d bytes: the blocks of an alltoall are equal", int64(t.ranks)*c.elem)
	}
	s := &sizes{t: t, c: c, of: make([]int, t.slices+t.ranks*t.scratch)}
	if !s.join() {
		return nil, fmt.Errorf("expected a multiple of %d bytes: chunks pass through the places of others, so that all must be equal", multiple)
	}
	c.longScratch = t.scratch
	sized := &table{numbering: t.numbering, scratch: 2 * t.scratch, lanes: make([][][]algorithms.Step, t.ranks)}
	for rank, lanes := range t.lanes {
		for _, steps := range lanes {
			changed := make([]algorithms.Step, len(steps))
			for k, st := range steps {
				if !s.renumber(rank, &st.Send) || !s.renumber(rank, &st.Recv) {
					return nil, fmt.Errorf("expected a multiple of %d bytes: a message has chunks of several sizes in scratch", multiple)
				}
				changed[k] = st
			}
			sized.lanes[rank] = append(sized.lanes[rank], changed)
		}
	}
	return sized, nil
}

// sizes finds which chunks of Scratch are long. What a message joins has one size.
type sizes struct {
	t  *table
	c  *cut
	of []int // by place: the place that it is joined to plus 1; 0: none. See place.
}

// place numbers the slices of the user's buffers, which have one size wherever they are,
// and behind them the slices of Scratch of every rank.
func (s *sizes) place(rank int, b algorithms.Buffer, slice int) int {
	if b == algorithms.Scratch {
		return s.t.slices + rank*s.t.scratch + slice
	}
	return slice
}

// find is the first of all places that are joined.
func (s *sizes) find(place int) int {
	for s.of[place] > 0 {
		if up := s.of[s.of[place]-1]; up > 0 {
			s.of[place] = up
			continue
		}
		place = s.of[place] - 1
	}
	return place
}

// join joins the ends of all messages; false if slices of two sizes meet. The places of the
// user's slices have the lowest numbers, and the lowest number of all that are joined
// stands for them.
func (s *sizes) join() bool {
	for rank, lanes := range s.t.lanes {
		for _, steps := range lanes {
			for k := range steps {
				send := &steps[k].Send
				if send.Peer.Rank < 0 {
					continue
				}
				recv := &s.t.lanes[send.Peer.Rank][send.Peer.Lane][send.Peer.Step].Recv
				for j := range send.Set.Len() {
					a := s.find(s.place(rank, send.Buf, send.Set.Slice(j)))
					b := s.find(s.place(int(send.Peer.Rank), recv.Buf, recv.Set.Slice(j)))
					if max(a, b) < s.t.slices && (a < s.c.long) != (b < s.c.long) {
						return false
					}
					if a != b {
						s.of[max(a, b)] = min(a, b) + 1
					}
				}
			}
		}
	}
	return true
}

// renumber gives a half in Scratch its numbers; false if it has slices of both sizes.
func (s *sizes) renumber(rank int, h *algorithms.Half) bool {
	if h.Peer.Rank < 0 || h.Buf != algorithms.Scratch {
		return true
	}
	long := 0
	for j := range h.Set.Len() {
		if s.find(s.place(rank, h.Buf, h.Set.Slice(j))) < s.c.long {
			long++
		}
	}
	if long == 0 {
		h.Set.Base += int32(s.t.scratch)
	}
	return long == 0 || long == h.Set.Len()
}
