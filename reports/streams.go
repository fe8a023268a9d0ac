package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"hcclsim/model/records"
)

// isWhole says whether a group is the run of streams as a whole.
func isWhole(g records.Group) bool { return g.Run != "" && g.Operator == "" }

// streams is a line for each operator of a run of streams, and one for the whole, with what
// each waited for most.
func streams(out *bytes.Buffer, g records.Group, rows []records.Row) {
	columns := []column{
		{title: "operator"}, {title: "what"}, {title: "size", right: true}, {title: "start us", right: true},
		{title: "end us", right: true}, {title: "time us", right: true}, {title: "algbw GB/s", right: true}, {title: "bound by"},
	}
	for _, r := range rows {
		if !ofRun(g, r) {
			continue
		}
		name, what, size, bandwidth := cmp.Or(r.Operator, "whole"), "", "-", "-"
		if r.Operator != "" {
			what = whatText(r)
		}
		if r.Bytes > 0 {
			size, bandwidth = sizeText(r.Bytes), rateText(r.AlgBW())
		}
		for i, cell := range []string{name, what, size, timeText(r.Start), timeText(r.Start + r.Time), timeText(r.Time), bandwidth, r.Bound()} {
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	writeColumns(out, columns)
	out.WriteString(overlap(g, rows))
}

// whatText is what an operator does.
func whatText(r records.Row) string {
	if r.Algorithm == "" {
		return r.Collective
	}
	return r.Collective + " " + algorithmText(r)
}

// overlap says of a training step how much of its communication is hidden.
func overlap(g records.Group, rows []records.Row) string {
	for _, r := range rows {
		if ofRun(g, r) && r.Operator == "" && r.Compute > 0 {
			return fmt.Sprintf("computing %s us, communication alone %s us, of which %.0f %% is hidden; exposed %s us%s\nall of it hidden: %s us, none: %s us%s\n",
				timeText(r.Compute), timeText(r.Communication), 100*r.Overlap(), timeText(r.Exposed), lateness(r), timeText(r.Ideal()), timeText(r.Serial()), beyond(r))
		}
	}
	return ""
}

// lateness says how much of what is exposed is waiting for late ranks, which no overlap hides.
func lateness(r records.Row) string {
	for _, p := range r.Critical {
		if p.Cause == "late" && p.Time > 0 {
			return fmt.Sprintf(", of which %s us are late ranks", timeText(p.Time))
		}
	}
	return ""
}

// beyond says why a step may take longer than with none of its communication hidden.
func beyond(r records.Row) string {
	if r.Time <= r.Serial() || r.Faults == "" {
		return ""
	}
	return fmt.Sprintf("; the step takes longer for %s", r.Faults)
}

// ofRun says whether a row is the run, or one of its operators.
func ofRun(g records.Group, r records.Row) bool {
	return r.Run == g.Run && r.Scenario == g.Scenario && r.Topology == g.Topology && slices.Equal(r.Swept, g.Swept)
}

// spread says how sure the mean of repeated runs is; "" of a single run.
func spread(r records.Row) string {
	if r.Repeat == 0 {
		return ""
	}
	return fmt.Sprintf(" ±%s", timeText(r.Interval))
}
