package algorithms

// cuts is the layout of every schedule here. The buffer is cut into outer parts and each
// part into inner slices; slice number = part*inner + slice. Both cuts are HCCL's: a
// slice is the number of elements divided by the slices, rounded up to whole elements and
// then to unit bytes, so that the last ones are short or empty.
type cuts struct {
	bytes, elem, unit int64
	outer, inner      int64
	own               [Scratch + 1]bool // buffers that begin with the rank's own slice
}

// newCuts lays out a request's buffers in outer parts of inner slices each.
func newCuts(r Request, outer, inner int) *cuts {
	c := &cuts{bytes: r.Bytes, elem: r.elem(), unit: max(r.Align, r.elem()), outer: int64(outer), inner: int64(inner)}
	if !r.InPlace {
		c.own[In] = r.Collective == AllGather
		c.own[Out] = r.Collective == ReduceScatter
	}
	return c
}

// Span implements Layout.
func (c *cuts) Span(b Buffer, slice int) (offset, bytes int64) {
	offset, bytes = 0, c.bytes
	at := int64(slice)
	if c.outer > 1 {
		offset, bytes = c.cut(bytes, c.outer, at/c.inner)
		at %= c.inner
	}
	if c.inner > 1 {
		var o int64
		o, bytes = c.cut(bytes, c.inner, at)
		offset += o
	}
	if c.own[b] {
		offset = 0
	}
	return offset, bytes
}

// cut gives the place and size of slice i when total bytes are cut into parts.
func (c *cuts) cut(total, parts, i int64) (offset, bytes int64) {
	size := (total/c.elem + parts - 1) / parts * c.elem
	size = (size + c.unit - 1) / c.unit * c.unit
	offset = min(i*size, total)
	return offset, min(size, total-offset)
}

// Message is the size of a message that is sent from, or received into, the slices of s,
// and the number of contiguous runs of bytes that these slices form. A message without
// bytes has no runs. Time: O(s.Count). It allocates nothing.
func Message(l Layout, b Buffer, s Set) (bytes int64, runs int) {
	if s.Count == 1 {
		if _, bytes = block(l, b, s, 0); bytes > 0 {
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
	first := s.Slice(i * int(s.Width))
	offset, bytes = l.Span(b, first)
	if s.Width > 1 {
		o, n := l.Span(b, first+int(s.Width)-1)
		bytes = o + n - offset
	}
	return offset, bytes
}
