package plots

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A figure is a white card of 8 x 5 inches, which reads well in print and on a dark screen.
const (
	width  = 8 * vg.Inch
	height = 5 * vg.Inch
)

// Lengths in points.
const (
	margin       vg.Length = 20
	lineHeight   vg.Length = 17
	ribbonHeight vg.Length = 17
	sampleWidth  vg.Length = 36 // a piece of line in the legend

	// Centred text hangs low by its descenders; this lifts the small letters to the middle.
	middle vg.Length = 1
)

// paint draws the figure from the outside in: title, legend, panels.
func paint(f figure, canvas vg.CanvasSizer) {
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin*0.8, -margin)
	c.Max.Y -= paintTitle(f, c)
	c.Min.Y += paintLegend(f.legend, c)
	if f.below != "" {
		style := text(textSize, pale, false)
		style.XAlign = draw.XCenter
		c.FillText(style, vg.Point{X: c.Center().X, Y: c.Min.Y}, f.below)
		c.Min.Y += lineHeight
	}
	const between vg.Length = 14
	each := (c.Max.X - c.Min.X + between) / vg.Length(len(f.panels))
	for i, p := range f.panels {
		part := c
		part.Min.X += vg.Length(i) * each
		part.Max.X = part.Min.X + each - between
		paintPanel(p, part)
	}
}

// paintTitle returns the height that it took.
func paintTitle(f figure, c draw.Canvas) vg.Length {
	y := c.Max.Y - titleSize
	title := text(titleSize, ink, true)
	if wide := title.Width(f.title) / (c.Max.X - c.Min.X); wide > 1 {
		title.Font.Size /= wide
	}
	c.FillText(title, vg.Point{X: c.Min.X, Y: y}, f.title)
	style := text(textSize, pale, false)
	y -= 3
	for _, l := range wrap(f.subtitle, style, c.Max.X-c.Min.X) {
		y -= textSize + 3
		c.FillText(style, vg.Point{X: c.Min.X, Y: y}, l)
	}
	return c.Max.Y - y + 12
}

// wrap joins phrases with commas and breaks lines between phrases.
func wrap(phrases []string, style draw.TextStyle, room vg.Length) []string {
	var lines []string
	for _, phrase := range strings.Split(strings.Join(phrases, ", "), ", ") {
		last := len(lines) - 1
		if last >= 0 && style.Width(lines[last]+", "+phrase) <= room {
			lines[last] += ", " + phrase
			continue
		}
		if last >= 0 {
			lines[last] += ","
		}
		lines = append(lines, phrase)
	}
	return lines
}

// paintLegend writes the entries below the chart and returns their height: one after the
// other if they fit into a line, otherwise in columns of equal width.
func paintLegend(entries []entry, c draw.Canvas) vg.Length {
	style := text(textSize, ink, false)
	style.YAlign = draw.YCenter
	total, widest := vg.Length(0), vg.Length(0)
	step := func(e entry) vg.Length { return sampleWidth + 6 + style.Width(e.name) + 20 }
	for _, e := range entries {
		total, widest = total+step(e), max(widest, step(e))
	}
	space := c.Max.X - c.Min.X + 20 // nothing follows the last column
	columns := len(entries)
	if total > space {
		columns = max(1, int(space/widest))
	}
	rows := (len(entries) + columns - 1) / columns
	var at vg.Point
	for i, e := range entries {
		if i%columns == 0 {
			at = vg.Point{X: c.Min.X, Y: c.Min.Y + lineHeight*(vg.Length(rows-1-i/columns)+0.4)}
		}
		c.StrokeLine2(lineStyle(e.style), at.X, at.Y, at.X+sampleWidth, at.Y)
		drawMarker(&c, e.style, at.Add(vg.Point{X: sampleWidth / 2}))
		c.FillText(style, at.Add(vg.Point{X: sampleWidth + 6, Y: middle}), e.name)
		if total > space {
			at.X += widest
		} else {
			at.X += step(e)
		}
	}
	return lineHeight*vg.Length(rows) + 8
}

// painter is a function as a plot.Plotter.
type painter func(c draw.Canvas, x, y func(float64) vg.Length)

// Plot implements plot.Plotter.
func (paint painter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	paint(c, x, y)
}

