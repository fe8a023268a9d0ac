package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hcclsim/topologies/document"
)

// Exit codes.
const (
	exitDone      = 0 // all that was asked for is done
	exitFailure   = 1 // it could not be done: files, a run without an end, Ctrl-C
	exitInput     = 2 // it was asked for wrongly: usage, a topology, a scenario
	exitAssertion = 3 // it is done, and the results contradict an assertion of the scenario, or a comparison its limit
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// assertionsFailed ends a run whose results contradict the scenario. What failed has been
// printed by then.
type assertionsFailed struct{ failed, of int }

func (e assertionsFailed) Error() string {
	return fmt.Sprintf("%d of %d assertions failed", e.failed, e.of)
}

// report prints err, if any, and returns its exit code.
func report(stderr io.Writer, err error) int {
	var usage usageError
	var input document.Errors
	var asserted assertionsFailed
	var apart furtherApart
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "hcclsim: %v\nRun 'hcclsim help' for usage.\n", err)
		return exitInput
	case errors.As(err, &input):
		printFaults(stderr, input)
		return exitInput
	case errors.As(err, &asserted), errors.As(err, &apart):
		fmt.Fprintf(stderr, "hcclsim: %v\n", err)
		return exitAssertion
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "hcclsim: stopped: %v\n", err)
	default:
		fmt.Fprintf(stderr, "hcclsim: %v\n", err)
	}
	return exitFailure
}

// maxFaults is the number of faults of documents that are printed.
const maxFaults = 20

// printFaults prints a line for each fault, in the form file:line:column: text that editors know.
func printFaults(stderr io.Writer, faults document.Errors) {
	for _, f := range faults[:min(maxFaults, len(faults))] {
		if f.Origin == (document.Origin{}) || f.File == perfDocument { // no file that a user could look at
			f.Label = "hcclsim"
		}
		fmt.Fprintln(stderr, f)
	}
	if more := len(faults) - maxFaults; more > 0 {
		fmt.Fprintf(stderr, "and %d more\n", more)
	}
}
