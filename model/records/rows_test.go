package records

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"hcclsim/model/units"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// golden compares got with testdata/name.golden, or rewrites that file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs, got:\n%s", path, got)
	}
}

// sample is rows in which everything occurs that a row can hold.
func sample() []Row {
	return []Row{
		{
			Scenario: "ring-or-tree", Topology: "atlas-800t-a2", Collective: "allreduce",
			Requested: "tree", Algorithm: "double-tree", Servers: 2, Ranks: 16,
			Bytes: 8 << 10, Time: 61_234_567,
			Swept: []Field{{"topology.servers", "2"}, {"env.HCCL_ALGO", `level0:NA;level1:"ring", or not`}},
			DType: "fp32", Op: "sum", Iterations: 1,
			Critical: []Part{{"launch", 40_000_000}, {"latency", 12_000_000}, {"wire:hccs", 9_000_000}, {"wire:roce", 234_567}},
			Messages: 60, Requests: 4, Tasks: 300,
			Volumes: []Volume{{"hccs", 114_688}, {"roce", 16_384}},
			Busiest: []Utilisation{{"roce s0n3 out", 0.0312}},
			Events:  1234,
		},
		{
			Scenario: "ring-or-tree", Topology: "atlas-800t-a2", Collective: "allgather",
			Requested: "auto", Algorithm: "mesh+ring", SelectedBy: "HCCL_ALGO", Servers: 2, Ranks: 16,
			Bytes: 1 << 30, Time: 107_374_182_400_001,
			DType: "int8", InPlace: true, Root: 3, Iterations: 20, Shape: "12+4 NPUs", Faults: `rank 5 late 100us, "hccs s0n0>n1" cut`,
			Critical: []Part{{"sharing", 7_374_182_400_001}, {"engine", 5}, {"wire:roce", 99_999_999_999_995}},
			Volumes:  []Volume{{"roce", 16 << 30}},
			Busiest:  []Utilisation{{"roce s0n0 out", 0.9987}},
		},
		{Collective: "broadcast", Requested: "ring", Algorithm: "ring", Servers: 1, Ranks: 1, Time: 1, Bytes: 4},
	}
}

// ringAndTree is AllReduce under the Hockney model with alpha 5 us and beta 1/(25 GB/s):
// a ring of n ranks takes 2(n-1)(alpha + S/(nB)), a tree 2 log2(n) (alpha + S/B).
func ringAndTree(n, log2n int, sizes ...units.Bytes) []Row {
	const alpha = 5 * units.Microsecond
	wire := func(b units.Bytes) units.Duration { return units.Duration(b * 40) } // ps
	var rows []Row
	for _, s := range sizes {
		row := Row{Scenario: "hockney", Topology: "uniform", Collective: "allreduce", Servers: 1, Ranks: n, Bytes: s, DType: "fp32", Op: "sum"}
		row.Requested, row.Algorithm = "ring", "ring"
		row.Time = units.Duration(2*(n-1)) * (alpha + wire(s/units.Bytes(n)))
		rows = append(rows, row)
		row.Requested, row.Algorithm = "tree", "binomial"
		row.Time = units.Duration(2*log2n) * (alpha + wire(s))
		rows = append(rows, row)
	}
	return rows
}
