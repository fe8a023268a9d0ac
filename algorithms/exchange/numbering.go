package exchange

import "hcclsim/algorithms"

// numbering tells which slices of a program the chunks of a gpu's buffers are. In the
// program slice i of every buffer of every rank is a piece of the same data; in the file
// the chunks of each buffer of each gpu count from 0.
type numbering struct {
	collective algorithms.Collective
	ranks      int
	slices     int // of the whole program
	inPlace    bool
}

// newNumbering is that of a file whose largest buffer of a rank has some chunks.
func newNumbering(c algorithms.Collective, ranks, chunks int, inPlace bool) numbering {
	if c == algorithms.AlltoAll {
		chunks *= ranks
	}
	return numbering{c, ranks, chunks, inPlace}
}

// perRank is the number of slices that are a rank's own, where ranks have their own.
func (n numbering) perRank() int { return n.slices / n.ranks }

// ownInput says whether a rank's input is only its own slices, ownOutput the same of its
// output; that of AlltoAll is one slice of every rank.
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

// set is the slices of count chunks of a rank's buffer.
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
		return out, algorithms.Set{First: int32(c.offset*n.ranks + rank), Count: int32(count), Stride: int32(n.ranks), Mod: int32(n.slices), Width: 1}
	}
	return out, run(c.offset, count)
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
		return chunk{output, slice / n.ranks}
	}
	return chunk{output, slice}
}

// run is the set of count slices that follow each other.
func run(first, count int) algorithms.Set {
	return algorithms.Set{Count: 1, Mod: 1, Base: int32(first), Width: int32(count)}
}
