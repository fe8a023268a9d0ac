package plots

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Diagram is a schedule as a picture: a lane for each rank, from top to bottom; a column
// for each step, with an arrow for each message; and between the columns what every rank
// holds, a cell for each slice.
type Diagram struct {
	Title    string
	Subtitle string // sentences
	Lanes    []string
	Columns  []Column
	Cells    [][][]Cell // before the first column and after each, by lane
	Row      int        // cells side by side
}

// Column is what happens in a step.
type Column struct {
	Title  string
	Notes  []string // what all of its messages have in common, a line each
	Arrows []Arrow
}

// Arrow is a message from lane to lane. Labels are left out where there is no room.
type Arrow struct {
	From, To int
	Label    string
	Reduces  bool // on arrival; else what arrives is copied
}

// Cell is what a rank holds of a slice: the share of the inputs that it is to be made of,
// and whether it is complete where the collective wants it.
type Cell struct {
	Share  float64
	Result bool
}

// MaxLanes and MaxCells are the most that a picture can show.
const (
	MaxLanes = 32
	MaxCells = 256
)

// DiagramFormats are the endings of files that Write can make.
func DiagramFormats() []string { return []string{".svg", ".png", ".pdf"} }

// Write draws the diagram into a file of one of DiagramFormats, whole or not at all.
func (d Diagram) Write(path string) error {
	content, err := d.render(strings.ToLower(filepath.Ext(path)))
	if err == nil {
		err = write(path, content)
	}
	if err != nil {
		return fmt.Errorf("diagram %s: %w", path, err)
	}
	return nil
}

func (d Diagram) render(format string) ([]byte, error) {
	if len(d.Lanes) > MaxLanes {
		return nil, fmt.Errorf("%d ranks are too many to be drawn, expected at most %d", len(d.Lanes), MaxLanes)
	}
	p := planOf(d)
	switch format {
	case ".svg":
		canvas := vgsvg.New(p.width, p.height)
		p.paint(canvas)
		content, err := encode(canvas)
		return bytes.ReplaceAll(content, []byte("font-family:Liberation Sans;"),
			[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")), err
	case ".png":
		canvas := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(p.dpi()))
		p.paint(canvas)
		return encode(vgimg.PngCanvas{Canvas: canvas})
	case ".pdf":
		p.plain = true
		canvas := vgpdf.New(p.width, p.height)
		p.paint(canvas)
		return encode(canvas)
	}
	return nil, fmt.Errorf("unknown format %q, expected a name that ends with %s", format, strings.Join(DiagramFormats(), ", "))
}

// Lengths in points.
const (
	pageWidth  vg.Length = 980  // what bands are filled up to
	widePage   vg.Length = 1560 // the same, of more than 16 columns
	leastWidth vg.Length = 640  // for the title and the legend
	laneName   vg.Length = 44
	leastGap   vg.Length = 72 // between the cells of two columns, for arrows
	mostGap    vg.Length = 200
	noteHeight vg.Length = 11
	bandSpace  vg.Length = 18 // between two bands
	smallText  vg.Length = 8.5
	leastText  vg.Length = 6.5
)

// plan is where everything of a diagram goes. Columns that do not fit side by side go on
// in a further band below.
type plan struct {
	Diagram
	width, height vg.Length
	cell          vg.Point  // the size of one
	node          vg.Point  // the size of all cells of a lane
	lane          vg.Length // from a lane to the next
	gap           vg.Length
	perBand       int
	bands         int
	plain         bool // no bold letters and no arrows in texts: vgpdf has neither
}

func planOf(d Diagram) plan {
	p := plan{Diagram: d, lane: 42, cell: vg.Point{X: 6.5, Y: 11}}
	if len(d.Lanes) > 8 {
		p.lane = 30
	}
	cells := len(d.Cells[0][0])
	rows := 0
	if cells > 0 && cells <= MaxCells {
		rows = (cells + d.Row - 1) / d.Row
		p.cell.X = min(p.cell.X, 104/vg.Length(d.Row))
		p.cell.Y = min(p.cell.Y, (p.lane-8)/vg.Length(rows))
		if rows > 1 {
			p.cell.X = min(p.cell.X, p.cell.Y*1.5)
		}
		p.node = vg.Point{X: p.cell.X * vg.Length(d.Row), Y: p.cell.Y * vg.Length(rows)}
	}
	page := pageWidth
	if len(d.Columns) > 16 {
		page = widePage
	}
	most := max(1, int((page-laneName-p.node.X)/(p.node.X+leastGap)))
	columns := max(1, len(d.Columns))
	p.bands = (columns + most - 1) / most
	p.perBand = (columns + p.bands - 1) / p.bands
	free := page - laneName - vg.Length(p.perBand+1)*p.node.X
	p.gap = min(max(free/vg.Length(p.perBand), leastGap), mostGap)
	p.gap = max(p.gap, (free-page+leastWidth)/vg.Length(p.perBand))
	p.width = 2*margin + laneName + vg.Length(p.perBand)*(p.node.X+p.gap) + p.node.X
	p.width = max(p.width, leastWidth)
	p.height = p.titleHeight() + vg.Length(p.bands)*(p.bandHeight()+bandSpace) + p.legendHeight() + 1.6*margin
	return p
}

// dpi is 160 dots per inch, fewer where the picture would have more than 20 million.
func (p plan) dpi() int {
	const most, dots = 160, 20e6
	area := float64(p.width/vg.Inch) * float64(p.height/vg.Inch)
	return int(min(most, math.Sqrt(dots/area)))
}

// headHeight is the room for the title and the notes of a column.
func (p plan) headHeight() vg.Length {
	notes := 0
	for _, c := range p.Columns {
		notes = max(notes, len(c.Notes))
	}
	return 24 + vg.Length(notes)*noteHeight
}

// bandHeight is that of a row of columns with their heads.
func (p plan) bandHeight() vg.Length { return p.headHeight() + vg.Length(len(p.Lanes))*p.lane }
