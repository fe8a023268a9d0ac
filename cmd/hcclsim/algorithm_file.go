package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
	"hcclsim/algorithms/proof"
	"hcclsim/topologies/document"
)

// Algorithms in files: MSCCL's format, read by show and verify, written by export.

// isFile says whether an algorithm is named by a file.
func isFile(name string) bool { return strings.HasSuffix(name, ".xml") }

// readAlgorithm reads a file. What is wrong with it is wrong input, with line and column.
func readAlgorithm(path string) (*exchange.Algorithm, error) {
	a, _, err := exchange.ReadFile(path)
	var faults exchange.Errors
	switch {
	case err == nil:
		return a, nil
	case !errors.As(err, &faults):
		return nil, usageError{err}
	}
	var all []error
	for _, f := range faults {
		all = append(all, document.Fault(document.Origin{File: f.File, Line: f.Line, Column: f.Column}, "%s", f.Text))
	}
	return nil, document.Join(all...)
}

// fileSchedule makes the schedule of a file, of 1 MiB a chunk, and proves it.
func fileSchedule(path string, root int) (*algorithms.Schedule, error) {
	a, err := readAlgorithm(path)
	if err != nil {
		return nil, err
	}
	s, _, err := provenFile(a, a.InPlace, root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// provenFile makes a schedule of a file and proves it.
func provenFile(a *exchange.Algorithm, inPlace bool, root int) (*algorithms.Schedule, proof.Count, error) {
	s, err := a.Schedule(algorithms.Request{
		Collective: a.Collective, Groups: []int{a.Ranks}, Root: root, Elem: 4,
		Bytes: int64(a.ChunksPerLoop) << 20, InPlace: inPlace,
	})
	if err != nil {
		return nil, proof.Count{}, err
	}
	n, err := proof.Check(s)
	return s, n, err
}

func newAlgorithmExport() *cobra.Command {
	c := &showCommand{}
	var out string
	var separate bool
	cmd := &cobra.Command{
		Use:   "export ALGORITHM",
		Short: "Write an algorithm as a file in MSCCL's format",
		Long: `Write the schedule of an algorithm as a file in MSCCL's XML format, which MSCCL's runtime
and other tools read. Read back, by the name of the file, it gives the same messages. A
schedule that the format cannot say is refused with the reason.`,
		Example: `  hcclsim algorithm export nhr --ranks 8 > nhr.xml
  hcclsim algorithm export mesh+ring --ranks 16 --servers 2 --collective allgather -o mesh-ring.xml
  hcclsim perf allreduce --topology uniform --algorithms ring,nhr.xml`,
		Args:              needs(1, 1, "an algorithm, e.g. hcclsim algorithm export nhr"),
		ValidArgsFunction: only(algorithms.Names),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := c.schedule(cmd, args[0])
			if err != nil {
				return err
			}
			if separate && s.Request.InPlace {
				r := s.Request
				r.InPlace = false
				if s, err = algorithms.New(s.Algorithm, r); err != nil {
					return usageError{err}
				}
			}
			var text bytes.Buffer
			if err := exchange.Write(&text, s); err != nil {
				return usageError{err}
			}
			if out != "" {
				return os.WriteFile(out, text.Bytes(), 0o644)
			}
			_, err = text.WriteTo(cmd.OutOrStdout())
			return err
		},
	}
	c.add(cmd)
	cmd.Flags().BoolVar(&separate, "out-of-place", false, "input and output are buffers of their own")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to this file instead of the standard output")
	return cmd
}
