package reports

import (
	"bytes"
	"fmt"
	"strings"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// longestPattern is how many steps may repeat together.
const longestPattern = 16

// fold is steps that follow each other, some of them repeated.
type fold struct {
	steps []records.Step // of one time
	times int
	end   units.Duration // of the last time
}

// folds puts together what repeats: the same tasks of the same size over the same links.
func folds(steps []records.Step) (list []fold) {
	for i := 0; i < len(steps); {
		period, times := 1, 1
		for d := 1; d <= longestPattern && i+2*d <= len(steps); d++ {
			n := 1
			for i+(n+1)*d <= len(steps) && alike(steps[i:i+d], steps[i+n*d:i+(n+1)*d]) {
				n++
			}
			if n > 1 && n*d > times*period {
				period, times = d, n
			}
		}
		list = append(list, fold{steps[i : i+period], times, steps[i+period*times-1].End})
		i += period * times
	}
	return list
}

func alike(a, b []records.Step) bool {
	for i := range a {
		x, y := &a[i], &b[i]
		if x.Name != y.Name || x.Class != y.Class || x.Bytes != y.Bytes || x.Operator != y.Operator || largest(x) != largest(y) {
			return false
		}
	}
	return true
}

// largest is the largest cause of a step.
func largest(s *records.Step) string {
	var most records.Part
	for _, p := range s.Critical {
		if p.Time > most.Time {
			most = p
		}
	}
	return most.Cause
}

// listSteps is a line for each step; what repeats is written once, under the number of times.
func listSteps(out *bytes.Buffer, steps []records.Step) {
	columns := []column{
		{title: "start us", right: true}, {title: "time us", right: true}, {title: "rank", right: true}, {title: "peer", right: true},
		{title: "step", right: true}, {title: "task"}, {title: "bytes", right: true}, {title: "links"}, {title: "causes us"},
	}
	add := func(cells ...string) {
		for i := range columns {
			cell := ""
			if i < len(cells) {
				cell = cells[i]
			}
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	for _, f := range folds(steps) {
		if f.times > 1 {
			add(timeText(f.steps[0].Start), timeText(f.end-f.steps[0].Start), "", "", "", fmt.Sprintf("%d times:", f.times))
		}
		for i := range f.steps {
			s := &f.steps[i]
			name := s.Name
			if f.times > 1 {
				name = "  " + name
			}
			add(timeText(s.Start), timeText(s.End-s.Start), fmt.Sprint(s.Rank), peerText(s), stepText(s), name, bytesText(s.Bytes), s.Class, causesText(s))
		}
	}
	writeColumns(out, columns)
}

func peerText(s *records.Step) string {
	if s.Peer == s.Rank {
		return "-"
	}
	return fmt.Sprint(s.Peer)
}

func stepText(s *records.Step) string {
	if s.Step < 0 {
		return s.Operator
	}
	return fmt.Sprintf("%d/%d", s.Lane, s.Step)
}

func bytesText(b units.Bytes) string {
	if b == 0 {
		return "-"
	}
	return sizeText(b)
}

func causesText(s *records.Step) string {
	var parts []string
	for _, p := range s.Critical {
		parts = append(parts, causeText(p.Cause)+" "+timeText(p.Time))
	}
	return strings.Join(parts, ", ")
}
