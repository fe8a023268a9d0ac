package document

import (
	"fmt"
	"slices"
)

// Rule is something that a value must fulfil.
type Rule struct {
	text   string                   // "positive", in "must be positive"
	broken func(value float64) bool // nil: not about the number
}

var (
	// Required: the value must be there, if the mapping around it is.
	Required = Rule{text: "there"}
	// Positive numbers are above zero.
	Positive = Rule{"positive", func(x float64) bool { return x <= 0 }}
	// NonNegative numbers are zero or above. Quantities are so without saying.
	NonNegative = Rule{"zero or more", func(x float64) bool { return x < 0 }}
	// Bare sizes may lack their unit; they are bytes then.
	Bare = Rule{text: "bare"}
)

// Range rules that a number is at least low and at most high.
func Range(low, high int64) Rule {
	return Rule{fmt.Sprintf("from %d to %d", low, high), func(x float64) bool { return x < float64(low) || x > float64(high) }}
}

// attainable bandwidths are those that the machine can count: below 2^47 bytes per second.
var attainable = Rule{"below 140TB/s", func(x float64) bool { return x >= 1<<47 }}

// shortEnough durations leave room below the 106 days that the clock can reach.
var shortEnough = Rule{"at most 1000s", func(x float64) bool { return x > 1e15 }}

func has(rules []Rule, r Rule) bool {
	return slices.ContainsFunc(rules, func(x Rule) bool { return x.text == r.text })
}

func withSign(rules []Rule) []Rule {
	rules = slices.Clone(rules)
	if has(rules, Positive) {
		return rules
	}
	return append(rules, NonNegative)
}
