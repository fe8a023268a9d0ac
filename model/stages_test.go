package model

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// chainMachine is two NPUs in two servers whose NICs have a chain of stages and nothing
// else that costs: no post, no issue, no notifies, no latency. The ready is a request too
// and goes through the chain before the data.
func chainMachine(fetch, store Stage, wire units.Rate) Topology {
	t := rdmaMachine()
	t.Network.Latency = 0
	t.NPU = NPU{Handshake: Rendezvous, NIC: NIC{Ports: 1, Bandwidth: wire, Staged: true, Fetch: fetch, Store: store}}
	return t
}

// message sends n bytes over the network and returns the time from the end of the ready,
// which is a message of four bytes through the same stages.
func messageTime(t *testing.T, top Topology, n int64, s Settings, reduce bool) sim.Time {
	t.Helper()
	at := func(bytes int64) Result {
		sc := newScript(2, bytes)
		if bytes == 0 {
			sc.signal(1, 0)
		} else if _, to := sc.send(0, 1, 0); reduce {
			to.Reduce = true
		}
		res, _ := playPoint(t, Point{Topology: top, Settings: s}, sc, Options{})
		return res
	}
	return sim.Time(at(n).Time - at(0).Time)
}

// flowShop is the recurrence of a chain: stage i works on one request at a time, when the
// former has finished it. times[i][j] is the time of request j in stage i.
func flowShop(times [][]sim.Time) sim.Time {
	done := make([]sim.Time, len(times))
	for j := range times[0] {
		for i := range times {
			start := done[i]
			if i > 0 {
				start = max(start, done[i-1])
			}
			done[i] = start + times[i][j]
		}
	}
	return done[len(done)-1]
}

// over is the time of n bytes at a rate, rounded up as a flow's.
func over(n int64, rate units.Rate) sim.Time { return sim.Time(algorithms.Duration(n, int64(rate))) }

// chainTimes are the times of the stages of a message's requests.
func chainTimes(top Topology, n, split int64, reduce bool) [][]sim.Time {
	nic := &top.NPU.NIC
	times := make([][]sim.Time, 3)
	if reduce {
		times = make([][]sim.Time, 4)
	}
	for ; n > 0; n -= min(n, split) {
		s := min(n, split)
		times[0] = append(times[0], sim.Time(nic.Fetch.Overhead)+over(s, nic.Fetch.Bandwidth))
		times[1] = append(times[1], sim.Time(nic.WireOverhead)+over(s, nic.Bandwidth))
		times[2] = append(times[2], sim.Time(nic.Store.Overhead)+over(s, nic.Store.Bandwidth))
		if reduce {
			times[3] = append(times[3], sim.Time(top.NPU.Reduce.Setup)+over(s, top.NPU.Reduce.Bandwidth))
		}
	}
	return times
}

// The staged chain is the flow-shop recurrence, to the picosecond, in 1,000 random cases.
func TestStagedChainIsAFlowShop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rate := func() units.Rate { return units.Rate(1e9 + r.Int64N(40e9)) }
	overhead := func() units.Duration { return units.Duration(r.Int64N(int64(3 * us))) }
	for i := range 1000 {
		top := chainMachine(Stage{rate(), overhead()}, Stage{rate(), overhead()}, rate())
		if i%3 > 0 {
			top.NPU.NIC.WireOverhead = overhead()
		}
		reduce := i%2 == 1
		if reduce {
			top.NPU.Reduce = ReduceUnit{Bandwidth: rate(), Setup: overhead()}
			top.NPU.NIC.GrainRequest = true
		}
		n := 1 + r.Int64N(4<<20)
		split := max(1, n/(1+r.Int64N(40)))
		got := messageTime(t, top, n, Settings{Split: units.Bytes(split)}, reduce)
		if want := flowShop(chainTimes(top, n, split, reduce)); got != want {
			t.Fatalf("case %d: %d B in requests of %d B take %d ps, the recurrence %d", i, n, split, got, want)
		}
	}
}

