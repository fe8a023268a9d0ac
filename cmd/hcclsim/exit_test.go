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
