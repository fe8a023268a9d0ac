package algorithms

// The flat algorithms as phases on a place. All but the mesh work in place: their
// buffers are one.

func (c *composer) reduceScatter(name string, at place, from, to Buffer) {
	n := at.plane.size
	if name == "ring" {
		c.add(&ringPart{n: n, reduce: true}, at, from, to)
		return
	}
	c.local(localPart{n: n}, at, from, to)
	c.mesh(meshReduce, at, from, to)
}

func (c *composer) allGather(name string, at place, from, to Buffer) {
	n := at.plane.size
	if name == "ring" {
		c.add(&ringPart{n: n}, at, from, to)
		return
	}
	c.local(localPart{n: n}, at, from, to)
	c.mesh(meshGather, at, from, to)
}

func (c *composer) allReduce(name string, at place, b buffers) {
	n := at.plane.size
	switch name {
	case "binomial":
		c.add(binomialPart{n: n, reduce: true}, at, b.work, b.work)
		c.add(binomialPart{n: n}, at, b.work, b.work)
	case "star":
		c.add(starPart{n: n, reduce: true}, at, b.work, b.work)
		c.add(starPart{n: n}, at, b.work, b.work)
	case "double-tree":
		c.add(doubleTreePart{n: n, segs: c.inner / 2, up: true, down: true}, at, b.work, b.work)
	default:
		c.reduceScatter(name, at, b.in, b.work)
		c.allGather(name, at, b.work, b.out)
	}
}

func (c *composer) broadcast(name string, at place, b buffers) {
	n := at.plane.size
	switch name {
	case "ring":
		c.add(chainPart{n: n}, at, b.work, b.work)
	case "binomial":
		c.add(binomialPart{n: n}, at, b.work, b.work)
	case "star":
		c.add(starPart{n: n}, at, b.work, b.work)
	case "double-tree":
		c.add(doubleTreePart{n: n, segs: c.inner / 2, up: false, down: true}, at, b.work, b.work)
	default:
		c.local(localPart{n: n, rootOnly: true}, at, b.in, b.work)
		c.mesh(meshScatter, at, b.in, b.work)
		c.allGather(name, at, b.work, b.out)
	}
}

func (c *composer) reduce(name string, at place, b buffers) {
	n := at.plane.size
	switch name {
	case "ring":
		c.add(chainPart{n: n, reduce: true}, at, b.work, b.work)
	case "binomial":
		c.add(binomialPart{n: n, reduce: true}, at, b.work, b.work)
	case "star":
		c.add(starPart{n: n, reduce: true}, at, b.work, b.work)
	case "double-tree":
		c.add(doubleTreePart{n: n, segs: c.inner / 2, up: true, down: false}, at, b.work, b.work)
	default:
		c.reduceScatter(name, at, b.in, b.work)
		c.local(localPart{n: n, rootOnly: true}, at, b.work, b.out)
		c.mesh(meshCollect, at, b.work, b.out)
	}
}

// mesh adds the two halves of an exchange: all get ready, then the data move.
func (c *composer) mesh(move meshMove, at place, from, to Buffer) {
	c.add(meshPart{n: at.plane.size, move: move}, at, from, to)
	c.add(meshPart{n: at.plane.size, move: move, data: true}, at, from, to)
}