// Where the split divides the message into at most ten requests it is the closed form
// post + alpha + sum_i t_i + (k-1) max_i t_i, with t_i = s/B_i + o_i.
func TestStagedChainClosedForm(t *testing.T) {
	const post, alpha = 7 * us, 1500 * ns
	for k := int64(1); k <= doorbell; k++ {
		top := chainMachine(Stage{25e9, 1 * us}, Stage{20e9, 800 * ns}, 12_500_000_000)
		top.Network.Latency = alpha
		top.NPU.NIC.Request.Post = post
		const split = 80_000
		var sum, most sim.Time
		for _, stage := range chainTimes(top, split, split, false) {
			sum, most = sum+stage[0], max(most, stage[0])
		}
		want := sim.Time(post) + sim.Time(alpha) + sum + sim.Time(k-1)*most
		if got := messageTime(t, top, k*split, Settings{Split: split}, false); got != want {
			t.Errorf("%d requests take %d ps, the closed form %d", k, got, want)
		}
	}
}

// Beyond ten requests posting is a stage that releases ten at a time.
func TestPostingIsAStage(t *testing.T) {
	top := chainMachine(Stage{25e9, 0}, Stage{25e9, 0}, 25e9)
	top.NPU.NIC.Request.Post = 100 * us
	// 25 requests of 25 KB, 1 us in each stage: the last five are posted at 300 us, and pass
	// the three stages in 5 + 2 us.
	if got, want := messageTime(t, top, 25*25_000, Settings{Split: 25_000}, false), 307*sim.Time(us); got != want {
		t.Errorf("25 requests take %d ps, want %d", got, want)
	}
}

// The best split is s* = sqrt(n o_m / sum over i != m of 1/B_i), m the bottleneck: of the
// sizes tried the nearest in ratio has the lowest time, and the curve falls to it and rises
// after it.
func TestBestSplitIsPredicted(t *testing.T) {
	for _, c := range []struct {
		n               int64
		fetch, store    Stage
		wire            units.Rate
		bottleneck, sum float64 // o_m in s, sum of 1/B of the others
	}{
		{16 << 20, Stage{8e9, 2 * us}, Stage{25e9, 500 * ns}, 12_500_000_000, 2e-6, 1/25e9 + 1/12.5e9},
		{64 << 20, Stage{25e9, 1 * us}, Stage{6e9, 4 * us}, 24_300_000_000, 4e-6, 1/25e9 + 1/24.3e9},
		{16 << 20, Stage{27e9, 1 * us}, Stage{20e9, 1 * us}, 9e9, 1e-6, 1/27e9 + 1/20e9},
	} {
		top := chainMachine(c.fetch, c.store, c.wire)
		top.NPU.NIC.WireOverhead = 1 * us
		star := math.Sqrt(float64(c.n) * c.bottleneck / c.sum)
		var near, best int64
		var least sim.Time = math.MaxInt64
		var times []sim.Time
		for k := int64(4); k <= 1024; k *= 2 { // sizes that divide n
			s := c.n / k
			took := messageTime(t, top, c.n, Settings{Split: units.Bytes(s)}, false)
			times = append(times, took)
			if took < least {
				best, least = s, took
			}
			if near == 0 || math.Abs(math.Log(float64(s)/star)) < math.Abs(math.Log(float64(near)/star)) {
				near = s
			}
		}
		if best != near {
			t.Errorf("n %d: best split %d, predicted %.0f, nearest tried %d", c.n, best, star, near)
		}
		turn := slices.Index(times, least)
		for i := 1; i < len(times); i++ {
			if falls := times[i] < times[i-1]; falls != (i <= turn) {
				t.Errorf("n %d: the curve is no U: %v", c.n, times)
				break
			}
		}
	}
}

