package algorithms

// pipelinePart is one half of HCCL's pipeline over servers of n ranks each, all in one
// group: index i is rank i%n of server i/n. The buffer is cut into a block for each server
// and the block into a slice for each rank. The ranks of a server are joined by a mesh, those
// of the same number in all servers by a ring, and both work at once, in as many rounds
// as there are servers:
//
// Adding up, server j works in round k on block j+1+k. Every rank adds the slice of each peer
// of its server to that peer's; at the same time the ring brings to the peer what the
// servers behind, j+1 and so on, have added up of it in the rounds before. So the ring
// sends in round k what was added up in round k-1, to server j-1, and rests in round 0.
//
// Gathering, the ring passes blocks on, and in the round after a block has arrived the peers of the
// server read it from each other; it rests in the last round. Alone it goes the other way, from
// server j to j+1; in AllReduce it goes on as it did before (onward).
//
// Lane 0 is for local copies and joins, lane 1 for the ring, lanes 2 to n have one peer
// each: lane 1+q of rank l faces lane 1+n-q of rank l+q.
//
// Data pass through depth buffers, one a round, in turn. A round opens with a step of lane
// 0, its gate: there the mesh of the round before is over in all lanes, and the ring is
// through with what would be overwritten. The ring sends from one buffer while it receives
// into another, so that there are at least 2; with 2, all lanes are joined in every round,
// and that is what HCCL's main stream always does, also in ReduceScatter, where it has 3
// buffers. With more of them the mesh may run ahead of the ring by depth-2 rounds where
// data are added up, and the ring ahead of the mesh where they are gathered.
//
// A buffer is not a place of its own here: what is in it has the number of its slice, like
// everywhere, and only the order of steps shows that it is used again.
type pipelinePart struct {
	servers, n int
	depth      int
	gather     bool
	onward     bool // gathering: the ring goes from server j to j-1
	// copies: what the ring sends and receives lies in the buffer in which the other
	// messages arrive, or from which they leave when gathering, and lane 0 copies the rank's own
	// slices from one to the other. Else there is one buffer.
	copies bool
}

// pipeline adds the phases of an algorithm over all servers, which must have equally many
// ranks; every rank has a slice. Where b has several buffers they are HCCL's: in is the
// user's input, work the library's buffer, out the user's output.
func (c *composer) pipeline(b buffers) {
	at := c.everywhere(1)
	p := pipelinePart{servers: len(c.r.Groups), n: c.r.Groups[0], depth: pipelineDepth(c.r)}
	own := localPart{n: c.ranks}
	if c.r.Collective == AllGather {
		c.local(own, at, b.in, b.work)
	} else {
		add := p
		add.copies = b.in != b.work
		c.add(add, at, b.in, b.work)
	}
	if c.r.Collective == ReduceScatter {
		c.local(own, at, b.work, b.out)
		return
	}
	p.gather, p.onward, p.copies = true, c.r.Collective == AllReduce, b.work != b.out
	c.add(p, at, b.work, b.out)
}

// pipelineDepth is the number of buffers of a request, at least 2. HCCL keeps 3 in
// ReduceScatter, but joins all streams in every round, which is what 2 come to.
func pipelineDepth(r Request) int {
	if r.Depth == 0 {
		return 2
	}
	return r.Depth
}

// Lanes of pipelinePart.
const (
	ringLane  = 1
	firstPeer = 2
)

// across, as the Buf of a half of a part, says that it is in the buffer of the part's other
// halves: it leaves from where the others arrive, or arrives where the others leave.
const across = Out

func (p pipelinePart) lanes(int) int { return p.n + 1 }

func (p pipelinePart) steps(_, lane int) int {
	switch {
	case lane > 0:
		return p.servers
	case p.gather && p.copies:
		return p.gate(p.servers) + 1 // the last copy
	}
	return p.gate(p.servers-1) + 1
}

func (pipelinePart) regular() bool { return true }

func (p pipelinePart) step(i, lane, k int) Step {
	switch {
	case lane == ringLane:
		return p.ring(i, k)
	case lane >= firstPeer:
		return p.mesh(i, lane-ringLane, k)
	case k%p.n == 0:
		return p.open(i, k/p.n)
	}
	return idleAfter(i, firstPeer+k%p.n-1, k/p.n)
}

// gate is the step of lane 0 that opens round k: before it there is a join of each peer's
// lane.
func (p pipelinePart) gate(k int) int { return k * p.n }

// block is what server j works on in round k.
func (p pipelinePart) block(j, k int) int {
	if !p.gather {
		k++
	}
	return wrap(j-p.way()*k, p.servers)
}

// way is from server to server around the ring.
func (p pipelinePart) way() int {
	if p.gather && !p.onward {
		return 1
	}
	return -1
}

// slice is that of rank l in the block of server j in round k.
func (p pipelinePart) slice(j, k, l int) Set {
	return slice(p.block(j, k)*p.n+l, p.servers*p.n)
}

// open is the step of lane 0 that opens round k. Adding up, the rank's own slice is copied
// into the buffer that the peers and the ring then add to, when the ring has sent what was
// in it. Gathering, what the peers have read in the round before is copied too.
func (p pipelinePart) open(i, k int) Step {
	st := Idle
	sent, copied := k+1-p.depth, k
	if p.gather {
		sent, copied = k-1, k-1
	}
	if p.rings(sent) {
		st.After = ref(i, ringLane, sent)
	}
	if p.copies && copied >= 0 {
		st.Send = Half{Peer: ref(i, 0, p.gate(k)), Set: p.slice(i/p.n, copied, i%p.n)}
		st.Recv = st.Send
	}
	return st
}

// rings says whether the ring moves data in a round.
func (p pipelinePart) rings(k int) bool {
	if p.gather {
		return k >= 0 && k < p.servers-1
	}
	return k >= 1 && k < p.servers
}

// ring is the step of the ring in round k.
func (p pipelinePart) ring(i, k int) Step {
	if !p.rings(k) {
		return Idle
	}
	j, l := i/p.n, i%p.n
	to, from := wrap(j+p.way(), p.servers), wrap(j-p.way(), p.servers)
	st := Step{
		Send: Half{Peer: ref(to*p.n+l, ringLane, k)},
		Recv: Half{Peer: ref(from*p.n+l, ringLane, k)},
	}
	if p.gather {
		// What it receives is read by the peers in the next round; the buffer must be free.
		st.After = ref(i, 0, p.gate(max(k+2-p.depth, 0)))
		st.Send.Set, st.Recv.Set = p.slice(j, k, l), p.slice(j, k+1, l)
		st.Recv.Buf = across
		return st
	}
	st.After = ref(i, 0, p.gate(k))
	st.Send.Set, st.Recv.Set = p.slice(j, k-1, l), p.slice(j, k, l)
	st.Send.Buf = across
	st.Reduce = true
	return st
}

// mesh is the exchange with the peer that is q further in the server, in round k. The
// sender writes where data are added up, the receiver reads where they are gathered.
func (p pipelinePart) mesh(i, q, k int) Step {
	j, l := i/p.n, i%p.n
	peer := wrap(l+q, p.n)
	half := Half{Peer: ref(j*p.n+peer, ringLane+p.n-q, k)}
	st := Step{After: ref(i, 0, p.gate(k)), Send: half, Recv: half}
	mine, theirs := p.slice(j, k, l), p.slice(j, k, peer)
	if p.gather {
		st.Send.Set, st.Recv.Set, st.Drive = mine, theirs, Read
		return st
	}
	st.Send.Set, st.Recv.Set, st.Drive, st.Reduce = theirs, mine, Write, true
	return st
}
