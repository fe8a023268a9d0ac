package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hcclsim/model/records"
)

// studyFiles are the files of a study that must be the same whatever happened to it, by name.
func studyFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			texts[e.Name()] = string(read(t, filepath.Join(dir, e.Name())))
		}
	}
	return texts
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s differs from that of a run without trouble", what, name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: there is a file %s", what, name)
		}
	}
}

// storedRows are the results in a directory.
func storedRows(t *testing.T, dir string) []records.Row {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, resultsJSONL))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := records.ReadJSONL(f, resultsJSONL)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return rows
}

// What is finished does not run again; what has changed runs anew.
func TestStudyResumes(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	runIn := func(dir string, args ...string) string {
		t.Helper()
		_, stderr, code := call(append([]string{"run", "testdata/small.yaml", "--out", dir}, args...)...)
		if code != exitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		return stderr
	}
	if said := runIn(dir); strings.Contains(said, "finished") || strings.Contains(said, "anew") {
		t.Errorf("a new study says %s", said)
	}
	whole := studyFiles(t, dir)
	if said := runIn(dir); !strings.Contains(said, "8 of 8 points are finished and do not run again") {
		t.Errorf("a finished study says %s", said)
	}
	sameFiles(t, "run twice", studyFiles(t, dir), whole)
	if said := runIn(dir, "--fresh"); strings.Contains(said, "finished") {
		t.Errorf("--fresh says %s", said)
	}
	lines := strings.SplitAfter(whole[resultsJSONL], "\n")
	for _, c := range []struct{ name, journal, said string }{
		{"three points", strings.Join(lines[:3], ""), ": 3 of 8 points are finished"},
		{"a torn line", strings.Join(lines[:3], "") + lines[3][:40], "the end of the journal was torn and is cut off; 3 of 8"},
		{"a torn first line", lines[0][:10], "the end of the journal was torn and is cut off; 0 of 8"},
		{"no newline", strings.TrimSuffix(strings.Join(lines[:5], ""), "\n"), "torn and is cut off; 4 of 8"},
		{"one missing, after Ctrl-C", lines[0] + lines[2], ": 2 of 8 points are finished"},
		{"in another order", lines[2] + lines[0], "torn and is cut off; 1 of 8"},
		{"zeros", lines[0] + strings.Repeat("\x00", 100) + "\n", "torn and is cut off; 1 of 8"},
	} {
		for name := range studyFiles(t, dir) {
			if name != studyJSON {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		writeFile(t, filepath.Join(dir, partialJSONL), c.journal)
		writeFile(t, filepath.Join(dir, partialCSV), "of the run that was stopped")
		if said := runIn(dir); !strings.Contains(said, c.said) {
			t.Errorf("%s: says %s", c.name, said)
		}
		sameFiles(t, c.name, studyFiles(t, dir), whole)
	}
	if said := runIn(dir, "--set", "run.0.sizes=[8KiB, 2MiB]", "--set", "assert=null"); !strings.Contains(said, "the scenario has changed, so that all points run anew") {
		t.Errorf("a changed scenario says %s", said)
	}
	runIn(other, "--set", "run.0.sizes=[8KiB, 2MiB]", "--set", "assert=null")
	sameFiles(t, "changed", studyFiles(t, dir), studyFiles(t, other))
	text := string(read(t, filepath.Join(dir, studyJSON)))
	program := text[strings.Index(text, `"program": "`)+12:][:64]
	writeFile(t, filepath.Join(dir, studyJSON), strings.Replace(text, program, strings.Repeat("0", 64), 1))
	if said := runIn(dir, "--set", "run.0.sizes=[8KiB, 2MiB]", "--set", "assert=null"); !strings.Contains(said, "the program has changed") {
		t.Errorf("another program says %s", said)
	}
}

// Shards put together are the run of the whole, byte for byte, operators of streams too.
func TestShards(t *testing.T) {
	for _, scenario := range []string{"testdata/small.yaml", "streams-sharing"} {
		whole, dir := t.TempDir(), t.TempDir()
		if _, stderr, code := call("run", scenario, "--out", whole); code != exitDone {
			t.Fatal(stderr)
		}
		var dirs []string
		for i := 1; i <= 5; i++ {
			if _, stderr, code := call("run", scenario, "--out", dir, "--shard", fmt.Sprintf("%d/5", i)); code != exitDone {
				t.Fatal(stderr)
			}
			dirs = append(dirs, filepath.Join(dir, fmt.Sprintf("shard-%d-of-5", i)))
		}
		if _, stderr, code := call(append([]string{"report"}, dirs[:4]...)...); code != exitInput || !strings.Contains(stderr, "shard 5 of 5 is missing") {
			t.Errorf("without the last: exit code %d, %s", code, stderr)
		}
		if _, stderr, code := call("report", dirs[0], dirs[0]); code != exitInput || !strings.Contains(stderr, "same part") {
			t.Errorf("one twice: exit code %d, %s", code, stderr)
		}
		if _, stderr, code := call(append([]string{"report"}, dirs...)...); code != exitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		want, got := studyFiles(t, whole), studyFiles(t, dir)
		sameFiles(t, "shards of "+scenario, got, want)
		if err := os.Remove(filepath.Join(dir, resultsCSV)); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := call("report", dir); code != exitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		sameFiles(t, "drawn again", studyFiles(t, dir), want)
	}
	if _, stderr, code := call("report", t.TempDir()); code != exitInput || !strings.Contains(stderr, "holds no results") {
		t.Errorf("an empty directory: exit code %d, %s", code, stderr)
	}
}

func TestParseShard(t *testing.T) {
	slurm := map[string]string{"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_STEP": "2"}
	for _, c := range []struct {
		text string
		env  map[string]string
		want shard
		err  string
	}{
		{"", nil, shard{}, ""},
		{"1/1", nil, shard{1, 1}, ""},
		{"3/8", slurm, shard{3, 8}, ""},
		{"", slurm, shard{4, 4}, ""},
		{"*/9", slurm, shard{4, 9}, ""},
		{"*/3", slurm, shard{}, "this is task 4"},
		{"*/3", map[string]string{"JOB_COMPLETION_INDEX": "2"}, shard{3, 3}, ""},
		{"*/3", map[string]string{"JOB_COMPLETION_INDEX": "x"}, shard{}, `JOB_COMPLETION_INDEX is "x"`},
		{"*/3", nil, shard{}, "neither SLURM_ARRAY_TASK_ID nor"},
		{"0/3", nil, shard{}, "got 0"}, {"4/3", nil, shard{}, "got 4"}, {"a/3", nil, shard{}, "got a"},
		{"3", nil, shard{}, "expected i/n"}, {"1/0", nil, shard{}, "expected i/n"}, {"1/x", nil, shard{}, "expected i/n"}, {"1/10001", nil, shard{}, "expected i/n"},
	} {
		got, err := parseShard(c.text, func(name string) string { return c.env[name] })
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, %v; want %v, %s", c.text, got, err, c.want, c.err)
		}
	}
}

// A full disk ends a run with an error; what was finished before is not lost.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if _, stderr, code := call("run", "testdata/small.yaml", "--out", dir); code != exitDone {
		t.Fatal(stderr)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	j := &journal{file: full}
	rows := storedRows(t, dir)
	if err := j.add(rows[0]); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("writing to a full disk: %v", err)
	}
	if err := full.Close(); err != nil {
		t.Fatal(err)
	}
}

