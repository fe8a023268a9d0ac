package algorithms

// cuts is the layout of every schedule here. The buffer is cut into outer parts and each
// part into inner slices; slice number = part*inner + slice. Both cuts are HCCL's: a
// slice is the number of elements divided by the slices, rounded up to whole elements and
// then to unit bytes, so that the last ones are short or empty.
type cuts struct {
	bytes, elem, unit int64
	inside            int64 // what slices of a part are rounded up to; parts: unit
	outer, inner      int64
	part, slice       int64             // bytes of a part and of its slices, when they are not short
	own               [Scratch + 1]bool // buffers that begin with the rank's own slice
}

// newCuts lays out a request's buffers in outer parts of inner slices each. Slices are
// rounded up to align too, or to the whole elements above. Where every rank has a piece of
// its own, the caller says how large that is: nothing is rounded.
func newCuts(r Request, outer, inner int, align int64) *cuts {
	if r.Collective.dealsOut() {
		r.Align = 0
	}
	c := &cuts{bytes: r.Bytes, elem: r.elem(), unit: max(r.Align, r.elem()), outer: int64(outer), inner: int64(inner)}
	c.inside = max(c.unit, (align+c.elem-1)/c.elem*c.elem)
	c.part = c.size(c.bytes, c.outer, c.unit)
	c.slice = c.size(min(c.part, c.bytes), c.inner, c.inside)
	if !r.InPlace {
		c.own[In] = r.Collective == AllGather || r.Collective == Gather
		c.own[Out] = r.Collective == ReduceScatter || r.Collective == Scatter
	}
	return c
}

// size is that of a piece, not the last, when total bytes are cut into pieces.
func (c *cuts) size(total, pieces, unit int64) int64 {
	if pieces == 1 {
		return total
	}
	size := (total/c.elem + pieces - 1) / pieces * c.elem
	return (size + unit - 1) / unit * unit
}

// Span implements Layout.
func (c *cuts) Span(b Buffer, slice int) (offset, bytes int64) {
	bytes = c.bytes
	at, size := int64(slice), c.slice
	if c.outer > 1 {
		part := at
		if c.inner > 1 {
			part = at / c.inner
		}
		at -= part * c.inner
		offset = min(part*c.part, bytes)
		if bytes -= offset; bytes < c.part {
			size = c.size(bytes, c.inner, c.inside)
		} else {
			bytes = c.part
		}
	}
	inside := min(at*size, bytes)
	if c.own[b] {
		if c.outer == 1 {
			return 0, min(size, bytes-inside)
		}
		offset = 0
	}
	return offset + inside, min(size, bytes-inside)
}

// Message is the size of a message that is sent from, or received into, the slices of s,
// and the number of contiguous runs of bytes that these slices form. A message without
// bytes has no runs. Time: O(s.Count). It allocates nothing.
func Message(l Layout, b Buffer, s Set) (bytes int64, runs int) {
	if s.Count == 1 && s.Width == 1 {
		if _, bytes = l.Span(b, s.block(0)); bytes > 0 {
			runs = 1
		}
		return bytes, runs
	}
	Runs(l, b, s, func(_, n int64) bool {
		bytes += n
		runs++
		return true
	})
	return bytes, runs
}

// Runs calls yield for every contiguous run of bytes of the slices of s, in the order of
// s, until yield returns false. A block that begins where the former ends, or ends where
// it begins, belongs to the same run.
func Runs(l Layout, b Buffer, s Set, yield func(offset, bytes int64) bool) {
	if _, scattered := l.(outsideCuts); scattered && s.Width > 1 {
		half := Half{Set: s, Buf: b}
		pieces(l, half, half, yield)
		return
	}
	var start, size int64
	for i := range int(s.Count) {
		o, n := block(l, b, s, i)
		switch {
		case n == 0:
		case size > 0 && o == start+size:
			size += n
		case size > 0 && o+n == start:
			start, size = o, size+n
		default:
			if size > 0 && !yield(start, size) {
				return
			}
			start, size = o, n
		}
	}
	if size > 0 {
		yield(start, size)
	}
}

// block gives the place and size of block i of s: its slices follow each other.
func block(l Layout, b Buffer, s Set, i int) (offset, bytes int64) {
	first := s.block(i)
	offset, bytes = l.Span(b, first)
	if s.Width > 1 {
		o, n := l.Span(b, first+int(s.Width)-1)
		bytes = o + n - offset
	}
	return offset, bytes
}
