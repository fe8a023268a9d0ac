package plots

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hcclsim/model/records"
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

// dump writes everything that a chart says. Seven digits are more than an eye can see and
// fewer than processors differ in.
func dump(d drawing) string {
	var b strings.Builder
	fmt.Fprintf(&b, "file %s\ntitle %s\nsubtitle %s\n", d.suffix, d.figure.title, strings.Join(d.figure.subtitle, ", "))
	if d.figure.below != "" {
		fmt.Fprintf(&b, "below %s\n", d.figure.below)
	}
	for _, e := range d.figure.legend {
		fmt.Fprintf(&b, "legend %d %s\n", e.style, e.name)
	}
	for _, p := range d.figure.panels {
		fmt.Fprintf(&b, "panel %s\n", p.title)
		dumpAxis(&b, "x", p.x)
		dumpAxis(&b, "y", p.y)
		for _, band := range p.bands {
			fmt.Fprintf(&b, "  band %d %s from %.7g to %.7g mark %q\n", band.style, band.name, band.min, band.max, band.mark)
		}
		for _, l := range p.lines {
			fmt.Fprintf(&b, "  line %d\n", l.style)
			for _, at := range l.points {
				fmt.Fprintf(&b, "    %.7g,%.7g\n", at.x, at.y)
			}
		}
	}
	return b.String()
}

func dumpAxis(b *strings.Builder, name string, a axis) {
	fmt.Fprintf(b, "  %s %q log=%t %.7g..%.7g ticks", name, a.label, a.log, a.min, a.max)
	for _, t := range a.ticks {
		if t.Label != "" {
			fmt.Fprintf(b, " [%s]", t.Label)
		} else {
			b.WriteString(" .")
		}
	}
	b.WriteString("\n")
}

func TestFigures(t *testing.T) {
	rows := withAuto(hockney(2, "ring", "tree", "mesh+ring"))
	for _, c := range []struct {
		name, kind string
		rows       []records.Row
	}{
		{"bandwidth", "bandwidth", rows},
		{"latency", "latency", rows},
		{"crossover", "crossover", rows},
		{"scaling", "scaling", scaled("ring", "tree")},
		{"sweep", "sweep", swept(true)},
		{"sweep-single", "sweep", swept(false)},
		{"single", "latency", rows[:1]},
		{"twelve", "crossover", hockney(2, twelve...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			drawings, err := drawingsOf(c.kind, c.rows)
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, d := range drawings {
				text += dump(d)
			}
			golden(t, c.name, text)
		})
	}
}

// Operators of streams are no alternatives: charts of algorithms leave them out.
func TestStreamsAreNotCompared(t *testing.T) {
	for _, kind := range []string{"bandwidth", "latency", "crossover"} {
		if drawings, err := drawingsOf(kind, swept(true)); len(drawings) > 0 || err != nil {
			t.Errorf("%s: %d charts, %v", kind, len(drawings), err)
		}
	}
}

// What stands in the charts is what stands in the rows.
func TestPointsAreRows(t *testing.T) {
	rows := hockney(2, "ring", "tree")
	for kind, y := range map[string]func(records.Row) float64{
		"bandwidth": records.Row.BusBW,
		"latency":   func(r records.Row) float64 { return float64(r.Time) / 1e6 },
	} {
		drawings, err := drawingsOf(kind, rows)
		if err != nil || len(drawings) != 1 {
			t.Fatalf("%s: %d charts, %v", kind, len(drawings), err)
		}
		lines := drawings[0].figure.panels[0].lines
		for i, r := range rows {
			got := lines[i%2].points[i/2]
			if got.x != float64(r.Bytes) || got.y != y(r) {
				t.Errorf("%s %s: point %v, want %d, %v", kind, r.Algorithm, got, r.Bytes, y(r))
			}
		}
	}
}

// Points without a time or a size have no place on logarithmic axes.
func TestZeros(t *testing.T) {
	rows := hockney(2, "ring", "tree")[:6]
	rows[0].Time, rows[2].Bytes = 0, 0
	for _, kind := range []string{"bandwidth", "latency", "crossover"} {
		drawings, err := drawingsOf(kind, rows)
		if err != nil || len(drawings) != 1 {
			t.Fatalf("%s: %d charts, %v", kind, len(drawings), err)
		}
		lines := drawings[0].figure.panels[0].lines
		if len(lines[0].points) != 1 || len(lines[1].points) != 3 {
			t.Errorf("%s: %v", kind, lines)
		}
	}
	for i := range rows {
		rows[i].Time = 0
	}
	for _, kind := range Kinds() {
		if drawings, err := drawingsOf(kind, rows); len(drawings) != 0 || err != nil {
			t.Errorf("%s of no time at all: %d charts, %v", kind, len(drawings), err)
		}
	}
}

// An algorithm looks the same in every chart of a set, whichever others are with it.
func TestStylesAreShared(t *testing.T) {
	rows := append(hockney(2, "ring", "tree"), hockney(4, "nhr", "tree")...)
	drawings, err := drawingsOf("latency", rows)
	if err != nil || len(drawings) != 2 {
		t.Fatalf("%d charts, %v", len(drawings), err)
	}
	first, second := drawings[0].figure.legend, drawings[1].figure.legend
	if !slices.Equal(first, []entry{{0, "ring"}, {1, "tree"}}) || !slices.Equal(second, []entry{{2, "nhr"}, {1, "tree"}}) {
		t.Errorf("legends %v and %v", first, second)
	}
}

// A band whose algorithm only a chooser ran says so.
func TestBandOfChooser(t *testing.T) {
	rows := hockney(2, "ring")
	for _, r := range hockney(2, "rhd") {
		r.Requested = "auto"
		rows = append(rows, r)
	}
	drawings, err := drawingsOf("crossover", rows)
	if err != nil {
		t.Fatal(err)
	}
	b := drawings[0].figure.panels[0].bands[0]
	if b.name != "rhd (auto)" || b.style != chooser {
		t.Errorf("band %+v", b)
	}
}

// Swept keys that are no counts are spread evenly in the order of the scenario.
func TestScalingOfKey(t *testing.T) {
	var rows []records.Row
	for i, v := range []string{"512KiB", "1MiB", "2GiB"} {
		r := hockney(2, "ring")[i]
		r.Bytes = 1 << 20
		r.Swept = []records.Field{{Path: "env.HCCL_RDMA_SPLIT_THRESHOLD", Value: v}}
		rows = append(rows, r)
	}
	drawings, err := drawingsOf("scaling", rows)
	if err != nil || len(drawings) != 2 {
		t.Fatalf("%d charts, %v", len(drawings), err)
	}
	f := drawings[0].figure
	if f.title != "allreduce: time against HCCL_RDMA_SPLIT_THRESHOLD" || !slices.Equal(f.subtitle, []string{"atlas-800t-a2, 2 servers x 8 NPUs", "fp32 sum"}) {
		t.Errorf("title %q, %q", f.title, f.subtitle)
	}
	p := f.panels[0]
	for i, want := range []string{"512KiB", "1MiB", "2GiB"} {
		if p.x.ticks[i].Label != want || p.x.ticks[i].Value != float64(i+1) || p.lines[0].points[i].x != float64(i+1) {
			t.Errorf("tick %v, point %v", p.x.ticks[i], p.lines[0].points[i])
		}
	}
}
