package model

import (
	"context"
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// A message just below and just above the buffer differ by the cost of a round: 1 MB in
// one round, and 1 MB + 8 B in two, of which the second sends 4 B in each of two steps.
func TestBufferRounds(t *testing.T) {
	at := func(bytes, buffer units.Bytes) units.Duration {
		p := ringCall(bytes).Point
		p.Topology, p.Settings.Buffer = crossbar(2), buffer
		res, err := Simulate(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return res.Time
	}
	for _, c := range []struct{ bytes, buffer, want units.Duration }{
		{megabyte, megabyte, units.Duration(ringTime)},
		{megabyte + 8, megabyte, units.Duration(ringTime) + 2*(1*us+160)}, // 4 B at 25 GB/s
		{megabyte + 8, 0, units.Duration(ringTime) + 320},
		{4 * megabyte, megabyte, 4 * units.Duration(ringTime)},
	} {
		if got := at(units.Bytes(c.bytes), units.Bytes(c.buffer)); got != c.want {
			t.Errorf("%d B with a buffer of %d B take %v, want %v", c.bytes, c.buffer, got, c.want)
		}
	}
}

// Where every rank has a piece, the pieces share the buffer in units of 128 B.
func TestRoundSizes(t *testing.T) {
	for _, c := range []struct {
		collective algorithms.Collective
		want       []int64
	}{
		{algorithms.AllReduce, []int64{1000, 1000, 1000, 1000, 96}},
		{algorithms.Broadcast, []int64{1000, 1000, 1000, 1000, 96}},
		{algorithms.AllGather, []int64{4 * 128, 4 * 128, 4 * 128, 4 * 128, 4 * 128, 4 * 128, 4 * 128, 4 * 128}},
		{algorithms.AlltoAll, []int64{4 * 128, 4 * 128, 4 * 128, 4 * 128, 4 * 128, 4 * 128, 4 * 128, 4 * 128}},
	} {
		algorithm := "ring"
		if c.collective == algorithms.AlltoAll {
			algorithm = "pairwise"
		}
		p := Point{Topology: crossbar(4), Collective: c.collective, Algorithm: algorithm, Bytes: 4096, Elem: 4, Settings: Settings{Buffer: 1000}}
		rounds, err := p.Rounds()
		if err != nil {
			t.Fatal(err)
		}
		var sizes []int64
		for _, r := range rounds {
			sizes = append(sizes, r.Request.Bytes)
		}
		if !slices.Equal(sizes, c.want) {
			t.Errorf("%s in rounds of %v, want %v", c.collective, sizes, c.want)
		}
	}
}

// What could not be finished in a lifetime is refused.
func TestTooManyRounds(t *testing.T) {
	p := ringCall(1 << 40).Point
	p.Topology, p.Settings.Buffer = crossbar(2), 1<<20
	_, err := p.Rounds()
	if want := "1048576 rounds of 1MiB through HCCL's buffer, expected at most 100000: HCCL_BUFFSIZE is 1MiB"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The blocks of AlltoAllV are cut one by one; what is sent in all rounds is what is sent.
func TestBlockRounds(t *testing.T) {
	block := func(from, to int) int64 { return int64(from+1) * int64(to) * 100 }
	p := Point{Topology: crossbar(4), Collective: algorithms.AlltoAllV, Algorithm: "pairwise", Bytes: 2400, Elem: 4, Blocks: block, Settings: Settings{Buffer: 1024}}
	rounds, err := p.Rounds()
	if err != nil {
		t.Fatal(err)
	}
	if len(rounds) != 5 { // 1200 B in parts of 256
		t.Errorf("%d rounds, want 5", len(rounds))
	}
	for i := range 4 {
		for j := range 4 {
			var sum int64
			for _, r := range rounds {
				sum += r.Request.Blocks(i, j)
			}
			if sum != block(i, j) {
				t.Errorf("from %d to %d go %d B, want %d", i, j, sum, block(i, j))
			}
		}
	}
}

// The tasks of a transfer, by hand in TestRecipes: with a host thread that takes 5 us to
// start a collective and 2 us for each task, the sender's three tasks (wait, copy, record)
// are issued at 7, 9, 11 us and the receiver's two (record, wait) at 7, 9.
//
// Record: issued 7, launch 0.35, 0.72, latency 0.5 -> 8.57; wait 0.02 -> 8.59. Copy:
// issued 9, before the gap is over at 9.29, launch 0.33, set-up 0.6, 50 us, latency 0.5 ->
// 60.72, and so on: the rest has been issued. So 7 us later than without, as is told.
func TestHostIssues(t *testing.T) {
	top := taskMachine()
	free := oneMessage(t, top)
	top.NPU.Host.Host = Issue{Collective: 5 * us, Task: 2 * us}
	if got := oneMessage(t, top); got-free != 7*us {
		t.Errorf("with a host thread %v more, want 7us", got-free)
	}
	// Of 20 us a task the copy is issued at 45: launch 0.33, set-up 0.6, 50.5 -> 96.43; the
	// record is issued at 65, gap until 97.13, launch 0.35, 0.72, wait 0.02 -> 98.22.
	top.NPU.Host.Host.Task = 20 * us
	if got := oneMessage(t, top); got != 98_220*ns {
		t.Errorf("with 20 us a task %v, want 98.22us", got)
	}
	// The device issues its own tasks, and the host thread pays for the start only.
	top.NPU.Host.AICPU = Issue{Collective: 30 * us, Task: 1 * us}
	top.NPU.Expansion = ExpandAICPU
	if got := oneMessage(t, top); got-free != 31*us {
		t.Errorf("under AI_CPU %v more, want 31us", got-free)
	}
}

// oneMessage is the time of 1 MB from rank 0 to rank 1.
func oneMessage(t *testing.T, top Topology) units.Duration {
	t.Helper()
	p := Point{Topology: top, Collective: algorithms.Broadcast, Algorithm: "ring", Bytes: megabyte, Elem: megabyte, InPlace: true}
	res, err := Simulate(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res.Time
}

// A collective that is issued while its stream is busy costs no time to issue.
func TestIssuingIsHidden(t *testing.T) {
	top := crossbar(2)
	top.NPU.Host.Host = Issue{Collective: 8 * us, Task: 1 * us}
	w := Work{Topology: top, Calls: []Call{ringCall(megabyte)}, Streams: streamsOf(2, kernel("work", 100*us, 1), calls("sum", 0))}
	res := runWork(t, w)
	spanAt(t, res, "work", 0, 100*us)
	spanAt(t, res, "sum", 100*us, 100*us+ringTime)
	// One after the other, calls that take longer than their issue: only the first waits.
	w = Work{Topology: top, Calls: []Call{ringCall(megabyte), ringCall(megabyte)}, Streams: streamsOf(2, calls("a", 0), calls("b", 1))}
	spanAt(t, runWork(t, w), "b", 8*us+ringTime, 8*us+2*ringTime)
	// Barriers of one element take 2.00016 us each: the host thread issues one each 8 us.
	w.Calls = []Call{ringCall(4), ringCall(4)}
	spanAt(t, runWork(t, w), "b", 16*us, 18*us+2*160)
}

// AI cores that move data need no engine, no launch and no gap; they reduce on the way.
func TestAIV(t *testing.T) {
	top := taskMachine()
	top.NPU.Cores, top.NPU.Expansion = 48, ExpandAIV
	top.NPU.AIV = AIV{Cores: 24, Setup: 100 * ns, Notify: 1 * us, Copy: 10e9, Reduce: 5e9}
	// Flag 1, latency 0.5, set-up 0.1, 1 MB at 10 GB/s 100, latency 0.5, flag 1 on the way
	// with the data: 103.1.
	if got := oneMessage(t, top); got != 103_100*ns {
		t.Errorf("a message by AI cores takes %v, want 103.1us", got)
	}
	// Reducing at 5 GB/s.
	p := Point{Topology: top, Collective: algorithms.Reduce, Algorithm: "ring", Bytes: megabyte, Elem: megabyte, InPlace: true}
	res, err := Simulate(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Time != 203_100*ns {
		t.Errorf("a reduction by AI cores takes %v, want 203.1us", res.Time)
	}
	if names := kinds(t, p); !slices.Equal(names, []string{"Notify_Record", "Notify_Wait", "Reduce_Inline", "Notify_Wait", "Notify_Record"}) {
		t.Errorf("its tasks are %v", names)
	}
}

// kinds are the names of a point's tasks as they end.
func kinds(t *testing.T, p Point) (names []string) {
	t.Helper()
	if _, err := Simulate(context.Background(), p, Options{Trace: func(task Task) { names = append(names, task.Name) }}); err != nil {
		t.Fatal(err)
	}
	return names
}

// A collective under AIV holds its cores from start to end: a kernel that needs them waits,
// and so does the collective for a kernel.
func TestAIVHoldsCores(t *testing.T) {
	top := taskMachine()
	top.NPU.Scheduler = Scheduler{}
	top.NPU.Cores, top.NPU.Expansion = 48, ExpandAIV
	top.NPU.AIV = AIV{Cores: 24, Copy: 10e9, Reduce: 10e9}
	// Two steps of 0.5 us ready, 50 us, 0.5 us.
	const took = 2 * 51 * us
	w := Work{Topology: top, Calls: []Call{ringCall(megabyte)}, Streams: slices.Concat(
		streamsOf(2, calls("sum", 0)),
		streamsOf(2, kernel("half", 10*us, 24), kernel("most", 10*us, 25)))}
	res := runWork(t, w)
	spanAt(t, res, "sum", 0, took)
	spanAt(t, res, "half", 0, 10*us)
	s := spanAt(t, res, "most", 10*us, took+10*us)
	if want := []Part{{"engine", took - 10*us}, {"kernel", 10 * us}}; !slices.Equal(s.Critical, want) {
		t.Errorf("the kernel's path is %v, want %v", s.Critical, want)
	}
	w.Streams = slices.Concat(streamsOf(2, kernel("all", 10*us, 48)), streamsOf(2, calls("sum", 0)))
	s = spanAt(t, runWork(t, w), "sum", 0, 10*us+took)
	if s.Critical[slices.IndexFunc(s.Critical, func(p Part) bool { return p.Name == "engine" })].Time != 10*us {
		t.Errorf("the call's path is %v", s.Critical)
	}
}

// Two collectives under AIV that begin in different orders on two ranks and need more cores
// than there are wait for each other, spinning.
func TestAIVDeadlock(t *testing.T) {
	top := taskMachine()
	top.NPU.Cores, top.NPU.Expansion = 40, ExpandAIV
	top.NPU.AIV = AIV{Cores: 24}
	a, b := []Operator{calls("a", 0)}, []Operator{calls("b", 1)}
	w := Work{Topology: top, Calls: []Call{ringCall(megabyte), ringCall(megabyte)}, Streams: []Stream{
		{Name: "one", Rank: 0, Operators: a}, {Name: "two", Rank: 0, Start: 1 * us, Operators: b},
		{Name: "two", Rank: 1, Operators: b}, {Name: "one", Rank: 1, Start: 1 * us, Operators: a},
	}}
	deadlock(t, w, "rank 0 stream two, b waits for AI cores, of which stream one, a holds 24 of 40",
		"rank 1 stream one, a waits for AI cores, of which stream two, b holds 24 of 40")
	w.Topology.NPU.Cores = 48 // enough for both
	runWork(t, w)
}

// AI cores reach no further than links.
func TestAIVFallsBack(t *testing.T) {
	p := Point{Topology: rdmaMachine(), Settings: Settings{Expansion: ExpandAIV}}
	if e, fell := p.Expands(); e != ExpandHost || !fell {
		t.Errorf("over the network AIV becomes %s, %v", e, fell)
	}
	p.Topology.NPU.Expansion = ExpandAICPU
	if e, fell := p.Expands(); e != ExpandAICPU || !fell {
		t.Errorf("over the network AIV becomes %s, %v", e, fell)
	}
	p.Topology = taskMachine()
	if e, fell := p.Expands(); e != ExpandAIV || fell {
		t.Errorf("in a server AIV becomes %s, %v", e, fell)
	}
}

// Reductions on AI cores wait for kernels, and kernels for them; a higher priority is first.
func TestReduceOnCores(t *testing.T) {
	top := crossbar(2)
	top.NPU.Cores = 8
	top.NPU.Reduce = ReduceUnit{Bandwidth: 50e9, Cores: 2} // 500 KB in 10 us
	w := Work{Topology: top, Calls: []Call{ringCall(megabyte)}, Streams: slices.Concat(
		streamsOf(2, calls("sum", 0)),
		streamsOf(2, kernel("one", 30*us, 8), kernel("two", 30*us, 8)))}
	// The step is over at 21, one holds all cores until 30, two had asked before? No: the
	// reduction asked at 21, two at 30. So 30 to 40, step until 61.
	res := runWork(t, w)
	sum := spanAt(t, res, "sum", 0, 61*us)
	if want := []Part{{"latency", 2 * us}, {"engine", 9 * us}, {"reduce", 10 * us}, {"wire:ideal", 40 * us}}; !slices.Equal(sum.Critical, want) {
		t.Errorf("the sum's path is %v, want %v", sum.Critical, want)
	}
	spanAt(t, res, "two", 30*us, 70*us)
	// With the kernels' cores free it is the plain ring.
	w.Streams = w.Streams[:2]
	spanAt(t, runWork(t, w), "sum", 0, 52*us)
}

// Equal priorities change nothing; priorities reach the scheduler and the queue for cores,
// not engines and links.
func TestPriorities(t *testing.T) {
	top := taskMachine()
	run := func(a, b uint8) Result {
		w := Work{Topology: top, Calls: []Call{ringCall(4096), ringCall(4096), ringCall(4096)}}
		for r := range 2 {
			w.Streams = append(w.Streams,
				Stream{Name: "first", Rank: r, Priority: a, Operators: []Operator{calls("first", 2)}},
				Stream{Name: "a", Rank: r, Priority: a, Operators: []Operator{calls("a", 0)}},
				Stream{Name: "b", Rank: r, Priority: b, Operators: []Operator{calls("b", 1)}})
		}
		return runWork(t, w)
	}
	equal, high := run(0, 0), run(7, 7)
	if !slices.EqualFunc(equal.Spans, high.Spans, func(a, b Span) bool { return a.Start == b.Start && a.End == b.End }) {
		t.Errorf("equal priorities change %v to %v", equal.Spans, high.Spans)
	}
	// The first stream has the scheduler; of the others b is launched before a.
	mixed := run(7, 0)
	if mixed.Spans[2].End >= equal.Spans[2].End || mixed.Spans[1].End <= equal.Spans[1].End {
		t.Errorf("with priority b ends at %v, without at %v", mixed.Spans[2].End, equal.Spans[2].End)
	}
	// With one engine and no launches there is nothing to be first at.
	top.NPU.Scheduler, top.NPU.DMA.Engines = Scheduler{}, 1
	equal, mixed = run(0, 0), run(7, 0)
	if !slices.EqualFunc(equal.Spans, mixed.Spans, func(a, b Span) bool { return a.End == b.End }) {
		t.Errorf("priorities change engines: %v and %v", equal.Spans, mixed.Spans)
	}
}

// Joins of a rank's lanes cost a local notify each, if it says so.
func TestSyncNotify(t *testing.T) {
	at := func(notify bool) Result {
		top := taskMachine()
		top.NPU.SyncNotify = notify
		s := newScript(2, megabyte)
		s.send(0, 1, 0)
		s.steps[1] = append(s.steps[1], []algorithms.Step{algorithms.Idle})
		s.steps[1][1][0].After = algorithms.Ref{Rank: 1, Lane: 0, Step: 0}
		res, _ := play(t, top, s)
		return res
	}
	free, paid := at(false), at(true)
	// Record: gap 0.7, launch 0.35, 0.72; wait: gap 0.7, launch 0.75, 0.02.
	if want := 3240 * ns; paid.Time-free.Time != want {
		t.Errorf("a join costs %v, want %v", paid.Time-free.Time, want)
	}
	if paid.Tasks != free.Tasks+2 {
		t.Errorf("%d tasks, want two more than %d", paid.Tasks, free.Tasks)
	}
}

// The same seed gives the same run, another one another; the mean stays near what it is
// without.
func TestJitter(t *testing.T) {
	at := func(sigma, seed int64) units.Duration {
		p := Point{Topology: taskMachine(), Collective: algorithms.AllReduce, Algorithm: "ring", Bytes: 4096, Elem: 4, InPlace: true,
			Iterations: 200, Jitter: Jitter{Sigma: sigma, Seed: seed}}
		res, err := Simulate(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return res.Time
	}
	still := at(0, 1)
	one, again, other := at(100, 1), at(100, 1), at(100, 2)
	if one != again || one == other || one == still {
		t.Errorf("seed 1: %v and %v, seed 2: %v, without: %v", one, again, other, still)
	}
	// Each step waits for the later of two, so that noise costs time; 0.1 in a task of a
	// tenth of a step cannot cost 5 %.
	if diff := float64(one-still) / float64(still); diff < -0.01 || diff > 0.05 {
		t.Errorf("jitter of 10 %% changes the mean by %.1f %%", diff*100)
	}
}

// normal has mean 0 and deviation 1, exponential is e^x.
func TestNoiseIsLognormal(t *testing.T) {
	var sum, squares float64
	const n = 100_000
	for i := range uint64(n) {
		z := normal(mix(i))
		sum += z
		squares += z * z
	}
	if mean, variance := sum/n, squares/n; mean < -0.01 || mean > 0.01 || variance < 0.99 || variance > 1.01 {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
	for x, want := range map[float64]float64{0: 1, 1: 2.718281828459045, -1: 0.36787944117144233, 3: 20.085536923187668, -0.3: 0.7408182206817179} {
		if got := exponential(x); got < want*(1-1e-13) || got > want*(1+1e-13) {
			t.Errorf("e^%v = %v, want %v", x, got, want)
		}
	}
}
