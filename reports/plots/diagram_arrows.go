package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// stroke is an arrow with its ends on the page.
type stroke struct {
	Arrow
	tail, head vg.Point
	out, in    int // arrows that begin, and that end, at the same lanes
}

// strokes places the arrows of a column that begins at x. Those that begin or end at the
// same lane are spread a little, in the order of their other ends.
func (p plan) strokes(arrows []Arrow, x vg.Length, y func(int) vg.Length) []stroke {
	from, to := make([][]int, len(p.Lanes)), make([][]int, len(p.Lanes))
	for _, a := range arrows {
		from[a.From] = append(from[a.From], a.To)
		to[a.To] = append(to[a.To], a.From)
	}
	spread := func(others []int, one int) vg.Length {
		slices.Sort(others)
		step := min(1.9, (p.lane*0.45)/vg.Length(len(others)))
		return -step * (vg.Length(slices.Index(others, one)) - vg.Length(len(others)-1)/2)
	}
	var list []stroke
	for _, a := range arrows {
		list = append(list, stroke{
			Arrow: a,
			tail:  vg.Point{X: x + 2, Y: y(a.From) + spread(from[a.From], a.To)},
			head:  vg.Point{X: x + p.gap - 2, Y: y(a.To) + spread(to[a.To], a.From)},
			out:   len(from[a.From]), in: len(to[a.To]),
		})
	}
	return list
}

// paintArrows paints arrows, then their labels.
func (p plan) paintArrows(s *sheet, strokes []stroke) {
	width := vg.Length(1)
	if len(strokes) > 3*len(p.Lanes) {
		width = 0.7
	}
	for _, a := range strokes {
		paintArrow(s, a.Arrow, a.tail, a.head, width)
	}
	p.paintLabels(s, strokes)
}

// label is a text with its place: at the left end, or centred.
type label struct {
	text  string
	at    vg.Point
	align draw.XAlignment
}

// paintLabels writes what messages carry: beside the lane of a rank that sends one, near
// the head of the only arrow that ends at a lane, otherwise on the arrow. Labels that
// would cover each other are all left out: some without the others would mislead.
func (p plan) paintLabels(s *sheet, strokes []stroke) {
	style := text(smallText, ink, false)
	style.YAlign = draw.YCenter
	var boxes []vg.Rectangle
	var labels []label
	for _, a := range strokes {
		l := label{a.Label, between(a.tail, a.head, 0.3), draw.XCenter}
		switch wide := style.Width(a.Label); {
		case a.Label == "":
			continue
		case wide > p.gap-16:
			return
		case a.out == 1:
			// On the side that the arrow turns away from.
			l.align = draw.XLeft
			l.at = a.tail.Add(vg.Point{X: 5, Y: 7})
			if a.To < a.From {
				l.at.Y -= 14
			}
		case a.in == 1:
			l.at = between(a.tail, a.head, 0.8)
		}
		box := boxOf(l, style)
		if slices.ContainsFunc(boxes, func(b vg.Rectangle) bool { return overlap(b, box) }) {
			return
		}
		boxes, labels = append(boxes, box), append(labels, l)
	}
	for i, l := range labels {
		s.add(labelGround, color.NRGBA{0xFF, 0xFF, 0xFF, 0xD8}, 0, boxes[i].Path())
		style.XAlign = l.align
		s.text(style, l.at.Add(vg.Point{Y: 0.6}), l.text)
	}
}

func boxOf(l label, style draw.TextStyle) vg.Rectangle {
	wide := style.Width(l.text)
	left := l.at.X - 1
	if l.align == draw.XCenter {
		left -= wide / 2
	}
	return vg.Rectangle{Min: vg.Point{X: left, Y: l.at.Y - 4.5}, Max: vg.Point{X: left + wide + 2, Y: l.at.Y + 4.5}}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// between is the point at a part of the way.
func between(a, b vg.Point, part vg.Length) vg.Point { return a.Add(b.Sub(a).Scale(part)) }

// paintArrow paints a line with its head: filled where what arrives is reduced, open
// where it is copied.
func paintArrow(s *sheet, a Arrow, tail, head vg.Point, width vg.Length) {
	const length, half vg.Length = 6, 2.3
	colour := copying
	if a.Reduces {
		colour = reducing
	}
	along := head.Sub(tail)
	along = along.Scale(1 / vg.Length(math.Hypot(float64(along.X), float64(along.Y))))
	across := vg.Point{X: -along.Y, Y: along.X}
	base := head.Sub(along.Scale(length))
	s.line(shafts, colour, width, tail, base)
	var path vg.Path
	path.Move(head)
	path.Line(base.Add(across.Scale(half)))
	path.Line(base.Sub(across.Scale(half)))
	path.Close()
	fill := white
	if a.Reduces {
		fill = colour
	}
	s.add(heads, fill, 0, path)
	s.add(headEdges, colour, width, path)
}
