package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runInto runs a scenario into a directory and returns its results.csv.
func runInto(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	_, stderr, code := call(append([]string{"run", "-q", "--out", dir}, args...)...)
	if code != exitDone {
		t.Fatalf("run %v: exit code %d\n%s", args, code, stderr)
	}
	return read(t, filepath.Join(dir, resultsCSV))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// files lists the names in a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// The Hockney machine meets the closed form of ring to the picosecond.
func TestPerfPrintsTheClosedForm(t *testing.T) {
	stdout, stderr, code := call(strings.Fields("perf allreduce --topology uniform --npus 8 -b 1M -e 1M --algorithms ring --format csv")...)
	want := "\nperf,uniform,allreduce,ring,ring,1,8,1048576,152.575360,6.872512,12.026896,"
	if code != exitDone || stderr != "" || !strings.Contains(stdout, want) {
		t.Errorf("exit code %d, stderr %q, stdout\n%swant%s", code, stderr, stdout, want)
	}
}

func TestRunWritesItsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	stdout, stderr, code := call("run", "testdata/small.yaml", "--out", dir)
	if code != exitDone || !strings.Contains(stdout, "152.58") || !strings.Contains(stderr, "all 1 assertions hold") {
		t.Errorf("exit code %d, stdout\n%s\nstderr\n%s", code, stdout, stderr)
	}
	pictures := 0
	var rest []string
	for _, name := range files(t, dir) {
		if ext := filepath.Ext(name); ext == ".png" || ext == ".svg" {
			pictures++
		} else {
			rest = append(rest, name)
		}
	}
	if got, want := strings.Join(rest, " "), "results.csv results.jsonl scenario.resolved.yaml study.json"; got != want || pictures != 4 {
		t.Errorf("wrote %d pictures and %s, want 4 (two numbers of NPUs, two formats) and %s", pictures, got, want)
	}
}

func TestResultsDoNotDependOnJobs(t *testing.T) {
	first := runInto(t, t.TempDir(), "hello", "--jobs", "1")
	for _, jobs := range []string{"1", "8", "8"} {
		if got := runInto(t, t.TempDir(), "hello", "--jobs", jobs); !bytes.Equal(got, first) {
			t.Errorf("--jobs %s gives\n%s\nand --jobs 1 gave\n%s", jobs, got, first)
		}
	}
}

func TestResolvedScenarioGivesTheSameBytes(t *testing.T) {
	for _, args := range [][]string{
		{"hello", "--set", "topology.server.links.hccs.latency=2us"},
		{"pcie-against-hccs", "--preset", "plan"},
		{"testdata/small.yaml"},
	} {
		dir := t.TempDir()
		want := runInto(t, dir, args...)
		if got := runInto(t, t.TempDir(), filepath.Join(dir, resolvedYAML)); !bytes.Equal(got, want) {
			t.Errorf("%v gives\n%s\nresolved\n%s", args, want, got)
		}
	}
}

func TestFailedAssertionHasItsOwnExitCode(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr, code := call("run", "testdata/small.yaml", "--out", dir, "--set", "topology.server.links.ideal.latency=6us")
	if code != exitAssertion || !strings.Contains(stdout, "166.58") {
		t.Errorf("exit code %d, want %d, and the results on stdout:\n%s", code, exitAssertion, stdout)
	}
	for _, want := range []string{
		"assertion failed: time(requested=ring, bytes=1MiB, ranks=8) == 152.575360us\n",
		"  time 166.575us (ring, 1MiB, topology.server.npus=8) is not == 152.575360us\n",
		"hcclsim: 1 of 1 assertions failed\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr\n%s\nlacks %s", stderr, want)
		}
	}
	if len(read(t, filepath.Join(dir, resultsCSV))) == 0 {
		t.Error("the results are not written")
	}
}

func TestSeveralScenariosGetADirectoryEach(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr, code := call("run", "testdata/small.yaml", "testdata/warned.yaml", "--out", dir, "--format", "csv", "--stats")
	if code != exitDone || strings.Count(stdout, "scenario,topology") != 1 || strings.Count(stdout, "\n") != 10 {
		t.Errorf("exit code %d, want one header and 9 rows:\n%s", code, stdout)
	}
	if got := strings.Join(files(t, dir), " "); got != "small warned" {
		t.Errorf("directories %s, want small warned", got)
	}
	for _, want := range []string{"warning: testdata/warned.yaml:5:22", " events/s)", " longest queue "} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr\n%s\nlacks %q", stderr, want)
		}
	}
}

// Variables of the environment that would steer HCCL are not read, and said not to be where
// auto would read them.
func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("HCCL_ALGO", "level0:NA;level1:NHR")
	t.Setenv("HCCL_RING_THRESHOLD", "1024")
	t.Setenv("HCCL_TREE_THRESHOLD", "")
	t.Setenv("HCCL_RDMA_TC", "132") // which auto does not read
	algo := "warning: hcclsim perf: HCCL_ALGO is set in the environment, which is not read: use --set env.HCCL_ALGO=...\n"
	ring := "warning: hcclsim perf: HCCL_RING_THRESHOLD is set in the environment, which is not read: use --set env.HCCL_RING_THRESHOLD=...\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--algorithms", "auto"}, algo + ring},
		{[]string{"--algorithms", "ring"}, ""},
		{[]string{"--algorithms", "ring,auto", "-q"}, ""},
		{[]string{"--algorithms", "auto", "--set", "env.HCCL_ALGO=level0:NA;level1:ring"}, ring},
	} {
		args := append([]string{"perf", "allreduce", "--servers", "2", "-b", "1M", "-e", "1M"}, c.args...)
		if _, stderr, code := call(args...); code != exitDone || stderr != c.want {
			t.Errorf("%q: exit code %d\n%swant\n%s", c.args, code, stderr, c.want)
		}
	}
	if _, stderr, _ := call("scenario", "check", "hccl-choice"); !strings.Contains(stderr, "warning: hccl-choice: HCCL_ALGO is set in the environment") {
		t.Errorf("check says %q", stderr)
	}
}
