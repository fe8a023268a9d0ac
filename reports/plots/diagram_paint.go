package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours of a diagram: messages that are reduced, messages that are copied, slices that
// are where the collective wants them.
var (
	reducing = palette[1]
	copying  = palette[0]
	result   = palette[2]
)

func (p plan) paint(canvas vg.CanvasSizer) {
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin*0.8, -margin*0.8)
	top := c.Max.Y - p.paintTitle(c)
	for b := range p.bands {
		from := b * p.perBand
		p.paintBand(c, vg.Point{X: c.Min.X, Y: top}, from, min(from+p.perBand, len(p.Columns)))
		top -= p.bandHeight() + bandSpace
	}
	p.paintLegend(&c)
}

// titleLines are the lines below the title.
func (p plan) titleLines() (lines []string) {
	style := text(textSize, pale, false)
	for _, word := range strings.Fields(p.Subtitle) {
		if last := len(lines) - 1; last >= 0 && style.Width(lines[last]+" "+word) <= p.width-2*margin {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func (p plan) titleHeight() vg.Length {
	return titleSize + 12 + vg.Length(len(p.titleLines()))*(textSize+3)
}

func (p plan) paintTitle(c draw.Canvas) vg.Length {
	y := c.Max.Y - titleSize
	c.FillText(text(titleSize, ink, !p.plain), vg.Point{X: c.Min.X, Y: y}, p.Title)
	y -= 3
	for _, l := range p.titleLines() {
		y -= textSize + 3
		c.FillText(text(textSize, pale, false), vg.Point{X: c.Min.X, Y: y}, l)
	}
	return p.titleHeight()
}

// paintBand paints the columns from one to before another, below a point.
func (p plan) paintBand(c draw.Canvas, at vg.Point, from, to int) {
	left := at.X + laneName
	right := left + p.node.X
	if to > from {
		right += vg.Length(to-from) * (p.node.X + p.gap)
	}
	y := func(lane int) vg.Length { return at.Y - p.headHeight() - (vg.Length(lane)+0.5)*p.lane }
	name := text(smallText+1, ink, false)
	name.YAlign = draw.YCenter
	for lane, label := range p.Lanes {
		c.FillText(name, vg.Point{X: at.X, Y: y(lane) + middle}, label)
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: 1}, left, y(lane), right, y(lane))
	}
	for k := from; k <= to; k++ {
		x := left + vg.Length(k-from)*(p.node.X+p.gap)
		if k == from {
			p.numberCells(c, vg.Point{X: x, Y: y(0)})
		}
		for lane := range p.Lanes {
			p.paintCells(c, p.Cells[k][lane], vg.Point{X: x, Y: y(lane)})
		}
		if k == to {
			break
		}
		p.paintHead(c, p.Columns[k], x+p.node.X+p.gap/2, at.Y)
		p.paintArrows(c, p.strokes(p.Columns[k].Arrows, x+p.node.X, y))
	}
}

// paintHead writes the title and the notes of a column, centred on x. A note without room
// is made smaller, and left out if that does not help.
func (p plan) paintHead(c draw.Canvas, column Column, x, y vg.Length) {
	style := text(smallText+1, ink, !p.plain)
	style.XAlign = draw.XCenter
	y -= 12
	c.FillText(style, vg.Point{X: x, Y: y}, column.Title)
	room := p.gap + p.node.X - 6
	for _, note := range column.Notes {
		if p.plain {
			note = strings.ReplaceAll(note, "→", "->")
		}
		style := text(smallText, pale, false)
		style.XAlign = draw.XCenter
		if wide := style.Width(note) / room; wide > 1 {
			style.Font.Size /= wide
		}
		if y -= noteHeight; style.Font.Size >= leastText {
			c.FillText(style, vg.Point{X: x, Y: y}, note)
		}
	}
}

// paintCells paints what a lane holds, from the point to the right.
func (p plan) paintCells(c draw.Canvas, cells []Cell, at vg.Point) {
	if p.node.X == 0 {
		return
	}
	for i, cell := range cells {
		low := vg.Point{
			X: at.X + vg.Length(i%p.Row)*p.cell.X,
			Y: at.Y + p.node.Y/2 - vg.Length(i/p.Row+1)*p.cell.Y,
		}
		paintCell(c, cell, low, p.cell)
	}
}

// paintCell paints one cell above and to the right of a point.
func paintCell(c draw.Canvas, cell Cell, low, size vg.Point) {
	box := vg.Rectangle{Min: low, Max: low.Add(size)}.Path()
	c.SetColor(shade(cell))
	c.Fill(box)
	c.SetLineStyle(draw.LineStyle{Color: rule, Width: min(0.5, size.X/8)})
	c.Stroke(box)
}

// numberCells writes the numbers of the slices above the cells of the first lane, if these
// stand in a single row and have room.
func (p plan) numberCells(c draw.Canvas, at vg.Point) {
	style := text(5.5, pale, false)
	style.XAlign = draw.XCenter
	count := len(p.Cells[0][0])
	if p.node.X == 0 || count > p.Row || count < 2 || style.Width(fmt.Sprint(count-1))+1 > p.cell.X {
		return
	}
	for i := range count {
		c.FillText(style, at.Add(vg.Point{X: (vg.Length(i) + 0.5) * p.cell.X, Y: p.node.Y/2 + 1.5}), fmt.Sprint(i))
	}
}

// shade is the colour of a cell.
func shade(cell Cell) color.Color {
	switch {
	case cell.Result:
		return result
	case cell.Share <= 0:
		return color.White
	}
	grey := uint8(0xE6 - min(cell.Share, 1)*(0xE6-0x70))
	return color.NRGBA{grey, grey, grey, 0xFF}
}

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
func (p plan) paintArrows(c draw.Canvas, strokes []stroke) {
	width := vg.Length(1)
	if len(strokes) > 3*len(p.Lanes) {
		width = 0.7
	}
	for _, s := range strokes {
		paintArrow(c, s.Arrow, s.tail, s.head, width)
	}
	p.paintLabels(c, strokes)
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
func (p plan) paintLabels(c draw.Canvas, strokes []stroke) {
	style := text(smallText, ink, false)
	style.YAlign = draw.YCenter
	var boxes []vg.Rectangle
	var labels []label
	for _, s := range strokes {
		l := label{s.Label, between(s.tail, s.head, 0.3), draw.XCenter}
		switch wide := style.Width(s.Label); {
		case s.Label == "":
			continue
		case wide > p.gap-16:
			return
		case s.out == 1:
			// On the side that the arrow turns away from.
			l.align = draw.XLeft
			l.at = s.tail.Add(vg.Point{X: 5, Y: 7})
			if s.To < s.From {
				l.at.Y -= 14
			}
		case s.in == 1:
			l.at = between(s.tail, s.head, 0.8)
		}
		box := boxOf(l, style)
		if slices.ContainsFunc(boxes, func(b vg.Rectangle) bool { return overlap(b, box) }) {
			return
		}
		boxes, labels = append(boxes, box), append(labels, l)
	}
	for i, l := range labels {
		c.SetColor(color.NRGBA{0xFF, 0xFF, 0xFF, 0xD8})
		c.Fill(boxes[i].Path())
		style.XAlign = l.align
		c.FillText(style, l.at.Add(vg.Point{Y: 0.6}), l.text)
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
func paintArrow(c draw.Canvas, a Arrow, tail, head vg.Point, width vg.Length) {
	const length, half vg.Length = 6, 2.3
	colour := copying
	if a.Reduces {
		colour = reducing
	}
	along := head.Sub(tail)
	along = along.Scale(1 / vg.Length(math.Hypot(float64(along.X), float64(along.Y))))
	across := vg.Point{X: -along.Y, Y: along.X}
	base := head.Sub(along.Scale(length))
	c.StrokeLine2(draw.LineStyle{Color: colour, Width: width}, tail.X, tail.Y, base.X, base.Y)
	var path vg.Path
	path.Move(head)
	path.Line(base.Add(across.Scale(half)))
	path.Line(base.Sub(across.Scale(half)))
	path.Close()
	c.SetColor(color.White)
	if a.Reduces {
		c.SetColor(colour)
	}
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: colour, Width: width})
	c.Stroke(path)
}

// sign is an entry of a diagram's legend.
type sign struct {
	arrow bool
	Arrow
	Cell
	text string
}

// signs explain what the picture has.
func (p plan) signs() []sign {
	has := func(reduces bool) bool {
		for _, column := range p.Columns {
			for _, a := range column.Arrows {
				if a.Reduces == reduces {
					return true
				}
			}
		}
		return false
	}
	var list []sign
	if has(true) {
		list = append(list, sign{arrow: true, Arrow: Arrow{Reduces: true}, text: "message, reduced on arrival"})
	}
	if has(false) {
		list = append(list, sign{arrow: true, text: "message, copied"})
	}
	if p.node.X == 0 {
		return list
	}
	list = append(list, sign{text: "slice, nothing of it yet"})
	if has(true) {
		list = append(list, sign{Cell: Cell{Share: 0.3}, text: "input of few ranks"}, sign{Cell: Cell{Share: 0.8}, text: "of many"})
	} else {
		list = append(list, sign{Cell: Cell{Share: 1}, text: "there, on its way"})
	}
	return append(list, sign{Cell: Cell{Result: true}, text: "complete, where it is wanted"})
}

// paintLegend writes the signs at the bottom, or tells how high they would be: on as many
// lines as they need.
func (p plan) paintLegend(c *draw.Canvas) (height vg.Length) {
	const sample, space vg.Length = 26, 18
	style := text(smallText+1, ink, false)
	style.YAlign = draw.YCenter
	right := p.width - 2*margin
	var at vg.Point
	for _, s := range p.signs() {
		wide := style.Width(s.text) + 4 + p.cell.X
		if s.arrow {
			wide += sample - p.cell.X
		}
		if at.X > 0 && at.X+wide > right {
			at = vg.Point{Y: at.Y - lineHeight}
		}
		if c != nil {
			p.paintSign(c, s, vg.Point{X: c.Min.X, Y: c.Min.Y + p.legendHeight() - lineHeight}.Add(at), style)
		}
		at.X += wide + space
	}
	return lineHeight - at.Y
}

func (p plan) legendHeight() vg.Length { return p.paintLegend(nil) }

func (p plan) paintSign(c *draw.Canvas, s sign, at vg.Point, style draw.TextStyle) {
	wide := p.cell.X
	if s.arrow {
		wide = 26
		paintArrow(*c, s.Arrow, at, at.Add(vg.Point{X: wide}), 1)
	} else {
		paintCell(*c, s.Cell, at.Sub(vg.Point{Y: p.cell.Y / 2}), p.cell)
	}
	c.FillText(style, at.Add(vg.Point{X: wide + 4, Y: middle}), s.text)
}
