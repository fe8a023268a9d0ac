package scenarios

import (
	"math"
	"slices"
	"strings"
	"testing"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// byHand are scenarios of streams whose times follow from a line of arithmetic: what each
// operator's end must be.
var byHand = []struct {
	name, text string
	ends       map[string]units.Duration
}{
	// The front layer has no tensors, and its backward pass takes time all the same: 20 us forward,
	// 20 + 1000 us backward, 60 us update. The sum runs from 40 us on, 14 x 5 us + 14 x 125 kB / 25 GB/s.
	{"a layer in front without tensors", `topology: {use: uniform, npu: {reduce: null}}
run:
  - name: x
    training-step:
      model: {layers: [{name: a, forward: 10us, backward: 1000us}, {name: b, forward: 10us, backward: 20us, tensors: [250000]}]}
      algorithm: ring
      update: 60us
`, map[string]units.Duration{"backward": 1040 * us, "bucket-1": 180 * us, "update": 1100 * us, "": 1100 * us}},
	// Reductions of 1 ms come at 100, 110 and 120 us: the unit takes who comes first, whatever the priority.
	{"the reduce unit knows no priority", `topology: {servers: 1, server: {npus: 4, links: [{class: ideal, connect: full-mesh, npus: all, bandwidth: 10GB/s}]}, npu: {handshake: ideal, reduce: {bandwidth: 1GB/s}}}
communicators: {a: {ranks: [0, 1]}, b: {ranks: [0, 2]}, c: {ranks: [0, 3]}}
run:
  - name: x
    streams:
      - {name: a, ranks: 0-1, priority: 3, operators: [{name: ra, reduce: 1MB, algorithm: star, communicator: a, dtype: uint8}]}
      - {name: b, ranks: [0, 2], priority: 7, start: 10us, operators: [{name: rb, reduce: 1MB, algorithm: star, communicator: b, dtype: uint8}]}
      - {name: c, ranks: [0, 3], priority: 0, start: 20us, operators: [{name: rc, reduce: 1MB, algorithm: star, communicator: c, dtype: uint8}]}
`, map[string]units.Duration{"ra": 1100 * us, "rb": 2100 * us, "rc": 3100 * us}},
	// A port kept for requests of 100 us each: those of the higher priority go first, one after the other.
	{"a port by request keeps priorities", `topology:
  servers: 3
  server: {npus: 1}
  network: {class: net, connect: switch, latency: 0us}
  npu: {handshake: rendezvous, nic: {bandwidth: 10GB/s, arbitration: request, request: {max: 1MB}}}
run:
  - name: x
    streams:
      - {name: h, ranks: 0, priority: 0, start: 1us, operators: [{name: high, send: 3MB, to: 1}]}
      - {name: h, ranks: 1, priority: 0, start: 1us, operators: [{name: high, recv: 3MB, from: 0}]}
      - {name: l, ranks: 0, priority: 7, start: 2us, operators: [{name: low, send: 3MB, to: 2}]}
      - {name: l, ranks: 2, priority: 7, start: 2us, operators: [{name: low, recv: 3MB, from: 0}]}
`, map[string]units.Duration{"high": 301 * us, "low": 601 * us}},
	// Under the ideal handshake there are no engines to wait for: 1 us + 1 MB / 10 GB/s both ways at once.
	{"ideal copies take no engine", `topology:
  servers: 1
  server:
    npus: 2
    links: [{class: lk, connect: full-mesh, npus: all, bandwidth: 10GB/s}]
    host: {link: {class: pcie, bandwidth: 10GB/s, latency: 1us}}
  npu: {handshake: ideal, dma: {engines: 1, setup: 5us}}
run:
  - name: x
    streams:
      - {name: a, ranks: 0, operators: [{name: ca, copy-host: 1MB, direction: to-host}]}
      - {name: b, ranks: 0, operators: [{name: cb, copy-host: 1MB, direction: from-host}]}
`, map[string]units.Duration{"ca": 101 * us, "cb": 101 * us}},
}

const us = units.Microsecond

func TestByHand(t *testing.T) {
	for _, c := range byHand {
		rows := rowsOf(t, plan(t, scenario(c.text)))
		found := 0
		for _, r := range rows {
			want, ok := c.ends[r.Operator]
			if !ok {
				continue
			}
			found++
			// The notifies of 4 bytes between NPUs take less than a nanosecond.
			if end := r.Start + r.Time; end < want || end > want+units.Nanosecond*2 {
				t.Errorf("%s: %q ends at %v, want %v", c.name, r.Operator, end, want)
			}
		}
		if found != len(c.ends) {
			t.Errorf("%s: %d of %d operators are there", c.name, found, len(c.ends))
		}
	}
}

// What bytes of a kernel take beyond its time alone is their own: nobody shares the memory.
func TestKernelsOfManyBytes(t *testing.T) {
	rows := rowsOf(t, plan(t, scenario("topology: {use: uniform, npu: {cores: 8, memory: {bandwidth: 10GB/s}}}\n"+
		"run: [{streams: [{ranks: 0, operators: [{name: k, kernel: 100us, memory: 2MB}]}]}]\n")))
	want := []records.Part{{Cause: "kernel", Time: 100 * us}, {Cause: "wire:local", Time: 100 * us}}
	if got := rows[1].Critical; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
}

// AI cores do not reach over RDMA, inside a server neither: there the collective falls back.
func TestAIVOverRDMAInAServer(t *testing.T) {
	run := func(mode string) (units.Duration, string) {
		p := plan(t, scenario("topology: {use: atlas-200t-a2-box16}\nenv: {HCCL_INTRA_ROCE_ENABLE: 1, HCCL_OP_EXPANSION_MODE: "+mode+"}\n"+
			"run: [{collective: allreduce, sizes: 1MiB, algorithms: mesh}]\n"))
		return rowsOf(t, p)[0].Time, warned(p)
	}
	host, _ := run("HOST")
	aiv, warning := run("AIV")
	if aiv != host || !strings.Contains(warning, "AI cores do not reach over the network") {
		t.Errorf("AIV takes %v, HOST %v; warned %q", aiv, host, warning)
	}
}

// Messages of one communicator share its buffers.
func TestBuffersOfMessages(t *testing.T) {
	rows := rowsOf(t, plan(t, scenario("topology: {use: atlas-800t-a2}\nrun:\n- streams:\n"+
		"  - {ranks: 0, operators: [{send: 1MB, to: 1}, {send: 1MB, to: 1}, {send: 1MB, to: 2}]}\n"+
		"  - {ranks: 1, operators: [{recv: 1MB, from: 0}, {recv: 1MB, from: 0}]}\n  - {ranks: 2, operators: [{recv: 1MB, from: 0}]}\n")))
	if got := rows[0].Buffer; got != 400<<20 {
		t.Errorf("the buffers take %v, want 400MiB", got)
	}
}

// A cut link that only notifies cross is found before the run.
func TestCutWayBack(t *testing.T) {
	_, err := planOf(scenario("topology: {use: atlas-800t-a2}\nfaults: {links: [{link: \"hccs s0n1>n0\", cut: true}]}\n" +
		"run: [{collective: broadcast, sizes: 1MiB, algorithms: [star]}]\n"))
	if want := "test.yaml:5:18: broadcast star 1MiB on atlas-800t-a2, 8 ranks: the link hccs s0n1>n0 from rank 1"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A size below the buffer may need two rounds, as ranks' parts are rounded: then it has an effect.
func TestRoundsBelowTheBuffer(t *testing.T) {
	p := plan(t, scenario("topology: {use: atlas-800t-a2, servers: 3}\nenv: {HCCL_BUFFSIZE: 100}\nrun: [{collective: allgather, sizes: 100MiB, algorithms: mesh+ring}]\n"))
	if rows := rowsOf(t, p); rows[0].Rounds != 2 || warned(p) != "" {
		t.Errorf("%d rounds, warned %q", rows[0].Rounds, warned(p))
	}
}

// Quantiles of Student's t beyond the table, from statistical tables; and operators of repeated
// runs have an interval of their own.
func TestIntervals(t *testing.T) {
	for freedom, want := range map[int]float64{30: 2.042, 40: 2.0211, 60: 2.0003, 120: 1.9799, 199: 1.9720, 999: 1.9623} {
		if got := student(freedom); math.Abs(got-want) > 1e-4 {
			t.Errorf("t of %d: %.5f, want %.4f", freedom, got, want)
		}
	}
	rows := rowsOf(t, plan(t, scenario("topology: {use: uniform}\njitter: {sigma: 0.3, seed: 1}\nrepeat: 20\n"+
		"run: [{streams: [{ranks: 0, operators: [{name: k, kernel: 100us}]}]}]\n")))
	whole, k := rows[0], rows[1]
	if k.Repeat != 20 || k.Interval != whole.Interval || k.Interval == 0 {
		t.Errorf("the kernel: %d runs, interval %v; the whole %v", k.Repeat, k.Interval, whole.Interval)
	}
}

// What best chooses is repeated like everything else: it equals the algorithm by its name.
func TestBestOfRepeatedRuns(t *testing.T) {
	rows := rowsOf(t, plan(t, scenario("topology: {use: atlas-800t-a2, servers: 2}\njitter: {sigma: 0.2}\nrepeat: 5\n"+
		"run: [{collective: allreduce, sizes: 64KiB, algorithms: [best, pipeline], candidates: [pipeline, mesh+ring]}]\n")))
	best, named := rows[0], rows[1]
	if best.Algorithm != "pipeline" || best.Time != named.Time || best.Interval != named.Interval || best.Repeat != 5 {
		t.Errorf("best: %s %v ±%v of %d, pipeline %v ±%v", best.Algorithm, best.Time, best.Interval, best.Repeat, named.Time, named.Interval)
	}
}

// A collective of a communicator in one server is one of one server; a kernel is the machine's.
func TestServersOfOperators(t *testing.T) {
	rows := rowsOf(t, plan(t, scenario("topology: {use: atlas-800t-a2, servers: 2}\ncommunicators: {tp: {size: 8}}\n"+
		"run: [{streams: [{operators: [{name: sum, allreduce: 1MiB, communicator: tp}, {name: k, kernel: 1us}]}]}]\n")))
	for _, r := range rows[1:] {
		if want := map[string]int{"sum": 1, "k": 2}[r.Operator]; r.Servers != want {
			t.Errorf("%s: %d servers, want %d", r.Operator, r.Servers, want)
		}
	}
}

// A sender copies its data in and nothing out, a receiver out and nothing in; and a warning does
// not say that copies do nothing.
func TestCopiesOfMessages(t *testing.T) {
	p := plan(t, scenario("topology: {use: atlas-800t-a2, npu: {copies: full}}\nrun: [{streams: [{ranks: 0, operators: [{send: 1MiB, to: 1}]}, {ranks: 1, operators: [{recv: 1MiB, from: 0}]}]}]\n"))
	rows := rowsOf(t, p)
	if i := slices.IndexFunc(rows[0].Volumes, func(v records.Volume) bool { return v.Class == "local" }); i < 0 || rows[0].Volumes[i].Bytes != 2<<20 {
		t.Errorf("moved %v, want 2MiB inside the NPUs", rows[0].Volumes)
	}
	if w := warned(p); w != "" {
		t.Errorf("warned %q", w)
	}
}

// The computing of a step is that of its slowest rank: what it takes longer is not exposed
// communication.
func TestComputingOfASlowRank(t *testing.T) {
	step := func(faults string) records.Row {
		return rowsOf(t, plan(t, scenario("topology: {use: uniform, server: {npus: 2}, npu: {reduce: null}}\n"+faults+
			"run: [{training-step: {algorithm: ring, model: {layers: [{forward: 10us, backward: 20us, tensors: [1000]}]}}}]\n")))[0]
	}
	if r := step("faults: {stragglers: [{rank: 1, slow: 1.5}]}\n"); r.Compute != 45*us || r.Exposed != step("").Exposed {
		t.Errorf("computing %v, exposed %v", r.Compute, r.Exposed)
	}
}

// A key that is not swept yet can be swept from outside.
func TestSweepFromOutside(t *testing.T) {
	p := plan(t, runOf("collective: allreduce, sizes: 1KiB, algorithms: ring"), Override{"sweep.topology.server.npus", "[2, 4]", "--set"}, Override{"sweep.jitter.sigma", "[0, 0.1]", "--set"})
	if len(p.Points) != 4 || p.Points[3].Row.Ranks != 4 || strings.Join(p.Swept, " ") != "topology.server.npus jitter.sigma" {
		t.Errorf("%d points over %v", len(p.Points), p.Swept)
	}
	if _, err := planOf(runOf("collective: allreduce, sizes: 1KiB, algorithms: ring"), Override{"sweep.topology.server.npus", "2", "--set"}); err == nil {
		t.Error("one value is no list")
	}
}
