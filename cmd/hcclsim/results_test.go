package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcclsim/scenarios"
)

// A run leaves nothing of an earlier one in its directory that could be taken for its own.
func TestEarlierResultsGo(t *testing.T) {
	dir := t.TempDir()
	if _, stderr, code := call("run", "testdata/small.yaml", "--out", dir, "--set", "plots=[latency]"); code != exitDone {
		t.Fatal(code, stderr)
	}
	plots := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, "*.png"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if len(plots()) == 0 {
		t.Fatal("no plots")
	}
	writeFile(t, filepath.Join(dir, "mine.png"), "not a plot of ours")
	// A link of 1 B/s and 1000 s: the flow ends beyond what the clock can hold.
	_, stderr, code := call("run", "testdata/small.yaml", "--out", dir, "--set", "run.0.sizes=[4KiB, 1TiB]",
		"--set", "topology.server.links.0.bandwidth=1B/s", "--set", "run.0.algorithms=[ring]")
	if code != exitFailure {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if name := f.Name(); name != "mine.png" && name != studyJSON && !strings.Contains(name, "partial") {
			t.Errorf("%s is left beside the partial results of another run", name)
		}
	}
}

func TestTwoRunsIntoOneDirectory(t *testing.T) {
	dir := t.TempDir()
	p, err := scenarios.Load("testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	open := func() (*results, error) {
		r, _, err := openResults(dir, p, shard{}, false)
		return r, err
	}
	first, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "another run is writing") {
		t.Errorf("the second run into one directory gets %v", err)
	}
	if err := first.keep(nil); err != nil {
		t.Fatal(err)
	}
	again, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if err := again.keep(nil); err != nil {
		t.Fatal(err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// Output that is lost is a failure, whichever command prints it.
func TestLostOutput(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"help"}, {"topology", "list"}, {"verify", "--algorithms", "ring", "--ranks", "2"}} {
		var stderr bytes.Buffer
		if code := run(args, full{}, &stderr); code != exitFailure || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: exit code %d, %q", args, code, stderr.String())
		}
	}
}

// A time that cannot be counted is named as one, also where it is only estimated.
func TestUncountableTimes(t *testing.T) {
	for _, algorithm := range []string{"ring", "double-tree"} {
		_, stderr, code := call("perf", "allreduce", "--topology", "uniform", "-b", "256T", "-e", "256T",
			"--algorithms", algorithm, "--set", "topology.server.links.0.bandwidth=1B/s", "-q")
		if code != exitFailure || !strings.Contains(stderr, "106 days") || strings.Contains(stderr, "internal error") {
			t.Errorf("%s: exit code %d, %q", algorithm, code, stderr)
		}
	}
}

// What is printed of a run that ended early says so, or is not printed.
func TestUnfinishedResultsAreMarked(t *testing.T) {
	args := []string{"perf", "allreduce", "--topology", "uniform", "-b", "4K", "-e", "1T", "-f", "268435456",
		"--algorithms", "ring", "--set", "topology.server.links.0.bandwidth=1B/s", "-q", "--jobs", "1"}
	stdout, stderr, code := call(args...)
	if code != exitFailure || !strings.HasPrefix(stdout, "# UNFINISHED") || !strings.Contains(stderr, "106 days") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if stdout, _, code := call(append(args, "--format", "csv")...); code != exitFailure || stdout != "" {
		t.Errorf("csv: exit code %d\n%s", code, stdout)
	}
}
