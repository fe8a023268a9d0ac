package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// Verdict is what became of an assertion.
type Verdict struct {
	Assertion string
	Checked   int      // rows, or pairs of rows, that the assertion was put to
	Failures  []string // one for each that contradicts it, and one if nothing matches
}

// Holds reports whether the assertion is true of the results.
func (v Verdict) Holds() bool { return len(v.Failures) == 0 }

// Judge puts every assertion of the plan to its results. An assertion must hold for every
// row that it matches, and match at least one. Two terms are compared wherever their rows
// agree in all columns that tell points apart, save those that both terms fix with =.
func (p *Plan) Judge(rows []records.Row) []Verdict {
	verdicts := make([]Verdict, len(p.Assertions))
	for i, a := range p.Assertions {
		verdicts[i] = a.judge(rows, p.Swept)
	}
	return verdicts
}

func (a Assertion) judge(rows []records.Row, swept []string) Verdict {
	v := Verdict{Assertion: a.Text}
	if a.left.term == nil || a.right.term == nil {
		one := a.left.term
		if one == nil {
			one = a.right.term
		}
		for _, r := range one.selected(rows, swept) {
			v.check(a, r, r)
		}
	} else {
		joined := joinColumns(a.left.term, a.right.term, swept)
		partners := map[string][]records.Row{}
		for _, r := range a.right.term.selected(rows, swept) {
			k := rowKey(r, joined)
			partners[k] = append(partners[k], r)
		}
		for _, l := range a.left.term.selected(rows, swept) {
			for _, r := range partners[rowKey(l, joined)] {
				v.check(a, l, r)
			}
		}
	}
	if v.Checked == 0 {
		v.Failures = append(v.Failures, "no row matches")
	}
	return v
}

// check compares the two sides on a row each.
func (v *Verdict) check(a Assertion, left, right records.Row) {
	v.Checked++
	l, r := a.left.value(left), a.right.value(right)
	var holds bool
	switch a.compare {
	case "<":
		holds = l < r
	case "<=":
		holds = l <= r
	case ">":
		holds = l > r
	case ">=":
		holds = l >= r
	case "==":
		holds = l == r
	}
	if !holds {
		v.Failures = append(v.Failures, fmt.Sprintf("%s is not %s %s", a.left.describe(left), a.compare, a.right.describe(right)))
	}
}

func (s side) value(r records.Row) float64 {
	if s.term == nil {
		return s.quantity
	}
	return s.factor * s.term.value(r)
}

// describe names a side with its figure and the row that it comes from.
func (s side) describe(r records.Row) string {
	if s.term == nil {
		return s.text
	}
	unit, scale := "GB/s", 1.0
	if isTime(s.term.metric) {
		unit, scale = "us", float64(units.Microsecond)
	}
	text := fmt.Sprintf("%s %.6g%s", s.term.metric, s.term.value(r)/scale, unit)
	if s.factor != 1 {
		text = fmt.Sprintf("%g * %s", s.factor, text)
	}
	names := []string{r.Requested, r.Bytes.String()}
	if r.Run != "" {
		names = []string{cmp.Or(r.Operator, r.Run)}
	}
	for _, f := range r.Swept {
		names = append(names, f.Path+"="+f.Value)
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}

// value is the metric of a row: picoseconds or GB/s.
func (t *term) value(r records.Row) float64 {
	switch t.metric {
	case "algbw":
		return r.AlgBW()
	case "busbw":
		return r.BusBW()
	case "end":
		return float64(r.Start + r.Time)
	}
	return float64(r.Time)
}

// selected returns the rows that all selectors accept.
func (t *term) selected(rows []records.Row, swept []string) []records.Row {
	var chosen []records.Row
	for _, r := range rows {
		if !slices.ContainsFunc(t.selectors, func(s selector) bool { return !s.accepts(r, swept) }) {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

func (s selector) accepts(r records.Row, swept []string) bool {
	c := findColumn(s.column, swept)
	if c.number == nil {
		return c.text(r) == s.text
	}
	n := c.number(r)
	switch s.compare {
	case "<":
		return n < s.number
	case "<=":
		return n <= s.number
	case ">":
		return n > s.number
	case ">=":
		return n >= s.number
	}
	return n == s.number
}

// joinColumns returns the columns in which rows of two terms must agree. One that only one
// term fixes is among them: the other term means the same rows.
func joinColumns(left, right *term, swept []string) []*column {
	var joined []*column
	for _, name := range columnNames(swept) {
		c := findColumn(name, swept)
		if c.joins && !(left.fixes(name, swept) && right.fixes(name, swept)) {
			joined = append(joined, c)
		}
	}
	return joined
}

// fixes reports whether the term sets the column, or one that follows from it.
func (t *term) fixes(name string, swept []string) bool {
	return slices.ContainsFunc(t.selectors, func(s selector) bool {
		c := findColumn(s.column, swept)
		return s.compare == "=" && (s.column == name || c.frees != nil && c.frees(name))
	})
}

func rowKey(r records.Row, joined []*column) string {
	var key strings.Builder
	for _, c := range joined {
		if c.number != nil {
			fmt.Fprintf(&key, "%d\x00", c.number(r))
		} else {
			fmt.Fprintf(&key, "%s\x00", c.text(r))
		}
	}
	return key.String()
}
