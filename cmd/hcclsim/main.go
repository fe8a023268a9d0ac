// Command hcclsim simulates collective communication on Ascend NPU systems. See
// hcclsim help, and README.md for a first tour.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes the command line and returns its exit code. Results go to stdout and
// everything else to stderr.
func run(args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(stderr, "hcclsim: internal error: %v\n", fault)
			code = exitFailure
		}
	}()
	root, begun := newRoot()
	root.SetArgs(args)
	out := &checkedWriter{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(context.Background())
	if err != nil && !*begun {
		err = usageError{err}
	}
	if err == nil {
		err = out.err
	}
	return report(stderr, err)
}

// checkedWriter remembers the first error, so that output that is lost is no success,
// whoever wrote it.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}
