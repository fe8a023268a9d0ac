package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"hcclsim/topologies/document"
)

// streamsOf is a scenario of streams on four ranks with 8 cores each.
func streamsOf(streams string, more ...string) string {
	return scenario("topology: {use: uniform, server: {npus: 4, links: [{class: ideal, connect: crossbar, npus: all, bandwidth: 25GB/s}]}, npu: {cores: 8}}\n" +
		strings.Join(more, "\n") + "\nrun:\n- name: work\n  streams:\n" + streams)
}

// What is wrong with streams is reported at its place, all of it at once.
func TestStreamErrors(t *testing.T) {
	for _, c := range []struct {
		streams, more string
		want          []string
	}{
		{"  - {name: a, ranks: 0, operators: [{wait: never}]}\n", "",
			[]string{"test.yaml:9:37: run.0.streams.0.operators.0: nobody on rank 0 records event never"}},
		{"  - {name: a, ranks: 0, operators: [{record: e}, {record: e}]}\n", "",
			[]string{"event e is recorded twice on rank 0, first at test.yaml:9:37"}},
		{"  - {name: a, ranks: 0, operators: [{send: 1MB, to: 1}]}\n", "",
			[]string{"nobody receives it: of ranks 0 and 1 only the sender takes part"}},
		{"  - {name: a, ranks: 0, operators: [{send: 1MB, to: 1}]}\n  - {name: a, ranks: 1, operators: [{recv: 2MB, from: 0}]}\n", "",
			[]string{"test.yaml:10:37: run.0.streams.1.operators.0: is 2MB, not 1MB, as at test.yaml:9:37"}},
		{"  - {name: a, ranks: 0, operators: [{recv: 1MB, from: 0}]}\n", "",
			[]string{"rank 0 receives from itself"}},
		{"  - {name: a, operators: [{kernal: 1ms, cores: 2}, {name: x}, {frobnicate: 1}]}\n", "",
			[]string{`operators.0.kernal: unknown operator "kernal", did you mean kernel?`, "operators.1: says nothing to do, expected one of kernel, send", `unknown operator "frobnicate", expected one of kernel, send`}},
		{"  - {name: a, operators: [{send: 1MB, to: 40}, {kernel: 1ks}, {wait: nope}, {record: e}, {record: e}, {allreduce: 1MB, communicator: tp}]}\n", "communicators: {tp: {ranks: [0, 1]}}",
			[]string{"operators.0: rank 40 of communicator world does not exist", "operators.1.kernel: ", "operators.2: nobody on ranks 0-3 records event nope",
				"operators.4: event e is recorded twice on ranks 0-3, first at test.yaml:9:", "operators.5: ranks 2-3: in no group of communicator tp"}},
		{"  - {name: a, operators: [{allreduce: 1MB, algorithm: ring, communicator: tp}]}\n", "communicators: {tp: {size: 3}}",
			[]string{"communicators.tp: groups of 3 ranks, 1 apart, do not divide 4 ranks evenly"}},
		{"  - {name: a, ranks: 0-2, operators: [{allreduce: 1MB, algorithm: ring}]}\n", "",
			[]string{"rank 3 does not take part, but is in the group of communicator world"}},
		{"  - {name: a, operators: [{kernel: 1us, cores: 9}]}\n", "",
			[]string{"run.0.streams.0.operators.0.cores: the kernel takes 9 cores, the NPU has 8 (npu.cores)"}},
		{"  - {name: a, start: -1us, operators: [{kernel: 1us}]}\n", "",
			[]string{"test.yaml:9:22: run.0.streams.0.start: "}},
		{"  - {name: a, ranks: 4, operators: [{kernel: 1us}]}\n", "",
			[]string{"run.0.streams.0.ranks: "}},
		{"  - {name: a, ranks: 2-9, operators: [{kernel: 1us}]}\n", "",
			[]string{`"2-9" is no range of ranks such as 0-3`}},
		{"  - {name: a, operators: [{}, {kernel: 1us, record: e}]}\n", "",
			[]string{"says nothing to do, expected one of ", "says kernel and record: expected one thing to do"}},
		{"  - {name: a, operators: []}\n  - {name: b, ranks: 0, operators: [{allreduce: 1MB, algorithm: nope, communicator: pp}], priority: 9}\n", "",
			[]string{"run.0.streams.0.operators: is empty", `unknown algorithm "nope"`, `unknown communicator "pp"`, "run.0.streams.1.priority: "}},
		{"  - {name: a, ranks: 0, operators: [{allreduce: 1MB, algorithm: ring, communicator: tp}]}\n  - {name: a, ranks: 1, operators: [{broadcast: 1MB, algorithm: ring, communicator: tp}]}\n", "communicators: {tp: {ranks: [0, 1]}}",
			[]string{"is broadcast by ring, not allreduce by ring, as at test.yaml:9:37 with which it meets on communicator tp"}},
		{"  - {name: a, operators: [{copy-host: 1MB, direction: to-host}]}\n", "",
			[]string{"topology uniform says nothing of its hosts (server.host)"}},
		{"  - {name: a, ranks: 0, operators: [{kernel: 1us}]}\n", "faults: {stragglers: [{rank: 7, late: 1us}, {rank: 0}, {rank: 0, late: 2us}], links: [{link: x}, {link: y, left: 2}]}",
			[]string{"faults.stragglers.0.rank: ", "faults.stragglers.1: says nothing of the rank", "faults.stragglers.2.rank: rank 0 has an entry already", "faults.links.0: expected either cut: true or left", "faults.links.1.left: must be from 0 to 1"}},
		{"  - {name: a, ranks: [[0], [1]], operators: [kernel, {wait: \"\"}]}\n", "communicators: {tp: 3}",
			[]string{"run.0.streams.0.ranks.0: expected a rank, got a list", "run.0.streams.0.operators.0: expected a mapping", "operators.1.wait: the event has no name", "communicators.tp: expected a mapping, got \"3\""}},
		{"  - {name: a, operators: [{kernel: 1us}]}\n  - {name: a, ranks: 2, operators: [{kernel: 1us}]}\n- name: work\n  streams: [{operators: [{kernel: 1us}]}]\n", "",
			[]string{"run.0.streams.1: a rank has two streams named a", "run.1.name: another entry of run is named work"}},
		{"  - {name: a, ranks: 0, operators: [{kernel: 1us}]}\n", `faults: {links: [{link: "hccs *", cut: true}]}`,
			[]string{`faults.links.0.link: topology uniform has no link "hccs *"; links are named like "ideal s0n0 out"`}},
		{"  - {name: a, operators: [{allreduce: 1MB, algorithm: ring}]}\n", `faults: {links: [{link: "ideal s0n9 out", left: 0.5}, {link: "ideal s0n1 in", cut: true}, {link: "[", cut: true}]}`,
			[]string{`faults.links.0.link: topology uniform has no link "ideal s0n9 out"`, `faults.links.2.link: link "[": syntax error in pattern`}},
		{"  - {name: a, operators: [{allreduce: 1MB, algorithm: ring}]}\n", `faults: {links: [{link: "ideal s0n1 out", left: 0.5}, {link: "ideal s0n1 in", cut: true}]}`,
			[]string{`test.yaml:5:55: the link ideal s0n1 in from rank 0 (server 0, NPU 0) to rank 1 (server 0, NPU 1) is cut (faults)`}},
	} {
		root, err := document.Parse("test.yaml", []byte(streamsOf(c.streams, c.more)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(root)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s%s\ngot  %v\nwant %s", c.more, c.streams, err, want)
			}
		}
	}
}

