package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
	"hcclsim/algorithms/proof"
	"hcclsim/scenarios"
	"hcclsim/topologies/document"
)

// Algorithms in files: MSCCL's format, read by show and verify, written by export.

// readAlgorithm reads a file. What is wrong with it is wrong input, with line and column.
func readAlgorithm(path string) (*exchange.Algorithm, error) {
	a, _, err := scenarios.ReadFile(path)
	if err != nil && !errors.As(err, new(document.Errors)) {
		return nil, usageError{err}
	}
	return a, err
}

// fileSchedule makes the schedule of a file, of 1 MiB a chunk, and proves it.
func fileSchedule(path string, root int) (*algorithms.Schedule, error) {
	a, err := readAlgorithm(path)
	if err != nil {
		return nil, err
	}
	s, err := fileTrial{a, a.InPlace, root, int64(a.ChunksPerLoop) << 18}.schedule(4)
	if err == nil {
		_, err = proof.Check(s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
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
