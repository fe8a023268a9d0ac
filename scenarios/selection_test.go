package scenarios

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
)

// TestAuto: HCCL decides on its products, the user's thresholds before it, and elsewhere
// the lowest closed form; the row says which rule it was.
func TestAuto(t *testing.T) {
	run := "run: [{collective: allreduce, sizes: [64KiB], algorithms: [auto]RANGES}]\n"
	for _, c := range []struct{ topology, env, ranges, algorithm, by string }{
		{"{use: atlas-800t-a2, servers: 4}", "", "", "mesh+nhr-oneshot", "hccl: lowest cost"},
		{"{use: atlas-800t-a2, servers: 2}", "", "", "mesh+ring", "hccl: lowest cost"},
		{"{use: atlas-800t-a2, servers: 2}", "HCCL_ALGO: level0:NA;level1:NB", "", "mesh+nb", "hccl: "},
		{"{use: atlas-800t-a2}", "", "", "star", "hccl: small-count mesh"},
		{"{use: atlas-800t-a2}", "HCCL_DETERMINISTIC: true", "", "rhd-oneshot", "hccl: "},
		{"{use: atlas-800t-a2}", "HCCL_RING_THRESHOLD: 65536", "", "ring", "threshold: "},
		{"{use: atlas-800t-a2}", "HCCL_TREE_THRESHOLD: 64KiB", "", "double-tree", "threshold: "},
		{"{use: atlas-800t-a2}", "", ", ranges: [{to: 64KiB, algorithm: nhr}]", "nhr", "threshold: "},
		{"{use: uniform-mesh}", "", "", "mesh", "model: lowest closed form"},
	} {
		p := plan(t, scenario("topology: "+c.topology+"\nenv: {"+c.env+"}\n"+strings.ReplaceAll(run, "RANGES", c.ranges)))
		row := p.Points[0].Row
		if p.Points[0].Algorithm != c.algorithm || row.Algorithm != c.algorithm || row.Requested != auto {
			t.Errorf("%v runs %s", c, row.Algorithm)
		}
		if !strings.HasPrefix(row.SelectedBy, c.by) || !strings.HasSuffix(row.SelectedBy, ")") {
			t.Errorf("%v is selected by %s", c, row.SelectedBy)
		}
	}
}

// TestAutoWarns of what HCCL falls back from without a word.
func TestAutoWarns(t *testing.T) {
	p := plan(t, scenario("topology: {use: atlas-800t-a2, servers: 2}\nenv: {HCCL_ALGO: level0:NA;level1:AHC}\n"+
		"run: [{collective: allreduce, sizes: [1MiB], algorithms: [auto]}]\n"))
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0].Text, "level1:AHC is not to be had") {
		t.Errorf("warnings %v", p.Warnings)
	}
}

// TestBestIsTheFastest of its candidates, each of which runs by itself beside it.
func TestBestIsTheFastest(t *testing.T) {
	names := "ring, nhr, mesh, double-tree, rhd"
	rows := rowsOf(t, plan(t, scenario("topology: {use: uniform-mesh}\n"+
		"run: [{collective: allreduce, sizes: [1KiB, 64MiB], algorithms: [best, "+names+"], candidates: ["+names+"]}]\n")))
	for i, chosen := range rows[:2] {
		if !strings.HasPrefix(chosen.SelectedBy, "best: the fastest of 5 simulated (the next, ") {
			t.Errorf("selected by %s", chosen.SelectedBy)
		}
		for j := 2 + i; j < len(rows); j += 2 {
			r := rows[j]
			if r.Time < chosen.Time || r.Algorithm == chosen.Algorithm && r.Time != chosen.Time {
				t.Errorf("%v: best takes %v with %s, %s takes %v", r.Bytes, chosen.Time, chosen.Algorithm, r.Algorithm, r.Time)
			}
		}
	}
}

