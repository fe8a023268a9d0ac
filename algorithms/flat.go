package algorithms

// The flat algorithms as phases on a place. All but the mesh work in place: their
// buffers are one.

func (c *composer) reduceScatter(name string, at place, from, to Buffer) {
	n := at.plane.size
	switch name {
	case "ring":
		c.add(&ringPart{n: n, reduce: true}, at, from, to)
	case "nhr":
		c.add(nhrPart{n: n, move: addUp}, at, from, to)
	case "nb":
		c.add(nbPart{n: n, move: addUp}, at, from, to)
	case "rhd":
		c.fold(foldPart{n: n, reduce: true, slices: n}, at, from)
		c.halving(addUp, pairs(n), at, from)
		c.fold(foldPart{n: n, back: true, slice: true, slices: n}, at, from)
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
	case "nhr":
		c.add(nhrPart{n: n, move: gather}, at, from, to)
	case "nb":
		c.add(nbPart{n: n, move: gather}, at, from, to)
	case "rhd":
		c.fold(foldPart{n: n, slice: true, slices: n}, at, from)
		c.halving(gather, pairs(n), at, from)
		c.fold(foldPart{n: n, back: true, slices: n}, at, from)
	default:
		c.local(localPart{n: n}, at, from, to)
		c.mesh(gather, at, from, to)
	}
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
	case "nhr":
		c.add(nhrPart{n: n, move: addUp, reordered: true}, at, b.work, b.work)
		c.add(nhrPart{n: n, move: gather, reordered: true}, at, b.work, b.work)
	case "rhd":
		c.fold(foldPart{n: n, reduce: true, slices: blockSize(n)}, at, b.work)
		c.halving(addUp, 0, at, b.work)
		c.halving(gather, 0, at, b.work)
		c.fold(foldPart{n: n, back: true, slices: blockSize(n)}, at, b.work)
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
	case "nhr":
		c.add(nhrPart{n: n, move: scatter, reordered: true}, at, b.work, b.work)
		c.add(nhrPart{n: n, move: gather, reordered: true}, at, b.work, b.work)
	case "nb":
		c.add(nbPart{n: n, move: scatter}, at, b.work, b.work)
		c.add(nbPart{n: n, move: gather}, at, b.work, b.work)
	case "rhd":
		c.add(folded{binomialPart{n: blockSize(n)}, n}, at, b.work, b.work)
		c.fold(foldPart{n: n, back: true, slices: 1}, at, b.work)
	default:
		c.local(localPart{n: n, rootOnly: true}, at, b.in, b.work)
		c.mesh(scatter, at, b.in, b.work)
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
	case "rhd":
		c.fold(foldPart{n: n, reduce: true, slices: blockSize(n)}, at, b.work)
		c.halving(addUp, 0, at, b.work)
		c.halving(collect, 0, at, b.work)
	default:
		c.reduceScatter(name, at, b.in, b.work)
		c.local(localPart{n: n, rootOnly: true}, at, b.work, b.out)
		c.mesh(collect, at, b.work, b.out)
	}
}

// mesh adds the two halves of an exchange: all get ready, then the data move.
func (c *composer) mesh(move move, at place, from, to Buffer) {
	c.add(meshPart{n: at.plane.size, move: move}, at, from, to)
	c.add(meshPart{n: at.plane.size, move: move, data: true}, at, from, to)
}

// fold adds a step of RHD's pairs if there are any.
func (c *composer) fold(f foldPart, at place, in Buffer) {
	if pairs(f.n) > 0 {
		c.add(f, at, in, in)
	}
}

// halving adds RHD's exchange of halves; see halvingPart.
func (c *composer) halving(m move, twice int, at place, in Buffer) {
	n := at.plane.size
	c.add(folded{halvingPart{n: blockSize(n), twice: twice, move: m}, n}, at, in, in)
}
