package main

import (
	"fmt"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/reports/plots"
)

// drawDiagram draws the steps of a schedule.
func drawDiagram(path string, s *algorithms.Schedule, rounds []algorithms.Round) error {
	p, n, k := s.Ranks(), equalServers(s.Request.Groups), s.Slices(algorithms.Data)
	d := plots.Diagram{
		Title: fmt.Sprintf("%s: %s of %s", s.Algorithm, s.Request.Collective, ranksText(s.Request.Groups)),
		Row:   cellsOfRow(k, p),
	}
	if about, ok := algorithms.Describe(s.Algorithm, s.Request.Collective); ok {
		d.Subtitle = about.Idea
	}
	for rank := range p {
		d.Lanes = append(d.Lanes, fmt.Sprintf("rank %d", rank))
	}
	for _, round := range rounds {
		if len(round.Messages) > 0 {
			d.Columns = append(d.Columns, columnOf(len(d.Columns), round, p, n, k))
		}
	}
	for at, ranks := range algorithms.Holdings(s, rounds) {
		if at <= len(d.Columns) {
			d.Cells = append(d.Cells, cellsOf(s, ranks))
		} else {
			d.Cells[len(d.Columns)] = cellsOf(s, ranks)
		}
	}
	return d.Write(path)
}

// cellsOfRow is how many of k slices are drawn side by side: all of few, or one for each
// rank; of more, those of a rank.
func cellsOfRow(k, p int) int {
	switch {
	case k > 8 && k > p && k%p == 0 && k/p <= 16:
		return k / p
	case k <= 16:
		return k
	}
	return 16
}

func columnOf(step int, round algorithms.Round, p, n, k int) plots.Column {
	column := plots.Column{Title: fmt.Sprintf("step %d", step)}
	kinds := byKind(round.Messages)
	for _, g := range kinds {
		if r := ruleOf(g.messages, p, n, k); len(kinds) == 1 && r.partners != "" {
			column.Notes = []string{strings.ReplaceAll(r.partners, "->", "→")}
			if r.slices != "" {
				column.Notes = append(column.Notes, r.slices)
			}
		}
	}
	for _, m := range round.Messages {
		a := plots.Arrow{From: m.From, To: m.To, Reduces: m.Reduce}
		switch list := slicesOf(m); {
		case k == 1:
		case len(list) == k:
			a.Label = "all"
		default:
			a.Label = listSlices(list)
		}
		column.Arrows = append(column.Arrows, a)
	}
	return column
}

// cellsOf is what every rank holds of every slice.
func cellsOf(s *algorithms.Schedule, ranks [][]int) [][]plots.Cell {
	var lanes [][]plots.Cell
	for rank, slices := range ranks {
		var cells []plots.Cell
		for slice, have := range slices {
			want := 0
			for other := range s.Ranks() {
				if s.Brings(other, slice) {
					want++
				}
			}
			cells = append(cells, plots.Cell{Share: float64(have) / float64(want), Result: have == want && s.Gets(rank, slice)})
		}
		lanes = append(lanes, cells)
	}
	return lanes
}
