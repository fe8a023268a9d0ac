package exchange

import (
	"fmt"
	"slices"

	"hcclsim/algorithms"
)

// cut is a layout: the buffer in equal slices of whole elements, of which the first ones
// have one element more if there is a rest; of AlltoAll each block is cut like that.
type cut struct {
	numbering
	elem  int64 // bytes
	size  int64 // of a slice, bytes
	round int   // slices of what is cut
	long  int   // of them have one element more
	// scratch is where the slices of Scratch begin, and end; nil if all are equal.
	scratch []int64
}

// newCut cuts the largest buffer of a rank, which has some elements.
func newCut(n numbering, elements, elem int64) (*cut, error) {
	round := n.slices
	if n.collective == algorithms.AlltoAll {
		ranks := int64(n.ranks)
		if elements%ranks != 0 {
			return nil, fmt.Errorf("expected a multiple of %d bytes: the blocks of an alltoall are equal", ranks*elem)
		}
		round, elements = n.perBlock(), elements/ranks
	}
	pieces := int64(round)
	return &cut{numbering: n, elem: elem, size: elements / pieces * elem, round: round, long: int(elements % pieces)}, nil
}

func (c *cut) uneven() bool { return c.long > 0 }

// isLong says whether a slice has one element more than others.
func (c *cut) isLong(slice int) bool { return slice%c.round < c.long }

// start is where a slice begins in a buffer that has all slices.
func (c *cut) start(slice int) int64 {
	long := slice/c.round*c.long + min(slice%c.round, c.long)
	return int64(slice)*c.size + int64(long)*c.elem
}

// Span implements algorithms.Layout.
func (c *cut) Span(b algorithms.Buffer, slice int) (offset, bytes int64) {
	switch {
	case b == algorithms.Scratch && c.scratch != nil:
		return c.scratch[slice], c.scratch[slice+1] - c.scratch[slice]
	case b == algorithms.Scratch:
		return int64(slice) * c.size, c.size
	}
	offset = c.start(slice)
	bytes = c.start(slice+1) - offset
	switch {
	case b == algorithms.In && c.ownInput() || b == algorithms.Out && c.ownOutput():
		offset -= c.start(slice / c.perRank() * c.perRank())
	case b == algorithms.Out && c.collective == algorithms.AlltoAll:
		offset = c.start(c.received(slice))
	}
	return offset, bytes
}

// sized is the table for slices of two sizes, and completes their cut. A message must leave
// from slices of the size that they arrive in, so that each chunk of a rank's scratch is
// either long or short. Ranks where the same ones are long share the numbers of slices of
// Scratch; the others have numbers of their own, each set behind the one before.
func (t *table) sized(c *cut) (*table, error) {
	s := &sizes{t: t, c: c, of: make([]int, t.slices+t.ranks*t.scratch)}
	if !s.join() {
		return nil, fmt.Errorf("expected a multiple of %d bytes: chunks pass through the places of others, so that all must be equal", int64(t.largest())*c.elem)
	}
	sized := &table{numbering: t.numbering, lanes: make([][][]algorithms.Step, t.ranks)}
	first := make(map[string]int) // number, by which chunks are long
	c.scratch = []int64{0}
	for rank, lanes := range t.lanes {
		long := s.long(rank)
		base, known := first[string(long)]
		if !known {
			base = sized.scratch
			first[string(long)] = base
			sized.scratch += t.scratch
			for _, l := range long {
				c.scratch = append(c.scratch, c.scratch[len(c.scratch)-1]+c.size+int64(l)*c.elem)
			}
		}
		for _, steps := range lanes {
			sized.lanes[rank] = append(sized.lanes[rank], shifted(steps, base))
		}
	}
	return sized, nil
}

// shifted are steps with other numbers for slices of Scratch.
func shifted(steps []algorithms.Step, base int) []algorithms.Step {
	list := slices.Clone(steps)
	for k := range list {
		for _, h := range []*algorithms.Half{&list[k].Send, &list[k].Recv} {
			if h.Peer.Rank >= 0 && h.Buf == algorithms.Scratch {
				h.Set.Base += int32(base)
			}
		}
	}
	return list
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
				if send := &steps[k].Send; send.Peer.Rank >= 0 && !s.joinMessage(rank, send) {
					return false
				}
			}
		}
	}
	return true
}

func (s *sizes) joinMessage(rank int, send *algorithms.Half) bool {
	recv := &s.t.lanes[send.Peer.Rank][send.Peer.Lane][send.Peer.Step].Recv
	for j := range send.Set.Len() {
		a := s.find(s.place(rank, send.Buf, send.Set.Slice(j)))
		b := s.find(s.place(int(send.Peer.Rank), recv.Buf, recv.Set.Slice(j)))
		if max(a, b) < s.t.slices && s.c.isLong(a) != s.c.isLong(b) {
			return false
		}
		if a != b {
			s.of[max(a, b)] = min(a, b) + 1
		}
	}
	return true
}

// long says of each chunk of a rank's scratch whether it is long: 1, else 0.
func (s *sizes) long(rank int) []byte {
	list := make([]byte, s.t.scratch)
	for i := range list {
		if first := s.find(s.place(rank, algorithms.Scratch, i)); first < s.t.slices && s.c.isLong(first) {
			list[i] = 1
		}
	}
	return list
}
