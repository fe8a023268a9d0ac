package proof

import (
	"strings"
	"testing"

	"hcclsim/algorithms"
)

// mutant is a program with some of its steps changed.
type mutant struct {
	algorithms.Program
	change func(rank, lane, k int, st *algorithms.Step)
}

func (m mutant) Step(rank, lane, k int) algorithms.Step {
	st := m.Program.Step(rank, lane, k)
	m.change(rank, lane, k, &st)
	return st
}

// broken makes a schedule in place over p ranks, five bytes for every two ranks, and
// changes its steps.
func broken(t *testing.T, algorithm string, c algorithms.Collective, p int, change func(rank, lane, k int, st *algorithms.Step)) *algorithms.Schedule {
	t.Helper()
	s, err := algorithms.New(algorithm, algorithms.Request{Collective: c, Groups: []int{p}, Bytes: int64(5 * p / 2), InPlace: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(s); err != nil {
		t.Fatalf("before the change: %v", err)
	}
	s.Program = mutant{s.Program, change}
	return s
}

// TestMutants: every kind of fault is found and told by a message of its own.
func TestMutants(t *testing.T) {
	const p = 4
	type step = *algorithms.Step
	left := func(rank int) int32 { return int32((rank + p - 1) % p) }
	for _, c := range []struct {
		fault      string
		algorithm  string
		collective algorithms.Collective
		change     func(rank, lane, k int, st step)
		want       string
	}{
		{"unpaired half", "ring", algorithms.AllReduce, func(rank, _, k int, st step) {
			if rank == 1 && k == 2 {
				st.Recv.Peer = algorithms.None
			}
		}, "rank 0 lane 0 step 2 sends to rank 1 lane 0 step 2, which does not refer back: it has no such half"},
		{"a ring that receives from where it sends to", "ring", algorithms.AllGather, func(rank, _, _ int, st step) {
			st.Send.Peer.Rank, st.Recv.Peer.Rank = left(rank), left(rank)
		}, "the step sends to rank 3 and receives from rank 3 too: in a ring a rank that sends to one neighbour must receive from the other"},
		{"a partner that does not exist", "ring", algorithms.AllReduce, func(rank, _, k int, st step) {
			if rank == 0 && k == 0 {
				st.Send.Peer.Step = 6
			}
		}, "rank 0 lane 0 step 0 sends to rank 1 lane 0 step 6, which does not exist"},
		{"sizes that differ", "ring", algorithms.AllGather, func(rank, _, k int, st step) {
			if rank == 0 && k == 0 {
				st.Send.Set.First = 3
			}
		}, "rank 0 lane 0 step 0 sends slice 3 of 1 bytes into slice 0 of 3 bytes at rank 1 lane 0 step 0"},
		{"numbers of slices that differ", "ring", algorithms.AllGather, func(rank, _, k int, st step) {
			if rank == 0 && k == 0 {
				st.Send.Set.Count = 2
			}
		}, "sends 2 slices but rank 1 lane 0 step 0 expects 1"},
		{"a slice that does not exist", "binomial", algorithms.Broadcast, func(_, _, _ int, st step) {
			st.Send.Set.Base = 1
		}, "names slice 1 of data, which has 1"},
		{"a malformed set", "binomial", algorithms.Broadcast, func(_, _, _ int, st step) {
			st.Send.Set.Mod = 0
		}, "malformed set"},
		{"a buffer that does not exist", "binomial", algorithms.Broadcast, func(_, _, _ int, st step) {
			st.Send.Buf = algorithms.Out
		}, "uses a buffer that an in-place collective does not have: out"},
		{"waiting for another rank's step", "mesh", algorithms.AllReduce, func(rank, _, _ int, st step) {
			if rank == 2 && st.After.Rank >= 0 {
				st.After.Rank = 1
			}
		}, "which is no step of this rank"},
		{"ends that disagree on the drive", "mesh", algorithms.AllReduce, func(rank, _, _ int, st step) {
			if rank == 2 && st.Drive == algorithms.Write {
				st.Drive = algorithms.Read
			}
		}, "do not agree on who drives their message"},
		{"a synced message that nobody drives", "mesh", algorithms.AllReduce, func(_, _, _ int, st step) {
			st.Drive = algorithms.LinkDefault
		}, "is synced but does not say who drives it"},
		{"a reduction of nothing", "ring", algorithms.AllReduce, func(_, _, _ int, st step) {
			st.Recv.Peer, st.Send.Peer = algorithms.None, algorithms.None
		}, "reduces but receives no data"},
		{"half a local copy", "ring", algorithms.AllGather, func(rank, lane, k int, st step) {
			st.Send.Peer = algorithms.Ref{Rank: int32(rank), Lane: int32(lane), Step: int32(k)}
		}, "is half a local copy"},
		{"a step that waits for a later one", "mesh", algorithms.AllReduce, func(rank, lane, k int, st step) {
			if rank == 1 && lane == 2 && k == 0 {
				st.After = algorithms.Ref{Rank: 1, Lane: 0, Step: 8}
			}
		}, "deadlock: "},
		{"a contribution counted twice", "ring", algorithms.AllReduce, func(_, _, k int, st step) {
			st.Reduce = true
		}, "twice in slice"},
		{"a contribution that is lost", "ring", algorithms.AllReduce, func(rank, _, k int, st step) {
			if rank == 2 && k == 0 {
				st.Reduce = false
			}
		}, "without the contribution of rank 2"},
		{"sending what one does not hold", "ring", algorithms.AllGather, func(_, _, _ int, st step) {
			st.Send.Set.First = (st.Send.Set.First + p - 1) % p
			st.Recv.Set.First = (st.Recv.Set.First + p - 1) % p
		}, "rank 0 lane 0 step 0 sends slice 3 of data, which the rank does not hold"},
		{"a slice in the wrong place", "star", algorithms.Broadcast, func(rank, _, _ int, st step) {
			st.Send.Peer, st.Recv.Peer = algorithms.None, algorithms.None
		}, "rank 1 ends with slice 0 of data empty"},
		{"a join that does not wait", "mesh", algorithms.AllReduce, func(rank, lane, k int, st step) {
			if lane > 0 {
				st.After = algorithms.None
			}
		}, "race on slice"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			_, err := Check(broken(t, c.algorithm, c.collective, p, c.change))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// script is a program written out: steps by rank and lane, one slice of everything.
type script [][][]algorithms.Step

func (s script) Ranks() int                             { return len(s) }
func (s script) Lanes(rank int) int                     { return len(s[rank]) }
func (s script) Steps(rank, lane int) int               { return len(s[rank][lane]) }
func (s script) Step(rank, lane, k int) algorithms.Step { return s[rank][lane][k] }
func (s script) Slices(algorithms.Buffer) int           { return len(s) }

// eight is the layout of slices of eight bytes.
type eight struct{}

func (eight) Span(_ algorithms.Buffer, slice int) (offset, bytes int64) { return 8 * int64(slice), 8 }

// scripted makes a schedule in place of a script.
func scripted(c algorithms.Collective, s script) *algorithms.Schedule {
	return &algorithms.Schedule{
		Program: s, Layout: eight{}, Algorithm: "script",
		Request: algorithms.Request{Collective: c, Groups: []int{len(s)}, Bytes: 8 * int64(len(s)), Elem: 4, InPlace: true},
	}
}

func at(rank, lane, step int32) algorithms.Ref {
	return algorithms.Ref{Rank: rank, Lane: lane, Step: step}
}

// all is a half of all of a buffer of n slices.
func all(peer algorithms.Ref, n int32) algorithms.Half {
	return algorithms.Half{Peer: peer, Set: algorithms.Set{Count: 1, Mod: 1, Width: n}}
}

func sends(h algorithms.Half) algorithms.Step {
	return algorithms.Step{After: algorithms.None, Send: h, Recv: algorithms.Half{Peer: algorithms.None}}
}

func receives(h algorithms.Half) algorithms.Step {
	return algorithms.Step{After: algorithms.None, Recv: h, Send: algorithms.Half{Peer: algorithms.None}}
}

func reduces(h algorithms.Half) algorithms.Step {
	st := receives(h)
	st.Reduce = true
	return st
}

func synced(st algorithms.Step) algorithms.Step {
	st.Synced, st.Drive = true, algorithms.Write
	return st
}

func TestDeadlockIsNamed(t *testing.T) {
	// Both ranks receive before they send.
	s := scripted(algorithms.AllReduce, script{
		{{reduces(all(at(1, 0, 1), 2)), sends(all(at(1, 0, 0), 2))}},
		{{reduces(all(at(0, 0, 1), 2)), sends(all(at(0, 0, 0), 2))}},
	})
	_, err := Check(s)
	want := "deadlock: rank 0 lane 0 step 0 waits for rank 1 lane 0 step 1 waits for rank 1 lane 0 step 0 waits for rank 0 lane 0 step 1 waits for rank 0 lane 0 step 0"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestRaces: what the machine does not order is a race, though this or that order of
// events gives the right result.
func TestRaces(t *testing.T) {
	idle := algorithms.Idle
	after := func(r algorithms.Ref, st algorithms.Step) algorithms.Step {
		st.After = r
		return st
	}
	for _, c := range []struct {
		name       string
		collective algorithms.Collective
		script     script
		want       string
	}{
		{"two lanes write", algorithms.Broadcast, script{
			{{sends(all(at(1, 0, 0), 2))}, {sends(all(at(1, 1, 0), 2))}},
			{{receives(all(at(0, 0, 0), 2))}, {receives(all(at(0, 1, 0), 2))}},
		}, "race on slice 0 of data of rank 1: rank 1 lane 0 step 0 writes it and rank 1 lane 1 step 0 writes it in no order"},
		{"one lane writes, another reads", algorithms.Broadcast, script{
			{{sends(all(at(1, 0, 0), 3))}},
			{{receives(all(at(0, 0, 0), 3))}, {idle, idle, idle, sends(all(at(2, 0, 0), 3))}},
			{{receives(all(at(1, 1, 3), 3))}},
		}, "race on slice 0 of data of rank 1: rank 1 lane 0 step 0 writes it and rank 1 lane 1 step 3 reads it in no order"},
		{"the same with a join", algorithms.Broadcast, script{
			{{sends(all(at(1, 0, 0), 3))}},
			{{receives(all(at(0, 0, 0), 3))}, {after(at(1, 0, 0), sends(all(at(2, 0, 0), 3)))}},
			{{receives(all(at(1, 1, 0), 3))}},
		}, ""},
		{"lanes add side by side", algorithms.Reduce, script{
			{{reduces(all(at(1, 0, 0), 3))}, {reduces(all(at(2, 0, 0), 3))}},
			{{sends(all(at(0, 0, 0), 3))}},
			{{sends(all(at(0, 1, 0), 3))}},
		}, ""},
		{"one lane adds, another reads", algorithms.AllReduce, script{
			{{reduces(all(at(1, 0, 0), 2))}, {idle, idle, idle, sends(all(at(1, 0, 1), 2))}},
			{{sends(all(at(0, 0, 0), 2)), receives(all(at(0, 1, 3), 2))}},
		}, "race on slice 0 of data of rank 0: rank 0 lane 0 step 0 adds to it and rank 0 lane 1 step 3 reads it in no order"},
		{"the passive end of a synced message reads on", algorithms.Broadcast, script{
			{{synced(sends(all(at(1, 0, 0), 3)))}},
			{{synced(receives(all(at(0, 0, 0), 3))), idle, idle, sends(all(at(2, 0, 0), 3))}},
			{{receives(all(at(1, 0, 3), 3))}},
		}, "race on slice 0 of data of rank 1"},
		{"the same with a signal behind the data", algorithms.Broadcast, script{
			{{synced(sends(all(at(1, 0, 0), 3))), sends(algorithms.Half{Peer: at(1, 0, 1)})}},
			{{synced(receives(all(at(0, 0, 0), 3))), receives(algorithms.Half{Peer: at(0, 0, 1)}), sends(all(at(2, 0, 0), 3))}},
			{{receives(all(at(1, 0, 2), 3))}},
		}, ""},
		{"the sender's word that the receiver has reduced", algorithms.AllReduce, script{
			// Rank 1 knows that its data have arrived, not that rank 0 has added them.
			{{reduces(all(at(1, 0, 0), 2))}, {idle, receives(algorithms.Half{Peer: at(1, 0, 1)}), sends(all(at(1, 0, 2), 2))}},
			{{sends(all(at(0, 0, 0), 2)), sends(algorithms.Half{Peer: at(0, 1, 1)}), receives(all(at(0, 1, 2), 2))}},
		}, "race on slice 0 of data of rank 0: rank 0 lane 0 step 0 adds to it and rank 0 lane 1 step 2 reads it in no order"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Check(scripted(c.collective, c.script))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestWrongResults(t *testing.T) {
	one := func(peer algorithms.Ref, slice int32) algorithms.Half {
		return algorithms.Half{Peer: peer, Set: algorithms.Set{First: slice, Count: 1, Mod: 2, Width: 1}}
	}
	swap := script{
		{{sends(one(at(1, 0, 0), 0)), sends(one(at(1, 0, 1), 1))}},
		{{receives(one(at(0, 0, 0), 1)), receives(one(at(0, 0, 1), 0))}},
	}
	if _, err := Check(scripted(algorithms.Broadcast, swap)); err == nil || !strings.Contains(err.Error(), "rank 1 ends with slice 0 of data holding slice 1") {
		t.Errorf("slices change places: %v", err)
	}
	add := script{
		{{sends(one(at(1, 0, 0), 0))}},
		{{reduces(one(at(0, 0, 0), 1))}},
	}
	if _, err := Check(scripted(algorithms.AllReduce, add)); err == nil || !strings.Contains(err.Error(), "adds slice 0 of the input to slice 1 of it") {
		t.Errorf("slices are mixed: %v", err)
	}
}

// TestInputIsNotWritten, nor is more of an input looked at than there is.
func TestInputIsNotWritten(t *testing.T) {
	s, err := algorithms.New("ring", algorithms.Request{Collective: algorithms.AllGather, Groups: []int{3}, Bytes: 12})
	if err != nil {
		t.Fatal(err)
	}
	good := s.Program
	s.Program = mutant{good, func(rank, _, _ int, st *algorithms.Step) {
		if st.Recv.Peer.Rank == int32(rank) {
			st.Recv.Buf = algorithms.In
		}
	}}
	if _, err := Check(s); err == nil || !strings.Contains(err.Error(), "rank 0 lane 0 step 0 writes into its input") {
		t.Errorf("got %v", err)
	}
	s.Program = mutant{good, func(rank, _, _ int, st *algorithms.Step) { st.Send.Buf = algorithms.In }}
	if _, err := Check(s); err == nil || !strings.Contains(err.Error(), "of in, for which the rank has no room there") {
		t.Errorf("got %v", err)
	}
}

// gap is a layout that leaves a hole.
type gap struct{ algorithms.Layout }

func (g gap) Span(b algorithms.Buffer, slice int) (offset, bytes int64) {
	offset, bytes = g.Layout.Span(b, slice)
	return offset, bytes - 1
}

func TestLayoutWithHoles(t *testing.T) {
	s := broken(t, "ring", algorithms.AllReduce, 4, func(int, int, int, *algorithms.Step) {})
	s.Layout = gap{s.Layout}
	if _, err := Check(s); err == nil || !strings.Contains(err.Error(), "slice 1 of data lies at 3 bytes (2 bytes long): expected it at 2") {
		t.Errorf("got %v", err)
	}
}
