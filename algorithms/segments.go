package algorithms

const (
	// maxSegments bounds the segments of each tree, so that very large messages stay
	// simulable; beyond it segments grow. At 1024 segments filling the pipeline is some
	// hundredths of the whole time even for thousands of ranks.
	maxSegments = 1024
	// minSegment is the smallest segment that is tried: no link has so little latency or
	// so little bandwidth that cutting further would pay.
	minSegment = 1 << 10
	// plainSegment is the size without a cost model: at 25 GB/s and 5 us it is as long on
	// the wire as in latency, where neither is wasted.
	plainSegment = 128 << 10
)

// segments is the number of segments that each tree of double-tree cuts its half of
// bytes into.
func segments(n int, r Request, bytes int64) int {
	half := (bytes + 1) / 2
	count := func(size int64) int {
		return int(min(max((half+size-1)/size, 1), maxSegments))
	}
	h := r.Hockney
	switch {
	case r.Segment > 0:
		return count(r.Segment)
	case h == Hockney{}:
		return count(plainSegment)
	}
	d := doubleTreePart{n: n, segs: 1, up: r.Collective != Broadcast, down: r.Collective != Reduce}
	best := d
	for size := int64(minSegment); size < half; size *= 2 {
		d.segs = count(size)
		if d.estimate(h, half) < best.estimate(h, half) {
			best.segs = d.segs
		}
	}
	return best.segs
}

// estimate predicts the time of double-tree when each tree carries half bytes; it is no
// bound. The first segment climbs and descends depth levels, at each of which it shares a
// port with the segment of a sibling. Every further segment adds a round of the busiest
// rank: as an inner node of one tree and a leaf of the other it moves four segments each
// way where data go both up and down, else two. Its lanes tend to fall into step, so that
// a round has the latency of one message, and the reductions of two children.
func (d doubleTreePart) estimate(h Hockney, half int64) int64 {
	size := (half + int64(d.segs) - 1) / int64(d.segs)
	depth := int64(depthOf(d.n-d.top()) + d.top())
	level := h.atOnce(2, size)
	round := h.atOnce(2, size)
	fill := depth * level
	if d.up && d.down {
		round = h.atOnce(4, size)
		fill *= 2
	}
	if d.up {
		fill += depth * h.reduce(size)
		round += 2 * h.reduce(size)
	}
	return fill + int64(d.segs-1)*round
}

// cost is an estimate: there is no closed form.
func (d doubleTreePart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return d.estimate(h, int64(d.segs)*sizes(0)), false
}
