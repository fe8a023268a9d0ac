package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What tune finds is what auto does with the ranges that it prints, and mistakes are told.
func TestTune(t *testing.T) {
	base := "apiVersion: hcclsim/v1\nkind: Scenario\nname: tuned\ntopology: {use: uniform}\nrun:\n- collective: allreduce\n  sizes: [64KiB, 200KiB, 220KiB, 1MiB]\n"
	dir := t.TempDir()
	path := filepath.Join(dir, "s.yaml")
	writeFile(t, path, base+"  algorithms: [ring, binomial]\n")
	stdout, stderr, code := call("tune", path)
	if code != exitDone || !strings.Contains(stdout, "64K  ") || !strings.Contains(stdout, "binomial") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	ranges, stderr, code := call("tune", path, "--format", "yaml")
	_, ranges, found := strings.Cut(ranges, "\n")
	if code != exitDone || !found {
		t.Fatalf("exit code %d\n%s%s", code, ranges, stderr)
	}
	writeFile(t, path, base+"  algorithms: [auto, ring, binomial]\n  "+strings.ReplaceAll(ranges, "\n", "\n  ")+
		"\nassert:\n- time(requested=auto) <= time(requested=ring)\n- time(requested=auto) <= time(requested=binomial)\n")
	if _, stderr, code := call("run", path, "--out", filepath.Join(dir, "out")); code != exitDone {
		t.Errorf("the tuned scenario: exit code %d\n%s", code, stderr)
	}
	for args, want := range map[string]string{
		"tune hello --precision 0": "--precision 0: expected at least 0.01%",
		"tune hello --format csv":  "--format csv: expected table or yaml",
		"tune training-step":       "two or more named algorithms",
		"tune nosuch":              `there is no scenario "nosuch"`,
		"tune hello --jobs -1":     "--jobs -1: expected at least 1",
	} {
		if _, stderr, code := call(strings.Fields(args)...); code == exitDone || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", args, code, stderr)
		}
	}
}
