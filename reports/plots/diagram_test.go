package plots

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// around is a ring of p ranks with as many slices: every rank adds to the next one, and
// in the last step copies.
func around(p, steps int) Diagram {
	d := Diagram{Title: "around", Subtitle: strings.Repeat("a sentence that goes on ", 9), Row: p}
	for rank := range p {
		d.Lanes = append(d.Lanes, fmt.Sprintf("rank %d", rank))
	}
	for k := range steps + 1 {
		lanes := make([][]Cell, p)
		for rank := range p {
			for slice := range p {
				lanes[rank] = append(lanes[rank], Cell{Share: float64(k) / float64(steps), Result: k == steps && slice == rank})
			}
		}
		d.Cells = append(d.Cells, lanes)
	}
	for k := range steps {
		c := Column{Title: fmt.Sprintf("step %d", k), Notes: []string{"r → r+1"}}
		for rank := range p {
			c.Arrows = append(c.Arrows, Arrow{From: rank, To: (rank + 1) % p, Label: fmt.Sprintf("s%d.%d", k, rank), Reduces: k < steps-1})
		}
		d.Columns = append(d.Columns, c)
	}
	return d
}

// wordsOf are the texts of a diagram.
func wordsOf(t *testing.T, d Diagram) []string {
	t.Helper()
	content, err := d.render(".svg")
	if err != nil {
		t.Fatal(err)
	}
	return texts(t, content)
}

func count(words []string, word string) (n int) {
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}

// Every message, step and rank is named, on as many bands as it takes.
func TestDiagramNamesEverything(t *testing.T) {
	for _, c := range []struct{ ranks, steps, bands int }{{5, 4, 1}, {8, 14, 2}, {16, 30, 4}} {
		d := around(c.ranks, c.steps)
		words := wordsOf(t, d)
		if got := planOf(d).bands; got != c.bands {
			t.Errorf("%d ranks, %d steps: %d bands, want %d", c.ranks, c.steps, got, c.bands)
		}
		for k, column := range d.Columns {
			if count(words, column.Title) != 1 {
				t.Errorf("%d ranks: step %d has %d titles", c.ranks, k, count(words, column.Title))
			}
			for _, a := range column.Arrows {
				if count(words, a.Label) != 1 {
					t.Errorf("%d ranks: %q is there %d times", c.ranks, a.Label, count(words, a.Label))
				}
			}
		}
		if count(words, "r → r+1") != c.steps || count(words, "rank 0") != c.bands {
			t.Errorf("%d ranks: notes or lanes are missing: %q", c.ranks, words)
		}
		for _, want := range []string{"around", "message, reduced on arrival", "message, copied", "complete, where it is wanted"} {
			if !slices.Contains(words, want) {
				t.Errorf("%d ranks: no %q", c.ranks, want)
			}
		}
	}
}

// Where labels would cover each other there are none; nor signs of what the picture has not.
func TestDiagramLeavesOut(t *testing.T) {
	d := around(8, 1)
	d.Columns[0].Arrows = nil
	for from := range 8 {
		for to := range 8 {
			if from != to {
				d.Columns[0].Arrows = append(d.Columns[0].Arrows, Arrow{From: from, To: to, Label: "x"})
			}
		}
	}
	words := wordsOf(t, d)
	if count(words, "x") != 0 || slices.Contains(words, "message, reduced on arrival") {
		t.Errorf("too much is said: %q", words)
	}
	d = around(4, 1)
	d.Columns[0].Notes = []string{strings.Repeat("a note without end ", 40)}
	if words := wordsOf(t, d); slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "a note") }) {
		t.Errorf("a note that has no room: %q", words)
	}
}

func TestDiagramFiles(t *testing.T) {
	dir := t.TempDir()
	for ending, begin := range map[string]string{".svg": "<?xml", ".png": "\x89PNG", ".pdf": "%PDF"} {
		path := filepath.Join(dir, "ring"+ending)
		if err := around(8, 14).Write(path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(content, []byte(begin)) {
			t.Errorf("%s begins with %q: %v", path, content[:8], err)
		}
		if ending != ".png" {
			continue
		}
		if config, err := png.DecodeConfig(bytes.NewReader(content)); err != nil || config.Width < 1500 || config.Width > 2400 {
			t.Errorf("%s: %v, %v", path, config, err)
		}
	}
	for _, c := range []struct {
		d         Diagram
		path, err string
	}{
		{around(4, 1), filepath.Join(dir, "ring.gif"), "unknown format"},
		{around(33, 1), filepath.Join(dir, "ring.svg"), "too many"},
		{around(4, 1), filepath.Join(dir, "none", "ring.svg"), "cannot write into"},
	} {
		if err := c.d.Write(c.path); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %s", c.path, err, c.err)
		}
	}
}

// A cell is white with nothing in it, darker the more is in it, green when it is done.
func TestShade(t *testing.T) {
	grey := func(share float64) uint32 {
		r, g, b, _ := shade(Cell{Share: share}).RGBA()
		if r != g || g != b {
			t.Errorf("share %g is no grey", share)
		}
		return r
	}
	if !(grey(0) == 0xFFFF && grey(0) > grey(0.1) && grey(0.1) > grey(0.5) && grey(0.5) > grey(1)) {
		t.Errorf("shades %x %x %x %x", grey(0), grey(0.1), grey(0.5), grey(1))
	}
	if shade(Cell{Share: 1, Result: true}) != result {
		t.Error("a result has another colour")
	}
}
