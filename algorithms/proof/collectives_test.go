package proof

import (
	"strings"
	"testing"

	"hcclsim/algorithms"
)

// This file has faults of the collectives in which not every slice is everybody's.

// outOfPlace makes a schedule over p ranks whose slices have 4 bytes, and changes its steps.
func outOfPlace(t *testing.T, algorithm string, c algorithms.Collective, p int, change func(rank, lane, k int, st *algorithms.Step)) *algorithms.Schedule {
	t.Helper()
	r := algorithms.Request{Collective: c, Groups: []int{p}, Root: 1, Bytes: 4 * int64(p), Elem: 4}
	if c == algorithms.AlltoAllV {
		r.Blocks = func(int, int) int64 { return 4 }
	}
	s, err := algorithms.New(algorithm, r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(s); err != nil {
		t.Fatalf("before the change: %v", err)
	}
	if err := Data[int32](s, Sum); err != nil {
		t.Fatalf("before the change: %v", err)
	}
	s.Program = mutant{s.Program, change}
	return s
}

// TestMutantsOfBlocks: what goes to a single rank comes to it, to it only, and from whom it
// should. Slice 3*i + j of an AlltoAll of three is what rank i sends to rank j.
func TestMutantsOfBlocks(t *testing.T) {
	const p = 3
	type step = *algorithms.Step
	remote := func(rank int, st step) bool { return st.Send.Peer.Rank >= 0 && st.Send.Peer.Rank != int32(rank) }
	for _, c := range []struct {
		fault      string
		algorithm  string
		collective algorithms.Collective
		change     func(rank, lane, k int, st step)
		want       string
	}{
		{"a block for another rank", "pairwise", algorithms.AlltoAll, func(rank, _, _ int, st step) {
			if rank == 0 && st.Send.Peer.Rank == 1 {
				st.Send.Set.First = 2
			}
		}, "rank 1 ends with slice 1 of out holding slice 2"},
		{"a block of a neighbour's row", "pairwise", algorithms.AlltoAll, func(rank, _, _ int, st step) {
			if rank == 0 && st.Send.Peer.Rank == 1 {
				st.Send.Set.First = 3
			}
		}, "rank 0 lane 0 step 1 names slice 3 of in, for which the rank has no room there"},
		{"a block into a neighbour's column", "pairwise", algorithms.AlltoAllV, func(rank, _, _ int, st step) {
			if rank == 1 && st.Recv.Peer.Rank == 0 {
				st.Recv.Set.First = 2
			}
		}, "rank 1 lane 0 step 1 names slice 2 of out, for which the rank has no room there"},
		{"a missing block", "pairwise", algorithms.AlltoAllV, func(rank, _, _ int, st step) {
			if rank == 0 && st.Send.Peer.Rank == 1 {
				st.Send.Peer = algorithms.None
			}
			if rank == 1 && st.Recv.Peer.Rank == 0 {
				st.Recv.Peer = algorithms.None
			}
		}, "rank 1 ends with slice 1 of out empty"},
		{"a buffer for another rank", "pairwise", algorithms.SendRecv, func(rank, _, _ int, st step) {
			if rank == 2 && remote(rank, st) {
				st.Send.Set.First = 1
			}
		}, "rank 2 lane 0 step 0 names slice 1 of in, for which the rank has no room there"},
		{"no buffer at all", "pairwise", algorithms.SendRecv, func(_, _, _ int, st step) {
			st.Send.Peer, st.Recv.Peer = algorithms.None, algorithms.None
		}, "rank 0 ends with slice 2 of out empty"},
		{"a slice for another rank", "mesh", algorithms.Scatter, func(_, _, _ int, st step) {
			if st.Send.Set.Count > 0 {
				st.Send.Set.First++
			}
		}, "holding slice"},
		{"a result at another rank than the root", "mesh", algorithms.Gather, func(rank, _, _ int, st step) {
			if rank == 2 {
				st.Send.Buf = algorithms.Out
			}
		}, "names slice 2 of out, for which the rank has no room there"},
		{"a slice that is not added up", "mesh", algorithms.ReduceScatter, func(_, _, _ int, st step) {
			st.Reduce = false
		}, "without the contribution of rank"},
		{"a rank that nobody waits for", "ring", algorithms.Barrier, func(rank, _, _ int, st step) {
			st.Reduce = st.Reduce && rank != 2
		}, "without the contribution of rank 2"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			_, err := Check(outOfPlace(t, c.algorithm, c.collective, p, c.change))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestInPlaceOrNot: an AlltoAll in place is no promise that can be checked.
func TestInPlaceOrNot(t *testing.T) {
	s := outOfPlace(t, "pairwise", algorithms.AlltoAll, 3, func(int, int, int, *algorithms.Step) {})
	s.Request.InPlace = true
	if _, err := Check(s); err == nil || !strings.Contains(err.Error(), "in place, which alltoall cannot be") {
		t.Errorf("got %v", err)
	}
}

// changed is a layout of which slices are changed.
type changed struct {
	algorithms.Layout
	change func(b algorithms.Buffer, slice int, offset, bytes *int64)
}

func (c changed) Span(b algorithms.Buffer, slice int) (offset, bytes int64) {
	offset, bytes = c.Layout.Span(b, slice)
	c.change(b, slice, &offset, &bytes)
	return offset, bytes
}

// TestLayouts: input and result lie side by side and have the sizes of the request; in the
// library's buffer nothing overlaps that a rank uses, whatever the order.
func TestLayouts(t *testing.T) {
	type ref = *int64
	for _, c := range []struct {
		fault      string
		algorithm  string
		collective algorithms.Collective
		copies     algorithms.Copies
		change     func(b algorithms.Buffer, slice int, offset, bytes ref)
		want       string
	}{
		{"a row with a gap", "pairwise", algorithms.AlltoAll, algorithms.CopiesNone, func(b algorithms.Buffer, slice int, offset, _ ref) {
			if b == algorithms.In && slice == 5 {
				*offset += 4
			}
		}, "slice 5 of in lies at 12 bytes (4 bytes long): expected it at 8"},
		{"a column in another order", "pairwise", algorithms.AlltoAll, algorithms.CopiesNone, func(b algorithms.Buffer, slice int, offset, _ ref) {
			if b == algorithms.Out && slice%3 == 1 {
				*offset = 8 - *offset
			}
		}, "slice 1 of out lies at 8 bytes (4 bytes long): expected it at 0"},
		{"rows that do not fill their buffers", "pairwise", algorithms.AlltoAll, algorithms.CopiesNone, func(b algorithms.Buffer, slice int, offset, bytes ref) {
			*offset, *bytes = *offset/2, *bytes/2
		}, "the blocks that rank 0 sends hold 6 bytes, its buffer 12"},
		{"blocks of other sizes than were asked for", "pairwise", algorithms.AlltoAllV, algorithms.CopiesNone, func(b algorithms.Buffer, slice int, offset, bytes ref) {
			*offset, *bytes = *offset/2, *bytes/2
		}, "slice 0 has 2 bytes: rank 0 sends 4 to rank 0"},
		{"half a buffer to the next rank", "pairwise", algorithms.SendRecv, algorithms.CopiesNone, func(b algorithms.Buffer, slice int, offset, bytes ref) {
			*offset, *bytes = *offset/2, *bytes/2
		}, "rank 0 sends 6 bytes, its buffer holds 12"},
		{"an output that is larger than its input", "ring", algorithms.Gather, algorithms.CopiesNone, func(b algorithms.Buffer, slice int, offset, bytes ref) {
			if b == algorithms.In {
				*bytes /= 2
			}
		}, "slice 0 has 2 bytes in in and 4 in out"},
		{"scratch that overlaps", "ring", algorithms.AllReduce, algorithms.CopiesFull, func(b algorithms.Buffer, slice int, offset, _ ref) {
			if b == algorithms.Scratch && slice == 2 {
				*offset -= 2
			}
		}, "rank 0 uses slices 1 and 2 of scratch, which overlap: the one ends at 8 bytes, the other begins at 6"},
		{"scratch before its beginning", "ring", algorithms.AllReduce, algorithms.CopiesFull, func(b algorithms.Buffer, slice int, offset, _ ref) {
			if b == algorithms.Scratch && slice == 0 {
				*offset = -4
			}
		}, "slice 0 of scratch has 4 bytes at -4"},
		{"scratch in another order with gaps", "ring", algorithms.AllReduce, algorithms.CopiesFull, func(b algorithms.Buffer, slice int, offset, _ ref) {
			if b == algorithms.Scratch {
				*offset = 100 - 2**offset
			}
		}, ""},
	} {
		t.Run(c.fault, func(t *testing.T) {
			r := algorithms.Request{Collective: c.collective, Groups: []int{3}, Bytes: 12, Elem: 4, Copies: c.copies}
			if c.collective == algorithms.AlltoAllV {
				r.Blocks = func(int, int) int64 { return 4 }
			}
			s, err := algorithms.New(c.algorithm, r)
			if err != nil {
				t.Fatal(err)
			}
			s.Layout = changed{s.Layout, c.change}
			_, err = Check(s)
			if c.want == "" {
				if err == nil {
					err = Data[int32](s, Sum)
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestNumbersOfSlices: what cannot be dealt out to the ranks is no schedule.
func TestNumbersOfSlices(t *testing.T) {
	for c, want := range map[algorithms.Collective]string{
		algorithms.AlltoAll: "2 slices cannot be dealt out to 2 x 2 pairs of ranks",
		algorithms.Gather:   "3 slices cannot be dealt out to 2 ranks",
	} {
		n := 2
		if c == algorithms.Gather {
			n = 3
		}
		s := &algorithms.Schedule{
			Program: counted{script{{{}}, {{}}}, [buffers]int{n, n, n, n}}, Layout: eight{}, Algorithm: "script",
			Request: algorithms.Request{Collective: c, Groups: []int{2}, Bytes: 8 * int64(n), Elem: 4},
		}
		if _, err := Check(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	s := scripted(algorithms.AllReduce, nil)
	s.Program = counted{script{{{}}}, [buffers]int{1, 2, 1, 1}}
	s.Request.InPlace, s.Request.Bytes = false, 8
	if _, err := Check(s); err == nil || !strings.Contains(err.Error(), "in has 2 slices, data has 1") {
		t.Errorf("got %v", err)
	}
}

// counted is a script that has numbers of slices of its own.
type counted struct {
	script
	slices [buffers]int
}

func (c counted) Slices(b algorithms.Buffer) int { return c.slices[b] }

// TestScratchOfItsOwn: the library's buffer has slices of its own number, in which any
// slice of the input may lie, and another one later.
func TestScratchOfItsOwn(t *testing.T) {
	one := func(peer algorithms.Ref, b algorithms.Buffer, slice int32) algorithms.Half {
		return algorithms.Half{Peer: peer, Buf: b, Set: algorithms.Set{First: slice, Count: 1, Mod: 8, Width: 1}}
	}
	local := func(rank, k int32, from, to algorithms.Buffer, a, b int32) algorithms.Step {
		me := at(rank, 0, k)
		return algorithms.Step{After: algorithms.None, Send: one(me, from, a), Recv: one(me, to, b)}
	}
	const data, scratch = algorithms.Data, algorithms.Scratch
	// Both slices reach rank 1 by its slice 5 of scratch, one after the other.
	s := scripted(algorithms.Broadcast, script{
		{{sends(one(at(1, 0, 0), data, 0)), sends(one(at(1, 0, 2), data, 1))}},
		{{
			receives(one(at(0, 0, 0), scratch, 5)), local(1, 1, scratch, data, 5, 0),
			receives(one(at(0, 0, 1), scratch, 5)), local(1, 3, scratch, data, 5, 1),
		}},
	})
	s.Program = counted{s.Program.(script), [buffers]int{2, 2, 2, 6}}
	if _, err := Check(s); err != nil {
		t.Error(err)
	}
	if err := Data[int32](s, Sum); err != nil {
		t.Error(err)
	}
	s.Program.(counted).script[1][0][3] = local(1, 3, scratch, data, 4, 1)
	if _, err := Check(s); err == nil || !strings.Contains(err.Error(), "rank 1 lane 0 step 3 sends slice 4 of scratch, which the rank does not hold") {
		t.Errorf("got %v", err)
	}
	s.Program.(counted).script[1][0][3] = local(1, 3, scratch, data, 6, 1)
	if _, err := Check(s); err == nil || !strings.Contains(err.Error(), "names slice 6 of scratch, which has 6") {
		t.Errorf("got %v", err)
	}
}

// TestOrdered: schedules whose reductions come in the order of arrival are not
// deterministic.
func TestOrdered(t *testing.T) {
	for name, want := range map[string]bool{
		"ring": true, "double-ring": true, "nhr": true, "nb": true, "rhd": true, "mesh-chunk": true, "binomial": true,
		"mesh": false, "star": false, "mesh+ring": false, "ring+nhr": true, "mesh-chunk+rhd": true,
	} {
		r := algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{4}, Bytes: 400, Elem: 4, InPlace: true}
		if strings.Contains(name, "+") {
			r.Groups = []int{4, 4, 4}
		}
		s, err := algorithms.New(name, r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Check(s); err != nil {
			t.Error(err)
		}
		switch count, err := CheckOrdered(s); {
		case want && (err != nil || count.Schedules != 1):
			t.Errorf("%s: %v", name, err)
		case !want && (err == nil || !strings.Contains(err.Error(), "adds to it and")):
			t.Errorf("%s: %v, but reductions come as they arrive", name, err)
		}
	}
}

// TestOrderedReductions: of two lanes that add side by side one must wait for the other.
func TestOrderedReductions(t *testing.T) {
	side := script{
		{{reduces(all(at(1, 0, 0), 3))}, {reduces(all(at(2, 0, 0), 3))}},
		{{sends(all(at(0, 0, 0), 3))}},
		{{sends(all(at(0, 1, 0), 3))}},
	}
	want := "race on slice 0 of data of rank 0: rank 0 lane 0 step 0 adds to it and rank 0 lane 1 step 0 adds to it in no order"
	if _, err := CheckOrdered(scripted(algorithms.Reduce, side)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	side[0][1][0].After = at(0, 0, 0)
	if _, err := CheckOrdered(scripted(algorithms.Reduce, side)); err != nil {
		t.Error(err)
	}
}
