package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// family is groups that differ only in what is swept, and have one size, or are runs of the
// same few operators: one table with a line for each.
type family []records.Group

// mostOperators is how many operators of a run find room side by side.
const mostOperators = 6

// familyOf are the groups of a family that the first begins; it alone if there are no others.
func familyOf(groups []records.Group, rows []records.Row) family {
	f := family{groups[0]}
	if !fits(groups[0], rows) {
		return f
	}
	for _, g := range groups[1:] {
		if f.alike(g) && fits(g, rows) {
			f = append(f, g)
		}
	}
	return f
}

// fits says whether a group finds room on a line.
func fits(g records.Group, rows []records.Row) bool {
	if len(g.Swept) == 0 {
		return false
	}
	if isWhole(g) {
		return g.Series[0].Rows[0].Compute > 0 || len(operatorsOf(g, rows)) <= mostOperators
	}
	return len(g.Sizes()) == 1
}

// alike says whether a group differs from the family only in what is swept.
func (f family) alike(g records.Group) bool {
	a, b := f[0].Row, g.Row
	return a.Scenario == b.Scenario && a.Run == b.Run && isWhole(g) == isWhole(f[0]) && a.Collective == b.Collective && a.Topology == b.Topology &&
		a.Work() == b.Work() && a.Iterations == b.Iterations && (isWhole(g) || f[0].Sizes()[0] == g.Sizes()[0]) &&
		slices.EqualFunc(f[0].Series, g.Series, func(x, y records.Series) bool { return x.Name == y.Name })
}

// keys are the swept keys that vary within the family.
func (f family) keys() (vary []int) {
	for i, field := range f[0].Swept {
		if slices.ContainsFunc(f, func(g records.Group) bool { return g.Swept[i].Value != field.Value }) {
			vary = append(vary, i)
		}
	}
	return vary
}

// heading is that of the groups without what varies.
func (f family) heading() string {
	g := f[0]
	vary := f.keys()
	var paths []string
	for _, i := range vary {
		paths = append(paths, g.Swept[i].Path)
	}
	if slices.ContainsFunc(f, func(o records.Group) bool { return o.Faults != g.Faults }) {
		g.Faults = ""
	}
	sameMachine := !slices.ContainsFunc(f, func(o records.Group) bool { return o.Machine() != g.Machine() })
	if !sameMachine {
		g.Servers, g.Ranks, g.Shape = 0, 0, ""
	}
	g.Swept = slices.DeleteFunc(slices.Clone(g.Swept), func(field records.Field) bool { return slices.Contains(paths, field.Path) })
	text := heading(g)
	if !sameMachine {
		text = strings.Replace(text, ", 0 NPUs", "", 1)
	}
	if !isWhole(g) {
		text += "# " + sizeText(g.Sizes()[0]) + ", over " + strings.Join(paths, " and ")
		if slices.ContainsFunc(g.Series, func(s records.Series) bool { return s.Rows[0].SelectedBy != "" }) {
			text += "; --long has the reasons"
		}
		text += "\n"
	} else {
		text += "# over " + strings.Join(paths, " and ") + "; --long has the operators of each run\n"
	}
	return text
}

// overSweep is a line for each combination of what varies. The shortest time over the last key
// is marked, or of several algorithms on a line that of the line.
func overSweep(out *bytes.Buffer, f family, rows []records.Row) {
	out.WriteString(f.heading())
	columns := f.keyColumns()
	switch {
	case isWhole(f[0]) && f[0].Series[0].Rows[0].Compute > 0:
		columns = append(columns, f.stepColumns()...)
	case isWhole(f[0]):
		columns = append(columns, f.operatorColumns(rows)...)
	default:
		columns = append(columns, f.algorithmColumns()...)
	}
	writeColumns(out, columns)
}

// keyColumns have the values of the keys that vary, each under as much of the end of its path
// as tells it from the others.
func (f family) keyColumns() []column {
	var columns []column
	keys := f.keys()
	for _, i := range keys {
		path := f[0].Swept[i].Path
		at := strings.LastIndexByte(path, '.') + 1
		ambiguous := func(j int) bool { return j != i && strings.HasSuffix("."+f[0].Swept[j].Path, "."+path[at:]) }
		for at > 0 && slices.ContainsFunc(keys, ambiguous) {
			at = strings.LastIndexByte(path[:at-1], '.') + 1
		}
		c := column{title: path[at:], right: true}
		for _, g := range f {
			c.cells = append(c.cells, g.Swept[i].Value)
		}
		columns = append(columns, c)
	}
	return columns
}

