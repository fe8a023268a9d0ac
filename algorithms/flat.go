package algorithms

// The algorithms as phases on a place. All but the mesh, in its forms, work in place: their
// buffers are one.

func (c *composer) reduceScatter(name string, at place, from, to Buffer) {
	n := at.plane.size
	switch name {
	case "ring":
		c.add(&ringPart{n: n, reduce: true}, at, from, to)
	case "double-ring", "multi-ring":
		c.rings(name, &ringPart{n: n, reduce: true}, at, from)
	case "nhr":
		c.add(nhrPart{n: n, move: addUp}, at, from, to)
	case "nb":
		c.add(nbPart{n: n, move: addUp}, at, from, to)
	case "rhd":
		c.fold(foldPart{n: n, reduce: true, slices: n}, at, from)
		c.halving(halvingPart{twice: pairs(n), move: addUp}, at, from)
		c.fold(foldPart{n: n, back: true, slice: true, slices: n}, at, from)
	case "mesh-chunk":
		c.meshChunk(at, from, to)
	case "ahc":
		c.ahc(c.groups, from)
	default:
		c.local(localPart{n: n}, at, from, to)
		c.mesh(addUp, at, from, to)
	}
}

func (c *composer) allGather(name string, at place, from, to Buffer) {
	n := at.plane.size
	switch name {
	case "ring":
		c.add(&ringPart{n: n}, at, from, to)
	case "double-ring", "multi-ring":
		c.rings(name, &ringPart{n: n}, at, from)
	case "nhr":
		c.add(nhrPart{n: n, move: gather}, at, from, to)
	case "nb":
		c.add(nbPart{n: n, move: gather}, at, from, to)
	case "rhd":
		c.fold(foldPart{n: n, slice: true, slices: n}, at, from)
		c.halving(halvingPart{twice: pairs(n), move: gather}, at, from)
		c.fold(foldPart{n: n, back: true, slices: n}, at, from)
	case "ahc":
		c.ahc(c.groups, from)
	default:
		c.local(localPart{n: n}, at, from, to)
		c.mesh(gather, at, from, to)
	}
}

func (c *composer) allReduce(name string, at place, b buffers) {
	n := at.plane.size
	switch name {
	case "binomial", "nhr-oneshot":
		c.add(binomialPart{n: n, reduce: true}, at, b.work, b.work)
		c.add(binomialPart{n: n}, at, b.work, b.work)
	case "star":
		c.add(starPart{n: n, move: addUp}, at, b.work, b.work)
		c.add(starPart{n: n, move: gather}, at, b.work, b.work)
	case doubleTree:
		c.add(doubleTreePart{n: n, segs: c.inner / 2, up: true, down: true}, at, b.work, b.work)
	case "nhr":
		c.add(nhrPart{n: n, move: addUp, reordered: true}, at, b.work, b.work)
		c.add(nhrPart{n: n, move: gather, reordered: true}, at, b.work, b.work)
	case "rhd", "rhd-doubling":
		h := halvingPart{doubling: name == "rhd-doubling"}
		c.fold(foldPart{n: n, reduce: true, slices: blockSize(n)}, at, b.work)
		h.move = addUp
		c.halving(h, at, b.work)
		h.move = gather
		c.halving(h, at, b.work)
		c.fold(foldPart{n: n, back: true, slices: blockSize(n)}, at, b.work)
	case "rhd-oneshot":
		c.doubling(at, b.work)
	case "mesh-oneshot":
		c.spread(at, b)
	case "ahc":
		c.ahc(c.groups, b.work)
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
	case "binomial", "nhr-oneshot":
		c.add(binomialPart{n: n}, at, b.work, b.work)
	case "nb-tree":
		c.add(treePart{n: n}, at, b.work, b.work)
	case "star":
		c.add(starPart{n: n, move: gather}, at, b.work, b.work)
	case doubleTree:
		c.add(doubleTreePart{n: n, segs: c.inner / 2, up: false, down: true}, at, b.work, b.work)
	case "nhr":
		c.add(nhrPart{n: n, move: scatter, reordered: true}, at, b.work, b.work)
		c.add(nhrPart{n: n, move: gather, reordered: true}, at, b.work, b.work)
	case "rhd":
		c.add(folded{binomialPart{n: blockSize(n)}, n}, at, b.work, b.work)
		c.fold(foldPart{n: n, back: true, slices: 1}, at, b.work)
	default:
		c.scatter(name, at, b.in, b.work)
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
		c.add(starPart{n: n, move: addUp}, at, b.work, b.work)
	case doubleTree:
		c.add(doubleTreePart{n: n, segs: c.inner / 2, up: true, down: false}, at, b.work, b.work)
	case "rhd", "rhd-doubling":
		h := halvingPart{doubling: name == "rhd-doubling"}
		c.fold(foldPart{n: n, reduce: true, slices: blockSize(n)}, at, b.work)
		h.move = addUp
		c.halving(h, at, b.work)
		h.move = collect
		c.halving(h, at, b.work)
	default:
		c.reduceScatter(name, at, b.in, b.work)
		c.gather(name, at, b.work, b.out)
	}
}