// On the direct path with inline reduction splitting does not help: it costs headers, and
// issue where that is the slower stage. What it buys is an earlier start of a reduction that
// is not inline.
func TestSplittingOnTheDirectPath(t *testing.T) {
	top := rdmaMachine()
	top.NPU.NIC.Inline = true
	top.NPU.NIC.MTU, top.NPU.NIC.Header, top.NPU.NIC.Request.Header = 4096, 82, 16
	at := func(split units.Bytes) sim.Time {
		return messageTime(t, top, 8<<20, Settings{Split: split}, true)
	}
	whole := at(0)
	for _, split := range []units.Bytes{4 << 10, 64 << 10, 1 << 20, 4 << 20} {
		if got := at(split); got < whole {
			t.Errorf("in requests of %v it takes %d ps, whole %d", split, got, whole)
		}
	}
	top.NPU.NIC.Inline = false
	whole = at(0)
	if got := at(1 << 20); got < whole {
		t.Errorf("with a reduction of whole messages in requests of 1 MiB %d ps, whole %d", got, whole)
	}
	top.NPU.NIC.GrainRequest = true
	whole = at(0)
	if got := at(1 << 20); got >= whole {
		t.Errorf("with a reduction of each request in requests of 1 MiB %d ps, whole %d", got, whole)
	}
}

// The multi-QP rule, and the parts that it makes.
func TestQueuePairParts(t *testing.T) {
	const kib = 1 << 10
	for _, c := range []struct {
		n         int64
		pairs     int
		threshold units.Bytes
		want      []int64
	}{
		{1 << 20, 4, 512 * kib, []int64{512 * kib, 512 * kib}},
		{1 << 20, 4, 0, []int64{512 * kib, 512 * kib}}, // HCCL's default
		{300 * kib, 4, 512 * kib, []int64{300 * kib}},  // t > n
		{2 << 20, 4, 512 * kib, []int64{512 * kib, 512 * kib, 512 * kib, 512 * kib}},
		{4 << 20, 4, 512 * kib, []int64{1 << 20, 1 << 20, 1 << 20, 1 << 20}},
		{1_000_000, 3, 100 * kib, []int64{333_312, 333_312, 333_376}},
		{1 << 20, 1, 1 * kib, []int64{1 << 20}},
		{1 << 20, 0, 1 * kib, []int64{1 << 20}},
		{4, 8, 1 * kib, []int64{4}},
	} {
		s := Settings{QueuePairs: c.pairs, MultiQP: c.threshold}
		var got []int64
		parts := s.parts(c.n)
		for q := range parts {
			got = append(got, partOf(c.n, parts, q))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d B, %d queue pairs, threshold %v: parts %v, want %v", c.n, c.pairs, c.threshold, got, c.want)
		}
		var sum int64
		for i, n := range got {
			sum += n
			if i < len(got)-1 && n%128 != 0 {
				t.Errorf("part of %d B is not a multiple of 128", n)
			}
		}
		if sum != c.n {
			t.Errorf("%d B in parts that add up to %d", c.n, sum)
		}
	}
}

