package scenarios

import (
	"context"
	"strings"
	"testing"

	"hcclsim/model/records"
)

// explained is what is said of the first point of a scenario.
func explained(t *testing.T, s Selected) records.Explanation {
	t.Helper()
	e, err := s.Explain(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What a change is said to save is what a run takes on the machine that has it: --set by hand
// gives the same time, of collectives inside a server and between servers and of an operator.
func TestChangesAreRuns(t *testing.T) {
	inside := runOf("collective: allreduce, sizes: 64MiB, algorithms: [mesh+nhr]")
	inside = strings.Replace(inside, "topology: {use: uniform}", "topology: {use: atlas-800t-a2, servers: 4}", 1)
	staged := scenario(`topology: {use: pcie-8, servers: 2}
env: {HCCL_RDMA_SPLIT_THRESHOLD: 16KiB}
run:
  - streams:
      - {ranks: 0, operators: [{name: moved, send: 16MiB, to: 8}]}
      - {ranks: 8, operators: [{recv: 16MiB, from: 0}]}
faults: {links: [{link: "roce s0*", left: 0.5}]}
`)
	for _, c := range []struct {
		text, where, what string
		set               []Override
	}{
		{inside, "", "twice server.links.hccs.bandwidth", []Override{{"topology.server.links.hccs.bandwidth", "{read: 55.6GB/s, write: 41.8GB/s}", "--set"}}},
		{inside, "", "twice npu.limits.remote", []Override{{"topology.npu.limits.remote", "264GB/s", "--set"}}},
		{inside, "", "twice npu.nic.bandwidth", []Override{{"topology.npu.nic.bandwidth", "48.6GB/s", "--set"}}},
		{inside, "", "twice npu.dma and npu.limits", []Override{{"topology.npu.limits", "{remote: 264GB/s, reduce: 210GB/s}", "--set"}, {"topology.npu.dma.reduce", "30GB/s", "--set"}}},
		{staged, "operator=moved", "twice HCCL_RDMA_SPLIT_THRESHOLD", []Override{{"env.HCCL_RDMA_SPLIT_THRESHOLD", "32KiB", "--set"}}},
		{staged, "operator=moved", "half npu.nic.stages overheads", []Override{{"topology.npu.nic.stages.fetch.overhead", "500ns", "--set"},
			{"topology.npu.nic.stages.store.overhead", "500ns", "--set"}, {"topology.npu.nic.stages.wire.overhead", "500ns", "--set"}}},
		{staged, "operator=moved", "without faults", []Override{{"faults", "null", "--set"}}},
	} {
		picked, err := plan(t, c.text).Select(c.where)
		if err != nil {
			t.Fatal(err)
		}
		got := records.Change{What: "missing"}
		e := explained(t, picked[0])
		for _, change := range e.Changes {
			if change.What == c.what {
				got = change
			}
		}
		changed, err := planOf(c.text, c.set...)
		if err != nil {
			t.Fatal(err)
		}
		if picked, err = changed.Select(c.where); err != nil {
			t.Fatal(err)
		}
		if want := explained(t, picked[0]).Row.Time; got.Time != want || got.What != c.what || want == e.Row.Time {
			t.Errorf("%s: %s %v, a run says %v; before %v", c.what, got.What, got.Time, want, e.Row.Time)
		}
	}
}

// A change is made to a copy: the plan's own points stay as they are.
func TestChangesLeaveThePlan(t *testing.T) {
	p := plan(t, runOf("collective: allreduce, sizes: 1MiB, algorithms: [ring]"))
	before := rowsOf(t, p)[0].Time
	picked, err := p.Select("")
	if err != nil {
		t.Fatal(err)
	}
	if e := explained(t, picked[0]); len(e.Changes) == 0 || e.Row.Time != before {
		t.Errorf("%d changes, %v before, %v explained", len(e.Changes), before, e.Row.Time)
	}
	if after := rowsOf(t, p)[0].Time; after != before {
		t.Errorf("%v before, %v after", before, after)
	}
}

// An operator is picked by what tells it apart, a point as a whole before its operators.
func TestSelectOperators(t *testing.T) {
	p, err := Load("streams-sharing")
	if err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{
		"operator=late":                          "late-rank/late",
		"run=late-rank":                          "late-rank/",
		"run=late-rank,collective=kernel":        "late-rank/work",
		"run=late-rank,operator=work,servers=1":  "late-rank/work",
		"operator=late,collective=allreduce":     "late-rank/late",
		"run=late-rank,collective=streams":       "late-rank/",
		"run=late-rank,requested=ring,bytes>=1B": "late-rank/late",
	} {
		picked, err := p.Select(where)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		if got := picked[0].Row.Run + "/" + picked[0].Operator; got != want || len(picked) != 1 {
			t.Errorf("%s: %s, %d picked, want %s", where, got, len(picked), want)
		}
	}
	for where, want := range map[string]string{
		"operator=":     "--where operator=: expected a value for column operator, found the end (at character 10)",
		"size=1M":       `--where size=1M: unknown column "size"`,
		"operator=none": "--where operator=none: nothing matches among the 3 points of the scenario",
	} {
		if _, err := p.Select(where); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", where, err, want)
		}
	}
}

// Only what is in use is tried: under AIV no DMA engine, without requests no NIC.
func TestChangesOfWhatIsInUse(t *testing.T) {
	p := plan(t, scenario("topology: {use: atlas-800t-a2}\nenv: {HCCL_OP_EXPANSION_MODE: AIV}\nrun: [{collective: allreduce, sizes: 64MiB, algorithms: mesh}]\n"))
	picked, err := p.Select("")
	if err != nil {
		t.Fatal(err)
	}
	e := explained(t, picked[0])
	for _, c := range e.Changes {
		if strings.Contains(c.What, "npu.dma") || strings.Contains(c.What, "npu.nic") {
			t.Errorf("tried %s", c.What)
		}
	}
	if len(e.Changes) == 0 {
		t.Error("nothing was tried")
	}
}
