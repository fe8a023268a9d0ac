package algorithms

// composer collects the phases of a schedule.
type composer struct {
	r      Request
	ranks  int
	levels []level
	pieces int        // that the first level's algorithm cuts a rank's slice into
	slices int        // of the whole program
	inner  int        // of the last level's algorithm
	groups *ahc       // of ahc
	order  *outsideIn // nil: slices are numbered by ranks
	user   buffers
	phases []phase
}

// buffers are where data come from, where partial results live, and where results go.
type buffers struct{ in, work, out Buffer }

// compose makes the program and layout of a request whose ranks are dealt out to levels.
func compose(levels []level, r Request) (*sequence, Layout) {
	if r.Collective == Barrier {
		r.Collective = AllReduce
	}
	c := &composer{r: r, ranks: r.Ranks(), levels: levels, user: buffers{in: In, out: Out}}
	if r.InPlace {
		c.user = buffers{in: Data, out: Data}
	}
	layout := c.layout()
	first := levels[0].name
	switch {
	case c.ranks == 1 && r.InPlace:
		return c.sequence(), layout
	case c.ranks == 1:
		c.local(localPart{n: 1}, c.everywhere(c.slices), c.user.in, c.user.out)
		return c.sequence(), layout
	case r.Collective == AlltoAll || r.Collective == AlltoAllV:
		c.allToAll(c.user)
		return c.sequence(), layout
	case r.Collective == SendRecv:
		c.sendRecv()
		return c.sequence(), layout
	case first == "pipeline":
		c.user.work = workBuffer(r, r.Collective != ReduceScatter)
		c.pipeline(c.user)
		return c.sequence(), layout
	}
	// A mesh works from the user's buffer into the library's and back by itself.
	direct := isMesh(first) && r.Copies != CopiesFull && (len(levels) == 1 || c.nests())
	c.user.work = workBuffer(r, direct)
	marked := isMesh(first) && r.Marker
	if marked {
		c.add(markerPart{}, c.everywhere(1), c.user.work, c.user.work)
	}
	run := c.user
	if !direct {
		run = buffers{c.user.work, c.user.work, c.user.work}
		c.copyIn(c.user.in, c.user.work)
	}
	c.exchange(run)
	if !direct {
		c.copyOut(c.user.work, c.user.out)
	}
	if marked {
		c.add(markerPart{}, c.everywhere(1), c.user.work, c.user.work)
	}
	return c.sequence(), layout
}

// isMesh says whether an algorithm is HCCL's mesh, in any of its forms.
func isMesh(name string) bool {
	return name == "mesh" || name == "mesh-chunk" || name == "mesh-oneshot"
}

// nests says whether every level of a mix works on the slices that the former has left to
// the rank; else each works on blocks of what the ranks own.
func (c *composer) nests() bool { return !c.r.Collective.dealsOut() }

// workBuffer is where partial results live. Out of ReduceScatter and Scatter has room for
// one slice only, Out of Reduce and Gather exists at the root only.
func workBuffer(r Request, direct bool) Buffer {
	switch {
	case r.Copies == CopiesFull, r.Copies == CopiesSlice:
		return Scratch
	case r.InPlace:
		return Data
	case r.Collective == Reduce:
		return Scratch
	case r.Collective == ReduceScatter, r.Collective == Scatter, r.Collective == Gather:
		if !direct {
			return Scratch
		}
	}
	return Out
}

// layout cuts the buffer into the slices that the algorithms number.
func (c *composer) layout() Layout {
	r, last := c.r, c.levels[len(c.levels)-1]
	c.pieces = piecesOf(c.levels[0])
	switch {
	case r.Collective == AlltoAll:
		c.slices = c.ranks * c.ranks
		return evenBlocks{c.ranks, c.levels[0].size, newCuts(r, 1, c.ranks, 0)}
	case r.Collective == AlltoAllV:
		c.slices = c.ranks * c.ranks
		return newUnevenBlocks(r, c.levels[0].size)
	case r.Collective == SendRecv:
		c.slices = c.ranks
		return wholeBuffers{r.Bytes}
	case last.name == "ahc":
		c.groups, _ = ahcOf(r) // levelsOf has seen that it can be made
		c.slices = c.groups.slices()
		if !c.nests() {
			c.pieces = c.slices / c.ranks
		}
		return c.groups.layout(r)
	case !c.nests():
		c.inner = c.ranks * c.pieces
		c.slices = c.inner
		if r.OutsideIn && len(c.levels) > 1 && (r.Collective == AllGather || r.Collective == ReduceScatter) {
			c.order = &outsideIn{c.levels, c.pieces}
			return outsideCuts{c.rankCuts(), c.order}
		}
		return c.rankCuts()
	case len(c.levels) == 1:
		c.inner = slicesOf(last, r, r.Bytes)
		c.slices = c.inner
		return newCuts(r, 1, c.inner, sliceAlign(last, r, r.Bytes))
	}
	// Each rank of a server goes on with a wide slice of its own.
	outer := c.levels[0].size
	_, wide := newCuts(r, outer, 1, 0).Span(Data, 0)
	c.inner = slicesOf(last, r, wide)
	inside := c.inner * c.pieces
	for _, l := range c.levels[1 : len(c.levels)-1] {
		inside *= l.size
	}
	c.slices = outer * inside
	return newCuts(r, outer, inside, sliceAlign(last, r, wide))
}

