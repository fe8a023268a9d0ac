package reports

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"hcclsim/model/records"
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

// hockney is AllReduce of 16 ranks under alpha = 5 us and beta = 1/(25 GB/s), of the
// named algorithms in powers of four from 8 KiB to 1 GiB: steps*alpha + moved*S*beta.
func hockney(names ...string) []records.Row {
	models := map[string]struct{ steps, sixteenths units.Duration }{
		"ring":        {30, 30},  // 2(n-1) steps of S/n
		"double-tree": {8, 64},   // 2 log2 n steps, half of S down each of two trees
		"rhd":         {8, 30},   // 2 log2 n steps, halving
		"binomial":    {8, 128},  // 2 log2 n steps of S
		"pairwise":    {30, 240}, // n-1 exchanges of all of S
		"mesh+ring":   {4, 34},
		"mesh+nhr":    {5, 33},
		"mesh+nb":     {6, 34},
		"star":        {2, 480},
	}
	var rows []records.Row
	for b := units.Bytes(8 << 10); b <= 1<<30; b *= 4 {
		for _, name := range names {
			m := models[name]
			alpha, wire := m.steps*5*units.Microsecond, m.sixteenths*units.Duration(b)*40/16
			row := records.Row{
				Scenario: "hockney", Topology: "uniform", Collective: "allreduce", Requested: name, Algorithm: name,
				Servers: 2, Ranks: 16, Bytes: b, Time: alpha + wire, DType: "fp32", Op: "sum",
				Critical: []records.Part{{Cause: "latency", Time: alpha}, {Cause: "wire:ideal", Time: wire}},
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// chosen adds a chooser that takes rhd below 1 MiB and ring from there.
func chosen(rows []records.Row) []records.Row {
	all := rows
	for _, r := range rows {
		if r.Algorithm == "rhd" && r.Bytes < 1<<20 || r.Algorithm == "ring" && r.Bytes >= 1<<20 {
			r.Requested = "auto"
			all = append(all, r)
		}
	}
	return all
}

func TestTable(t *testing.T) {
	swept := hockney("ring", "double-tree")
	for i := range swept {
		servers := "2"
		if i%4 > 1 { // two sizes of each kind, in turn
			servers, swept[i].Servers, swept[i].Ranks = "4", 4, 32
		}
		swept[i].Swept = []records.Field{{Path: "topology.servers", Value: servers}, {Path: "env.HCCL_BUFFSIZE", Value: "200"}}
	}
	merged := hockney("ring")[:4]
	merged[2].Scenario, merged[3].Scenario = "another", "another"
	odd := hockney("ring")[:4]
	odd[0].Bytes, odd[1].Bytes, odd[2].Bytes = 0, 100_000, 1536
	odd[3].Time, odd[3].Critical = 0, nil
	for _, c := range []struct {
		name string
		rows []records.Row
		o    Options
	}{
		{"one-algorithm", hockney("ring"), Options{}},
		{"side-by-side", chosen(hockney("ring", "double-tree", "rhd")), Options{}},
		{"long", chosen(hockney("ring", "double-tree", "rhd")), Options{Long: true}},
		{"many-algorithms", hockney("ring", "double-tree", "rhd", "binomial", "pairwise", "mesh+ring", "mesh+nhr", "mesh+nb", "star"), Options{}},
		{"swept", swept, Options{Width: 80}},
		{"merged", merged, Options{}},
		{"odd", odd, Options{}},
		{"nothing", nil, Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Table(&b, c.rows, c.o); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, b.String())
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(line); n > 101 {
					t.Errorf("a line of %d columns: %s", n, line)
				}
			}
		})
	}
}

func TestWrite(t *testing.T) {
	rows := hockney("ring")[:2]
	for _, format := range Formats() {
		var got, want bytes.Buffer
		if err := Write(&got, format, rows, Options{}); err != nil {
			t.Fatal(err)
		}
		var err error
		switch format {
		case "table":
			err = Table(&want, rows, Options{})
		case "csv":
			err = records.WriteCSV(&want, rows)
		case "json":
			err = records.WriteJSONL(&want, rows...)
		}
		if err != nil || got.String() != want.String() || got.Len() == 0 {
			t.Errorf("%s: %v\n%s", format, err, got.String())
		}
	}
	err := Write(&bytes.Buffer{}, "xml", rows, Options{})
	if err == nil || err.Error() != `unknown format "xml" (one of table, csv, json)` {
		t.Errorf("got %v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestTableWriteError(t *testing.T) {
	if err := Table(full{}, hockney("ring"), Options{}); err == nil {
		t.Error("a full disk goes unnoticed")
	}
}

func ExampleTable() {
	rows := []records.Row{
		{Collective: "allreduce", Topology: "uniform", Servers: 1, Ranks: 8, DType: "fp32", Op: "sum", Bytes: 1 << 20,
			Requested: "ring", Algorithm: "ring", Time: 143_400_320, Critical: []records.Part{{Cause: "wire:ideal", Time: 143_400_320}}},
		{Collective: "allreduce", Topology: "uniform", Servers: 1, Ranks: 8, DType: "fp32", Op: "sum", Bytes: 1 << 20,
			Requested: "binomial", Algorithm: "binomial", Time: 281_658_240, Critical: []records.Part{{Cause: "wire:ideal", Time: 281_658_240}}},
	}
	var b bytes.Buffer
	if err := Table(&b, rows, Options{}); err != nil {
		panic(err)
	}
	fmt.Print(b.String())
	// Output:
	// # allreduce, fp32 sum on uniform, 8 NPUs
	// # time in us, * the fastest; busbw (GB/s) and bound of the fastest
	// size    ring   binomial   busbw  bound by
	//   1M  143.40*    281.66   12.80  wire ideal 100%
	// fastest: ring at every size
}

// swept is a row with its swept values.
func swept(r records.Row, fields ...records.Field) records.Row {
	r.Swept = fields
	return r
}

// What differs only in swept values is one table: of one size a line for each combination; of
// the last key that varies the shortest is marked, as far as the table shows.
func TestSweepTables(t *testing.T) {
	field := func(path, value string) records.Field { return records.Field{Path: path, Value: value} }
	moved := func(us int, fields ...records.Field) []records.Row {
		whole := swept(records.Row{Scenario: "s", Topology: "t", Collective: "streams", Run: "message", Servers: 2, Ranks: 4, Iterations: 1}, fields...)
		whole.Time = units.Duration(us) * units.Microsecond
		whole.Critical = []records.Part{{Cause: "wire:roce", Time: whole.Time}}
		operator := whole
		operator.Collective, operator.Operator, operator.Bytes = "send", "moved", 1<<20
		return []records.Row{whole, operator}
	}
	var rows []records.Row
	for i, us := range []int{30, 20, 25, 10, 10, 10} {
		rows = append(rows, moved(us, field("topology.npu.nic.path", []string{"staged", "direct"}[i/3]), field("env.S", []string{"1", "2", "3"}[i%3]), field("env.FIXED", "1"))...)
	}
	var out bytes.Buffer
	if err := Table(&out, rows, Options{}); err != nil {
		t.Fatal(err)
	}
	want := `# streams message on t, 2 servers x 2 NPUs (4 ranks)
# env.FIXED=1
# over topology.npu.nic.path and env.S; --long has the operators of each run
  path  S  moved us   bound by
staged  1     30.00   wire roce 100%
staged  2     20.00*  wire roce 100%
staged  3     25.00   wire roce 100%
direct  1     10.00   wire roce 100%
direct  2     10.00   wire roce 100%
direct  3     10.00   wire roce 100%
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	// Runs that follow each other in turn are put together; keys of one name are told apart.
	rows = nil
	for _, left := range []string{"1", "0.5"} {
		for _, algorithm := range []string{"ring", "mesh"} {
			r := swept(rowOf("wire:hccs", 10), field("faults.links.0.left", left), field("faults.links.1.left", left))
			r.Requested, r.Algorithm = algorithm, algorithm
			rows = append(rows, r)
		}
	}
	out.Reset()
	if err := Table(&out, rows, Options{}); err != nil {
		t.Fatal(err)
	}
	want = `# allreduce, fp32 sum, in place on t, 8 NPUs
# 1M, over faults.links.0.left and faults.links.1.left
0.left  1.left   ring    mesh    busbw  bound by
     1       1  10.00*  10.00*  183.50  wire hccs 100%
   0.5     0.5  10.00*  10.00*  183.50  wire hccs 100%
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// A sweep of one size says what ran where that was chosen, and what the choice lost.
func TestSweepOfChoices(t *testing.T) {
	var rows []records.Row
	for i, value := range []string{"2", "4"} {
		for j, requested := range []string{"auto", "best"} {
			r := swept(rowOf("wire:hccs", 20-10*i*j), records.Field{Path: "env.X", Value: value})
			r.Requested, r.Algorithm, r.SelectedBy = requested, []string{"mesh", "nhr"}[i*j], "some rule"
			rows = append(rows, r)
		}
	}
	var out bytes.Buffer
	if err := Table(&out, rows, Options{}); err != nil {
		t.Fatal(err)
	}
	want := `# allreduce, fp32 sum, in place on t, 8 NPUs
# 1M, over env.X; --long has the reasons
X   auto    best   auto runs  best runs  auto loss   busbw  bound by
2  20.00*  20.00*  mesh       mesh            0.0%   91.75  wire hccs 100%
4  20.00   10.00*  mesh       nhr           100.0%  183.50  wire hccs 100%
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
