package algorithms

// meshChunkPart is the reduce-scatter of HCCL's deterministic mesh (its "chunk mesh"). The
// slice of every index is cut into n-1 chunks, one for each of its lanes 1 to n-1, and
// there are as many rounds. In a round every lane reads its chunk from another peer and
// adds it up; from round to round the peers of a lane rotate. So nothing is ever added to
// a chunk by two at once, and lane q adds the peers always in the same order, i+q, i+q+1
// and so on without i itself: results are the same to the last bit in every run. The
// plain mesh adds in the order of arrival.
//
// Slice i*(n-1) + q-1 of the part is the chunk of index i that its lane q adds up.
//
// Lane 0 joins the others before every round, as HCCL's main stream does. At first all
// get ready; at last a lane signals the peer that it has read from in the last round: as
// rounds are joined it has then read all that it wants from that peer.
type meshChunkPart struct{ n int }

// meshChunk adds the reduce-scatter of the deterministic mesh, whose n*(n-1) chunks fill
// the slices of a place of n.
func (c *composer) meshChunk(at place, from, to Buffer) {
	n := at.plane.size
	c.local(localPart{n: n}, at, from, to)
	at.width /= n - 1
	c.add(meshChunkPart{n: n}, at, from, to)
}

func (m meshChunkPart) lanes(int) int { return m.n }

func (m meshChunkPart) steps(_, lane int) int {
	if lane == 0 {
		return (m.n - 1) * (m.n - 1)
	}
	return m.n + 1
}

func (meshChunkPart) regular() bool { return true }

func (m meshChunkPart) step(i, lane, k int) Step {
	switch {
	case lane == 0:
		return idleAfter(i, k%(m.n-1)+1, k/(m.n-1))
	case k == 0:
		return m.signal(i, lane, m.n-lane, 0)
	case k == m.n:
		gap := m.gap(lane, k-1)
		return m.signal(i, gap, (m.n-gap)%(m.n-1)+1, k)
	}
	gap := m.gap(lane, k)
	from, to := wrap(i+gap, m.n), wrap(i-gap, m.n)
	return Step{
		After:  ref(i, 0, k*(m.n-1)-1),
		Send:   Half{Peer: ref(to, lane, k), Set: m.chunk(to, lane)},
		Recv:   Half{Peer: ref(from, lane, k), Set: m.chunk(i, lane)},
		Reduce: true,
		Drive:  Read,
		Synced: true,
	}
}

// gap is how far the peer is that a lane reads from in a round, 1 to n-1.
func (m meshChunkPart) gap(lane, round int) int { return (lane+round-2)%(m.n-1) + 1 }

// signal is exchanged with the index that is gap away, at step k of its lane.
func (m meshChunkPart) signal(i, gap, lane, k int) Step {
	partner := ref(wrap(i+gap, m.n), lane, k)
	return Step{After: None, Send: Half{Peer: partner}, Recv: Half{Peer: partner}}
}

// chunk is what a lane of index i adds up.
func (m meshChunkPart) chunk(i, lane int) Set {
	return slice(i*(m.n-1)+lane-1, m.n*(m.n-1))
}

// cost is n-1 rounds of the slowest index: of full chunks, n-1 times
// alpha + chunk*beta + (n-1)*chunk*gamma where pairs have links of their own, and
// alpha + (n-1)*chunk*(beta+gamma) on one port. Indices do not wait for each other between
// rounds. On one port that is exact as long as no other port holds up the slowest index's:
// where its chunks are all full, or where the other slices that have data are cut as its own.
func (m meshChunkPart) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	full, alike := sizes(m.n-2) == sizes(0), true
	for i := range m.n {
		ps = max(ps, m.round(h, i, sizes))
		alike = alike && (sizes(i*(m.n-1)) == 0 || m.cutAlike(i, sizes))
	}
	return int64(m.n-1) * ps, h.PairLinks || full || alike
}

// cutAlike says whether the chunks of index i are as large as those of index 0.
func (m meshChunkPart) cutAlike(i int, sizes func(int) int64) bool {
	for q := range m.n - 1 {
		if sizes(i*(m.n-1)+q) != sizes(q) {
			return false
		}
	}
	return true
}

// round is the time of a round of index i. Of its chunks, the first ones are the largest;
// the smaller a chunk, the earlier it arrives, and the reductions follow each other in the
// order of arrival. On one port, when a chunk arrives, the smaller ones have passed whole
// and as much of each larger one.
func (m meshChunkPart) round(h Hockney, i int, sizes func(int) int64) (end int64) {
	var smaller int64
	for q := m.n - 2; q >= 0; q-- {
		n := sizes(i*(m.n-1) + q)
		if n == 0 {
			continue
		}
		arrival := h.step(n, false)
		if !h.PairLinks {
			arrival = h.step(smaller+n*int64(q+1), false)
		}
		end = max(end, arrival) + h.reduce(n)
		smaller += n
	}
	return end
}
