package choose

import (
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

// hockney is a machine of one level: 10 us a step, 10 GB/s, free reductions.
func hockney() algorithms.Levels {
	return algorithms.Everywhere(algorithms.Hockney{Alpha: 10_000_000, Bandwidth: 10_000_000_000})
}

func sized(c algorithms.Collective, bytes int64, groups ...int) Question {
	return Question{Request: algorithms.Request{Collective: c, Bytes: bytes, Elem: 1, Groups: groups}, Levels: hockney()}
}

func at(bytes int64) *int64 { return &bytes }

func TestThreshold(t *testing.T) {
	const kib4, kib64 = 4 << 10, 64 << 10
	for name, c := range map[string]struct {
		bytes       int64
		settings    Settings
		want, rule  string
		value, warn string
	}{
		"at the ring's":        {kib4, Settings{RingThreshold: at(kib4), TreeThreshold: at(kib64)}, "ring", "HCCL_RING_THRESHOLD", "4KiB <= 4KiB", ""},
		"at the tree's":        {kib64, Settings{RingThreshold: at(kib4), TreeThreshold: at(kib64)}, "double-tree", "HCCL_TREE_THRESHOLD", "64KiB >= 64KiB", ""},
		"between, small":       {kib4 + 1, Settings{RingThreshold: at(kib4), TreeThreshold: at(kib64)}, "double-tree", "between", "double-tree ", ""},
		"both":                 {1 << 30, Settings{RingThreshold: at(1 << 30), TreeThreshold: at(0)}, "ring", "both thresholds hold", "ring ", ""},
		"ring's alone, beyond": {1 << 30, Settings{RingThreshold: at(kib4)}, "ring", "between", ", next double-tree ", ""},
		"tree's alone at zero": {1 << 30, Settings{TreeThreshold: at(0)}, "double-tree", "HCCL_TREE_THRESHOLD", "1GiB >= 0B", ""},
		"first range":          {kib4, Settings{RingThreshold: at(kib4), Ranges: []Range{{"", 0, kib4, "mesh"}, {"", 0, -1, "rhd"}}}, "mesh", "range of sizes", "4KiB in 0B to 4KiB", ""},
		"second range":         {kib4 + 1, Settings{Ranges: []Range{{"", 0, kib4, "mesh"}, {"", 0, -1, "rhd"}}}, "rhd", "range of sizes", "4097B in 0B and more", ""},
		"no range holds":       {kib64, Settings{Ranges: []Range{{"", 0, kib4, "mesh"}, {algorithms.Reduce, 0, -1, "ring"}}}, "", "lowest closed form", "", "say nothing about allreduce of this size: model decides"},
	} {
		q := sized(algorithms.AllReduce, c.bytes, 8)
		q.Settings = c.settings
		got, err := Auto(q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.want != "" && (got.Algorithm != c.want || got.By != byThreshold) || !strings.HasPrefix(got.Rule, c.rule) ||
			!strings.Contains(got.Value, c.value) || !strings.Contains(strings.Join(got.Warnings, "\n"), c.warn) || (c.warn == "") != (got.Warnings == nil) {
			t.Errorf("%s: got %+v, want %+v", name, got, c)
		}
	}
}

func TestThresholdsOfOtherCollectives(t *testing.T) {
	// AllGather has no tree: ring runs, with a warning.
	q := sized(algorithms.AllGather, 1<<20, 8)
	q.Settings.TreeThreshold = at(1)
	got, err := Auto(q)
	if err != nil || got.Algorithm != "ring" || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "double-tree offers no allgather") {
		t.Errorf("allgather: got %+v, %v", got, err)
	}
	q = sized(algorithms.AllReduce, 1<<20, 8)
	q.Settings.Ranges = []Range{{"", 0, -1, "bush"}}
	if _, err := Auto(q); err == nil || !strings.Contains(err.Error(), `unknown algorithm "bush"`) {
		t.Errorf("an unknown algorithm in a range: got %v", err)
	}
}

// TestModel: no candidate is cheaper than the choice, and none that is as cheap comes
// before it in the catalogue.
func TestModel(t *testing.T) {
	for _, groups := range [][]int{{8}, {1, 1, 1, 1}, {4, 4}, {8, 4}} {
		for _, bytes := range []int64{64, 64 << 10, 64 << 20} {
			q := sized(algorithms.AllReduce, bytes, groups...)
			got, err := Auto(q)
			if err != nil || got.By != byModel {
				t.Fatalf("%v: got %+v, %v", groups, got, err)
			}
			low, err := algorithms.Estimate(got.Algorithm, q.Request, q.Levels)
			if err != nil {
				t.Fatal(err)
			}
			for i, name := range algorithms.Names() {
				ps, err := algorithms.Estimate(name, q.Request, q.Levels)
				if err != nil || strings.Contains(name, "+") && !slices.Contains(candidates(q), name) {
					continue
				}
				if ps < low || ps == low && i < slices.Index(algorithms.Names(), got.Algorithm) {
					t.Errorf("%v, %s: %s takes %d ps, the choice %s %d ps", groups, size(bytes), name, ps, got.Algorithm, low)
				}
			}
		}
	}
	if _, err := Model(sized(algorithms.AllReduce, 8)); err == nil {
		t.Error("no servers, and still an answer")
	}
}

// TestCandidates: a mix is one where it can differ from its parts.
func TestCandidates(t *testing.T) {
	mixed := func(groups ...int) bool {
		return slices.Contains(candidates(sized(algorithms.AllReduce, 8, groups...)), "mesh+ring")
	}
	if mixed(8) || mixed(1, 1) || !mixed(8, 8) {
		t.Errorf("mesh+ring is a candidate in one server: %v, with one rank a server: %v, over two servers: %v", mixed(8), mixed(1, 1), mixed(8, 8))
	}
}

func TestAuto(t *testing.T) {
	algo, err := ParseAlgo("level0:NA;level1:ring")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		product   string
		threshold *int64
		by        string
	}{{"", nil, byModel}, {"910b", nil, byHCCL}, {"910b", at(1 << 20), byThreshold}, {"", at(1 << 20), byThreshold}} {
		q := sized(algorithms.AllReduce, 1<<20, 8, 8)
		q.Product, q.Settings.RingThreshold, q.Settings.Algo = c.product, c.threshold, algo
		got, err := Auto(q)
		if err != nil || got.By != c.by || len(got.Warnings) != 0 {
			t.Errorf("product %q: got %+v, %v; want %s", c.product, got, err, c.by)
		}
	}
}
