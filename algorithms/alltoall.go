package algorithms

// AlltoAll numbers the blocks of all ranks: slice i*p + j is what rank i sends to rank j,
// one of row i in the sender's input and of column j in the receiver's output.

// grid says which slices go from one index of a group to another: count of them, stride
// apart, the first row*i + column*j.
type grid struct{ row, column, count, stride, mod int }

// blocks is the set of slices that index i has for index j.
func (g grid) blocks(i, j int) Set {
	return Set{First: int32(g.row*i + g.column*j), Count: int32(g.count), Stride: int32(g.stride), Mod: int32(g.mod), Width: 1}
}

// largest is the size of the largest message between two different indices of n, and
// whether all have it.
func (g grid) largest(n int, sizes func(int) int64) (bytes int64, even bool) {
	even = true
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			b := sum(sizes, g.blocks(i, j))
			even = even && (bytes == 0 || b == bytes)
			bytes = max(bytes, b)
		}
	}
	return bytes, even
}

// pairwisePart is HCCL's pairwise exchange: at step k index i sends to i+k+1 and receives
// from i-k-1, so that at any time every index has one partner each way.
type pairwisePart struct {
	n    int
	grid grid
}

func (p pairwisePart) lanes(int) int      { return 1 }
func (p pairwisePart) steps(int, int) int { return p.n - 1 }

func (pairwisePart) regular() bool { return true }

func (p pairwisePart) step(i, _, k int) Step {
	to, from := wrap(i+k+1, p.n), wrap(i-k-1, p.n)
	return Step{
		After: None,
		Send:  Half{Peer: ref(to, 0, k), Set: p.grid.blocks(i, to)},
		Recv:  Half{Peer: ref(from, 0, k), Set: p.grid.blocks(from, i)},
	}
}

// cost is that of the largest block of every step: a bound where blocks differ, as then
// ranks need not wait for the slowest.
func (p pairwisePart) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	exact = true
	for k := 1; k < p.n; k++ {
		var most int64
		for i := range p.n {
			b := sum(sizes, p.grid.blocks(i, wrap(i+k, p.n)))
			exact = exact && (i == 0 || b == most)
			most = max(most, b)
		}
		ps += h.step(most, false)
	}
	return ps, exact
}

// nextPart sends every index's buffer to the next index.
type nextPart struct{ n int }

func (n nextPart) lanes(int) int      { return 1 }
func (n nextPart) steps(int, int) int { return 1 }

func (nextPart) regular() bool { return true }

func (n nextPart) step(i, _, _ int) Step {
	return Step{
		After: None,
		Send:  Half{Peer: ref(wrap(i+1, n.n), 0, 0), Set: slice(i, n.n)},
		Recv:  Half{Peer: ref(wrap(i-1, n.n), 0, 0), Set: slice(i-1, n.n)},
	}
}

func (n nextPart) cost(h Hockney, sizes func(int) int64) (int64, bool) {
	return h.step(sizes(0), false), true
}

// allToAll adds the phases of AlltoAll and AlltoAllV: of a mix first inside the servers,
// where every rank collects what its server has for the ranks of its own number, then
// between them.
func (c *composer) allToAll(user buffers) {
	p := c.ranks
	all := c.everywhere(1)
	from, to := user.in, user.out
	own := grid{row: p, column: 1, count: 1, stride: 1, mod: p * p}
	if c.r.Copies != CopiesNone {
		from, to = Scratch, Scratch
		c.local(localPart{n: 1, set: func(i int) Set {
			return Set{First: int32(i * p), Count: int32(p), Stride: 1, Mod: int32(p * p), Width: 1}
		}}, all, user.in, Scratch)
	}
	if len(c.levels) == 1 {
		c.local(localPart{n: 1, set: func(i int) Set { return own.blocks(i, i) }}, all, from, to)
		c.swap(c.levels[0].name, own, all, from, to)
	} else {
		n, m := c.levels[0].size, c.levels[1].size
		inside := place{plane: plane{size: n, stride: 1}, width: 1, base: [2]term{{div: n, mod: m, by: n * p}}, costs: c.levels[0].costs}
		between := place{plane: plane{size: m, stride: n}, width: 1, base: [2]term{{div: 1, mod: n, by: 1}}, costs: c.levels[1].costs}
		collect := grid{row: p, column: 1, count: m, stride: n, mod: n * p}
		c.local(localPart{n: 1, set: func(i int) Set { return collect.blocks(i, i) }}, inside, from, Scratch)
		c.swap(c.levels[0].name, collect, inside, from, Scratch)
		pass := grid{row: n * p, column: n, count: n, stride: p, mod: p * p}
		c.local(localPart{n: 1, set: func(i int) Set { return pass.blocks(i, i) }}, between, Scratch, to)
		c.swap(c.levels[1].name, pass, between, Scratch, to)
	}
	if to != user.out {
		c.local(localPart{n: 1, set: func(i int) Set {
			return Set{First: int32(i), Count: int32(p), Stride: int32(p), Mod: int32(p * p), Width: 1}
		}}, all, Scratch, user.out)
	}
}

