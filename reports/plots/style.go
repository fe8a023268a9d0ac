package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of Okabe and Ito, which the colour-blind can tell apart
// (https://jfly.uni-koeln.de/color/), with brown in place of the yellow that white paper
// swallows; then the same, darker.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0x8C, 0x6D, 0x46, 0xFF}, // brown
	{0x00, 0x3B, 0x5C, 0xFF},
	{0x7A, 0x36, 0x00, 0xFF},
	{0x00, 0x55, 0x3E, 0xFF},
	{0x7E, 0x3A, 0x5E, 0xFF},
	{0x96, 0x68, 0x00, 0xFF},
	{0x1F, 0x6A, 0x94, 0xFF},
}

var (
	ink   = color.NRGBA{0x22, 0x22, 0x22, 0xFF} // titles, the chooser
	pale  = color.NRGBA{0x55, 0x55, 0x55, 0xFF} // labels
	rule  = color.NRGBA{0x88, 0x88, 0x88, 0xFF} // axes
	faint = color.NRGBA{0xE4, 0xE4, 0xE4, 0xFF} // grid
)

// Dash patterns in points, the first solid. Dashes and markers have periods without a
// common factor, so that 40 lines differ even in black and white.
var dashes = [][]vg.Length{nil, {7, 3}, {2, 2}, {9, 3, 2, 3}, {4, 2}}

// chooser is the style of a line that follows other lines: it is drawn over them, thin
// and dotted, with open rings around their markers.
const chooser = -1

func colourOf(style int) color.NRGBA {
	if style == chooser {
		return ink
	}
	return palette[style%len(palette)]
}

func lineStyle(style int) draw.LineStyle {
	if style == chooser {
		return draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{1, 3}}
	}
	return draw.LineStyle{Color: colourOf(style), Width: 1.8, Dashes: dashes[style%len(dashes)]}
}

// drawMarker puts the marker of a style on a point.
func drawMarker(c *draw.Canvas, style int, at vg.Point) {
	const radius vg.Length = 3.4
	colour := colourOf(style)
	if style == chooser {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: colour, Radius: radius + 2, Shape: draw.RingGlyph{}}, at)
		return
	}
	shape := shapes[style%len(shapes)]
	fill, edge := colour, color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF} // a white edge keeps markers apart
	if shape.open {
		fill, edge = edge, fill
	}
	var path vg.Path
	if shape.corners == nil {
		path.Move(vg.Point{X: at.X + radius, Y: at.Y})
		path.Arc(at, radius, 0, 2*math.Pi)
	}
	for i, corner := range shape.corners {
		p := at.Add(corner.Scale(radius))
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: edge, Width: 0.8})
	c.Stroke(path)
}

// shape is a marker: the corners of a polygon around the unit circle, or a circle.
type shape struct {
	corners []vg.Point
	open    bool // white inside
}

var shapes = []shape{
	{},
	{corners: polygon(4, 45, 1.25)},
	{corners: polygon(3, 90, 1.35)},
	{corners: polygon(4, 0, 1.35)},
	{corners: polygon(3, -90, 1.35)},
	{open: true},
	{corners: polygon(4, 45, 1.2), open: true},
	{corners: polygon(5, 90, 1.25)},
}

func polygon(corners int, degrees, radius float64) []vg.Point {
	var list []vg.Point
	for i := range corners {
		angle := math.Pi * (degrees/180 + 2*float64(i)/float64(corners))
		list = append(list, vg.Point{X: vg.Length(radius * math.Cos(angle)), Y: vg.Length(radius * math.Sin(angle))})
	}
	return list
}

// Sizes of text in points, on a figure of 576 x 360.
const (
	titleSize vg.Length = 16
	textSize  vg.Length = 11
	tickSize  vg.Length = 11
)

// text is a style of Liberation Sans, which comes with the library.
func text(size vg.Length, colour color.Color, bold bool) draw.TextStyle {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = 3
	}
	return draw.TextStyle{Color: colour, Font: f, XAlign: draw.XLeft, YAlign: draw.YBottom, Handler: plot.DefaultTextHandler}
}
