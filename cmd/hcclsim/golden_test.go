package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files under testdata with what the tests get")

// golden compares a text with testdata/name. A file that is missing stands for no text.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if got == "" {
			return
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// call runs a command line in this process.
func call(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return out.String(), errs.String(), code
}

// goldenCall compares what a command line prints with testdata.
func goldenCall(t *testing.T, name, args string, want int) {
	t.Run(name, func(t *testing.T) {
		stdout, stderr, code := call(strings.Fields(args)...)
		if code != want {
			t.Errorf("hcclsim %s: exit code %d, want %d", args, code, want)
		}
		golden(t, name+".stdout", stdout)
		golden(t, name+".stderr", stderr)
	})
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name, args string
		code       int
	}{
		{"help", "help", exitDone},
		{"help-run", "help run", exitDone},
		{"help-perf", "help perf", exitDone},
		{"help-verify", "help verify", exitDone},
		{"verify-recorded", "verify --recorded", exitDone},
		{"verify-recorded-ranks", "verify --recorded --ranks 3", exitInput},
		{"verify-twice", "verify --algorithms tree,double-tree --ranks 2", exitInput},
		{"complete-scenario", "__complete run h", exitDone},
		{"complete-topology", "__complete perf allreduce --topology uniform", exitDone},
		{"complete-algorithm", "__complete verify --algorithms mesh", exitDone},
		{"explain-deadlock", "explain testdata/deadlock.yaml", exitFailure},
		{"explain-streams", "explain testdata/streams.yaml --steps", exitDone},
		{"explain-where", "explain testdata/small.yaml --where bytes=3KiB", exitInput},
		{"explain-flag", "explain hello -b 1M", exitInput},
		{"explain-json", "explain allreduce -b 1K --algorithms ring --topology uniform --npus 2 --format json", exitDone},
		{"scenario-list", "scenario list", exitDone},
		{"scenario-list-quiet", "scenario list -q", exitDone},
		{"scenario-check", "scenario check testdata/small.yaml testdata/warned.yaml", exitDone},
		{"scenario-check-bad", "scenario check testdata/bad.yaml testdata/small.yaml none", exitInput},
		{"scenario-show-resolved", "scenario show testdata/small.yaml --resolved --preset plan --set topology.server.npus=4 --set run.0.dtype=fp16", exitDone},
		{"scenario-show-file", "scenario show testdata/warned.yaml", exitDone},
		{"scenario-show-set", "scenario show hello --set topology.servers=4", exitInput},
		{"topology-list", "topology list", exitDone},
		{"topology-list-quiet", "topology list -q", exitDone},
		{"topology-show", "topology show uniform --npus 4 --set topology.server.links.ideal.latency=1us", exitDone},
		{"topology-check", "topology check uniform uniform-mesh", exitDone},
		{"topology-check-ranks", "topology check atlas-900-a3 --servers 4 --ranks 8+4+8+4 --pods 2", exitDone},
		{"topology-check-bad", "topology check uniform --npus 0 --set env.HCCL_ALGO=x", exitInput},
		{"topology-unknown", "topology show unifrom", exitInput},
		{"perf-table", "perf allgather --topology uniform --servers 1 -b 32 -e 1M -f 32 --algorithms ring,mesh -d fp64 --iterations 2", exitDone},
		{"perf-bad", "perf alreduce -b 0 -f 1 -d fp31 -o avg --algorithms rings --topology uniform --npus 0 --preset plain --set run.0.root=x", exitInput},
		{"perf-ranks", "perf allreduce --ranks 8,4 -b 1M -e 1M --algorithms ahc,best --candidates nhr,ahc", exitDone},
		{"perf-ranks-servers", "perf allreduce --ranks 8,4 --servers 3", exitInput},
		{"perf-servers-ranks", "perf allreduce --servers 8,4", exitInput},
		{"perf-pods", "perf allreduce --topology atlas-900-a3 --servers 4 --pods 2 -b 1M -e 1M --algorithms mesh+ring+nhr", exitDone},
		{"perf-matrix", "perf alltoallv --topology uniform --npus 2 --set run.0.matrix=[[4B,8B],[0B,400B]]", exitDone},
		{"perf-matrix-sizes", "perf alltoallv --topology uniform --npus 1 --factor 0 --set run.0.matrix=[[4B]]", exitInput},
		{"perf-nothing", "perf", exitInput},
		{"perf-format", "perf allreduce --format xml", exitInput},
		{"perf-jobs", "perf allreduce --jobs -1", exitInput},
		{"perf-set", "perf allreduce --set topology.servers", exitInput},
		{"run-nothing", "run", exitInput},
		{"run-unknown", "run helo", exitInput},
		{"run-twice", "run hello hello", exitInput},
		{"unknown-command", "rum hello", exitInput},
		{"unknown-flag", "run hello --sets x=1", exitInput},
		{"subcommand", "topology", exitInput},
		{"verify", "verify --algorithms ring,mesh+tree --ranks 2-5,8 --data", exitDone},
		{"verify-quiet", "verify --algorithms tree --ranks 4 -q", exitDone},
		{"verify-ranks", "verify --ranks 8-2", exitInput},
		{"verify-file", "verify --algorithms ring,../../algorithms/exchange/testdata/allreduce-ring.xml --ranks 2 --data", exitDone},
		{"verify-file-ranks", "verify --algorithms ../../algorithms/exchange/testdata/allreduce-ring.xml --ranks 2", exitInput},
		{"verify-file-bad", "verify --algorithms testdata/bad.xml,ring", exitInput},
		{"verify-file-left", "verify --algorithms testdata/left-and-left.xml", exitInput},
		{"verify-file-none", "verify --algorithms none.xml", exitInput},
		{"verify-hccl", "verify --algorithms mesh+NHR", exitInput},
		{"verify-unknown", "verify --algorithms rings", exitInput},
	} {
		goldenCall(t, c.name, c.args, c.code)
	}
}
