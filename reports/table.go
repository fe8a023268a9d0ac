package reports

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// Options say how a table is laid out.
type Options struct {
	// Long lists every point with its bandwidths and what bounds it. Otherwise several
	// algorithms stand side by side, by time.
	Long bool
	// Width is the number of columns that a table may take; 0 means 100.
	Width int
}

// Table writes a block for each group of rows that differ only in size and algorithm.
// Times are in us; sizes in binary units; bandwidths in GB/s of 10^9 byte/s. The fastest
// algorithm of each size is marked with a star. A block ends with the sizes at which the
// fastest algorithm changes. Scenarios are named when rows of several are shown.
func Table(w io.Writer, rows []records.Row, o Options) error {
	if o.Width <= 0 {
		o.Width = 100
	}
	var out bytes.Buffer
	groups := records.Groups(rows)
	several := slices.ContainsFunc(groups, func(g records.Group) bool { return g.Scenario != groups[0].Scenario })
	groups = slices.DeleteFunc(groups, func(g records.Group) bool { return g.Run != "" && !isWhole(g) }) // in the table of their run
	said := map[string]bool{}
	for len(groups) > 0 {
		g := groups[0]
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		if several {
			out.WriteString("# scenario " + g.Scenario + "\n")
		}
		if f := familyOf(groups, rows); !o.Long && len(f) > 1 {
			overSweep(&out, f, rows)
			groups = slices.DeleteFunc(groups, func(g records.Group) bool { return fits(g, rows) && f.alike(g) })
			continue
		}
		groups = groups[1:]
		out.WriteString(heading(g))
		if isWhole(g) {
			streams(&out, g, rows)
			continue
		}
		block(&out, g, o)
		if why := choices(g); !said[why] { // which a sweep would repeat
			out.WriteString(why)
			said[why] = true
		}
		if o.Long || len(g.Series) == 1 {
			out.WriteString(loss(g))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// block is the table of one group.
func block(out *bytes.Buffer, g records.Group, o Options) {
	if o.Long || len(g.Series) == 1 {
		long(out, g)
	} else {
		sideBySide(out, g, o.Width)
	}
	if len(g.Series) > 1 {
		out.WriteString(verdict(g))
	}
}

// heading says what all points of the block have in common, a line each for the work and
// for the swept values.
func heading(g records.Group) string {
	text := "# " + g.Collective
	if isWhole(g) && g.Run != g.Collective {
		text += " " + g.Run
	}
	if work := g.Work(); work != "" {
		text += ", " + work
	}
	text += " on " + g.Machine()
	if g.Servers > 1 {
		text += fmt.Sprintf(" (%d ranks)", g.Ranks)
	}
	text += "\n"
	for _, line := range []string{g.Settings(), g.Faults} {
		if line != "" {
			text += "# " + line + "\n"
		}
	}
	return text
}

// long is a line for each point, as in the tables of nccl-tests, with what bounds it.
func long(out *bytes.Buffer, g records.Group) {
	columns := []column{
		{title: "size", right: true}, {title: "algorithm"}, {title: "time us", right: true},
		{title: "algbw GB/s", right: true}, {title: "busbw GB/s", right: true}, {title: "bound by"},
	}
	for _, b := range g.Sizes() {
		size := sizeText(b)
		for _, s := range g.Series {
			r, ok := s.At(b)
			if !ok {
				continue
			}
			for i, cell := range []string{size, algorithmText(r) + star(g, r), timeText(r.Time) + spread(r),
				rateText(r.AlgBW()), rateText(r.BusBW()), r.Bound()} {
				columns[i].cells = append(columns[i].cells, cell)
			}
			size = ""
		}
	}
	writeColumns(out, columns)
}

// sideBySide is a line for each size with the time of every algorithm, the fastest marked,
// and the bus bandwidth and bound of the fastest. Columns that find no room within the
// width follow in a further block.
func sideBySide(out *bytes.Buffer, g records.Group, width int) {
	out.WriteString("# time in us, * the fastest; busbw (GB/s) and bound of the fastest\n")
	columns := []column{sizeColumn(g)}
	for _, s := range g.Series {
		columns = append(columns, timeColumn(g, s))
	}
	columns = append(columns, lossColumn(g)...)
	columns = append(columns, fastestColumns(g)...)
	for rest := columns[1:]; len(rest) > 0; {
		used, n := columns[0].width(), 0
		for n < len(rest) && (n == 0 || used+2+rest[n].width() <= width) {
			used += 2 + rest[n].width()
			n++
		}
		writeColumns(out, append(columns[:1:1], rest[:n]...))
		if rest = rest[n:]; len(rest) > 0 {
			out.WriteByte('\n')
		}
	}
}

func sizeColumn(g records.Group) column {
	c := column{title: "size", right: true}
	for _, b := range g.Sizes() {
		c.cells = append(c.cells, sizeText(b))
	}
	return c
}

// timeColumn leaves room for the star behind every time.
func timeColumn(g records.Group, s records.Series) column {
	c := column{title: s.Name + " ", right: true}
	for _, b := range g.Sizes() {
		r, ok := s.At(b)
		switch mark := star(g, r); {
		case !ok:
			c.cells = append(c.cells, "- ")
		case mark == "":
			c.cells = append(c.cells, timeText(r.Time)+" ")
		default:
			c.cells = append(c.cells, timeText(r.Time)+mark)
		}
	}
	return c
}

// lossColumn says how much longer the algorithm auto takes than the algorithm best, where
// both were asked for; with a ~ where auto is a stand-in for what HCCL runs.
func lossColumn(g records.Group) []column {
	chosen, fastest := series(g, "auto"), series(g, "best")
	if chosen == nil || fastest == nil {
		return nil
	}
	c := column{title: "auto loss", right: true}
	for _, b := range g.Sizes() {
		a, ok := chosen.At(b)
		r, both := fastest.At(b)
		if !ok || !both || r.Time <= 0 {
			c.cells = append(c.cells, "-")
			continue
		}
		mark := ""
		if standIn(a) {
			mark = "~"
		}
		c.cells = append(c.cells, fmt.Sprintf("%s%.1f%%", mark, 100*(float64(a.Time)/float64(r.Time)-1)))
	}
	return []column{c}
}

// standIn says whether something else ran than what HCCL runs, as the reason says.
func standIn(r records.Row) bool { return strings.Contains(r.SelectedBy, "not simulated") }

// loss is lossColumn on one line.
func loss(g records.Group) string {
	columns := lossColumn(g)
	if columns == nil {
		return ""
	}
	var parts []string
	for i, b := range g.Sizes() {
		parts = append(parts, columns[0].cells[i]+" at "+sizeText(b))
	}
	return "auto loses " + strings.Join(parts, ", ") + "\n"
}

// series is the series of that name, nil if there is none.
func series(g records.Group, name string) *records.Series {
	for i := range g.Series {
		if g.Series[i].Name == name {
			return &g.Series[i]
		}
	}
	return nil
}

func fastestColumns(g records.Group) []column {
	busbw, bound := column{title: "busbw", right: true}, column{title: "bound by"}
	for _, b := range g.Sizes() {
		rate, cause := "-", ""
		if r, ok := g.Fastest(b); ok {
			rate, cause = rateText(r.BusBW()), r.Bound()
		}
		busbw.cells, bound.cells = append(busbw.cells, rate), append(bound.cells, cause)
	}
	return []column{busbw, bound}
}

// star marks the rows of the shortest time, when there is a choice.
func star(g records.Group, r records.Row) string {
	if fastest, ok := g.Fastest(r.Bytes); ok && len(g.Series) > 1 && r.Time == fastest.Time {
		return "*"
	}
	return ""
}

// verdict is the sentence that a reader takes home: which algorithm up to about which size;
// between two sizes of the run a crossover is interpolated.
func verdict(g records.Group) string {
	bands := g.Bands()
	if len(bands) == 0 {
		return ""
	}
	parts := []string{}
	for i, c := range g.Crossovers() {
		if c.Known {
			parts = append(parts, fmt.Sprintf("%s to about %s", bands[i].Algorithm, c.At.Short()))
		} else {
			parts = append(parts, fmt.Sprintf("%s to between %s and %s", bands[i].Algorithm, sizeText(c.Below), sizeText(c.Above)))
		}
	}
	last := bands[len(bands)-1].Algorithm
	if len(parts) == 0 {
		return "fastest: " + last + " at every size\n"
	}
	return "fastest: " + strings.Join(parts, ", ") + ", then " + last + "\n"
}

// choices says what ran where the algorithm was chosen, and why: a line for all sizes that
// follow each other with the same choice by the same rule, with the numbers of the first.
func choices(g records.Group) string {
	var out strings.Builder
	rule := func(r records.Row) string {
		words, _, _ := strings.Cut(r.SelectedBy, " (")
		return r.Algorithm + " " + words
	}
	for _, s := range g.Series {
		var rows []records.Row
		for _, b := range g.Sizes() {
			if r, ok := s.At(b); ok && r.SelectedBy != "" {
				rows = append(rows, r)
			}
		}
		for i := 0; i < len(rows); {
			j := i
			for j+1 < len(rows) && rule(rows[j+1]) == rule(rows[i]) {
				j++
			}
			sizes, why := sizeText(rows[i].Bytes), rows[i].SelectedBy
			if j > i {
				if rows[j].SelectedBy != why { // as the numbers are those of one size
					why = strings.Replace(why, " (", " (at "+sizes+": ", 1)
				}
				sizes += " to " + sizeText(rows[j].Bytes)
			}
			fmt.Fprintf(&out, "%s, %s: %s, by %s\n", s.Name, sizes, rows[i].Algorithm, why)
			i = j + 1
		}
	}
	return out.String()
}

// algorithmText names what ran and, where that differs, what was requested.
func algorithmText(r records.Row) string {
	if r.Requested == r.Algorithm || r.Requested == "" {
		return r.Algorithm
	}
	return r.Algorithm + " (" + r.Requested + ")"
}

// sizeText is a size in binary units if that is exact, otherwise in bytes.
func sizeText(b units.Bytes) string {
	short := b.Short()
	if exact, err := units.ParseBytes(short); err == nil && exact == b {
		return short
	}
	return fmt.Sprint(int64(b))
}

// timeText is a time in us with two decimals.
func timeText(d units.Duration) string {
	return fmt.Sprintf("%.2f", float64(d)/float64(units.Microsecond))
}

func rateText(gigabytes float64) string { return fmt.Sprintf("%.2f", gigabytes) }
