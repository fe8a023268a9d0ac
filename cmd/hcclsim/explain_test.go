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
