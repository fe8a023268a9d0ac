package plots

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// quantity is what a scaling chart shows against its key.
type quantity struct {
	name string // in the file
	text string // in the title
	of   func(records.Row) float64
	axis func(low, high float64) axis
}

var quantities = []quantity{
	{"time", "time", micros, timeAxis},
	{"busbw", "bus bandwidth", records.Row.BusBW, func(_, high float64) axis { return zeroAxis("bus bandwidth, GB/s", high) }},
}

// scaling is a panel for each of a few sizes with a line for each algorithm.
func (s styles) scaling(sc records.Scaling, q quantity) (figure, bool) {
	sizes := someSizes(sc)
	var values []string
	for _, g := range sc.Groups {
		values = append(values, g.Value(sc.Key))
	}
	key := strings.TrimPrefix(sc.Key, "env.")
	f := figure{
		title:    fmt.Sprintf("%s: %s against %s", sc.Groups[0].Collective, q.text, key),
		subtitle: scalingAbout(sc), below: key,
	}
	for _, b := range sizes {
		length := room / vg.Length(len(sizes))
		if len(sizes) > 1 {
			length -= 45 // each panel has labels of its own at its left
		}
		x, at := valueAxis(values, sc.Key == "servers", length)
		lines, legend := s.across(sc, b, at, q.of)
		if len(lines) == 0 {
			continue
		}
		low, high := span(lines)
		p := panel{title: "size " + b.Short(), x: x, y: q.axis(low.y, high.y), lines: lines}
		if len(f.panels) > 0 {
			p.y.label = ""
		}
		f.panels = append(f.panels, p)
		for _, e := range legend {
			if !slices.Contains(f.legend, e) {
				f.legend = append(f.legend, e)
			}
		}
	}
	return f, len(f.panels) > 0
}

// across is a line for each algorithm at one size; at are the places of the groups.
func (s styles) across(sc records.Scaling, b units.Bytes, at []float64, y func(records.Row) float64) (lines []line, legend []entry) {
	var names []string
	for _, g := range sc.Groups {
		for _, series := range g.Series {
			if !slices.Contains(names, series.Name) {
				names = append(names, series.Name)
			}
		}
	}
	for _, name := range names {
		l := line{style: s.of(name)}
		for i, g := range sc.Groups {
			for _, series := range g.Series {
				if r, ok := series.At(b); ok && series.Name == name && r.Time > 0 {
					l.points = append(l.points, point{at[i], y(r)})
				}
			}
		}
		if len(l.points) > 0 {
			lines, legend = append(lines, l), append(legend, entry{l.style, name})
		}
	}
	return lines, legend
}

// someSizes are the smallest, the middle and the largest of the sizes that all groups have.
func someSizes(sc records.Scaling) []units.Bytes {
	sizes := slices.DeleteFunc(sc.Groups[0].Sizes(), func(b units.Bytes) bool {
		missing := func(g records.Group) bool { return !slices.Contains(g.Sizes(), b) }
		return b <= 0 || slices.ContainsFunc(sc.Groups, missing)
	})
	if n := len(sizes); n > 3 {
		return []units.Bytes{sizes[0], sizes[n/2], sizes[n-1]}
	}
	return sizes
}

// scalingAbout says what the groups have in common.
func scalingAbout(sc records.Scaling) []string {
	first := sc.Groups[0]
	perServer := func(g records.Group) int { return g.Ranks / max(g.Servers, 1) }
	same := func(a func(records.Group) int) bool {
		return !slices.ContainsFunc(sc.Groups, func(g records.Group) bool { return a(g) != a(first) })
	}
	ranks := same(func(g records.Group) int { return g.Ranks })
	common := first.Without(sc.Key)
	var phrases []string
	switch {
	case ranks && sc.Key != "servers":
		common.Ranks = first.Ranks
		return about(common)
	case same(perServer):
		phrases = append(phrases, fmt.Sprintf("%d NPUs per server", perServer(first)))
	}
	for _, p := range []string{common.Work(), common.Settings()} {
		if p != "" {
			phrases = append(phrases, p)
		}
	}
	if common.Topology != "" {
		phrases = slices.Insert(phrases, 0, common.Topology)
	}
	return phrases
}
