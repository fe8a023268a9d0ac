package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Two runs, and a run with what was measured; the limit decides the exit code.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	before, after, printout := filepath.Join(dir, "before"), filepath.Join(dir, "after"), filepath.Join(dir, "printout.txt")
	for out, latency := range map[string]string{before: "5us", after: "6us"} {
		if _, stderr, code := call("run", "testdata/small.yaml", "--out", out, "--set", "topology.server.links.0.latency="+latency, "--set", "assert=null"); code != exitDone {
			t.Fatal(stderr)
		}
	}
	// 152.57536 us of a ring of eight, and 5 % more
	writeFile(t, printout, "data_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:\n1048576 | 160.20 | 6.5 | success\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{before, after}, exitDone, "geomean of B/A 1.1"},
		{[]string{filepath.Join(before, "results.csv"), filepath.Join(after, "results.jsonl"), "--max-error", "25%"}, exitDone, "over 8 pairs"},
		{[]string{before, after, "--max-error", "0.1"}, exitAssertion, "--max-error is 10.0%"},
		{[]string{printout, before, "--collective", "AllReduce", "--ranks", "8"}, exitDone, "0.952"},
		{[]string{before, printout, "--collective", "allreduce", "--ranks", "8"}, exitDone, "1.050"},
		{[]string{printout, printout}, exitInput, "are both measured"},
		{[]string{printout, before, "--collective", "broadcast"}, exitInput, "nothing in common"},
		{[]string{before, filepath.Join(dir, "none")}, exitInput, "no such file"},
		{[]string{before, after, "--tolerance", "x"}, exitInput, "--tolerance x: expected a share such as 5% or 0.05"},
		{[]string{before}, exitInput, "needs two result sets"},
	} {
		stdout, stderr, code := call(append([]string{"compare"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%v: exit code %d, want %d\n%s%swant %s", c.args, code, c.code, stdout, stderr, c.want)
		}
	}
}
