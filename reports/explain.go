package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// HCCL's budgets of one NPU: contexts of the task scheduler for a collective, and streams
// (its public sources).
const (
	mostContexts = 65_535
	mostStreams  = 2_048
)

// Explain writes where the time of a row went: by cause, over which links, what would be saved
// by what, and in words. Steps of the critical path are listed, alike runs of steps folded.
func Explain(w io.Writer, e records.Explanation) error {
	var out bytes.Buffer
	r := e.Row
	out.WriteString(explainHeading(r))
	if len(r.Critical) > 0 {
		out.WriteString("\nthe critical path by cause\n")
		causes(&out, r)
	}
	if len(e.Operators) > 0 {
		out.WriteString("\noperators\n")
		g := records.Group{Row: r}
		streams(&out, g, append([]records.Row{r}, e.Operators...))
	}
	if r.Operator == "" {
		traffic(&out, r)
	}
	whatIf(&out, r, e.Changes)
	out.WriteString("\n" + strings.Join(Words(r, e.Changes), "\n") + "\n")
	if len(e.Steps) > 0 {
		out.WriteString("\nthe steps on it\n")
		listSteps(&out, e.Steps)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func explainHeading(r records.Row) string {
	g := records.Group{Row: r}
	text := heading(g)
	line := fmt.Sprintf("%s us", timeText(r.Time))
	switch {
	case r.Operator != "":
		line = fmt.Sprintf("%s, %s: %s us from %s us on", r.Operator, whatText(r), timeText(r.Time), timeText(r.Start))
	case r.Run == "":
		line = fmt.Sprintf("%s of %s: %s us, busbw %s GB/s", algorithmText(r), sizeText(r.Bytes), timeText(r.Time), rateText(r.BusBW()))
	}
	if r.SelectedBy != "" {
		line += ", by " + r.SelectedBy
	}
	if r.Repeat > 0 {
		line += fmt.Sprintf("; the first of %d runs", r.Repeat)
	}
	return text + line + "\n"
}

// causes is a bar for each cause, the longest first.
func causes(out *bytes.Buffer, r records.Row) {
	parts := slices.Clone(r.Critical)
	slices.SortStableFunc(parts, func(a, b records.Part) int { return cmp.Compare(b.Time, a.Time) })
	columns := []column{{title: "cause"}, {title: "time us", right: true}, {title: "share", right: true}, {title: ""}}
	for _, p := range parts {
		share := fraction(p.Time, r.Time)
		const width = 40
		for i, cell := range []string{causeText(p.Cause), timeText(p.Time), fmt.Sprintf("%.1f%%", 100*share), strings.Repeat("#", int(share*width+0.5))} {
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	writeColumns(out, columns)
}

func causeText(cause string) string { return strings.Replace(cause, ":", " ", 1) }

// fraction is a part of the whole, 0 of nothing.
func fraction(part, whole units.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// notable is the least share of the time that a change must save to be listed.
const notable = 0.01

// whatIf lists what one change would save, and in a line those that would save next to
// nothing.
func whatIf(out *bytes.Buffer, r records.Row, changes []records.Change) {
	if len(changes) == 0 {
		return
	}
	columns := []column{{title: "simulated, one change at a time"}, {title: "time us", right: true}, {title: "saves", right: true}}
	var others []string
	for _, c := range changes {
		saved := fraction(r.Time-c.Time, r.Time)
		if saved < notable && saved > -notable {
			others = append(others, c.What)
			continue
		}
		for i, cell := range []string{c.What, timeText(c.Time), fmt.Sprintf("%.1f%%", 100*saved)} {
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	out.WriteString("\n")
	if len(others) < len(changes) {
		writeColumns(out, columns)
	}
	if len(others) > 0 {
		fmt.Fprintf(out, "less than 1 %%: %s\n", strings.Join(others, ", "))
	}
}

// traffic says what moved, over which links, and what it took of HCCL's budgets.
func traffic(out *bytes.Buffer, r records.Row) {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, u := range r.Busiest {
		add("busiest link  %s, %.1f%% of its bandwidth over the whole time", u.Link, 100*u.Share)
	}
	for _, v := range r.Volumes {
		add("moved         %s over %s", v.Bytes.Short(), v.Class)
	}
	counts := "counted       " + counted(r.Messages, "message") + ", " + counted(r.Requests, "RDMA request") + ", " + counted(r.Tasks, "task")
	if r.Rounds > 1 {
		counts += fmt.Sprintf(", %d rounds through HCCL's buffer", r.Rounds)
	}
	add("%s", counts)
	switch {
	case r.Run != "": // the budget of contexts is that of one collective
		add("of an NPU     %d of %d streams, %d contexts of all its collectives", r.Streams, mostStreams, r.Contexts)
	case r.Streams > 0:
		add("of an NPU     %d of %d streams, %d of %d contexts%s", r.Streams, mostStreams, r.Contexts, mostContexts, overBudget(r))
	}
	if r.Buffer > 0 {
		add("buffers       %s of each NPU's memory", r.Buffer.Short())
	}
	out.WriteString("\n" + strings.Join(lines, "\n") + "\n")
}

func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func overBudget(r records.Row) string {
	if r.Streams > mostStreams || r.Contexts > mostContexts {
		return ": more than there are"
	}
	return ""
}
