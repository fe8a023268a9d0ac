package exchange

import "hcclsim/algorithms"

// numbering tells which slices of a program the chunks of a gpu's buffers are. In the
// program slice i of every buffer of every rank is a piece of the same data; in the file
// the chunks of each buffer of each gpu count from 0. In AlltoAll the block from rank i to
// rank j is chunks j*c to j*c+c-1 of i's input and i*c to i*c+c-1 of j's output, with c the
// block's chunks; as slices of the program it follows the block from i to j-1.
type numbering struct {
	collective algorithms.Collective
	ranks      int
	slices     int // of the whole program
	inPlace    bool
}

// newNumbering is that of a file whose largest buffer of a rank has some chunks; of AlltoAll
// a multiple of the ranks.
func newNumbering(c algorithms.Collective, ranks, chunks int, inPlace bool) numbering {
	if c == algorithms.AlltoAll {
		chunks *= ranks
	}
	return numbering{c, ranks, chunks, inPlace}
}

// perRank is the number of slices that are a rank's own, where ranks have their own.
func (n numbering) perRank() int { return n.slices / n.ranks }

// perBlock is the number of slices that go from one rank to another in AlltoAll.
func (n numbering) perBlock() int { return n.perRank() / n.ranks }

// ownInput says whether a rank's input is only its own slices, ownOutput the same of its
// output; that of AlltoAll is one block of every rank.
func (n numbering) ownInput() bool {
	switch n.collective {
	case algorithms.AllGather, algorithms.Gather, algorithms.AlltoAll:
		return true
	}
	return false
}

func (n numbering) ownOutput() bool {
	return n.collective == algorithms.ReduceScatter || n.collective == algorithms.Scatter
}

// chunks is how many chunks the input, or the output, of a gpu has.
func (n numbering) chunks(b buffer) int {
	if b == input && n.ownInput() || b == output && (n.ownOutput() || n.collective == algorithms.AlltoAll) {
		return n.perRank()
	}
	return n.slices
}

// largest is how many chunks the largest buffer of a gpu has.
func (n numbering) largest() int { return max(n.chunks(input), n.chunks(output)) }

// named says whether count chunks are a set of slices. In the output of AlltoAll neighbours
// of two blocks are far apart: chunks must be of one block, or whole blocks.
func (n numbering) named(c chunk, count int) bool {
	if n.collective != algorithms.AlltoAll || c.buffer != output {
		return true
	}
	block := n.perBlock()
	inside := c.offset % block
	return inside+count <= block || inside == 0 && count%block == 0
}

// set is the slices of count chunks of a rank's buffer, which must be named.
func (n numbering) set(rank int, c chunk, count int) (algorithms.Buffer, algorithms.Set) {
	in, out := algorithms.In, algorithms.Out
	if n.inPlace {
		in, out = algorithms.Data, algorithms.Data
	}
	own := rank * n.perRank()
	switch {
	case c.buffer == scratch:
		return algorithms.Scratch, run(c.offset, count)
	case c.buffer == input && n.ownInput():
		return in, run(own+c.offset, count)
	case c.buffer == input:
		return in, run(c.offset, count)
	case n.ownOutput():
		return out, run(own+c.offset, count)
	case n.collective == algorithms.AlltoAll:
		return out, n.blocks(rank, c.offset, count)
	}
	return out, run(c.offset, count)
}

// blocks is the slices of count chunks of a rank's output of AlltoAll.
func (n numbering) blocks(rank, first, count int) algorithms.Set {
	block := n.perBlock()
	from := first/block*n.ranks + rank
	if count < block {
		return run(from*block+first%block, count)
	}
	return algorithms.Set{First: int32(from), Count: int32(count / block), Stride: int32(n.ranks), Mod: int32(n.ranks * n.ranks), Width: int32(block)}
}

// chunk is where a rank's buffer has a slice.
func (n numbering) chunk(rank int, b algorithms.Buffer, slice int) chunk {
	own := rank * n.perRank()
	switch b {
	case algorithms.Scratch:
		return chunk{scratch, slice}
	case algorithms.Data:
		if n.ownInput() {
			return chunk{output, slice}
		}
		return chunk{input, slice}
	case algorithms.In:
		if n.ownInput() {
			return chunk{input, slice - own}
		}
		return chunk{input, slice}
	}
	switch {
	case n.ownOutput():
		return chunk{output, slice - own}
	case n.collective == algorithms.AlltoAll:
		return chunk{output, n.received(slice)}
	}
	return chunk{output, slice}
}

// received is the chunk that a slice of AlltoAll is in its receiver's output.
func (n numbering) received(slice int) int {
	return slice/n.perRank()*n.perBlock() + slice%n.perBlock()
}

// run is the set of count slices that follow each other.
func run(first, count int) algorithms.Set {
	return algorithms.Set{Count: 1, Mod: 1, Base: int32(first), Width: int32(count)}
}
