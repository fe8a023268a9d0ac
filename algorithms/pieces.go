package algorithms

// Pieces calls yield for every piece of a message that lies together in the memory of both
// ranks, with its place at the sender, until yield returns false. A request of RDMA reads
// from one place and writes to one: slices that lie together at the sender may be strewn
// at the receiver, and the other way about.
func Pieces(l Layout, from, to Half, yield func(at, bytes int64) bool) {
	if from.Set == to.Set && from.Buf == to.Buf {
		Runs(l, from.Buf, from.Set, yield)
		return
	}
	pieces(l, from, to, yield)
}

// pieces goes slice by slice.
func pieces(l Layout, from, to Half, yield func(at, bytes int64) bool) {
	var at, there, bytes int64 // of the piece so far
	for j := range from.Set.Len() {
		a, n := l.Span(from.Buf, from.Set.Slice(j))
		b, _ := l.Span(to.Buf, to.Set.Slice(j))
		switch {
		case n == 0:
		case bytes > 0 && a == at+bytes && b == there+bytes:
			bytes += n
		case bytes > 0 && a+n == at && b+n == there:
			at, there, bytes = a, b, bytes+n
		default:
			if bytes > 0 && !yield(at, bytes) {
				return
			}
			at, there, bytes = a, b, n
		}
	}
	if bytes > 0 {
		yield(at, bytes)
	}
}
