package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build makes the real binary.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "hcclsim")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// execIn runs the binary in a directory.
func execIn(t *testing.T, dir, binary string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBinary(t *testing.T) {
	binary := build(t)
	t.Run("hello", func(t *testing.T) { binaryHello(t, binary) })
	t.Run("bad input", func(t *testing.T) { binaryBadInput(t, binary) })
	t.Run("unwritable directory", func(t *testing.T) { binaryUnwritable(t, binary) })
	t.Run("interrupt", func(t *testing.T) { binaryInterrupt(t, binary) })
	t.Run("killed", func(t *testing.T) { binaryKilled(t, binary) })
}

// binaryHello is the first command of the README.
func binaryHello(t *testing.T, binary string) {
	dir := t.TempDir()
	stdout, stderr, code := execIn(t, dir, binary, "run", "hello")
	if code != exitDone || !strings.Contains(stdout, "mesh+double-tree") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, name := range []string{"results.csv", "results.jsonl", "scenario.resolved.yaml", "hello-bandwidth.png", "hello-latency.svg", "hello-crossover.png"} {
		if len(read(t, filepath.Join(dir, "out", "hello", name))) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

func binaryBadInput(t *testing.T, binary string) {
	const (
		head = "apiVersion: hcclsim/v1\nkind: Scenario\nname: bad\n"
		use  = "topology: {use: uniform}\n"
		ring = "run: [{collective: allreduce, sizes: [1MiB], algorithms: [ring]}]\n"
	)
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'i'; c++ {
		previous := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+previous+", ", 9), ", ") + "]\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":        {head + use + ring + "colour: red\n", `bad.yaml:6:1: unknown key "colour"`},
		"missing unit":       {head + "topology: {use: uniform, server: {links: [{class: ideal, bandwidth: 25}]}}\n" + ring, `bandwidth "25" needs a unit`},
		"negative bandwidth": {head + "topology: {use: uniform, server: {links: [{class: ideal, bandwidth: -1GB/s}]}}\n" + ring, "got -1GB/s"},
		"zero NPUs":          {head + "topology: {use: uniform, server: {npus: 0}}\n" + ring, "bad.yaml:4:41: server.npus: must be from 1"},
		"sizes out of order": {head + use + strings.Replace(ring, "[1MiB]", "[1MiB, 1KiB]", 1), "size 1KiB comes after 1MiB"},
		"unknown algorithm":  {head + use + strings.Replace(ring, "[ring]", "[rong]", 1), `unknown algorithm "rong", did you mean ring?`},
		"lacking algorithm":  {head + use + strings.Replace(strings.Replace(ring, "[ring]", "[tree]", 1), "allreduce", "allgather", 1), "allgather has no algorithm tree, it has ring"},
		"empty document":     {"", "bad.yaml"},
		"two documents":      {head + use + ring + "---\n" + head + use + ring, "bad.yaml:6:1"},
		"alias bomb":         {bomb, "bad.yaml"},
		"no YAML":            {"{", "bad.yaml"},
		"a directory":        {"\x00directory", "cannot be read"},
		"no file":            {"\x00none", "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			switch path := filepath.Join(dir, "bad.yaml"); c.text {
			case "\x00directory":
				if err := os.Mkdir(path, 0o777); err != nil {
					t.Fatal(err)
				}
			case "\x00none":
			default:
				writeFile(t, path, c.text)
			}
			stdout, stderr, code := execIn(t, dir, binary, "run", "bad.yaml")
			if code != exitInput || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, stdout %q, stderr\n%s\nwant %d and %s", code, stdout, stderr, exitInput, c.want)
			}
			if strings.Contains(stderr, "goroutine") {
				t.Errorf("stack trace:\n%s", stderr)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); !os.IsNotExist(err) {
				t.Errorf("left an output directory: %v", err)
			}
		})
	}
}

func binaryUnwritable(t *testing.T, binary string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "file"), "")
	begin := time.Now()
	stdout, stderr, code := execIn(t, dir, binary, "run", "scaling-2-to-64-servers", "--out", "file/out")
	if code != exitFailure || stdout != "" || !strings.HasPrefix(stderr, "hcclsim: mkdir file") {
		t.Errorf("exit code %d, stdout %q, stderr %q, want %d", code, stdout, stderr, exitFailure)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v: it simulates before it knows that it cannot write", took)
	}
}

// binaryInterrupt stops a long run with the signal of Ctrl-C after its first points.
func binaryInterrupt(t *testing.T, binary string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "long.yaml"), `apiVersion: hcclsim/v1
kind: Scenario
name: long
topology: {use: uniform, server: {npus: 128}}
run: [{collective: allreduce, sizes: {from: 1MiB, to: 9000MiB, step: 1MiB}, algorithms: [ring]}]
`)
	cmd := exec.Command(binary, "run", "long.yaml", "--out", "out")
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	partial := filepath.Join(dir, "out", partialJSONL)
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(partial); err == nil && info.Size() > 0 {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Error("no point was finished within a minute")
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code says more
	if code := cmd.ProcessState.ExitCode(); code != exitFailure || !strings.Contains(errs.String(), "of 9000 points are kept in ") {
		t.Errorf("exit code %d, want %d; stderr\n%s", code, exitFailure, errs.String())
	}
	if got, want := strings.Join(files(t, filepath.Join(dir, "out")), " "), partialCSV+" "+partialJSONL+" "+studyJSON; got != want {
		t.Errorf("left %s, want %s", got, want)
	}
	rows := bytes.Count(read(t, partial), []byte("\n"))
	if csv := bytes.Count(read(t, filepath.Join(dir, "out", partialCSV)), []byte("\n")); rows == 0 || csv != rows+1 {
		t.Errorf("%d rows in %s and %d lines in %s", rows, partialJSONL, csv, partialCSV)
	}
	if !strings.Contains(out.String(), "1M") {
		t.Errorf("the finished points are not shown:\n%s", out.String())
	}
}