// Queue pairs have stages of their own and share the port: two parts of a staged message
// overlap where one queue pair's stages would wait, and each has a doorbell.
func TestQueuePairsOverlap(t *testing.T) {
	top := chainMachine(Stage{25_600_000_000, 10 * us}, Stage{25_600_000_000, 0}, 25_600_000_000)
	// 1,024,000 B. One queue pair, one request: 10 + 40 + 40 + 40. Two: both fetch at once, half
	// each at half of the rate, then share wire and store: 10 + 40 + 40 + 40. Two requests on
	// one pair: fetch 10 + 20, again 10 + 20, then wire and store of the second: 20 + 20.
	for _, c := range []struct {
		s    Settings
		want sim.Time
	}{
		{Settings{}, 130},
		{Settings{QueuePairs: 2, MultiQP: 1 << 10}, 130},
		{Settings{Split: 512_000}, 100},
		// Two on each of two pairs: fetch 10 + 20 and 10 + 20 again, 256 KB each at half of the
		// rate, then wire 20 and store 20.
		{Settings{QueuePairs: 2, MultiQP: 1 << 10, Split: 256_000}, 100},
	} {
		if got := messageTime(t, top, 1_024_000, c.s, false); got != c.want*sim.Time(us) {
			t.Errorf("%+v: %d ps, want %d us", c.s, got, c.want)
		}
	}
	top.NPU.NIC.Request.Post = 7 * us
	for pairs := 1; pairs <= 3; pairs++ {
		s := newScript(2, 1_024_000)
		from, to := s.send(0, 1, 0)
		from.Synced, to.Synced = true, true
		_, ends := playPoint(t, Point{Topology: top, Settings: Settings{QueuePairs: pairs, MultiQP: 1 << 10}}, s, Options{})
		near(t, "the last doorbell", ends[0][0], sim.Time(pairs)*7*sim.Time(us), 0)
	}
}

// With request arbitration a port carries one request at a time, the highest priority
// first; packets of all queue pairs share it otherwise.
func TestArbitration(t *testing.T) {
	run := func(byRequest bool, priority uint8) Result {
		top := rdmaMachine()
		top.Servers = 4
		top.Network.Latency = 0
		top.NPU = NPU{Handshake: Rendezvous, NIC: NIC{Ports: 1, Bandwidth: 24e9, ByRequest: byRequest}}
		w := Work{Topology: top, Settings: Settings{Split: 240_000}}
		for i, to := range []int32{1, 2, 3} {
			w.Calls = append(w.Calls, Call{Members: []int32{0, to}, Point: Point{Collective: algorithms.Broadcast, Algorithm: "ring", Bytes: 960_000, Elem: 960_000, InPlace: true}})
			name := fmt.Sprint("to", to)
			for _, r := range []int{0, int(to)} {
				s := Stream{Name: name, Rank: r, Operators: []Operator{calls(name, i)}}
				if i == 1 {
					s.Priority = priority
				}
				w.Streams = append(w.Streams, s)
			}
		}
		return runWork(t, w)
	}
	// Three readies of 4 B share the port in. By packet all take three times 40 us.
	const ready = 500
	ends := func(res Result, want ...units.Duration) {
		t.Helper()
		for i, end := range want {
			spanAt(t, res, fmt.Sprint("to", i+1), 0, end+ready)
		}
	}
	ends(run(false, 0), 120*us, 120*us, 120*us)
	ends(run(false, 7), 120*us, 120*us, 120*us)
	// By request they take turns of 10 us.
	ends(run(true, 0), 100*us, 110*us, 120*us)
	// A lower priority waits while requests of others do.
	ends(run(true, 7), 70*us, 120*us, 80*us)
}

// finack: the receiver acknowledges, and the sender waits for it: by hand after
// TestRecipes, receiver at 58.68016; RDMASend: gap 0.7, launch 0.33, post 7, issue 0.14,
// 160 ps, latency 1.5; the sender's wait 0.02.
func TestFinack(t *testing.T) {
	top := rdmaMachine()
	top.NPU.NIC.Finack = true
	s := newScript(2, megabyte)
	s.send(0, 1, 0)
	res, ends := play(t, top, s)
	near(t, "sender", ends[0][0], 58_680_160+700_000+330_000+7_000_000+140_000+160+1_500_000+20_000, 0)
	near(t, "receiver", ends[1][0], 58_680_160+700_000+330_000+7_000_000, 0)
	if res.Requests != 3 {
		t.Errorf("%d requests, want 3: ready, data, acknowledgement", res.Requests)
	}
}

