package exchange

import (
	"testing"

	"hcclsim/algorithms"
)

// TestBlocks compares the slices of chunks of an AlltoAll with their definition, one by one:
// chunk k of the block from rank i to rank j is slice (i*ranks+j)*c + k.
func TestBlocks(t *testing.T) {
	for ranks := 1; ranks <= 4; ranks++ {
		for c := 1; c <= 4; c++ {
			n := newNumbering(algorithms.AlltoAll, ranks, ranks*c, false)
			for rank := range ranks {
				sent := func(o int) int { return (rank*ranks+o/c)*c + o%c }
				received := func(o int) int { return (o/c*ranks+rank)*c + o%c }
				for first := range ranks * c {
					for count := 1; first+count <= ranks*c; count++ {
						checkSlices(t, n, c, rank, chunk{input, first}, count, sent)
						checkSlices(t, n, c, rank, chunk{output, first}, count, received)
					}
				}
			}
		}
	}
}

// checkSlices compares a set with the slice of each of its chunks, both ways.
func checkSlices(t *testing.T, n numbering, c, rank int, from chunk, count int, slice func(chunk int) int) {
	t.Helper()
	first, last := from.offset, from.offset+count-1
	oneBlock, whole := first/c == last/c, first%c == 0 && last%c == c-1
	named := from.buffer == input || oneBlock || whole
	if n.named(from, count) != named {
		t.Errorf("%d ranks, blocks of %d: chunks %d to %d of %v: named %t", n.ranks, c, first, last, from.buffer, !named)
	}
	if !named {
		return
	}
	b, set := n.set(rank, from, count)
	if set.Len() != count {
		t.Fatalf("%d ranks, blocks of %d: chunks %d to %d of %v are %d slices", n.ranks, c, first, last, from.buffer, set.Len())
	}
	for j := range count {
		got, want := set.Slice(j), slice(first+j)
		if got != want || n.chunk(rank, b, want) != from.plus(j) {
			t.Errorf("%d ranks, blocks of %d: chunk %d of %v of rank %d is slice %d, want %d, which is chunk %v",
				n.ranks, c, first+j, from.buffer, rank, got, want, n.chunk(rank, b, want))
		}
	}
}