// TestBestLeavesOutTheHopeless: a star of hundreds of ranks is not worth simulating, what
// HCCL would run is.
func TestBestLeavesOutTheHopeless(t *testing.T) {
	p := plan(t, scenario("topology: {use: atlas-800t-a2, servers: 32}\nrun: [{collective: allreduce, sizes: [64MiB], algorithms: [best, auto]}]\n"))
	names := p.Points[0].Candidates
	if slices.Contains(names, "star") || slices.Contains(names, "ring") || slices.Contains(names, "mesh") || !slices.Contains(names, p.Points[1].Algorithm) {
		t.Errorf("candidates %v, auto is %s", names, p.Points[1].Algorithm)
	}
}

// TestBestLeavesOutWhatCannotRun: without a spine a flat ring has no way across rails.
func TestBestLeavesOutWhatCannotRun(t *testing.T) {
	p := plan(t, scenario("topology: {use: atlas-800-9000, servers: 2}\nrun: [{collective: allreduce, sizes: [1MiB], algorithms: [best]}]\n"))
	names := strings.Join(p.Points[0].Candidates, " ")
	if strings.HasPrefix(names, "ring ") || !strings.Contains(names, "multi-ring+nhr") {
		t.Errorf("candidates %s", names)
	}
	_, err := planOf(scenario("topology: {use: atlas-800-9000, servers: 2}\nrun: [{collective: allreduce, sizes: [1MiB], algorithms: [best], candidates: [ring]}]\n"))
	if err == nil || !strings.Contains(err.Error(), "no link") && !strings.Contains(err.Error(), "rail") {
		t.Errorf("a candidate that the scenario names and that cannot run: %v", err)
	}
}

func TestAlltoAllV(t *testing.T) {
	skewed := plan(t, runOf("collective: alltoallv, algorithms: [pairwise], sizes: [1MiB], skew: 1.5")).Points[0]
	p := skewed.Topology.Size()
	for from := range p {
		var sent int64
		for to := range p {
			sent += skewed.Blocks(from, to)
		}
		if sent != 1<<20 {
			t.Errorf("rank %d sends %d bytes", from, sent)
		}
	}
	if first, last := skewed.Blocks(1, 0), skewed.Blocks(1, p-1); first != 3<<20/16 || last != 1<<20/16 {
		t.Errorf("the largest block has %d bytes, the smallest %d", first, last)
	}
	matrix := plan(t, scenario("topology: {use: uniform, server: {npus: 2}}\nrun: [{collective: alltoallv, algorithms: [pairwise], matrix: [[4B, 8B], [0B, 400B]]}]\n")).Points[0]
	if matrix.Bytes != 400 || matrix.Blocks(0, 1) != 8 || matrix.Row.Bytes != 400 {
		t.Errorf("%v bytes, %d from 0 to 1", matrix.Bytes, matrix.Blocks(0, 1))
	}
}

// TestFiles: a file runs like the algorithm that it was written from, beside the scenario.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := algorithms.New("ring", algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{8}, Bytes: 1 << 20, Elem: 4, InPlace: true})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := exchange.Write(&text, s); err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("mine.xml", text.Bytes())
	p, err := Load(write("scenario.yaml", []byte(runOf("collective: allreduce, sizes: [1MiB], algorithms: [ring, mine.xml]"))))
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, p)
	if rows[0].Time != rows[1].Time || rows[1].Requested != "mine.xml" || len(p.Files) != 1 {
		t.Errorf("ring takes %v, %s %v; files %v", rows[0].Time, rows[1].Requested, rows[1].Time, p.Files)
	}

	write("mine.xml", bytes.Replace(text.Bytes(), []byte(`type="rrc"`), []byte(`type="r"`), 1))
	_, err = Load(filepath.Join(dir, "scenario.yaml"))
	if err == nil || !strings.Contains(err.Error(), "without the contribution of rank") {
		t.Errorf("a file that forgets to add: %v", err)
	}
	write("mine.xml", []byte("<algo>"))
	if _, err = Load(filepath.Join(dir, "scenario.yaml")); err == nil || !strings.Contains(err.Error(), "mine.xml:1:") {
		t.Errorf("a broken file: %v", err)
	}
}
