package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/algorithms/proof"
)

// written writes algorithms as files, and returns their paths.
func written(t *testing.T, exports ...string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for _, export := range exports {
		path := filepath.Join(dir, strings.ReplaceAll(export, " ", "")+".xml")
		if _, stderr, code := call(append(strings.Fields("algorithm export -o "+path), strings.Fields(export)...)...); code != exitDone {
			t.Fatalf("%s: %s", export, stderr)
		}
		paths = append(paths, path)
	}
	return paths
}

// Files are proved for the buffers and the roots that they are made for, in several sizes.
func TestVerifyFiles(t *testing.T) {
	paths := written(t, "nhr --ranks 5", "mesh --ranks 3 --collective alltoall", "ring --ranks 4 --collective reducescatter --out-of-place",
		"binomial --ranks 5 --collective broadcast --root 3", "mesh+ring --servers 2,2")
	for i, want := range []struct {
		collective algorithms.Collective
		least      int64
	}{{algorithms.AllReduce, 5}, {algorithms.AlltoAll, 3}, {algorithms.ReduceScatter, 5}, {algorithms.Broadcast, 2}, {algorithms.AllReduce, 5}} {
		files, others, err := readAlgorithms([]string{"ring", paths[i]})
		if err != nil || len(files) != 1 || len(others) != 1 {
			t.Fatal(files, others, err)
		}
		var rows []proof.Row
		total, err := verifyFiles(t.Context(), files, true, func(r proof.Row) { rows = append(rows, r) })
		if err != nil || len(rows) != 1 || rows[0].Collective != want.collective || total != rows[0].Count || total.Schedules < want.least {
			t.Errorf("%s: %v, %v, want at least %d schedules", paths[i], rows, err, want.least)
		}
	}
}

// A file that forgets a message is refused, with the size and the buffers.
func TestVerifyRefusesFiles(t *testing.T) {
	path := written(t, "ring --ranks 3 --collective allgather")[0]
	text := string(read(t, path))
	broken := strings.Replace(text, `type="s" srcbuf="o" srcoff="2"`, `type="s" srcbuf="o" srcoff="0"`, 1)
	if broken == text {
		t.Fatal(text)
	}
	if err := os.WriteFile(path, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	files, _, err := readAlgorithms([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = verifyFiles(t.Context(), files, false, func(proof.Row) {}); err == nil || !strings.Contains(err.Error(), "elements, in place ") {
		t.Errorf("got %v", err)
	}
}