// scatter deals the slices of index 0 out to their indices.
func (c *composer) scatter(name string, at place, from, to Buffer) {
	n := at.plane.size
	switch name {
	case "ring":
		c.add(dealPart{n: n}, at, from, to)
	case "double-ring", "multi-ring":
		c.rings(name, dealPart{n: n}, at, from)
	case "star":
		c.add(starPart{n: n, move: scatter}, at, from, to)
	case "nhr":
		c.add(nhrPart{n: n, move: scatter}, at, from, to)
	case "nb":
		c.add(nbPart{n: n, move: scatter}, at, from, to)
	default:
		c.local(localPart{n: n, rootOnly: true}, at, from, to)
		c.mesh(scatter, at, from, to)
	}
}

// gather brings the slices of all indices to index 0.
func (c *composer) gather(name string, at place, from, to Buffer) {
	n := at.plane.size
	switch name {
	case "ring":
		c.add(dealPart{n: n, back: true}, at, from, to)
	case "double-ring", "multi-ring":
		c.rings(name, dealPart{n: n, back: true}, at, from)
	case "star":
		c.add(starPart{n: n, move: collect}, at, from, to)
	default:
		c.local(localPart{n: n, rootOnly: true}, at, from, to)
		c.mesh(collect, at, from, to)
	}
}

// mesh adds the two halves of an exchange: all get ready, then the data move.
func (c *composer) mesh(move move, at place, from, to Buffer) {
	c.add(meshPart{n: at.plane.size, move: move}, at, from, to)
	c.add(meshPart{n: at.plane.size, move: move, data: true}, at, from, to)
}

// spread adds the exchange of whole buffers. What is sent must not be what is added to.
func (c *composer) spread(at place, b buffers) {
	source := b.in
	if b.in == b.out {
		source = c.spare(b.out)
		c.local(localPart{n: 1}, at, b.in, source)
	} else {
		c.local(localPart{n: 1}, at, b.in, b.out)
	}
	c.mesh(spread, at, source, b.out)
}

// doubling adds recursive doubling: before each step a copy of what is to be sent.
func (c *composer) doubling(at place, work Buffer) {
	n := at.plane.size
	spare := c.spare(work)
	c.fold(foldPart{n: n, reduce: true, slices: 1}, at, work)
	for bit := 1; bit < blockSize(n); bit *= 2 {
		c.local(localPart{n: 1}, at, work, spare)
		c.add(folded{doublingPart{blockSize(n), bit}, n}, at, spare, work)
	}
	c.fold(foldPart{n: n, back: true, slices: 1}, at, work)
}

// spare is a buffer of full size besides work, of an AllReduce.
func (c *composer) spare(work Buffer) Buffer {
	if work == Scratch {
		return c.user.out
	}
	return Scratch
}

// rings adds the same exchange around several rings, each with a piece of every slice.
func (c *composer) rings(name string, one part, at place, in Buffer) {
	at.width /= c.pieces
	c.add(newRings(one, ringOrders(name, at.plane.size)), at, in, in)
}

// fold adds a step of RHD's pairs if there are any.
func (c *composer) fold(f foldPart, at place, in Buffer) {
	if pairs(f.n) > 0 {
		c.add(f, at, in, in)
	}
}

// halving adds RHD's exchange of halves; see halvingPart.
func (c *composer) halving(h halvingPart, at place, in Buffer) {
	n := at.plane.size
	h.n = blockSize(n)
	c.add(folded{h, n}, at, in, in)
}