// rankCuts cuts a slice for every rank, and each into pieces.
func (c *composer) rankCuts() *cuts {
	if c.pieces > 1 {
		return newCuts(c.r, c.ranks, c.pieces, 0)
	}
	return newCuts(c.r, 1, c.ranks, 0)
}

// piecesOf is what an algorithm cuts the slice of a rank into, besides.
func piecesOf(l level) int {
	switch {
	case l.size == 1:
	case l.name == "double-ring":
		return 2
	case l.name == "multi-ring":
		return len(multiRing)
	case l.name == "mesh-chunk":
		return l.size - 1
	}
	return 1
}

// sliceAlign is what the last algorithm of a nest itself rounds the slices of bytes up to.
// HCCL's NHR AllReduce: 128 bytes (HCCL_MIN_SLICE_ALIGN). Its NB AllReduce: much more where
// slices would be smaller, so that few slices have all the data.
func sliceAlign(l level, r Request, bytes int64) int64 {
	switch {
	case r.Collective != AllReduce:
	case l.name == "nhr":
		return 128
	case l.name == "nb" && bytes <= int64(l.size)*r.NBAlign:
		return r.NBAlign
	}
	return 0
}

// slicesOf is the number of slices that the last algorithm of a nest cuts bytes into.
func slicesOf(l level, r Request, bytes int64) int {
	n := l.size
	switch l.name {
	case "ring":
		if r.Collective == AllReduce {
			return n
		}
	case "mesh", "nhr", "nb", "pipeline":
		return n
	case "double-ring", "multi-ring", "mesh-chunk":
		return n * piecesOf(l)
	case "rhd", "rhd-doubling":
		if r.Collective != Broadcast {
			return blockSize(n)
		}
	case doubleTree:
		return 2 * segments(n, r, bytes)
	}
	return 1
}

func (c *composer) sequence() *sequence {
	return newSequence(c.phases, c.ranks, c.slices)
}

// everywhere is the place of all ranks in one group, counted from the root.
func (c *composer) everywhere(width int) place {
	at := place{plane: plane{size: c.ranks, stride: 1}, width: width, costs: c.levels[len(c.levels)-1].costs}
	if c.r.Collective.Rooted() {
		at.plane.root = c.r.Root
	}
	at.ranked = (c.r.Collective == Scatter || c.r.Collective == Gather) && width < c.slices
	return at
}

func (c *composer) add(p part, at place, from, to Buffer) {
	c.phases = append(c.phases, phase{part: p, place: at, from: from, to: to})
}

// local adds a local copy unless it would copy a buffer onto itself.
func (c *composer) local(p localPart, at place, from, to Buffer) {
	if from != to {
		c.add(p, at, from, to)
	}
}

// own is a copy of a rank's own slice.
func (c *composer) own() localPart {
	p := localPart{n: c.ranks}
	if c.order != nil {
		p.set = c.order.own
	}
	return p
}

// copyIn brings the user's input to where an algorithm that works in place wants it.
func (c *composer) copyIn(from, to Buffer) {
	switch c.r.Collective {
	case AllGather, Gather:
		c.local(c.own(), c.everywhere(c.pieces), from, to)
	default:
		rootOnly := c.r.Collective == Broadcast || c.r.Collective == Scatter
		c.local(localPart{n: 1, rootOnly: rootOnly}, c.everywhere(c.slices), from, to)
	}
}

// copyOut brings the result to the user.
func (c *composer) copyOut(from, to Buffer) {
	switch c.r.Collective {
	case ReduceScatter, Scatter:
		c.local(c.own(), c.everywhere(c.pieces), from, to)
	default:
		rootOnly := c.r.Collective == Reduce || c.r.Collective == Gather
		// The root of a Broadcast in place has what it sent.
		sent := c.r.Collective == Broadcast && c.r.InPlace
		c.local(localPart{n: 1, rootOnly: rootOnly, exceptRoot: sent}, c.everywhere(c.slices), from, to)
	}
}

// sendRecv adds the phases of SendRecv.
func (c *composer) sendRecv() {
	all := c.everywhere(1)
	from, to := c.user.in, c.user.out
	if c.r.Copies != CopiesNone {
		from, to = Scratch, Scratch
		c.local(localPart{n: c.ranks}, all, In, Scratch)
	}
	c.add(nextPart{n: c.ranks}, all, from, to)
	if to == Scratch {
		p := c.ranks
		c.local(localPart{n: p, set: func(i int) Set { return slice(i-1, p) }}, all, Scratch, Out)
	}
}
