package algorithms

import (
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"
	"testing"
)

// TestReorderingMatchesHCCL compares the reordering with HCCL's table, and beyond it with the
// rule that makes the table.
func TestReorderingMatchesHCCL(t *testing.T) {
	golden := goldenSchedules(t)
	for p := 2; p <= 130; p++ {
		want := reordering(p)
		if vectors, ok := golden[strconv.Itoa(p)]; ok {
			if err := json.Unmarshal(vectors["nhr_slice_map"], &want); err != nil {
				t.Fatal(err)
			}
		}
		var got []int
		for i := range p {
			got = append(got, nhrPart{n: p, reordered: true}.set(i, 1<<(doublings(p)-1), 1).Slice(0))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d ranks: slices at %v, want %v", p, got, want)
		}
	}
}

// reordering halves parts of the list of indices, even places before odd, until messages
// hold one slice or a part has an odd number of indices.
func reordering(p int) []int {
	list := make([]int, p)
	for i := range list {
		list[i] = i
	}
	part := p
	for k := 0; (p-1+1<<k)/(2<<k) > 1; k++ {
		var next []int
		for s := 0; s < p; s += part {
			for parity := range 2 {
				for o := parity; o < part; o += 2 {
					next = append(next, list[s+o])
				}
			}
		}
		list = next
		if part%2 == 1 {
			break
		}
		part /= 2
	}
	seats := make([]int, p)
	for place, i := range list {
		seats[i] = place
	}
	return seats
}

// TestRequestsPerStep: over RDMA every run of a message is a request. The reordering of
// slices saves NHR most of them, and for powers of two all but one.
func TestRequestsPerStep(t *testing.T) {
	for _, c := range []struct {
		p    int
		c    Collective
		want []int
	}{
		{8, AllReduce, []int{1, 1, 1, 1, 1, 1}},
		{8, ReduceScatter, []int{4, 2, 1}},
		{8, AllGather, []int{1, 2, 4}},
		{8, Broadcast, []int{1, 1, 1, 1, 1, 1}},
		{5, AllReduce, []int{2, 1, 1, 1, 1, 2}},
		{5, ReduceScatter, []int{2, 1, 1}},
		{64, AllReduce, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		{64, ReduceScatter, []int{32, 16, 8, 4, 2, 1}},
	} {
		s := schedule(t, "nhr", Request{Collective: c.c, Groups: []int{c.p}, Bytes: 1 << 20, Elem: 4, InPlace: true})
		var got []int
		for k := range s.Steps(0, 0) {
			most := 0
			for rank := range c.p {
				send := s.Step(rank, 0, k).Send
				_, runs := Message(s.Layout, send.Buf, send.Set)
				most = max(most, runs)
			}
			got = append(got, most)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("nhr %s of %d ranks: %v requests in each step, want %v", c.c, c.p, got, c.want)
		}
	}
}

// TestLogarithmicSteps counts steps, and what the busiest rank sends in whole slices,
// against HCCL's formulas.
func TestLogarithmicSteps(t *testing.T) {
	const slice = 1024
	for p := 2; p <= 130; p++ {
		n, block := bits.Len(uint(p-1)), 1<<(bits.Len(uint(p))-1)
		fold := 0
		if p > block {
			fold = 1
		}
		for _, c := range []struct {
			name  string
			c     Collective
			steps int
			cut   int // slices in the buffer
			sent  int // slices
		}{
			{"nhr", ReduceScatter, n, p, p - 1}, {"nhr", AllGather, n, p, p - 1},
			{"nhr", AllReduce, 2 * n, p, 2 * (p - 1)}, {"nhr", Broadcast, 2 * n, p, 2 * (p - 1)},
			{"nb", ReduceScatter, n, p, p - 1}, {"nb", AllGather, n, p, p - 1},
			{"nb", AllReduce, 2 * n, p, 2 * (p - 1)}, {"nb", Broadcast, 2 * n, p, 2 * (p - 1)},
			{"rhd", AllReduce, bits.Len(uint(block-1))*2 + 2*fold, block, 2*(block-1) + fold*block},
			{"rhd", Reduce, bits.Len(uint(block-1))*2 + fold, block, block - 1},
			{"rhd", Broadcast, n, 1, n},
		} {
			s := schedule(t, c.name, Request{Collective: c.c, Groups: []int{p}, Bytes: int64(c.cut) * slice, InPlace: true})
			var sent int64
			for k := range s.Steps(0, 0) {
				bytes, _ := Message(s.Layout, Data, s.Step(0, 0, k).Send.Set)
				sent += bytes
			}
			if s.Steps(0, 0) != c.steps || sent != int64(c.sent)*slice {
				t.Errorf("%s %s of %d ranks: %d steps, rank 0 sends %d bytes: want %d and %d slices of %d",
					c.name, c.c, p, s.Steps(0, 0), sent, c.steps, c.sent, slice)
			}
		}
	}
}

// TestHalvingOfOtherCounts: ReduceScatter of a block whose first indices own two slices
// stays inside the bounds of HCCL's documentation, in slices, between the first step
// and the last.
func TestHalvingOfOtherCounts(t *testing.T) {
	const slice = 1024
	for p := 3; p <= 130; p++ {
		block := blockSize(p)
		if block == p {
			continue
		}
		h := Hockney{Bandwidth: 1e12} // a byte takes a picosecond
		got, ok, err := Cost("rhd", Request{Collective: ReduceScatter, Groups: []int{p}, Bytes: int64(p) * slice, InPlace: true}, Everywhere(h))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		steps := bits.Len(uint(block - 1))
		moved := int(got/slice) - p - 1 // without the first step and the last
		if moved < steps+block-1 || moved > 2*block-2 {
			t.Errorf("%d ranks: the busiest rank moves %d slices, expected %d to %d", p, moved, steps+block-1, 2*block-2)
		}
	}
}
