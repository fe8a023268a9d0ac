package plots

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// sweepChart is a chart and what may tell it from the others.
type sweepChart struct {
	figure
	traits []string
}

// sweeps are charts of time against the last swept key, one for each work and size: a line for
// each algorithm, run and combination of the other keys.
func (s styles) sweeps(rows []records.Row) (list []sweepChart) {
	byWork := map[string]int{}
	var works [][]records.Row
	for _, r := range rows {
		if r.Time <= 0 || len(r.Swept) == 0 {
			continue
		}
		key := fmt.Sprint(r.Scenario, r.Collective, r.Topology, r.Work(), r.Bytes)
		i, ok := byWork[key]
		if !ok {
			i = len(works)
			byWork[key] = i
			works = append(works, nil)
		}
		works[i] = append(works[i], r)
	}
	for _, work := range works {
		if f, ok := s.sweep(work); ok {
			r := work[0]
			list = append(list, sweepChart{f, []string{r.Scenario, r.Collective, r.Topology, r.Work(), r.Bytes.Short()}})
		}
	}
	return list
}

// sweep is time against the last key that varies.
func (s styles) sweep(rows []records.Row) (figure, bool) {
	keys := varied(rows)
	if len(keys) == 0 {
		return figure{}, false
	}
	last, others := keys[len(keys)-1], keys[:len(keys)-1]
	var values []string
	for _, r := range rows {
		if v := r.Swept[last].Value; !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	x, at := valueAxis(values, ordered(values), room)
	var names []string
	lines := map[string]*line{}
	for _, r := range rows {
		name := nameOf(r, rows, others)
		if lines[name] == nil {
			lines[name] = &line{style: s.styleOf(r, len(names), len(others) > 0)}
			names = append(names, name)
		}
		lines[name].points = append(lines[name].points, point{at[slices.Index(values, r.Swept[last].Value)], micros(r)})
	}
	var drawn []line
	var legend []entry
	for _, name := range names {
		drawn = append(drawn, *lines[name])
		legend = append(legend, entry{lines[name].style, name})
	}
	low, high := span(drawn)
	p := panel{x: x, y: timeAxis(low.y, high.y), lines: drawn}
	if len(drawn) == 1 {
		p.bands = good(drawn[0])
	}
	return figure{
		title:    sweepTitle(rows, rows[0].Swept[last].Path, legend),
		subtitle: sweepAbout(rows, keys), panels: []panel{p}, legend: legend,
		below: strings.TrimPrefix(rows[0].Swept[last].Path, "env."),
	}, true
}

// varied are the indices of the swept keys of which there is more than one value.
func varied(rows []records.Row) (keys []int) {
	for i, f := range rows[0].Swept {
		if slices.ContainsFunc(rows, func(r records.Row) bool { return r.Swept[i].Value != f.Value }) {
			keys = append(keys, i)
		}
	}
	return keys
}

// ordered says whether the values are quantities that rise, so that each has its place.
func ordered(values []string) bool {
	before := 0.0
	for _, v := range values {
		x, ok := quantityOf(v)
		if !ok || x <= before {
			return false
		}
		before = x
	}
	return true
}

// quantityOf is the number that a swept value stands for: a size, a bandwidth, a duration or a
// plain number.
func quantityOf(text string) (float64, bool) {
	if b, err := units.ParseBytesBare(text, 1); err == nil {
		return float64(b), true
	}
	if r, err := units.ParseRate(text); err == nil {
		return float64(r), true
	}
	d, err := units.ParseDuration(text)
	return float64(d), err == nil
}

// nameOf is what tells a row's line from the others: its algorithm or run, and the other keys.
func nameOf(r records.Row, rows []records.Row, others []int) string {
	var parts []string
	several := func(of func(records.Row) string) bool {
		return slices.ContainsFunc(rows, func(o records.Row) bool { return of(o) != of(r) })
	}
	if several(func(r records.Row) string { return r.Requested }) || len(others) == 0 && r.Requested != "" {
		parts = append(parts, r.Requested)
	}
	if several(func(r records.Row) string { return r.Run }) || len(others) == 0 && r.Run != "" {
		parts = append(parts, r.Run)
	}
	for _, i := range others {
		path := r.Swept[i].Path
		parts = append(parts, path[strings.LastIndexByte(path, '.')+1:]+" "+r.Swept[i].Value)
	}
	return strings.Join(parts, ", ")
}

// styleOf is the algorithm's own look where the lines are algorithms, else the next.
func (s styles) styleOf(r records.Row, n int, combined bool) int {
	if combined || r.Requested == "" {
		return n
	}
	return s.of(r.Requested)
}

// near is how much longer than the shortest time counts as good: optima are flat.
const near = 0.02

// good is the interval of x around the shortest time in which the line is within 2 % of it.
func good(l line) []band {
	best := 0
	for i, p := range l.points {
		if p.y < l.points[best].y {
			best = i
		}
	}
	within := func(i int) bool { return l.points[i].y <= l.points[best].y*(1+near) }
	from, to := best, best
	for from > 0 && within(from-1) {
		from--
	}
	for to < len(l.points)-1 && within(to+1) {
		to++
	}
	if from == to {
		return nil
	}
	return []band{{style: l.style, name: "within 2 %", min: l.points[from].x, max: l.points[to].x}}
}

func sweepTitle(rows []records.Row, path string, legend []entry) string {
	what := rows[0].Collective
	if rows[0].Run != "" {
		what = rows[0].Run
	}
	key := path[strings.LastIndexByte(path, '.')+1:]
	if len(legend) > 1 {
		return fmt.Sprintf("%s: time against %s", what, key)
	}
	best := rows[0]
	for _, r := range rows {
		if r.Time < best.Time {
			best = r
		}
	}
	return fmt.Sprintf("%s: shortest at %s %s", what, key, best.Swept[slices.IndexFunc(best.Swept, func(f records.Field) bool { return f.Path == path })].Value)
}

// sweepAbout says what the rows have in common.
func sweepAbout(rows []records.Row, keys []int) []string {
	common := rows[0]
	common.Swept = nil
	for i, f := range rows[0].Swept {
		if !slices.Contains(keys, i) {
			common.Swept = append(common.Swept, f)
		}
	}
	phrases := about(common)
	if slices.ContainsFunc(rows, func(r records.Row) bool { return r.Machine() != common.Machine() }) {
		phrases[0] = common.Topology
	}
	if common.Bytes > 0 {
		phrases = append(phrases, common.Bytes.Short())
	}
	return phrases
}
