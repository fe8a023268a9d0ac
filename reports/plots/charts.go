package plots

import (
	"slices"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// styles gives each algorithm its look, the same in all charts of one set of rows.
type styles []string

func stylesOf(rows []records.Row) styles {
	var names styles
	for _, r := range rows {
		if r.Requested != "auto" && !slices.Contains(names, r.Requested) {
			names = append(names, r.Requested)
		}
	}
	return names
}

func (s styles) of(name string) int { return slices.Index(s, name) } // -1 is chooser

// curves is a line for each series that has a point, and the legend for them. A point of
// no size or no time has no place on these axes.
func (s styles) curves(g records.Group, y func(records.Row) float64) (lines []line, legend []entry) {
	for _, series := range g.Series {
		l := line{style: s.of(series.Name)}
		for _, r := range series.Rows {
			if r.Bytes > 0 && r.Time > 0 {
				l.points = append(l.points, point{float64(r.Bytes), y(r)})
			}
		}
		if len(l.points) > 0 {
			lines = append(lines, l)
			legend = append(legend, entry{l.style, series.Name})
		}
	}
	return lines, legend
}

// span is the range of x and y of all points.
func span(lines []line) (low, high point) {
	low, high = lines[0].points[0], lines[0].points[0]
	for _, l := range lines {
		for _, p := range l.points {
			low = point{min(low.x, p.x), min(low.y, p.y)}
			high = point{max(high.x, p.x), max(high.y, p.y)}
		}
	}
	return low, high
}

// about is the phrases under the title of a group's charts.
func about(r records.Row) []string {
	var phrases []string
	for _, p := range []string{r.Machine(), r.Work(), r.Settings(), r.Faults} {
		if p != "" {
			phrases = append(phrases, p)
		}
	}
	return phrases
}

func micros(r records.Row) float64 { return float64(r.Time) / float64(units.Microsecond) }

// chart is a figure of a single panel.
func chart(g records.Group, what string, p panel, legend []entry) figure {
	return figure{title: g.Collective + ": " + what, subtitle: about(g.Row), panels: []panel{p}, legend: legend}
}

// bandwidth is bus bandwidth against size.
func (s styles) bandwidth(g records.Group) (figure, bool) {
	lines, legend := s.curves(g, records.Row.BusBW)
	if len(lines) == 0 {
		return figure{}, false
	}
	low, high := span(lines)
	p := panel{x: sizeAxis(low.x, high.x), y: zeroAxis("bus bandwidth, GB/s", high.y), lines: lines}
	return chart(g, "bus bandwidth", p, legend), true
}

// latency is time against size.
func (s styles) latency(g records.Group) (figure, bool) {
	lines, legend := s.curves(g, micros)
	if len(lines) == 0 {
		return figure{}, false
	}
	low, high := span(lines)
	p := panel{x: sizeAxis(low.x, high.x), y: timeAxis(low.y, high.y), lines: lines}
	return chart(g, "time", p, legend), true
}

// crossover is how many times the fastest time each algorithm takes, over bands in the
// colour of the fastest one.
func (s styles) crossover(g records.Group) (figure, bool) {
	lines, legend := s.curves(g, func(r records.Row) float64 {
		fastest, _ := g.Fastest(r.Bytes)
		return float64(r.Time) / float64(fastest.Time)
	})
	if len(lines) == 0 {
		return figure{}, false
	}
	low, high := span(lines)
	p := panel{x: sizeAxis(low.x, high.x), y: ratioAxis(high.y), lines: lines}
	p.bands = s.bands(g, p.x)
	return chart(g, "the fastest algorithm", p, legend), true
}

// bands divides the axis at the crossovers of the group.
func (s styles) bands(g records.Group, x axis) []band {
	var bands []band
	crossings := g.Crossovers()
	from := x.min
	for i, b := range g.Bands() {
		owner := ownerOf(g, b.Algorithm)
		next := band{style: s.of(owner), name: b.Algorithm, min: from, max: x.max}
		if owner != b.Algorithm {
			next.name += " (" + owner + ")"
		}
		if i < len(crossings) {
			next.max, next.mark = float64(crossings[i].At), crossings[i].At.Short()
		}
		bands = append(bands, next)
		from = next.max
	}
	return bands
}

// ownerOf is the series whose line shows an algorithm: the one of its name, or the first
// that ran it.
func ownerOf(g records.Group, algorithm string) string {
	owner := ""
	for _, series := range g.Series {
		if series.Name == algorithm {
			return algorithm
		}
		ran := slices.ContainsFunc(series.Rows, func(r records.Row) bool { return r.Algorithm == algorithm })
		if ran && (owner == "" || owner == "auto") {
			owner = series.Name
		}
	}
	return owner
}
