package choose

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
)

const ring, doubleTree = "ring", "double-tree"

const modelSource = "docs/model.md, choosing"

func (s Settings) thresholds() bool {
	return s.RingThreshold != nil || s.TreeThreshold != nil || len(s.Ranges) > 0
}

// Threshold reads the user's table: the first range that holds the size, then
// HCCL_RING_THRESHOLD = a (ring for S <= a) and HCCL_TREE_THRESHOLD = b (double-tree for
// S >= b). Where neither holds, or both do, the one with the lower predicted time. Where
// the table says nothing, HCCL or Model decides.
func Threshold(q Question) (Choice, error) {
	for _, r := range q.Settings.Ranges {
		if r.holds(q) {
			if !slices.Contains(algorithms.Names(), algorithms.Canonical(r.Algorithm)) {
				return Choice{}, accepts(q, r.Algorithm)
			}
			return settle(q, Choice{Algorithm: r.Algorithm, By: byThreshold, Rule: "range of sizes",
				Value: fmt.Sprintf("%s in %s", size(q.Bytes), r), Source: modelSource})
		}
	}
	a, b := q.Settings.RingThreshold, q.Settings.TreeThreshold
	if a == nil && b == nil || !offersAny(q.Collective, ring, doubleTree) {
		return untabled(q)
	}
	isRing, isTree := a != nil && q.Bytes <= *a, b != nil && q.Bytes >= *b
	switch {
	case isRing && !isTree:
		return settle(q, Choice{Algorithm: ring, By: byThreshold, Rule: "HCCL_RING_THRESHOLD",
			Value: fmt.Sprintf("%s <= %s", size(q.Bytes), size(*a)), Source: modelSource})
	case isTree && !isRing:
		return settle(q, Choice{Algorithm: doubleTree, By: byThreshold, Rule: "HCCL_TREE_THRESHOLD",
			Value: fmt.Sprintf("%s >= %s", size(q.Bytes), size(*b)), Source: modelSource})
	}
	rule := "between the thresholds: lower predicted time"
	if isRing {
		rule = "both thresholds hold: lower predicted time"
	}
	choice, err := cheapest(q, []string{ring, doubleTree})
	choice.By, choice.Rule, choice.Source = byThreshold, rule, modelSource
	return choice, err
}

func (r Range) holds(q Question) bool {
	return (r.Collective == "" || r.Collective == q.Collective) && r.Min <= q.Bytes && (r.Max < 0 || q.Bytes <= r.Max)
}

func (r Range) String() string {
	if r.Max < 0 {
		return fmt.Sprintf("%s and more", size(r.Min))
	}
	return fmt.Sprintf("%s to %s", size(r.Min), size(r.Max))
}

// untabled decides what the user's table leaves open.
func untabled(q Question) (Choice, error) {
	chooser := Model
	if q.Product != "" {
		chooser = HCCL
	}
	choice, err := chooser(q)
	if err == nil {
		choice.Warnings = append(choice.Warnings, fmt.Sprintf("the thresholds say nothing about %s of this size: %s decides", q.Collective, choice.By))
	}
	return choice, err
}

func offersAny(c algorithms.Collective, names ...string) bool {
	for _, n := range names {
		if algorithms.Offers(n, c) {
			return true
		}
	}
	return false
}

// Model takes the lowest closed form, or estimate where there is none, with the topology's
// parameters. Of equals the first in the catalogue.
func Model(q Question) (Choice, error) {
	choice, err := cheapest(q, candidates(q))
	choice.By, choice.Rule, choice.Source = byModel, "lowest closed form", modelSource
	return choice, err
}

// candidates are the algorithms that may differ from each other here: mixes only over
// several servers of several ranks, those of three levels only over several super-pods.
func candidates(q Question) []string {
	var names []string
	for _, name := range algorithms.Names() {
		parts := strings.Count(name, "+") + 1
		if parts > 1 && (len(q.Groups) == 1 || q.Ranks() == len(q.Groups)) || parts > 2 && q.Pods < 2 {
			continue
		}
		names = append(names, name)
	}
	return names
}

// cheapest is the first candidate with the lowest prediction, of those that run.
func cheapest(q Question, names []string) (Choice, error) {
	var best, second string
	var low, next int64
	var refused error
	for _, name := range names {
		ps, err := algorithms.Estimate(name, q.Request, q.Levels)
		switch {
		case err != nil:
			refused = err
		case best == "" || ps < low:
			best, low, second, next = name, ps, best, low
		case second == "" || ps < next:
			second, next = name, ps
		}
	}
	if best == "" {
		return Choice{}, refused
	}
	value := fmt.Sprintf("%s %s", best, micros(low))
	if second != "" {
		value += fmt.Sprintf(", next %s %s", second, micros(next))
	}
	return Choice{Algorithm: best, Value: value}, nil
}

// micros prints picoseconds as microseconds, rounded down to the nanosecond.
func micros(ps int64) string { return fmt.Sprintf("%d.%03dus", ps/1e6, ps/1e3%1e3) }