// swap adds one exchange of blocks.
func (c *composer) swap(name string, g grid, at place, from, to Buffer) {
	n := at.plane.size
	if name == "pairwise" {
		c.add(pairwisePart{n: n, grid: g}, at, from, to)
		return
	}
	c.add(meshPart{n: n, move: swap}, at, from, to)
	c.add(meshPart{n: n, move: swap, data: true, grid: g}, at, from, to)
}

// evenBlocks is the layout of AlltoAll: each rank's buffer is cut evenly, so that the blocks
// for the last ranks may be short or empty.
type evenBlocks struct {
	ranks, inside int // inside: ranks of a server, of a mix
	row           *cuts
}

// Span implements Layout. In is ordered by destination, Out by source. In Scratch what a
// rank of a server collects lies by destination's server, then by source's number, so that
// a message between servers is one run.
func (e evenBlocks) Span(b Buffer, slice int) (offset, bytes int64) {
	i, j := slice/e.ranks, slice%e.ranks
	offset, bytes = e.row.Span(Data, j)
	switch b {
	case In:
		return offset, bytes
	case Out:
		return int64(i) * bytes, bytes
	}
	return int64(scratchPlace(i, j, e.ranks, e.inside)) * e.row.slice, bytes
}

// scratchPlace orders blocks by the server of the source, the number of the destination,
// the server of the destination and the number of the source.
func scratchPlace(i, j, ranks, inside int) int {
	server, servers := i/inside, ranks/inside
	return ((server*inside+j%inside)*servers+j/inside)*inside + i%inside
}

// unevenBlocks is the layout of AlltoAllV, in tables: O(ranks squared) memory.
type unevenBlocks struct {
	size, in, out, scratch []int64 // by slice: bytes, and the offset in each buffer
}

func newUnevenBlocks(r Request, inside int) *unevenBlocks {
	p := r.Ranks()
	u := &unevenBlocks{make([]int64, p*p), make([]int64, p*p), make([]int64, p*p), make([]int64, p*p)}
	order := make([]int32, p*p)
	received := make([]int64, p)
	for i := range p {
		var sent int64
		for j := range p {
			at := i*p + j
			u.size[at] = r.Blocks(i, j)
			u.in[at], u.out[at] = sent, received[j]
			sent += u.size[at]
			received[j] += u.size[at]
			order[scratchPlace(i, j, p, inside)] = int32(at)
		}
	}
	var offset int64
	for _, at := range order {
		u.scratch[at] = offset
		offset += u.size[at]
	}
	return u
}

// Span implements Layout.
func (u *unevenBlocks) Span(b Buffer, slice int) (offset, bytes int64) {
	switch b {
	case In:
		offset = u.in[slice]
	case Out:
		offset = u.out[slice]
	default:
		offset = u.scratch[slice]
	}
	return offset, u.size[slice]
}

// wholeBuffers is the layout of SendRecv: a slice is a rank's whole buffer.
type wholeBuffers struct{ bytes int64 }

// Span implements Layout.
func (w wholeBuffers) Span(b Buffer, slice int) (offset, bytes int64) {
	if b == Scratch {
		offset = int64(slice) * w.bytes
	}
	return offset, w.bytes
}
