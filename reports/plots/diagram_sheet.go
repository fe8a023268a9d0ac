package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is a canvas on which shapes of the same look are collected, and painted together at the
// end: every call of a canvas costs as much as the whole picture is high. Layers are painted from
// the lowest to the highest, and texts above all.
type sheet struct {
	draw.Canvas
	layers [layers][]shapesOf
	texts  []words
}

// Layers of a diagram.
const (
	underneath = iota
	cellLayer
	cellEdges
	shafts
	heads
	headEdges
	labelGround
	layers
)

// shapesOf are paths that are filled (width 0), or lines that are drawn, in one colour.
type shapesOf struct {
	colour color.NRGBA
	width  vg.Length
	path   vg.Path
}

type words struct {
	style draw.TextStyle
	at    vg.Point
	text  string
}

// add adds a path to those of its look, which are painted in the order in which their
// looks first came. Width 0 fills it.
func (s *sheet) add(layer int, colour color.NRGBA, width vg.Length, path vg.Path) {
	list := &s.layers[layer]
	for i := range *list {
		if one := &(*list)[i]; one.colour == colour && one.width == width {
			one.path = append(one.path, path...)
			return
		}
	}
	*list = append(*list, shapesOf{colour, width, path})
}

// line adds a straight line.
func (s *sheet) line(layer int, colour color.NRGBA, width vg.Length, from, to vg.Point) {
	var path vg.Path
	path.Move(from)
	path.Line(to)
	s.add(layer, colour, width, path)
}

func (s *sheet) text(style draw.TextStyle, at vg.Point, text string) {
	s.texts = append(s.texts, words{style, at, text})
}

// paint puts everything on the canvas.
func (s *sheet) paint() {
	for _, list := range s.layers {
		for _, one := range list {
			if one.width == 0 {
				s.SetColor(one.colour)
				s.Fill(one.path)
				continue
			}
			s.SetLineStyle(draw.LineStyle{Color: one.colour, Width: one.width})
			s.Stroke(one.path)
		}
	}
	for _, w := range s.texts {
		s.FillText(w.style, w.at, w.text)
	}
}
