package plots

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"hcclsim/model/records"
)

// Kinds are the charts that Draw knows: bus bandwidth against size; time against size, on
// logarithmic axes; the ratio of every algorithm's time to the fastest one's, with the
// sizes at which the fastest changes; time and bus bandwidth against the number of
// servers or another swept key, at a few sizes;
// or time against the last swept key.
func Kinds() []string { return []string{"bandwidth", "latency", "crossover", "scaling", "sweep"} }

// Draw writes the charts of one of Kinds into dir, each as base-kind.png (1600 x 1000
// pixels) and base-kind.svg, and returns the paths of the files. Rows that differ in more
// than size and algorithm make several charts; what tells them apart is added to their
// names. Rows without a time or, for scaling, without a key that varies make none.
// A file is complete or not there: it is written under another name first.
func Draw(kind string, rows []records.Row, dir, base string) ([]string, error) {
	drawings, err := drawingsOf(kind, rows)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, d := range drawings {
		for _, format := range []struct {
			ending string
			render func(figure) ([]byte, error)
		}{{".png", renderPNG}, {".svg", renderSVG}} {
			content, err := format.render(d.figure)
			if err != nil {
				return files, fmt.Errorf("plot %s: %w", base+d.suffix, err)
			}
			path := filepath.Join(dir, base+d.suffix+format.ending)
			if err := write(path, content); err != nil {
				return files, fmt.Errorf("plot %s: %w", base+d.suffix, err)
			}
			files = append(files, path)
		}
	}
	return files, nil
}

// drawing is a figure with what its file is called behind the base.
type drawing struct {
	suffix string
	figure figure
}

func drawingsOf(kind string, rows []records.Row) ([]drawing, error) {
	// Operators of streams are no alternatives that a chart could compare.
	rows = slices.DeleteFunc(slices.Clone(rows), func(r records.Row) bool {
		return r.Operator != "" || r.Run != "" && kind != "sweep" && kind != "scaling"
	})
	s := stylesOf(rows)
	charts := map[string]func(records.Group) (figure, bool){
		"bandwidth": s.bandwidth, "latency": s.latency, "crossover": s.crossover,
	}
	var list []drawing
	switch figureOf := charts[kind]; {
	case kind == "scaling":
		scalings := records.Scalings(rows)
		names := tellApart(scalings, func(sc records.Scaling) []string {
			return append(traits(sc.Groups[0].Without(sc.Key)), "by-"+sc.Key)
		})
		for i, sc := range scalings {
			for _, q := range quantities {
				if f, ok := s.scaling(sc, q); ok {
					list = append(list, drawing{"-scaling-" + q.name + names[i], f})
				}
			}
		}
	case kind == "sweep":
		sweeps := s.sweeps(rows)
		names := tellApart(sweeps, func(c sweepChart) []string { return c.traits })
		for i, c := range sweeps {
			list = append(list, drawing{"-sweep" + names[i], c.figure})
		}
	case figureOf != nil:
		groups := records.Groups(rows)
		names := tellApart(groups, func(g records.Group) []string { return traits(g.Row) })
		for i, g := range groups {
			if f, ok := figureOf(g); ok {
				list = append(list, drawing{"-" + kind + names[i], f})
			}
		}
	default:
		return nil, fmt.Errorf("unknown plot %q (one of %s)", kind, strings.Join(Kinds(), ", "))
	}
	return list, nil
}

// traits are the parts of a file name in which rows may differ.
func traits(r records.Row) []string {
	list := []string{r.Scenario, r.Collective, r.Topology, fmt.Sprintf("%d-servers", r.Servers),
		fmt.Sprintf("%d-npus", r.Ranks/max(r.Servers, 1)), r.Work()}
	for _, f := range r.Swept {
		if f.Path != "topology.servers" {
			list = append(list, f.Path[strings.LastIndex(f.Path, ".")+1:]+"-"+f.Value)
		}
	}
	return list
}

// tellApart makes the end of a file name for each item from those traits that are not the
// same for all of them, and a number if that is not enough.
func tellApart[T any](items []T, traits func(T) []string) []string {
	var all [][]string
	for _, item := range items {
		all = append(all, traits(item))
	}
	var names []string
	for _, own := range all {
		name := ""
		for i, t := range own {
			if slices.ContainsFunc(all, func(other []string) bool { return i >= len(other) || other[i] != t }) {
				name += "-" + slug(t)
			}
		}
		unique := name
		for n := 2; slices.Contains(names, unique); n++ {
			unique = fmt.Sprintf("%s-%d", name, n)
		}
		names = append(names, unique)
	}
	return names
}

// slug keeps what is harmless in a file name.
func slug(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool {
		return r != '.' && r != '+' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Trim(strings.Join(fields, "-"), ".")
}

// renderPNG renders at 200 dots per inch.
func renderPNG(f figure) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(200))
	paint(f, canvas)
	return encode(vgimg.PngCanvas{Canvas: canvas})
}

// renderSVG keeps text as text. Where Liberation Sans is not installed, Arial and Helvetica
// have letters of the same widths.
func renderSVG(f figure) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	paint(f, canvas)
	content, err := encode(canvas)
	return bytes.ReplaceAll(content, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")), err
}

func encode(canvas vg.CanvasWriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := canvas.(io.WriterTo).WriteTo(&b)
	return b.Bytes(), err
}

// write puts the file in place by renaming, so that no reader sees half of it.
func write(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".plot-*")
	if err != nil {
		return fmt.Errorf("cannot write into %s: %w", filepath.Dir(path), err)
	}
	defer os.Remove(temporary.Name()) // gone already when all went well
	_, err = temporary.Write(content)
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(temporary.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	return err
}
