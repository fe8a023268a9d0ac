package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"hcclsim/reports"
	"hcclsim/scenarios"
	tuning "hcclsim/scenarios/study"
)

// tuneCommand is the command line of hcclsim tune.
type tuneCommand struct {
	overrides overrideFlags
	format    string
	precision string
	jobs      int
	quiet     bool
}

func newTune() *cobra.Command {
	c := &tuneCommand{}
	cmd := &cobra.Command{
		Use:   "tune SCENARIO",
		Short: "Find the sizes in which each algorithm is the fastest",
		Long: `Find the sizes in which each of a scenario's algorithms is the fastest: of every setting, with
the sizes where that changes located by bisection on the simulated times. The sizes of the
scenario are where the search begins; what changes twice between two of them is not seen.
auto and best take no part: they choose among the others.

--format yaml prints the ranges as a scenario has them, for the algorithm auto.`,
		Example: `  hcclsim tune ring-or-tree
  hcclsim tune hello --set run.0.algorithms=[mesh+ring,mesh+nhr,pipeline] --format yaml`,
		Args:              needs(1, 1, "a scenario, e.g. hcclsim tune ring-or-tree"),
		ValidArgsFunction: orFile(scenarios.Names),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	c.overrides.add(cmd)
	cmd.Flags().StringVar(&c.format, "format", "table", "of the ranges on stdout: table, yaml")
	cmd.Flags().StringVar(&c.precision, "precision", "1%", "how close a change is located, in size")
	cmd.Flags().IntVar(&c.jobs, "jobs", 0, "points simulated at once (default one for each processor)")
	cmd.Flags().BoolVarP(&c.quiet, "quiet", "q", false, "print the ranges and errors only")
	complete(cmd, "format", only(func() []string { return []string{"table", "yaml"} }))
	return cmd
}

func (c *tuneCommand) run(cmd *cobra.Command, name string) error {
	precision, err := percentage("--precision", c.precision)
	switch {
	case err != nil:
		return err
	case precision < 0.0001:
		return usagef("--precision %s: expected at least 0.01%%", c.precision)
	case c.format != "table" && c.format != "yaml":
		return usagef("--format %s: expected table or yaml", c.format)
	case c.jobs < 0:
		return usagef("--jobs %d: expected at least 1", c.jobs)
	case c.jobs == 0:
		c.jobs = runtime.NumCPU()
	}
	overrides, err := c.overrides.overrides()
	if err != nil {
		return err
	}
	p, err := scenarios.Load(name, overrides...)
	if err != nil {
		return err
	}
	(&outputFlags{quiet: c.quiet}).warn(cmd, p)
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	found, err := tuning.FindRanges(ctx, p, tuning.Options{Jobs: c.jobs, Precision: 1 + precision})
	if err != nil {
		return err
	}
	if c.format == "yaml" {
		return reports.WriteRangesYAML(cmd.OutOrStdout(), found)
	}
	return reports.WriteRanges(cmd.OutOrStdout(), found)
}