// What waits for itself in the end is reported where it waits, without a run.
func TestStreamDeadlocks(t *testing.T) {
	for _, c := range []struct {
		name, streams string
		want          []string
	}{
		{"itself", "  - {name: a, operators: [{wait: e}, {record: e}]}\n",
			[]string{"test.yaml:9:27: run.0.streams.0.operators.0: deadlock on ranks 0-3: event e is recorded only at test.yaml:9:38, further down in the same stream"}},
		{"crosswise", "  - {name: a, ranks: 0-1, operators: [{wait: y}, {record: x}]}\n  - {name: b, operators: [{wait: x}, {record: y}]}\n  - {name: c, ranks: 2-3, operators: [{record: x}]}\n",
			[]string{"test.yaml:9:39: run.0.streams.0.operators.0: deadlock on ranks 0-1: event y is recorded only at test.yaml:10:38, behind test.yaml:10:27, which never ends",
				"test.yaml:10:27: run.0.streams.1.operators.0: deadlock on ranks 0-1: event x is recorded only at test.yaml:9:50, behind test.yaml:9:39, which never ends"}},
		{"calls in two orders", "  - {name: a, ranks: 0, operators: [{name: p, send: 1MB, to: 1}, {name: q, recv: 1MB, from: 1}]}\n  - {name: a, ranks: 1, operators: [{send: 1MB, to: 0}, {recv: 1MB, from: 0}]}\n",
			[]string{"test.yaml:9:37: run.0.streams.0.operators.0: deadlock on rank 0: rank 1 comes only after test.yaml:10:37, which never ends", "test.yaml:10:37: run.0.streams.1.operators.0: deadlock on rank 1: rank 0 comes only after test.yaml:9:37, which never ends"}},
		{"who waits for those is not named", "  - {name: a, ranks: 0, operators: [{wait: e}, {record: e}]}\n  - {name: b, ranks: 0, operators: [{wait: e}, {allreduce: 1MB}]}\n  - {name: b, ranks: 1-3, operators: [{allreduce: 1MB}]}\n",
			[]string{"test.yaml:9:37: run.0.streams.0.operators.0: deadlock on rank 0: event e is recorded only at test.yaml:9:48, further down in the same stream"}},
		{"none", "  - {name: a, operators: [{wait: y}, {allreduce: 1MB}, {record: x}]}\n  - {name: b, operators: [{record: y}, {wait: x}]}\n", nil},
		{"a root that goes on before the last has come", "  - {name: a, ranks: 0, operators: [{broadcast: 1MB, algorithm: star}, {barrier: 4B, communicator: pair}]}\n" +
			"  - {name: a, ranks: 1, operators: [{barrier: 4B, communicator: pair}, {broadcast: 1MB, algorithm: star}]}\n  - {name: a, ranks: 2-3, operators: [{broadcast: 1MB, algorithm: star}]}\n", nil},
	} {
		_, err := planOf(streamsOf(c.streams, "communicators: {pair: {ranks: [0, 1]}}"))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want := strings.Join(c.want, "\n"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, want)
		}
	}
}

