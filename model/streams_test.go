package model

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

const us = units.Microsecond

// call is an AllReduce by ring among some ranks; nil: all.
func ringCall(bytes units.Bytes, members ...int32) Call {
	return Call{Members: members, Point: Point{Collective: algorithms.AllReduce, Algorithm: "ring", Bytes: bytes, Elem: 4, InPlace: true}}
}

// streamsOf gives each rank a stream of operators.
func streamsOf(ranks int, ops ...Operator) []Stream {
	var list []Stream
	for r := range ranks {
		list = append(list, Stream{Name: "main", Rank: r, Operators: ops})
	}
	return list
}

func kernel(name string, t units.Duration, cores int) Operator {
	return Operator{Name: name, Kind: OpKernel, Time: t, Cores: cores}
}

func calls(name string, call int) Operator { return Operator{Name: name, Kind: OpCall, Call: call} }

// runWork runs a work, and makes sure that every operator's critical path adds up.
func runWork(t *testing.T, w Work) Result {
	t.Helper()
	if err := CheckWork(w); err != nil {
		t.Fatal(err)
	}
	res, err := SimulateWork(context.Background(), w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range res.Spans {
		var sum units.Duration
		for _, p := range s.Critical {
			sum += p.Time
		}
		if sum != s.End-s.Start {
			t.Errorf("%s: the critical path adds up to %v of %v", s.Name, sum, s.End-s.Start)
		}
	}
	return res
}

// spanAt makes sure of an operator's beginning and end.
func spanAt(t *testing.T, r Result, name string, start, end units.Duration) Span {
	t.Helper()
	i := slices.IndexFunc(r.Spans, func(s Span) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no operator %s", name)
	}
	if s := r.Spans[i]; s.Start != start || s.End != end {
		t.Errorf("%s runs from %v to %v, want %v to %v", name, s.Start, s.End, start, end)
	}
	return r.Spans[i]
}

// The crossbar has 25 GB/s ports and 1 us latency; a ring of two ranks exchanges half of
// its buffer twice.
const ringTime = 2 * (1*us + 20*us) // 1 MB

func TestStreamIsInOrder(t *testing.T) {
	w := Work{Topology: crossbar(2), Calls: []Call{ringCall(megabyte), ringCall(megabyte)},
		Streams: streamsOf(2, kernel("forward", 10*us, 0), calls("sum", 0), kernel("update", 5*us, 0), calls("again", 1))}
	res := runWork(t, w)
	spanAt(t, res, "forward", 0, 10*us)
	spanAt(t, res, "sum", 10*us, 10*us+ringTime)
	spanAt(t, res, "update", 10*us+ringTime, 15*us+ringTime)
	s := spanAt(t, res, "again", 15*us+ringTime, 15*us+2*ringTime)
	if want := []Part{{"latency", 2 * us}, {"wire:ideal", 40 * us}}; !slices.Equal(s.Critical, want) {
		t.Errorf("the second call's path is %v, want %v", s.Critical, want)
	}
	spent(t, res, Part{"latency", 4 * us}, Part{"kernel", 15 * us}, Part{"wire:ideal", 80 * us})
}

// A straggler of 100 us: all wait for it, and the wait has a name, in the call and in the
// whole, where the late rank's own beginning is what was waited for.
func TestStraggler(t *testing.T) {
	w := Work{Topology: crossbar(2), Calls: []Call{ringCall(megabyte)}, Streams: streamsOf(2, calls("sum", 0)),
		Faults: Faults{Stragglers: []Straggler{{Rank: 1, Late: 100 * us}}}}
	res := runWork(t, w)
	s := spanAt(t, res, "sum", 0, 100*us+ringTime)
	want := []Part{{"latency", 2 * us}, {"late", 100 * us}, {"wire:ideal", 40 * us}}
	if !slices.Equal(s.Critical, want) {
		t.Errorf("the call's path is %v, want %v", s.Critical, want)
	}
	spent(t, res, want...)
}

// A kernel before the call makes its rank late: to the call that is lateness, to the whole
// the kernel's time.
func TestLateKernel(t *testing.T) {
	w := Work{Topology: crossbar(2), Calls: []Call{ringCall(megabyte)}, Streams: []Stream{
		{Name: "main", Rank: 0, Operators: []Operator{kernel("work", 10*us, 0), calls("sum", 0)}},
		{Name: "main", Rank: 1, Operators: []Operator{kernel("work", 30*us, 0), calls("sum", 0)}},
	}}
	res := runWork(t, w)
	spanAt(t, res, "work", 0, 30*us)
	s := spanAt(t, res, "sum", 10*us, 30*us+ringTime)
	if want := []Part{{"latency", 2 * us}, {"late", 20 * us}, {"wire:ideal", 40 * us}}; !slices.Equal(s.Critical, want) {
		t.Errorf("the call's path is %v, want %v", s.Critical, want)
	}
	spent(t, res, Part{"latency", 2 * us}, Part{"kernel", 30 * us}, Part{"wire:ideal", 40 * us})
}

// A rank with engines of half the speed: its kernels and its reductions take twice their
// time, its links do not.
func TestSlowEngines(t *testing.T) {
	top := crossbar(2)
	top.NPU.Reduce.Bandwidth = 50e9 // 500 KB in 10 us
	w := Work{Topology: top, Calls: []Call{ringCall(megabyte)}, Streams: streamsOf(2, kernel("work", 10*us, 0), calls("sum", 0)),
		Faults: Faults{Stragglers: []Straggler{{Rank: 1, Slow: 2000}}}}
	res := runWork(t, w)
	// Rank 1: kernel 20, step 21, reduction 20, step 21.
	spanAt(t, res, "sum", 10*us, 82*us)
}

// Two collectives on one link: the ring of ranks 0 and 1 and that of 0 and 1 again, side by
// side, share ports; those of different ranks do not.
func TestConcurrentCollectives(t *testing.T) {
	second := func(ranks ...int32) Work {
		w := Work{Topology: crossbar(4), Calls: []Call{ringCall(megabyte, 0, 1), ringCall(megabyte, ranks...)}}
		for _, r := range []int{0, 1} {
			w.Streams = append(w.Streams, Stream{Name: "a", Rank: r, Operators: []Operator{calls("first", 0)}})
		}
		for _, r := range ranks {
			w.Streams = append(w.Streams, Stream{Name: "b", Rank: int(r), Operators: []Operator{calls("second", 1)}})
		}
		return w
	}
	shared := runWork(t, second(0, 1))
	spanAt(t, shared, "first", 0, 2*(1*us+40*us))
	spanAt(t, shared, "second", 0, 2*(1*us+40*us))
	spent(t, shared, Part{"latency", 2 * us}, Part{"sharing", 40 * us}, Part{"wire:ideal", 40 * us})
	alone := runWork(t, second(2, 3))
	spanAt(t, alone, "first", 0, ringTime)
	spanAt(t, alone, "second", 0, ringTime)
}

// Three jobs with offsets of 0, 10 and 20 us on a link of 25 GB/s: 1 MB each in a send
// from rank 0 to 1. Bytes: alone until 10 (250 KB), in two until 20 (125 KB each), then in
// three: the first has 625 KB left, which take 75 us -> 95; of 250 KB the second has left
// then, in two, 20 us -> 115; the third has 125 KB left, alone 5 us -> 120. Latency 1 us,
// and a picosecond, since a third of 25 GB/s is rounded down.
func TestJobsWithOffsets(t *testing.T) {
	w := Work{Topology: crossbar(2)}
	for i, name := range []string{"one", "two", "three"} {
		w.Calls = append(w.Calls, Call{Point: Point{Collective: algorithms.Broadcast, Algorithm: "ring", Bytes: megabyte, Elem: megabyte, InPlace: true}})
		for r := range 2 {
			w.Streams = append(w.Streams, Stream{Name: name, Rank: r, Start: units.Duration(i) * 10 * us, Operators: []Operator{calls(name, i)}})
		}
	}
	res := runWork(t, w)
	spanAt(t, res, "one", 0, 96*us+1)
	spanAt(t, res, "two", 10*us, 116*us+1)
	spanAt(t, res, "three", 20*us, 121*us+1)
	spent(t, res, Part{"latency", 1 * us}, Part{"sharing", 60*us + 1}, Part{"late", 20 * us}, Part{"wire:ideal", 40 * us})
}

// Messages of 1 MB over RDMA, the second 10 us later. Alone the first is on the wire from 17.16016
// to 57.16016 us and done 1.52 us later (TestRecipes). Calls of one operation and
// communicator have one queue pair, on which the second stands behind the first, until
// 97.16016. Another operation has queue pairs of its own: both share the port from
// 27.16016 on, the first has 30 us left and takes 60.
func TestQueuePairsOfOperations(t *testing.T) {
	for algorithm, first := range map[string]units.Duration{"ring": 58_680_160, "binomial": 88_680_160} {
		w := Work{Topology: rdmaMachine()}
		for i, name := range []string{"first", "second"} {
			w.Calls = append(w.Calls, Call{Point: Point{Collective: algorithms.Broadcast, Algorithm: []string{"ring", algorithm}[i], Bytes: megabyte, Elem: megabyte, InPlace: true}})
			for r := range 2 {
				w.Streams = append(w.Streams, Stream{Name: name, Rank: r, Start: units.Duration(i) * 10 * us, Operators: []Operator{calls(name, i)}})
			}
		}
		res := runWork(t, w)
		spanAt(t, res, "first", 0, first)
		spanAt(t, res, "second", 10*us, 98_680_160)
		if algorithm == "ring" {
			spent(t, res, Part{"launch", 1_360 * ns}, Part{"notify", 40 * ns}, Part{"post", 14_280 * ns}, Part{"latency", 3_000 * ns},
				Part{"engine", 30_000 * ns}, Part{"late", 10 * us}, Part{"wire:roce", 40_000_160})
		}
	}
}

// Groups of a communicator number their ranks anew; calls of one name are one operator.
func TestCommunicators(t *testing.T) {
	w := Work{Topology: crossbar(6), Calls: []Call{ringCall(megabyte, 0, 3), ringCall(megabyte, 2, 5), ringCall(2*megabyte, 1, 4)}}
	for c, call := range w.Calls {
		for _, r := range call.Members {
			w.Streams = append(w.Streams, Stream{Name: "main", Rank: int(r), Operators: []Operator{calls("dp", c)}})
		}
	}
	spanAt(t, runWork(t, w), "dp", 0, 2*(1*us+40*us))
}

// A communicator across servers has as many ranks of each server as lie there, and its
// mixes follow.
func TestCommunicatorAcrossServers(t *testing.T) {
	top := cluster(4)
	ranks := []int32{1, 3, 5, 7, 9, 11, 13, 15}
	whole := top
	whole.Servers = 2
	part := top.Part(ranks)
	if want := []int{2, 2, 2, 2}; !slices.Equal(part.Groups(), want) || part.Size() != 8 {
		t.Errorf("the part has groups %v, want %v", part.Groups(), want)
	}
	w := Work{Topology: top, Calls: []Call{{Members: ranks, Point: Point{Collective: algorithms.AllReduce, Algorithm: "mesh+ring", Bytes: megabyte, Elem: 4, InPlace: true}}}}
	for _, r := range ranks {
		w.Streams = append(w.Streams, Stream{Name: "main", Rank: int(r), Operators: []Operator{calls("sum", 0)}})
	}
	res := runWork(t, w)
	if res.Time <= 0 || res.Messages == 0 {
		t.Errorf("%+v", res)
	}
}

func TestEvents(t *testing.T) {
	event := func(kind OperatorKind) Operator { return Operator{Name: "ready", Kind: kind, Event: 7} }
	w := Work{Topology: crossbar(1), Streams: []Stream{
		{Name: "compute", Operators: []Operator{kernel("backward", 10*us, 1), event(OpRecord), kernel("rest", 5*us, 1)}},
		{Name: "communication", Operators: []Operator{kernel("early", 2*us, 1), event(OpWait), kernel("late", 1*us, 1), event(OpWait)}},
	}}
	res := runWork(t, w)
	spanAt(t, res, "rest", 10*us, 15*us)
	spanAt(t, res, "late", 10*us, 11*us)
	spent(t, res, Part{"kernel", 15 * us})

	// With tasks: launch 0.4 of the kernel, gap 0.7, launch 0.35, record 0.72; the wait has
	// been launched: 0.02. The next kernels are ready at 12.87 and 12.89 us; the scheduler
	// launches one after the other, 0.4 each.
	w.Topology = taskMachine()
	res = runWork(t, w)
	const recorded = 400*ns + 10*us + 700*ns + 350*ns + 720*ns
	spanAt(t, res, "late", recorded+20*ns, recorded+700*ns+2*400*ns+1*us)
}

func TestEventThatNobodyRecords(t *testing.T) {
	w := Work{Topology: crossbar(1), Streams: streamsOf(1, Operator{Name: "never", Kind: OpWait})}
	deadlock(t, w, "rank 0 stream main waits for event never")
}

// deadlock makes sure that a work ends in one whose report has the texts.
func deadlock(t *testing.T, w Work, texts ...string) {
	t.Helper()
	_, err := SimulateWork(context.Background(), w, Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "deadlock: ") {
		t.Fatalf("error %v is no deadlock", err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

// Two ranks that call in different orders wait for each other.
func TestCallsInDifferentOrder(t *testing.T) {
	w := Work{Topology: crossbar(2), Calls: []Call{ringCall(megabyte), ringCall(megabyte)}, Streams: []Stream{
		{Name: "main", Rank: 0, Operators: []Operator{calls("a", 0), calls("b", 1)}},
		{Name: "main", Rank: 1, Operators: []Operator{calls("b", 1), calls("a", 0)}},
	}}
	deadlock(t, w, "rank 0 stream main, a waits for rank 1 to come", "rank 1 stream main, b waits for rank 0 to come")
}

// Kernels of one name with something between them are one operator too; what lies between is late.
func TestKernelsApart(t *testing.T) {
	w := Work{Topology: crossbar(1), Streams: []Stream{{Name: "main", Operators: []Operator{
		kernel("pass", 10*us, 1), kernel("other", 5*us, 1), kernel("pass", 20*us, 1), kernel("other", 1*us, 1), kernel("pass", 3*us, 1),
	}}}}
	res := runWork(t, w)
	if got, want := spanAt(t, res, "pass", 0, 39*us).Critical, []Part{{"kernel", 33 * us}, {"late", 6 * us}}; !slices.Equal(got, want) {
		t.Errorf("its path is %v, want %v", got, want)
	}
	if got, want := spanAt(t, res, "other", 10*us, 36*us).Critical, []Part{{"kernel", 6 * us}, {"late", 20 * us}}; !slices.Equal(got, want) {
		t.Errorf("its path is %v, want %v", got, want)
	}
}

// Kernels of one name that follow each other are one operator, whose time is theirs.
func TestKernelsOfOneName(t *testing.T) {
	w := Work{Topology: crossbar(1), Streams: []Stream{{Name: "main", Operators: []Operator{
		kernel("before", 3*us, 1), kernel("backward", 10*us, 1), {Name: "ready", Kind: OpRecord}, kernel("backward", 20*us, 1),
	}}}}
	res := runWork(t, w)
	s := spanAt(t, res, "backward", 3*us, 33*us)
	if want := []Part{{"kernel", 30 * us}}; !slices.Equal(s.Critical, want) {
		t.Errorf("its path is %v, want %v", s.Critical, want)
	}
}

// Kernels take turns on cores, a higher priority first; what runs is not interrupted.
func TestCores(t *testing.T) {
	top := crossbar(1)
	top.NPU.Cores = 10
	low := []Operator{kernel("low1", 10*us, 6), kernel("low2", 10*us, 6)}
	high := []Operator{kernel("high1", 5*us, 10), kernel("high2", 5*us, 4)}
	run := func(lowPriority, highPriority uint8) Result {
		return runWork(t, Work{Topology: top, Streams: []Stream{
			{Name: "low", Priority: lowPriority, Operators: low},
			{Name: "other", Priority: lowPriority, Start: 1 * us, Operators: []Operator{kernel("third", 3*us, 6)}},
			{Name: "high", Priority: highPriority, Start: 2 * us, Operators: high},
		}})
	}
	// With equal priorities first come, first served: third at 10, high1 at 13, low2, which
	// asked at 10, at 18, with high2's four cores beside it.
	res := run(0, 0)
	spanAt(t, res, "low1", 0, 10*us)
	spanAt(t, res, "third", 1*us, 13*us)
	spanAt(t, res, "high1", 2*us, 18*us)
	spanAt(t, res, "low2", 10*us, 28*us)
	spanAt(t, res, "high2", 18*us, 23*us)
	// A higher one waits for the kernel that runs, and for no other.
	res = run(5, 1)
	spanAt(t, res, "high1", 2*us, 15*us)
	spanAt(t, res, "high2", 15*us, 20*us)
	spanAt(t, res, "third", 1*us, 18*us)
	spanAt(t, res, "low2", 10*us, 28*us)
}

// Two kernels that move bytes share the memory: 1 MB in 10 us is 100 GB/s, which two at
// once do not get of 125 GB/s: 16 us each. With a longer time of its own one ends later.
func TestKernelMemory(t *testing.T) {
	top := crossbar(1)
	top.NPU.Memory.Bandwidth = 125e9
	move := func(name string, took units.Duration) Stream {
		k := kernel(name, took, 1)
		k.Bytes = megabyte
		return Stream{Name: name, Operators: []Operator{k}}
	}
	res := runWork(t, Work{Topology: top, Streams: []Stream{move("a", 10*us)}})
	spanAt(t, res, "a", 0, 10*us)
	res = runWork(t, Work{Topology: top, Streams: []Stream{move("a", 10*us), move("b", 10*us)}})
	spanAt(t, res, "a", 0, 16*us)
	spent(t, res, Part{"sharing", 6 * us}, Part{"kernel", 10 * us})
	// b wants 50 GB/s, a has the other 75: 13.333333 us; then b is alone at 50 of 125.
	res = runWork(t, Work{Topology: top, Streams: []Stream{move("a", 10*us), move("b", 20*us)}})
	spanAt(t, res, "b", 0, 20*us)
	if a := spanAt(t, res, "a", 0, 13_333_334); a.Critical[0] != (Part{"sharing", 3_333_334}) {
		t.Errorf("a's path is %v", a.Critical)
	}
}

// A collective beside a kernel that moves bytes: both slow down where they share memory.
func TestKernelAndCollectiveShareMemory(t *testing.T) {
	top := crossbar(2)
	top.NPU.Memory.Bandwidth = 60e9 // the ring sends and receives 25 GB/s each
	k := kernel("work", 100*us, 1)
	k.Bytes = 4 * megabyte // 40 GB/s
	w := Work{Topology: top, Calls: []Call{ringCall(megabyte)}, Streams: slices.Concat(streamsOf(2, calls("sum", 0)), streamsOf(2, k))}
	res := runWork(t, w)
	// 60 GB/s over the kernel, a send and a receive: 20 each while both run. 500 KB take 25 us.
	spanAt(t, res, "sum", 0, 2*(1*us+25*us))
	// The kernel has 20 GB/s for 25 us, 40 for 1 us, then 20 for 25 us, and 40 for 1 us and
	// after: 4 MB less 1.08 MB take 73 us more.
	spanAt(t, res, "work", 0, 125*us)
}
