// Package scenarios turns scenario documents into results. A scenario says which
// collectives run on which topology, what varies, and what is claimed about the outcome;
// docs/scenarios.md has the format.
//
// It takes three steps. Load reads a document, applies overrides, multiplies out what is
// swept and returns a Plan: every point with everything explicit, checked as far as it can
// be without running. Run simulates the points, several at a time, and delivers their rows
// in the plan's order, so that the results do not depend on the number of jobs. Judge puts
// the scenario's assertions to the rows.
package scenarios