// whole is the row of a run of streams.
func whole(g records.Group) records.Row { return g.Series[0].Rows[0] }

// starred is a column of times. Of those over which only the last key varies the shortest are
// marked, as far as the table shows.
func (f family) starred(title string, times []units.Duration) column {
	c := column{title: title + " ", right: true}
	for from := 0; from < len(f); {
		to := from + 1
		for to < len(f) && f.onlyLast(from, to) {
			to++
		}
		shortest := timeText(slices.Min(times[from:to]))
		longest := timeText(slices.Max(times[from:to]))
		for _, t := range times[from:to] {
			mark := " "
			if timeText(t) == shortest && shortest != longest {
				mark = "*"
			}
			c.cells = append(c.cells, timeText(t)+mark)
		}
		from = to
	}
	return c
}

// onlyLast says whether two of the family differ in no key but the last that varies.
func (f family) onlyLast(a, b int) bool {
	keys := f.keys()
	return !slices.ContainsFunc(keys[:len(keys)-1], func(i int) bool { return f[a].Swept[i].Value != f[b].Swept[i].Value })
}

func (f family) wholeTimes() (times []units.Duration) {
	for _, g := range f {
		times = append(times, whole(g).Time)
	}
	return times
}

// stepColumns are the sums of training steps.
func (f family) stepColumns() []column {
	columns := []column{f.starred("step us", f.wholeTimes()), {title: "computing", right: true}, {title: "communication", right: true}, {title: "hidden", right: true}, {title: "exposed", right: true}}
	for _, g := range f {
		r := whole(g)
		for i, cell := range []string{timeText(r.Compute), timeText(r.Communication), fmt.Sprintf("%.0f%%", 100*r.Overlap()), timeText(r.Exposed)} {
			columns[1+i].cells = append(columns[1+i].cells, cell)
		}
	}
	return columns
}

// operatorsOf are the rows of the operators of a run.
func operatorsOf(g records.Group, rows []records.Row) (list []records.Row) {
	for _, r := range rows {
		if r.Operator != "" && ofRun(g, r) {
			list = append(list, r)
		}
	}
	return list
}

// operatorColumns are the time of the run and of each of its operators, and what bounds the
// run.
func (f family) operatorColumns(rows []records.Row) []column {
	columns := []column{f.starred("whole us", f.wholeTimes())}
	bound := column{title: "bound by"}
	operators := operatorsOf(f[0], rows)
	if len(operators) == 1 { // which is all of the run
		columns[0].title, operators = operators[0].Operator+" us ", nil
	}
	for i, o := range operators {
		c := column{title: o.Operator, right: true}
		for _, g := range f {
			cell := "-"
			if list := operatorsOf(g, rows); i < len(list) {
				cell = timeText(list[i].Time)
			}
			c.cells = append(c.cells, cell)
		}
		columns = append(columns, c)
	}
	for _, g := range f {
		bound.cells = append(bound.cells, whole(g).Bound())
	}
	return append(columns, bound)
}

// algorithmColumns are the times of the algorithms, what ran where it was chosen and what the
// choice loses, and busbw and bound of the fastest.
func (f family) algorithmColumns() []column {
	b := f[0].Sizes()[0]
	var columns []column
	if len(f[0].Series) == 1 {
		var times []units.Duration
		for _, g := range f {
			times = append(times, g.Series[0].Rows[0].Time)
		}
		columns = append(columns, f.starred(f[0].Series[0].Name+" us", times))
	} else {
		columns = append(columns, f.joined(func(g records.Group) (list []column) {
			for _, s := range g.Series {
				list = append(list, timeColumn(g, s))
			}
			return list
		})...)
	}
	for i, s := range f[0].Series {
		if s.Rows[0].SelectedBy == "" {
			continue
		}
		ran := column{title: s.Name + " runs"}
		for _, g := range f {
			ran.cells = append(ran.cells, g.Series[i].Rows[0].Algorithm)
		}
		columns = append(columns, ran)
	}
	columns = append(columns, f.joined(lossColumn)...)
	busbw, bound := column{title: "busbw", right: true}, column{title: "bound by"}
	for _, g := range f {
		r, _ := g.Fastest(b)
		busbw.cells, bound.cells = append(busbw.cells, rateText(r.BusBW())), append(bound.cells, r.Bound())
	}
	return append(columns, busbw, bound)
}

// joined are columns of one line for each group, under each other.
func (f family) joined(of func(records.Group) []column) []column {
	columns := of(f[0])
	for _, g := range f[1:] {
		for i, c := range of(g) {
			columns[i].cells = append(columns[i].cells, c.cells...)
		}
	}
	return columns
}
