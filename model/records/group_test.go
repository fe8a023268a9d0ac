package records

import (
	"math"
	"slices"
	"testing"

	"hcclsim/model/units"
)

func TestGroups(t *testing.T) {
	rows := ringAndTree(8, 3, 1<<20, 1<<13, 1<<16)
	other := rows[0]
	other.Swept = []Field{{"env.HCCL_BUFFSIZE", "200"}}
	again := rows[0] // the same point once more, slower
	again.Time *= 2
	groups := Groups(append(slices.Clone(rows), other, again))
	if len(groups) != 2 || len(groups[0].Series) != 2 || len(groups[1].Series) != 1 {
		t.Fatalf("groups: %+v", groups)
	}
	if got := groups[0].Sizes(); !slices.Equal(got, []units.Bytes{1 << 13, 1 << 16, 1 << 20}) {
		t.Errorf("sizes %v", got)
	}
	for i, name := range []string{"ring", "tree"} {
		s := groups[0].Series[i]
		if s.Name != name || len(s.Rows) != 3 || !slices.IsSortedFunc(s.Rows, func(a, b Row) int { return int(a.Bytes - b.Bytes) }) {
			t.Errorf("series %d: %+v", i, s)
		}
	}
	if r, ok := groups[0].Series[0].At(1 << 20); !ok || r.Time != rows[0].Time {
		t.Errorf("of a repeated point the first counts, got %+v", r)
	}
	if r, ok := groups[0].Fastest(1 << 13); !ok || r.Requested != "tree" {
		t.Errorf("fastest at 8K: %+v", r)
	}
}

// alpha is 5 us, beta 40 ps a byte. Both take the same time when
// 14(alpha + beta S/8) = 6(alpha + beta S), that is 8 alpha = 4.25 beta S.
const equalSize = 8 * 5e6 / (4.25 * 40)

func TestCrossover(t *testing.T) {
	// As the sizes around it come closer, the straight line meets the true crossing.
	for _, c := range []struct {
		below, above units.Bytes
		within       float64
	}{{128 << 10, 512 << 10, 0.03}, {230_000, 240_000, 0.0001}} {
		g := Groups(ringAndTree(8, 3, 8<<10, c.below, c.above, 1<<30))[0]
		bands := g.Bands()
		if !slices.Equal(bands, []Band{{"binomial", 8 << 10, c.below}, {"ring", c.above, 1 << 30}}) {
			t.Fatalf("bands %v", bands)
		}
		got := g.Crossovers()
		if len(got) != 1 || got[0].From != "binomial" || got[0].To != "ring" || got[0].Below != c.below || got[0].Above != c.above {
			t.Fatalf("crossovers %+v", got)
		}
		if off := math.Abs(float64(got[0].At)/equalSize - 1); off > c.within {
			t.Errorf("crossover at %d, want %.0f", got[0].At, equalSize)
		}
	}
}

// times makes a group from one row of times for each algorithm; 0 means no such row.
func times(table map[string][]units.Duration, order ...string) Group {
	var rows []Row
	for _, name := range order {
		for i, d := range table[name] {
			if d >= 0 {
				rows = append(rows, Row{Collective: "reduce", Requested: name, Algorithm: name, Bytes: 1024 << i, Time: d})
			}
		}
	}
	return Groups(rows)[0]
}

func TestBands(t *testing.T) {
	for _, c := range []struct {
		name  string
		group Group
		want  []Band
		at    []units.Bytes
	}{
		{"tie goes to who stays", times(map[string][]units.Duration{"a": {5, 9, 9}, "b": {5, 6, 7}}, "a", "b"),
			[]Band{{"b", 1024, 4096}}, nil},
		{"tie at the last size of a band crosses there", times(map[string][]units.Duration{"a": {5, 6, 9}, "b": {6, 6, 7}}, "a", "b"),
			[]Band{{"a", 1024, 2048}, {"b", 4096, 4096}}, []units.Bytes{2048}},
		{"an unknown time crosses at the next size", times(map[string][]units.Duration{"a": {5, 6}, "b": {-1, 3}}, "a", "b"),
			[]Band{{"a", 1024, 1024}, {"b", 2048, 2048}}, []units.Bytes{2048}},
		{"zero times take no part", times(map[string][]units.Duration{"a": {0, 6}, "b": {7, 0}}, "a", "b"),
			[]Band{{"b", 1024, 1024}, {"a", 2048, 2048}}, []units.Bytes{2048}},
		{"halfway on both logarithmic axes", times(map[string][]units.Duration{"a": {10, 40}, "b": {20, 20}}, "a", "b"),
			[]Band{{"a", 1024, 1024}, {"b", 2048, 2048}}, []units.Bytes{1448}}, // 1024 sqrt 2
		{"one algorithm", times(map[string][]units.Duration{"a": {10, 40}}, "a"), []Band{{"a", 1024, 2048}}, nil},
		{"nothing but zeros", times(map[string][]units.Duration{"a": {0}}, "a"), nil, nil},
	} {
		if got := c.group.Bands(); !slices.Equal(got, c.want) {
			t.Errorf("%s: bands %v, want %v", c.name, got, c.want)
		}
		var at []units.Bytes
		for _, x := range c.group.Crossovers() {
			at = append(at, x.At)
		}
		if !slices.Equal(at, c.at) {
			t.Errorf("%s: crossovers at %v, want %v", c.name, at, c.at)
		}
	}
}

// A chooser's rows count as the algorithm that it chose.
func TestBandsOfChooser(t *testing.T) {
	rows := ringAndTree(8, 3, 8<<10, 1<<20)
	for _, b := range []units.Bytes{8 << 10, 1 << 20} {
		fastest, _ := Groups(rows)[0].Fastest(b)
		fastest.Requested = "auto"
		rows = append([]Row{fastest}, rows...)
	}
	got := Groups(rows)[0].Bands()
	if !slices.Equal(got, []Band{{"binomial", 8 << 10, 8 << 10}, {"ring", 1 << 20, 1 << 20}}) {
		t.Errorf("bands %v", got)
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		row                     Row
		machine, work, settings string
	}{
		{Row{Topology: "a2", Servers: 2, Ranks: 16, DType: "fp32", Op: "sum"}, "a2, 2 servers x 8 NPUs", "fp32 sum", ""},
		{Row{Topology: "a2", Servers: 4, Ranks: 4, InPlace: true}, "a2, 4 servers x 1 NPU", "in place", ""},
		{Row{Servers: 3, Ranks: 7, Root: 2}, "7 ranks on 3 servers", "root 2", ""},
		{Row{Topology: "a2", Servers: 1, Ranks: 8, DType: "int8", Swept: []Field{{"topology.servers", "1"}, {"a", "1"}, {"b", "x"}}},
			"a2, 8 NPUs", "int8", "a=1, b=x"},
	} {
		if m, w, s := c.row.Machine(), c.row.Work(), c.row.Settings(); m != c.machine || w != c.work || s != c.settings {
			t.Errorf("got %q, %q, %q; want %q, %q, %q", m, w, s, c.machine, c.work, c.settings)
		}
	}
}
