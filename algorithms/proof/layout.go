package proof

import (
	"cmp"
	"fmt"
	"slices"

	"hcclsim/algorithms"
)

// checkRequest makes sure that the collective's promise can be read off the slices.
func (g *graph) checkRequest() error {
	r, n := g.s.Request, g.s.Slices(algorithms.Data)
	if r.InPlace && !r.Collective.HasInPlace() {
		return fmt.Errorf("in place, which %s cannot be", r.Collective)
	}
	input, result := ends(r)
	for _, b := range []algorithms.Buffer{input, result} {
		if g.s.Slices(b) != n {
			return fmt.Errorf("%s has %d slices, data has %d", bufferNames[b], g.s.Slices(b), n)
		}
	}
	switch r.Collective {
	case algorithms.AlltoAll, algorithms.AlltoAllV:
		if n < g.ranks*g.ranks || n%(g.ranks*g.ranks) != 0 || n > g.ranks*g.ranks && r.Blocks != nil {
			return fmt.Errorf("%d slices cannot be dealt out to %d x %d pairs of ranks", n, g.ranks, g.ranks)
		}
	case algorithms.AllGather, algorithms.Gather, algorithms.ReduceScatter, algorithms.Scatter, algorithms.SendRecv:
		if n < g.ranks || n%g.ranks != 0 {
			return fmt.Errorf("%d slices cannot be dealt out to %d ranks", n, g.ranks)
		}
	}
	return nil
}

// checkLayout makes sure that input and result have the sizes of the request, and that
// what a rank has of them lies side by side.
func (g *graph) checkLayout() error {
	input, result := ends(g.s.Request)
	for rank := range g.ranks {
		bytes, err := g.sideBySide(rank, input)
		if err != nil {
			return err
		}
		// The rows of an AlltoAll are the buffers of the ranks. Elsewhere the sum decides.
		if g.s.Request.Collective == algorithms.AlltoAll && bytes != g.s.Request.Bytes {
			return fmt.Errorf("the blocks that rank %d sends hold %d bytes, its buffer %d", rank, bytes, g.s.Request.Bytes)
		}
		if result == input {
			continue
		}
		if _, err := g.sideBySide(rank, result); err != nil {
			return err
		}
	}
	return g.checkSizes()
}

// checkSizes compares the sizes of the slices, of the input and of the result, with the
// request.
func (g *graph) checkSizes() error {
	s, r := g.s, g.s.Request
	input, result := ends(r)
	sum, want := int64(0), r.Bytes
	if r.Collective == algorithms.AlltoAll {
		want *= int64(g.ranks)
	}
	for slice, bytes := range g.halves.sizes[input] {
		out := g.halves.sizes[result][slice]
		if bytes != out || bytes < 0 {
			return fmt.Errorf("slice %d has %d bytes in %s and %d in %s", slice, bytes, bufferNames[input], out, bufferNames[result])
		}
		if r.Collective == algorithms.AlltoAllV {
			from, to := slice/g.ranks, slice%g.ranks
			if block := r.Blocks(from, to); bytes != block {
				return fmt.Errorf("slice %d has %d bytes: rank %d sends %d to rank %d", slice, bytes, from, block, to)
			}
		}
		sum += bytes
		if r.Collective == algorithms.SendRecv && (slice+1)%(s.Slices(input)/g.ranks) == 0 {
			if sum != want {
				return fmt.Errorf("rank %d sends %d bytes, its buffer holds %d", s.Owner(slice), sum, want)
			}
			sum = 0
		}
	}
	switch {
	case r.Collective == algorithms.AlltoAllV, r.Collective == algorithms.SendRecv, sum == want:
		return nil
	}
	return fmt.Errorf("the slices of %s hold %d bytes, the buffer %d", bufferNames[input], sum, want)
}

// sideBySide makes sure that what a rank has of a buffer lies side by side, from its
// beginning, in the order of the slices, or of their owners. It returns the bytes.
func (g *graph) sideBySide(rank int, b algorithms.Buffer) (int64, error) {
	at, order := int64(0), g.cells.of(rank, b)
	if r := g.s.Request; r.OutsideIn && (r.Collective == algorithms.AllGather || r.Collective == algorithms.ReduceScatter) {
		order = slices.Values(slices.SortedStableFunc(order, func(a, b int) int { return cmp.Compare(g.s.Owner(a), g.s.Owner(b)) }))
	}
	for slice := range order {
		offset, bytes := g.s.Layout.Span(b, slice)
		if offset != at {
			return 0, fmt.Errorf("slice %d of %s lies at %d bytes (%d bytes long): expected it at %d", slice, bufferNames[b], offset, bytes, at)
		}
		at += bytes
	}
	return at, nil
}

// checkScratch makes sure that the slices that a rank uses of the library's buffer do not
// overlap. Their order and gaps are free.
func (g *graph) checkScratch() error {
	for rank := range g.ranks {
		if g.inOrder(rank) {
			continue
		}
		used := slices.Collect(g.cells.of(rank, algorithms.Scratch))
		slices.SortStableFunc(used, func(a, b int) int {
			x, _ := g.s.Layout.Span(algorithms.Scratch, a)
			y, _ := g.s.Layout.Span(algorithms.Scratch, b)
			return cmp.Compare(x, y)
		})
		at, last := int64(0), -1
		for _, slice := range used {
			offset, bytes := g.s.Layout.Span(algorithms.Scratch, slice)
			switch {
			case bytes == 0:
				continue
			case offset < 0 || bytes < 0:
				return fmt.Errorf("slice %d of scratch has %d bytes at %d", slice, bytes, offset)
			case offset < at:
				return fmt.Errorf("rank %d uses slices %d and %d of scratch, which overlap: the one ends at %d bytes, the other begins at %d", rank, last, slice, at, offset)
			}
			at, last = offset+bytes, slice
		}
	}
	return nil
}

// inOrder is a quick check: the slices lie behind each other in the order of their numbers.
func (g *graph) inOrder(rank int) bool {
	at := int64(0)
	for slice := range g.cells.of(rank, algorithms.Scratch) {
		offset, bytes := g.s.Layout.Span(algorithms.Scratch, slice)
		if offset < at || bytes < 0 {
			return false
		}
		at = offset + bytes
	}
	return true
}