func paintPanel(p panel, c draw.Canvas) {
	if p.title != "" {
		style := text(textSize, ink, true)
		c.Max.Y -= textSize
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, p.title)
		c.Max.Y -= 8
	}
	if len(p.bands) > 0 {
		c.Max.Y -= ribbonHeight + lineHeight
	}
	chart := plot.New()
	chart.BackgroundColor = nil
	setAxis(&chart.X, p.x)
	setAxis(&chart.Y, p.y)
	chart.Add(painter(func(c draw.Canvas, x, y func(float64) vg.Length) {
		paintBands(p.bands, c, x)
		paintGrid(p, c, x, y)
		paintThresholds(p.bands, c, x)
	}))
	for _, l := range p.lines {
		chart.Add(painter(func(c draw.Canvas, x, y func(float64) vg.Length) { paintLine(l, c, x, y) }))
	}
	chart.Draw(c)
}

// setAxis gives the chart's axis the range, ticks and looks of a.
func setAxis(to *plot.Axis, a axis) {
	to.Min, to.Max = a.min, a.max
	to.Scale = plot.LinearScale{}
	if a.log {
		to.Scale = plot.LogScale{}
	}
	to.LineStyle = draw.LineStyle{Color: rule, Width: 0.8}
	to.Padding = 0
	to.Label.Text = a.label
	to.Label.Padding = 5
	to.Label.TextStyle.Font = text(textSize, ink, false).Font
	to.Label.TextStyle.Color = pale
	to.Tick.Marker = plot.ConstantTicks(a.ticks)
	to.Tick.Length = 5
	to.Tick.LineStyle = draw.LineStyle{Color: rule, Width: 0.8}
	to.Tick.Label.Font = text(tickSize, ink, false).Font
	to.Tick.Label.Color = pale
}

func paintGrid(p panel, c draw.Canvas, x, y func(float64) vg.Length) {
	style := draw.LineStyle{Color: faint, Width: 0.6}
	for _, t := range p.x.ticks {
		if t.Label != "" {
			c.StrokeLine2(style, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for _, t := range p.y.ticks {
		if t.Label != "" {
			c.StrokeLine2(style, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// paintBands tints the chart and puts a ribbon with the names of the winners above it.
// A name that its piece of the ribbon cannot hold is left to the legend.
func paintBands(bands []band, c draw.Canvas, x func(float64) vg.Length) {
	for _, b := range bands {
		tint := colourOf(b.style)
		tint.A = 0x1C
		c.SetColor(tint)
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(b.min), Y: c.Min.Y}, Max: vg.Point{X: x(b.max), Y: c.Max.Y}}.Path())
		ribbon := vg.Rectangle{Min: vg.Point{X: x(b.min), Y: c.Max.Y}, Max: vg.Point{X: x(b.max), Y: c.Max.Y + ribbonHeight}}
		c.SetColor(colourOf(b.style))
		c.Fill(ribbon.Path())
		style := text(textSize, onColour(colourOf(b.style)), true)
		if style.Width(b.name)+8 <= ribbon.Size().X {
			style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
			c.FillText(style, ribbon.Min.Add(ribbon.Size().Scale(0.5)).Add(vg.Point{Y: middle}), b.name)
		}
	}
}

// onColour is black or white, whichever stands out from a background.
func onColour(c color.NRGBA) color.Color {
	if 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 140 {
		return color.Black
	}
	return color.White
}

// paintThresholds draws the lines between bands, with their sizes above the ribbon. A
// size that would touch the one before it is left out.
func paintThresholds(bands []band, c draw.Canvas, x func(float64) vg.Length) {
	style := text(tickSize, ink, true)
	style.XAlign = draw.XCenter
	end := vg.Length(math.Inf(-1))
	for _, b := range bands {
		if b.mark == "" {
			continue
		}
		at, top := x(b.max), c.Max.Y+ribbonHeight
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, at, c.Min.Y, at, top+3)
		if half := style.Width(b.mark) / 2; at-half > end+4 {
			c.FillText(style, vg.Point{X: at, Y: top + 4}, b.mark)
			end = at + half
		}
	}
}

func paintLine(l line, c draw.Canvas, x, y func(float64) vg.Length) {
	var points []vg.Point
	for _, p := range l.points {
		points = append(points, vg.Point{X: x(p.x), Y: y(p.y)})
	}
	c.StrokeLines(lineStyle(l.style), points)
	for _, p := range points {
		drawMarker(&c, l.style, p)
	}
}