// A communication stream below a computation stream of the same rank is warned about.
func TestPriorityInversion(t *testing.T) {
	for priorities, want := range map[[2]string]string{
		{"low", "high"}:  "priority inversion: stream comm communicates at priority 7, below compute, which computes at 0",
		{"3", "2"}:       "priority inversion: stream comm communicates at priority 3, below compute, which computes at 2",
		{"high", "low"}:  "",
		{"normal", "3"}:  "",
		{"high", "high"}: "",
	} {
		p := plan(t, streamsOf("  - {name: comm, priority: "+priorities[0]+", operators: [{allreduce: 1MB, algorithm: ring}]}\n"+
			"  - {name: compute, priority: "+priorities[1]+", operators: [{kernel: 1ms}]}\n"))
		if got := warned(p); got != want {
			t.Errorf("%v: warned %q, want %q", priorities, got, want)
		}
	}
}

// A scenario that is about priorities says once that they are a what-if, and of each stream once
// what it is below; the value that the product has anyway is not idle beside others.
func TestWarningsOfAStudy(t *testing.T) {
	p, err := Load("stream-priorities")
	if err != nil {
		t.Fatal(err)
	}
	want := "the priorities of beside-kernels are a what-if: atlas-800t-a2 runs all streams at one priority\n" +
		"priority inversion: stream comm communicates at priority 7, below compute, which computes at 3, and more, which computes at 3"
	if got := warned(p); got != want {
		t.Errorf("warned\n%s\nwant\n%s", got, want)
	}
}