// binaryKilled kills a study at random moments until that has happened fifty times. What comes
// out in the end is what a run without trouble gives.
func binaryKilled(t *testing.T, binary string) {
	whole, dir := t.TempDir(), t.TempDir()
	args := func(out string) []string {
		return []string{"run", "hello", "--out", out, "--set", "run.0.sizes={from: 8KiB, to: 512KiB, step: 4KiB}", "--set", "assert=null", "--jobs", "2"}
	}
	begin := time.Now()
	if _, stderr, code := execIn(t, whole, binary, args(whole)...); code != exitDone {
		t.Fatal(stderr)
	}
	takes := time.Since(begin)
	random := rand.New(rand.NewPCG(1, 2))
	resumed := 0
	for kills := 0; kills < 50; {
		cmd := exec.Command(binary, args(dir)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Of every five one lives long enough to go on a while, the others die at once.
		limit := takes / 20
		if kills%5 == 0 {
			limit = takes
		}
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(limit)+1)), func() { cmd.Process.Kill() })
		err := cmd.Wait()
		if timer.Stop(); err != nil {
			kills++
		} else if err := os.RemoveAll(dir); err != nil { // it has ended: the next begins anew
			t.Fatal(err)
		}
		if strings.Contains(stderr.String(), "points are finished") {
			resumed++
		}
	}
	if _, stderr, code := execIn(t, dir, binary, args(dir)...); code != exitDone {
		t.Fatal(stderr)
	}
	if resumed == 0 {
		t.Error("no run found anything finished")
	}
	sameFiles(t, "killed", studyFiles(t, dir), studyFiles(t, whole))
}
