package algorithms

// composer collects the phases of a schedule.
type composer struct {
	r      Request
	ranks  int
	slices int // of the whole program
	inner  int // of the inter (or only) algorithm
	phases []phase
}

// place is where a flat algorithm runs: see phase.
type place struct {
	plane        plane
	width, shift int
}

// buffers are where data come from, where partial results live, and where results go.
type buffers struct{ in, work, out Buffer }

// compose makes the program and layout of a request: of one flat algorithm (intra is
// empty) or of a mix of equal groups with more than one rank and more than one group.
func compose(intra, inter string, r Request) (*sequence, Layout) {
	r.Align = max(r.Align, sliceAlign(inter, r))
	c := &composer{r: r, ranks: r.Ranks()}
	user := buffers{in: In, out: Out}
	if r.InPlace {
		user = buffers{in: Data, out: Data}
	}
	if c.ranks == 1 {
		c.slices = 1
		if !r.InPlace {
			c.local(localPart{n: 1}, c.everywhere(1), user.in, user.out)
		}
		return c.sequence(), newCuts(r, 1, 1)
	}
	// A mesh works from the user's buffer into the library's and back by itself.
	mesh := inter == "mesh" && intra == "" || intra == "mesh"
	direct := mesh && (intra == "" || r.Collective == AllReduce) && r.Copies != CopiesFull
	user.work = workBuffer(r, direct)
	layout := c.layout(intra, inter)

	if mesh && r.Marker {
		c.add(markerPart{}, c.everywhere(1), user.work, user.work)
	}
	run := user
	if !direct {
		run = buffers{user.work, user.work, user.work}
		c.copyIn(user.in, user.work)
	}
	if intra == "" {
		c.flat(inter, run)
	} else {
		c.mixed(intra, inter, run)
	}
	if !direct {
		c.copyOut(user.work, user.out)
	}
	if mesh && r.Marker {
		c.add(markerPart{}, c.everywhere(1), user.work, user.work)
	}
	return c.sequence(), layout
}

// workBuffer is where partial results live. Out of ReduceScatter has room for one slice
// only, Out of Reduce exists at the root only.
func workBuffer(r Request, direct bool) Buffer {
	switch {
	case r.Copies == CopiesFull, r.Copies == CopiesSlice:
		return Scratch
	case r.InPlace:
		return Data
	case r.Collective == ReduceScatter && !direct, r.Collective == Reduce:
		return Scratch
	}
	return Out
}

// layout cuts the buffer into the slices that the algorithms number.
func (c *composer) layout(intra, inter string) *cuts {
	outer, inner := 1, 0
	switch {
	case intra == "":
		inner = slicesOf(inter, c.ranks, c.r, c.r.Bytes)
	case c.r.Collective == AllReduce:
		// Each rank of a server reduces its own wide slice with the other servers.
		outer = c.r.Groups[0]
		_, wide := newCuts(c.r, outer, 1).Span(Data, 0)
		inner = slicesOf(inter, len(c.r.Groups), c.r, wide)
	default:
		inner = c.ranks
	}
	c.inner, c.slices = inner, outer*inner
	return newCuts(c.r, outer, inner)
}

// sliceAlign is what an algorithm itself rounds slices up to: 128 bytes, or the whole
// elements above, in HCCL's NHR AllReduce.
func sliceAlign(name string, r Request) int64 {
	if name != "nhr" || r.Collective != AllReduce {
		return 0
	}
	elem := r.elem()
	return (minSliceAlign + elem - 1) / elem * elem
}

// minSliceAlign is HCCL_MIN_SLICE_ALIGN, bytes.
const minSliceAlign = 128

// slicesOf is the number of slices that a flat algorithm of n ranks cuts bytes into.
func slicesOf(name string, n int, r Request, bytes int64) int {
	perRank := r.Collective == AllGather || r.Collective == ReduceScatter
	switch {
	case name == "mesh", name == "nhr", name == "nb", name == "ring" && !r.Collective.Rooted(), perRank:
		return n
	case name == "rhd" && r.Collective != Broadcast:
		return blockSize(n)
	case name == "double-tree":
		return 2 * segments(n, r, bytes)
	}
	return 1
}

func (c *composer) sequence() *sequence {
	return newSequence(c.phases, c.ranks, c.slices)
}

// everywhere is the place of all ranks in one group, counted from the root.
func (c *composer) everywhere(width int) place {
	p := place{plane: plane{size: c.ranks, stride: 1}, width: width}
	if c.r.Collective.Rooted() {
		p.plane.root = c.r.Root
	}
	return p
}

func (c *composer) add(p part, at place, from, to Buffer) {
	c.phases = append(c.phases, phase{part: p, plane: at.plane, from: from, to: to, width: at.width, shift: at.shift})
}

// local adds a local copy unless it would copy a buffer onto itself.
func (c *composer) local(p localPart, at place, from, to Buffer) {
	if from != to {
		c.add(p, at, from, to)
	}
}

// copyIn brings the user's input to where an algorithm that works in place wants it.
func (c *composer) copyIn(from, to Buffer) {
	if c.r.Collective == AllGather {
		c.local(localPart{n: c.ranks}, c.everywhere(1), from, to)
		return
	}
	c.local(localPart{n: 1, rootOnly: c.r.Collective == Broadcast}, c.everywhere(c.slices), from, to)
}

// copyOut brings the result to the user.
func (c *composer) copyOut(from, to Buffer) {
	if c.r.Collective == ReduceScatter {
		c.local(localPart{n: c.ranks}, c.everywhere(1), from, to)
		return
	}
	c.local(localPart{n: 1, rootOnly: c.r.Collective == Reduce}, c.everywhere(c.slices), from, to)
}

// flat adds one algorithm over all ranks.
func (c *composer) flat(name string, b buffers) {
	at := c.everywhere(1)
	own := localPart{n: c.ranks}
	switch c.r.Collective {
	case AllReduce:
		c.allReduce(name, at, b)
	case AllGather:
		c.local(own, at, b.in, b.work)
		c.allGather(name, at, b.work, b.out)
	case ReduceScatter:
		c.reduceScatter(name, at, b.in, b.work)
		c.local(own, at, b.work, b.out)
	case Broadcast:
		c.broadcast(name, at, b)
	case Reduce:
		c.reduce(name, at, b)
	}
}

// mixed adds a hierarchy: the intra algorithm inside every server, the inter algorithm
// between the ranks of the same number in all servers.
func (c *composer) mixed(intra, inter string, b buffers) {
	n, servers := c.r.Groups[0], len(c.r.Groups)
	inside := place{plane: plane{size: n, stride: 1}}
	between := place{plane: plane{size: servers, stride: n}}
	if c.r.Collective == AllReduce {
		inside.width = c.slices / n
		between.width, between.shift = 1, inside.width
		c.reduceScatter(intra, inside, b.in, b.work)
		c.allReduce(inter, between, buffers{b.work, b.work, b.work})
		c.allGather(intra, inside, b.work, b.out)
		return
	}
	// The slices of a server's ranks are a block; blocks travel between servers.
	inside.width, inside.shift = 1, n
	between.width = n
	if c.r.Collective == AllGather {
		c.allGather(intra, inside, b.work, b.work)
		c.allGather(inter, between, b.work, b.work)
	} else {
		c.reduceScatter(inter, between, b.work, b.work)
		c.reduceScatter(intra, inside, b.work, b.work)
	}
}