// RDMA read: the source is ready at 8.97016 as in TestRecipes; the reader's wait 0.02,
// RDMASend: gap 0.7, launch 0.33, post 7 -> 17.02016, issue 0.14, a latency to the source,
// 40 us, a latency back -> 60.16016; wait 0.02; done: gap 0.7, launch 0.33, post 7, issue
// 0.14, 160 ps, latency 1.5; the source's wait 0.02.
func TestReadOverRDMA(t *testing.T) {
	top := rdmaMachine()
	top.NPU.NIC.Drive = algorithms.Read
	s := newScript(2, megabyte)
	s.send(0, 1, 0)
	_, ends := play(t, top, s)
	near(t, "reader", ends[1][0], 60_180_160+8_030_000, 0)
	near(t, "source", ends[0][0], 60_180_160+8_030_000+140_000+160+1_500_000+20_000, 0)
}

// NPUs that share a NIC share its port, processor and stages.
func TestSharedNIC(t *testing.T) {
	at := func(share int) units.Duration {
		top := rdmaMachine()
		top.Server.NPUs, top.Network.Latency = 2, 0
		top.NPU = NPU{Handshake: Rendezvous, NIC: NIC{Ports: 1, NPUs: share, Bandwidth: 25e9}}
		s := newScript(4, megabyte)
		s.send(0, 2, 0)
		s.send(1, 3, 0)
		res, _ := play(t, top, s)
		if res.Busiest[0].Link != map[int]string{1: "roce s0n0 out", 2: "roce s0n0-1 out"}[share] {
			t.Errorf("the busiest link is %s", res.Busiest[0].Link)
		}
		return res.Time
	}
	if own, shared := at(1), at(2); own != 40*us+160 || shared != 80*us+320 {
		t.Errorf("with NICs of their own %v, with one %v", own, shared)
	}
}

// The measured write bandwidth of one queue pair over message size: testdata/ib_write_bw.csv
// is ib_write_bw over 100 GbE RoCE, MTU 1,024, from NVIDIA's GPU Operator documentation. The
// tool keeps 128 messages in flight; here they are the requests of one message. Within 2 %
// from 512 B up, 4 % below.
func TestWriteBandwidth(t *testing.T) {
	top := rdmaMachine()
	top.Network.Latency = 0
	top.NPU = NPU{Handshake: Rendezvous, NIC: NIC{Ports: 1, Bandwidth: 12_500_000_000, MTU: 1024, Header: 82, Request: WorkRequest{Issue: 140 * ns}}}
	file, err := os.Open("testdata/ib_write_bw.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 24 {
		t.Fatalf("%d rows, want 23 and their names", len(rows))
	}
	for _, row := range rows[1:] {
		size, err := strconv.ParseInt(row[4], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		measured, err := strconv.ParseFloat(row[6], 64)
		if err != nil {
			t.Fatal(err)
		}
		n := size * max(1000, (1<<20)/size)
		took := messageTime(t, top, n, Settings{Split: units.Bytes(size)}, false)
		simulated := float64(n) / float64(took) * 1000 // bytes per ps are TB/s
		allowed := 0.02
		if size < 512 {
			allowed = 0.04
		}
		if e := simulated/measured - 1; math.Abs(e) > allowed {
			t.Errorf("%d B: %.4f GB/s, measured %.4f: %+.1f %%", size, simulated, measured, e*100)
		}
	}
}

// Requests cost no memory after their first use.
func TestRequestsDoNotAllocate(t *testing.T) {
	at := func(split units.Bytes) float64 {
		top := chainMachine(Stage{25e9, 1 * us}, Stage{25e9, 1 * us}, 25e9)
		p := Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: "ring", Bytes: 1 << 24, Elem: 4, InPlace: true, Settings: Settings{Split: split}}
		return testing.AllocsPerRun(2, func() {
			if _, err := Simulate(context.Background(), p, Options{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := at(1<<14), at(1<<11); many > few+200 {
		t.Errorf("%v allocations with few requests, %v with eight times as many", few, many)
	}
}
