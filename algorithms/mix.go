package algorithms

// The levels of a schedule, one after the other. A flat algorithm is a single level of all
// ranks. The orders are HCCL's; its documentation calls the levels 0, 1 and 2.

// exchange adds what happens between ranks.
func (c *composer) exchange(b buffers) {
	last := len(c.levels) - 1
	if last == 0 {
		c.flat(c.levels[0].name, b)
		return
	}
	switch c.r.Collective {
	case AllReduce, Broadcast, Reduce:
		c.nest(0, b)
	case AllGather, Gather:
		for i := range c.levels {
			if c.order != nil {
				i = last - i
			}
			c.block(i, b.work)
		}
	case ReduceScatter, Scatter:
		for i := range c.levels {
			if c.order == nil {
				i = last - i
			}
			c.block(i, b.work)
		}
	}
}

// flat adds one algorithm over all ranks.
func (c *composer) flat(name string, b buffers) {
	at, own := c.everywhere(c.pieces), c.own()
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
	case Scatter:
		c.scatter(name, at, b.in, b.out)
	case Gather:
		c.gather(name, at, b.in, b.out)
	}
}

// nest adds level i and all inside it: it deals slices out, the next level does the
// collective with each, and it puts them together again.
func (c *composer) nest(i int, b buffers) {
	name, at := c.levels[i].name, c.nested(i)
	work := buffers{b.work, b.work, b.work}
	if i == len(c.levels)-1 {
		switch c.r.Collective {
		case AllReduce:
			c.allReduce(name, at, b)
		case Broadcast:
			c.broadcast(name, at, b)
		case Reduce:
			c.reduce(name, at, b)
		}
		return
	}
	alone := at
	alone.only = c.upper(i)
	switch c.r.Collective {
	case AllReduce:
		c.reduceScatter(name, at, b.in, b.work)
		c.nest(i+1, work)
		c.allGather(name, at, b.work, b.out)
	case Broadcast:
		c.scatter(name, alone, b.in, b.work)
		c.nest(i+1, work)
		c.allGather(name, at, b.work, b.out)
	case Reduce:
		c.reduceScatter(name, at, b.in, b.work)
		c.nest(i+1, work)
		c.gather(name, alone, b.work, b.out)
	}
}

// nested is where level i of a nest runs: in the slices that all levels above it in the
// list have left to the rank.
func (c *composer) nested(i int) place {
	at := place{width: c.slices, costs: c.levels[i].costs}
	for j, l := range c.levels[:i+1] {
		at.plane = c.plane(l)
		at.width /= l.size
		if j < i {
			at.base[j] = term{div: l.stride, mod: l.size, root: at.plane.root, by: at.width}
		}
	}
	if i == len(c.levels)-1 {
		at.width = c.pieces // of the last algorithm's own slices
	}
	return at
}

// plane is the groups of a level. Where one rank is the root, each group counts from the
// rank that shares its coordinate.
func (c *composer) plane(l level) plane {
	p := plane{size: l.size, stride: l.stride}
	if c.r.Collective.Rooted() {
		p.root = c.r.Root / l.stride % l.size
	}
	return p
}

// block adds level i where every rank has slices of its own, which travel between servers
// in blocks.
func (c *composer) block(i int, b Buffer) {
	l := c.levels[i]
	span := l.stride * l.size
	if c.order != nil {
		c.blockOutside(l.name, c.nested(i), b)
		return
	}
	at := place{plane: c.plane(l), width: l.stride * c.pieces, costs: l.costs}
	if span < c.ranks {
		at.base[0] = term{div: span, mod: c.ranks / span, by: span * c.pieces}
	}
	switch c.r.Collective {
	case AllGather:
		c.allGather(l.name, at, b, b)
	case ReduceScatter:
		c.reduceScatter(l.name, at, b, b)
	case Scatter:
		at.ranked, at.only = true, c.lower(i)
		c.scatter(l.name, at, b, b)
	case Gather:
		at.ranked, at.only = true, c.lower(i)
		c.gather(l.name, at, b, b)
	}
}

// blockOutside is block in the order of outsideIn.
func (c *composer) blockOutside(name string, at place, b Buffer) {
	if c.r.Collective == AllGather {
		c.allGather(name, at, b, b)
	} else {
		c.reduceScatter(name, at, b, b)
	}
}

// upper are the ranks whose group of level i is, seen from above, in the root's server or
// super-pod.
func (c *composer) upper(i int) members {
	if span := c.levels[i].stride * c.levels[i].size; span < c.ranks {
		return members{div: span, mod: c.ranks / span, at: c.r.Root / span}
	}
	return members{}
}

// lower are the ranks that have the root's number in all levels before i.
func (c *composer) lower(i int) members {
	if stride := c.levels[i].stride; stride > 1 {
		return members{div: 1, mod: stride, at: c.r.Root % stride}
	}
	return members{}
}
