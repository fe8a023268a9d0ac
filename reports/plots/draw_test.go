package plots

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"hcclsim/model/records"
)

// texts are the words of an SVG file, which must be well-formed.
func texts(t *testing.T, content []byte) []string {
	t.Helper()
	var list []string
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if words, ok := token.(xml.CharData); ok && strings.TrimSpace(string(words)) != "" {
			list = append(list, strings.TrimSpace(string(words)))
		}
	}
}

func TestDraw(t *testing.T) {
	rows := withAuto(hockney(2, "ring", "tree", "mesh+ring"))
	for kind, want := range map[string][]string{
		"bandwidth": {"allreduce: bus bandwidth", "bus bandwidth, GB/s", "30"},
		"latency":   {"allreduce: time", "time", "100 µs", "100 ms"},
		"crossover": {"allreduce: the fastest algorithm", "981K", "11.1M", "1x", "5x"},
	} {
		dir := t.TempDir()
		files, err := Draw(kind, rows, dir, "x")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(files, []string{filepath.Join(dir, "x-"+kind+".png"), filepath.Join(dir, "x-"+kind+".svg")}) {
			t.Fatalf("files %v", files)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
		picture, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(picture))
		if err != nil || config.Width != 1600 || config.Height != 1000 {
			t.Errorf("%s.png: %v, %v", kind, config, err)
		}
		drawing, err := os.ReadFile(files[1])
		if err != nil {
			t.Fatal(err)
		}
		words := texts(t, drawing)
		for _, w := range append(want, "atlas-800t-a2, 2 servers x 8 NPUs, fp32 sum", "message size", "16K", "1G", "ring", "tree", "mesh+ring", "auto") {
			if !slices.Contains(words, w) {
				t.Errorf("%s.svg lacks %q: %q", kind, w, words)
			}
		}
	}
}

func TestDrawScaling(t *testing.T) {
	dir := t.TempDir()
	files, err := Draw("scaling", scaled("ring", "tree"), dir, "x")
	if err != nil || len(files) != 4 {
		t.Fatalf("%v, %v", files, err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "x-scaling-time.svg"))
	if err != nil {
		t.Fatal(err)
	}
	words := texts(t, content)
	for _, w := range []string{"allreduce: time against servers", "atlas-800t-a2, 8 NPUs per server, fp32 sum", "size 8K", "size 4M", "size 1G", "servers", "64"} {
		if !slices.Contains(words, w) {
			t.Errorf("no %q in %q", w, words)
		}
	}
}

func TestDeterministic(t *testing.T) {
	for _, kind := range Kinds() {
		var versions [2][]byte
		for i := range versions {
			drawings, err := drawingsOf(kind, scaled("ring", "tree"))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range drawings {
				content, err := renderSVG(d.figure)
				if err != nil {
					t.Fatal(err)
				}
				versions[i] = append(versions[i], content...)
			}
		}
		if len(versions[0]) == 0 || !bytes.Equal(versions[0], versions[1]) {
			t.Errorf("%s differs from itself, %d bytes", kind, len(versions[0]))
		}
	}
}

// Files of many groups are told apart by what differs between them, and by nothing else.
func TestNames(t *testing.T) {
	var rows []records.Row
	for _, servers := range []int{2, 4} {
		for _, v := range []string{"1/2 MiB", "2MiB"} {
			r := hockney(servers, "ring")[0]
			r.Swept = append(r.Swept, records.Field{Path: "env.SPLIT", Value: v})
			rows = append(rows, r)
		}
	}
	rank := rows[3]
	rank.Iterations = 7 // nothing that a file name tells
	rows = append(rows, rank)
	drawings, err := drawingsOf("latency", rows)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range drawings {
		got = append(got, strings.TrimPrefix(d.suffix, "-latency"))
	}
	want := []string{"-2-servers-SPLIT-1-2-MiB", "-2-servers-SPLIT-2MiB", "-4-servers-SPLIT-1-2-MiB",
		"-4-servers-SPLIT-2MiB", "-4-servers-SPLIT-2MiB-2"}
	if !slices.Equal(got, want) {
		t.Errorf("names %q", got)
	}
	if got := slug("../../etc/x"); strings.ContainsAny(got, "/\\") || strings.HasPrefix(got, ".") {
		t.Errorf("slug %q", got)
	}
}

func TestDrawErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Draw("latency", hockney(2, "ring"), file, "x")
	if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("plot x-latency: cannot write into %s: ", file)) {
		t.Errorf("into a file: %v", err)
	}
	_, err = Draw("pie", nil, ".", "x")
	if err == nil || err.Error() != `unknown plot "pie" (one of bandwidth, latency, crossover, scaling, sweep)` {
		t.Errorf("unknown kind: %v", err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "x-latency.png", "y"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Draw("latency", hockney(2, "ring"), dir, "x"); err == nil {
		t.Error("a directory in the place of the file goes unnoticed")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// Long lists of settings wrap at their commas and stay on the card.
func TestWrap(t *testing.T) {
	style := text(textSize, pale, false)
	phrases := []string{"atlas-800t-a2, 2 servers x 8 NPUs", "fp32 sum", "a=1, b=2, c=3", "env.HCCL_RDMA_SPLIT_THRESHOLD=1MiB, env.HCCL_BUFFSIZE=200"}
	lines := wrap(phrases, style, 300)
	if strings.Join(lines, " ") != strings.Join(phrases, ", ") || len(lines) < 2 {
		t.Errorf("lines %q", lines)
	}
	for _, l := range lines {
		if style.Width(l) > 304 { // a comma may hang over
			t.Errorf("%q is %g points wide", l, style.Width(l))
		}
	}
}

// Nothing of twelve algorithms is painted outside of the card or over another thing: the
// legend ends below the chart.
func TestLegendHeight(t *testing.T) {
	var entries []entry
	for i, name := range twelve {
		entries = append(entries, entry{i, name})
	}
	c := draw.New(vgsvg.New(width, height))
	if got := paintLegend(entries, c); got != 3*lineHeight+8 {
		t.Errorf("twelve entries take %g points, want 3 rows", got)
	}
	if got := paintLegend(entries[:3], c); got != lineHeight+8 {
		t.Errorf("three entries take %g points, want 1 row", got)
	}
}
