package plots

import (
	"fmt"
	"image/color"
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
	white    = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
)

func (p plan) paint(canvas vg.CanvasSizer) {
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin*0.8, -margin*0.8)
	s := &sheet{Canvas: c}
	top := c.Max.Y - p.paintTitle(s)
	for b := range p.bands {
		from := b * p.perBand
		p.paintBand(s, vg.Point{X: c.Min.X, Y: top}, from, min(from+p.perBand, len(p.Columns)))
		top -= p.bandHeight() + bandSpace
	}
	p.paintLegend(s)
	s.paint()
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

func (p plan) paintTitle(s *sheet) vg.Length {
	y := s.Max.Y - titleSize
	s.text(text(titleSize, ink, !p.plain), vg.Point{X: s.Min.X, Y: y}, p.Title)
	y -= 3
	for _, l := range p.titleLines() {
		y -= textSize + 3
		s.text(text(textSize, pale, false), vg.Point{X: s.Min.X, Y: y}, l)
	}
	return p.titleHeight()
}

// paintBand paints the columns from one to before another, below a point.
func (p plan) paintBand(s *sheet, at vg.Point, from, to int) {
	left := at.X + laneName
	right := left + p.node.X
	if to > from {
		right += vg.Length(to-from) * (p.node.X + p.gap)
	}
	y := func(lane int) vg.Length { return at.Y - p.headHeight() - (vg.Length(lane)+0.5)*p.lane }
	name := text(smallText+1, ink, false)
	name.YAlign = draw.YCenter
	for lane, label := range p.Lanes {
		s.text(name, vg.Point{X: at.X, Y: y(lane) + middle}, label)
		s.line(underneath, faint, 1, vg.Point{X: left, Y: y(lane)}, vg.Point{X: right, Y: y(lane)})
	}
	for k := from; k <= to; k++ {
		x := left + vg.Length(k-from)*(p.node.X+p.gap)
		if k == from {
			p.numberCells(s, vg.Point{X: x, Y: y(0)})
		}
		for lane := range p.Lanes {
			p.paintCells(s, p.Cells[k][lane], vg.Point{X: x, Y: y(lane)})
		}
		if k == to {
			break
		}
		p.paintHead(s, p.Columns[k], x+p.node.X+p.gap/2, at.Y)
		p.paintArrows(s, p.strokes(p.Columns[k].Arrows, x+p.node.X, y))
	}
}

// paintHead writes the title and the notes of a column, centred on x. A note without room
// is made smaller, and left out if that does not help.
func (p plan) paintHead(s *sheet, column Column, x, y vg.Length) {
	style := text(smallText+1, ink, !p.plain)
	style.XAlign = draw.XCenter
	y -= 12
	s.text(style, vg.Point{X: x, Y: y}, column.Title)
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
			s.text(style, vg.Point{X: x, Y: y}, note)
		}
	}
}

// paintCells paints what a lane holds, from the point to the right.
func (p plan) paintCells(s *sheet, cells []Cell, at vg.Point) {
	if p.node.X == 0 {
		return
	}
	for i, cell := range cells {
		low := vg.Point{
			X: at.X + vg.Length(i%p.Row)*p.cell.X,
			Y: at.Y + p.node.Y/2 - vg.Length(i/p.Row+1)*p.cell.Y,
		}
		paintCell(s, cell, low, p.cell)
	}
}

// paintCell paints one cell above and to the right of a point.
func paintCell(s *sheet, cell Cell, low, size vg.Point) {
	box := vg.Rectangle{Min: low, Max: low.Add(size)}.Path()
	s.add(cellLayer, shade(cell), 0, box)
	s.add(cellEdges, rule, min(0.5, size.X/8), box)
}

// numberCells writes the numbers of the slices above the cells of the first lane, if these
// stand in a single row and have room.
func (p plan) numberCells(s *sheet, at vg.Point) {
	style := text(5.5, pale, false)
	style.XAlign = draw.XCenter
	count := len(p.Cells[0][0])
	if p.node.X == 0 || count > p.Row || count < 2 || style.Width(fmt.Sprint(count-1))+1 > p.cell.X {
		return
	}
	for i := range count {
		s.text(style, at.Add(vg.Point{X: (vg.Length(i) + 0.5) * p.cell.X, Y: p.node.Y/2 + 1.5}), fmt.Sprint(i))
	}
}

// shade is the colour of a cell.
func shade(cell Cell) color.NRGBA {
	switch {
	case cell.Result:
		return result
	case cell.Share <= 0:
		return white
	}
	grey := uint8(0xE8 - min(cell.Share, 1)*(0xE8-0x40))
	return color.NRGBA{grey, grey, grey, 0xFF}
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
		list = append(list, sign{Cell: Cell{Share: 0.15}, text: "input of few ranks"}, sign{Cell: Cell{Share: 0.85}, text: "of many"})
	} else {
		list = append(list, sign{Cell: Cell{Share: 1}, text: "there, on its way"})
	}
	return append(list, sign{Cell: Cell{Result: true}, text: "complete, where it is wanted"})
}

// paintLegend writes the signs at the bottom, or tells how high they would be: on as many
// lines as they need.
func (p plan) paintLegend(s *sheet) (height vg.Length) {
	const sample, space vg.Length = 26, 18
	style := text(smallText+1, ink, false)
	style.YAlign = draw.YCenter
	right := p.width - 2*margin
	var at vg.Point
	for _, one := range p.signs() {
		wide := style.Width(one.text) + 4 + p.cell.X
		if one.arrow {
			wide += sample - p.cell.X
		}
		if at.X > 0 && at.X+wide > right {
			at = vg.Point{Y: at.Y - lineHeight}
		}
		if s != nil {
			p.paintSign(s, one, vg.Point{X: s.Min.X, Y: s.Min.Y + p.legendHeight() - lineHeight}.Add(at), style)
		}
		at.X += wide + space
	}
	return lineHeight - at.Y
}

func (p plan) legendHeight() vg.Length { return p.paintLegend(nil) }

func (p plan) paintSign(s *sheet, one sign, at vg.Point, style draw.TextStyle) {
	wide := p.cell.X
	if one.arrow {
		wide = 26
		paintArrow(s, one.Arrow, at, at.Add(vg.Point{X: wide}), 1)
	} else {
		paintCell(s, one.Cell, at.Sub(vg.Point{Y: p.cell.Y / 2}), p.cell)
	}
	s.text(style, at.Add(vg.Point{X: wide + 4, Y: middle}), one.text)
}
