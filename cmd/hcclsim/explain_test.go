package main

import (
	"strings"
	"testing"
)

// The selector that explain shows as an example chooses one point.
func TestExplainsExampleChooses(t *testing.T) {
	for _, scenario := range []string{"streams-sharing", "alexnet-recorded", "cut-link"} {
		_, stderr, code := call("explain", scenario)
		_, example, ok := strings.Cut(strings.TrimSpace(stderr), "e.g. --where ")
		if !ok || code != exitDone {
			t.Fatalf("%s: exit code %d, %s", scenario, code, stderr)
		}
		if _, stderr, code = call("explain", scenario, "--where", example); stderr != "" || code != exitDone {
			t.Errorf("%s --where %s: exit code %d, %s", scenario, example, code, stderr)
		}
	}
}

// An operator is explained by itself; its steps are the run's.
func TestExplainsAnOperator(t *testing.T) {
	stdout, stderr, code := call("explain", "streams-sharing", "--where", "operator=late")
	if want := "late, allreduce ring: 142.00 us from 10.00 us on"; code != exitDone || !strings.Contains(stdout, want) {
		t.Errorf("exit code %d, %s%s, want %s", code, stdout, stderr, want)
	}
	if _, stderr, code = call("explain", "streams-sharing", "--where", "operator=late", "--steps"); code != exitInput || !strings.Contains(stderr, "as a whole") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
