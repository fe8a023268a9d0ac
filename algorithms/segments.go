package algorithms

const (
	// MaxSegments bounds the segments of each tree, so that very large messages stay
	// simulable; beyond it segments grow. At 1024 segments filling the pipeline is some
	// hundredths of the whole time even for thousands of ranks.
	MaxSegments = 1024
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
		return int(min(max((half+size-1)/size, 1), MaxSegments))
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
// port, and a reduce unit, with the segment of a sibling. Every further segment adds a
// round of the busiest rank: as an inner node of one tree and a leaf of the other it moves
// four segments each way where data go both up and down (fewer ranks have no such inner
// node), else two. Its lanes fall into step, so that a round has the latency of one
// message; of the two reductions of a round one hides behind the other lanes' messages.
func (d doubleTreePart) estimate(h Hockney, half int64) int64 {
	size := (half + int64(d.segs) - 1) / int64(d.segs)
	depth := int64(depthOf(d.n-d.top()) + d.top())
	siblings, load, ways := int64(2), int64(2), int64(1)
	if d.up && d.down {
		siblings, load, ways = min(int64(d.n)-1, 2), min(int64(d.n), 4), 2
	}
	fill := depth * ways * h.atOnce(siblings, size)
	round := h.atOnce(load, size)
	if d.up {
		fill += depth * siblings * h.reduce(size)
		round += h.reduce(size)
	}
	return fill + int64(d.segs-1)*round
}

// cost is an estimate: there is no closed form.
func (d doubleTreePart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return d.estimate(h, int64(d.segs)*sizes(0)), false
}