// What nothing reads is warned about.
func TestIdleStreams(t *testing.T) {
	p := plan(t, scenario("topology: {server: {npus: 2, links: [{class: a, connect: crossbar, npus: all, bandwidth: 1GB/s}]}, npu: {handshake: ideal}}\n"+
		"communicators: {tp: {size: 2}, dp: {stride: 2}}\nfaults: {stragglers: [{rank: 0, slow: 2}]}\njitter: {sigma: 0.1}\n"+
		"run: [{streams: [{operators: [{allreduce: 4B, algorithm: ring, communicator: tp}]}]}]\n"))
	want := "jitter has no effect here: the topology has no tasks whose times could vary\n" +
		"faults.stragglers.0.slow has no effect here: the topology has no engines that could be slow\n" +
		"communicators.dp has no effect here: no operator of a stream names it"
	if got := warned(p); got != want {
		t.Errorf("warned\n%s\nwant\n%s", got, want)
	}
	p = plan(t, scenario("topology: {server: {npus: 1}}\nrun: [{streams: [{operators: [{kernel: 1us, cores: 2, memory: 1KiB}]}]}]\n"))
	want = "run.0.streams.0.operators.0.cores has no effect here: the topology does not say how many cores there are (npu.cores)\n" +
		"run.0.streams.0.operators.0.memory has no effect here: the topology says nothing of the memory (npu.memory.bandwidth)"
	if got := warned(p); got != want {
		t.Errorf("warned\n%s\nwant\n%s", got, want)
	}
}

// Communicators divide the ranks: by size, by stride, by both.
func TestCommunicators(t *testing.T) {
	for text, want := range map[string]string{
		"{size: 2}":                 "[[0 1] [2 3] [4 5] [6 7]]",
		"{stride: 4}":               "[[0 4] [1 5] [2 6] [3 7]]",
		"{size: 2, stride: 2}":      "[[0 2] [1 3] [4 6] [5 7]]",
		"{ranks: [[0, 3], [1, 2]]}": "[[0 3] [1 2]]",
		"{ranks: [5, 6]}":           "[[5 6]]",
	} {
		n, err := document.Parse("test.yaml", []byte("x: "+text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		d := document.NewDecoder()
		c := decodeCommunicators(d.Root(n), 8)
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(strings.TrimSpace(fmt.Sprint(c["x"].groups)), "\n", ""); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Repeated runs give the mean and its interval; causes still add up, of operators too.
func TestRepeats(t *testing.T) {
	p := plan(t, streamsOf("  - {name: main, operators: [{name: work, kernel: 100us}, {name: sum, allreduce: 1MB, algorithm: ring}]}\n", "jitter: {sigma: 0.1, seed: 3}\nrepeat: 20"))
	rows := rowsOf(t, p)
	if len(rows) != 3 || rows[0].Repeat != 20 || rows[0].Interval <= 0 {
		t.Fatalf("rows %+v", rows)
	}
	still := rowsOf(t, plan(t, streamsOf("  - {name: main, operators: [{name: work, kernel: 100us}, {name: sum, allreduce: 1MB, algorithm: ring}]}\n")))
	// The slowest of four kernels of 100 us, sigma 10 %, takes about 110.
	if more := rows[0].Time - still[0].Time; more < 3_000_000 || more > 20_000_000 {
		t.Errorf("with jitter %v, without %v", rows[0].Time, still[0].Time)
	}
	again := rowsOf(t, p)
	if again[0].Time != rows[0].Time || again[0].Interval != rows[0].Interval {
		t.Errorf("the same seeds give %v and %v", rows[0].Time, again[0].Time)
	}
}
