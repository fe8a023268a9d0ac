package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"hcclsim/topologies/document"
)

func TestReport(t *testing.T) {
	place := document.Origin{File: "f.yaml", Line: 2, Column: 3}
	var many document.Errors
	for i := range 25 {
		many = append(many, document.Error{Origin: place, Text: fmt.Sprint("fault ", i)})
	}
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{nil, exitDone, ""},
		{errors.New("disk full"), exitFailure, "hcclsim: disk full\n"},
		{context.Canceled, exitFailure, "hcclsim: stopped: context canceled\n"},
		{usagef("no such flag"), exitInput, "hcclsim: no such flag\nRun 'hcclsim help' for usage.\n"},
		{document.Fault(place, "bad"), exitInput, "f.yaml:2:3: bad\n"},
		{document.Fault(document.Origin{}, "bad"), exitInput, "hcclsim: bad\n"},
		{many, exitInput, "f.yaml:2:3: fault 19\nand 5 more\n"},
		{assertionsFailed{2, 3}, exitAssertion, "hcclsim: 2 of 3 assertions failed\n"},
	} {
		var stderr bytes.Buffer
		if code := report(&stderr, c.err); code != c.code || !strings.HasSuffix(stderr.String(), c.text) || (c.text == "") != (stderr.Len() == 0) {
			t.Errorf("%v: exit code %d, %q; want %d, %q", c.err, code, stderr.String(), c.code, c.text)
		}
	}
}

func TestVersion(t *testing.T) {
	stdout, _, code := call("version")
	if code != exitDone || !strings.HasPrefix(stdout, "hcclsim ") || !strings.Contains(stdout, " go1.") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	info := &debug.BuildInfo{GoVersion: "go1.26", Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}}
	if got, want := describeBuild(info), "(devel) 0123456789ab modified go1.26"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Words that other tools use are understood, or the right one is named.
func TestOtherToolsWords(t *testing.T) {
	for _, name := range []string{"all_reduce", "all-reduce", "AllReduce"} {
		if _, stderr, code := call("explain", name, "--topology", "uniform", "-q"); code != exitDone {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"run hello --servers 4", "unknown flag: --servers, which hcclsim perf has; of a scenario it is a key: --set topology.servers=VALUE"},
		{"perf allreduce -b 1M -e 1K", "--begin 1M: run.0.sizes.from: begins at 1MiB, above its end, 1KiB"},
		{"perf nosuch", `perf nosuch: run.0.collective: unknown value "nosuch", expected one of allreduce, `},
	} {
		if _, stderr, code := call(strings.Fields(c.args)...); code != exitInput || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, %s", c.args, code, stderr)
		}
	}
}
