package main

import (
	"bufio"
	"fmt"
	"slices"

	"hcclsim/algorithms"
	"hcclsim/reports/plots"
)

// writeFirst writes which slices every rank has complete first, and after which step: where
// the sums come about. For more ranks than a diagram has it would be long.
func writeFirst(out *bufio.Writer, s *algorithms.Schedule, rounds []algorithms.Round) {
	if !s.Request.Collective.Reduces() || s.Ranks() > plots.MaxLanes || len(rounds) == 0 {
		return
	}
	fmt.Fprint(out, "\nfirst complete slices\n")
	for step, lists := range firstComplete(s, rounds) {
		words := firstWords(lists, s.Slices(algorithms.Data))
		label := fmt.Sprintf("after step %d", step)
		for _, line := range fill(words, "  ", lineWidth-17) {
			fmt.Fprintf(out, "%-15s  %s\n", label, line)
			label = ""
		}
	}
}

// firstWords says which of k slices the ranks have complete first after one step.
func firstWords(lists [][]int, k int) (words []string) {
	own, all := k == len(lists), true
	for rank, list := range lists {
		own = own && slices.Equal(list, []int{rank})
		all = all && len(list) == k
		switch {
		case len(list) == k && k > 1:
			words = append(words, fmt.Sprintf("rank %d: all", rank))
		case len(list) > 0:
			words = append(words, fmt.Sprintf("rank %d: %s", rank, listSlices(list)))
		}
	}
	switch {
	case own:
		return []string{"every rank r: slice r"}
	case all:
		return []string{"every rank: all"}
	}
	return words
}

// firstComplete are, by step and rank, the slices to which all ranks' inputs have been added
// after the first step in which the rank has any: at[step][rank].
func firstComplete(s *algorithms.Schedule, rounds []algorithms.Round) (at [][][]int) {
	had := make([]bool, s.Ranks())
	for _, ranks := range algorithms.Holdings(s, rounds)[1:] {
		lists := make([][]int, s.Ranks())
		for rank, inputs := range ranks {
			for slice, have := range inputs {
				if have == s.Ranks() && !had[rank] {
					lists[rank] = append(lists[rank], slice)
				}
			}
			had[rank] = had[rank] || len(lists[rank]) > 0
		}
		at = append(at, lists)
	}
	return at
}
