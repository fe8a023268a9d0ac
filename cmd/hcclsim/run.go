package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/model/records"
	"hcclsim/reports"
	"hcclsim/scenarios"
)

// runCommand is the command line of hcclsim run.
type runCommand struct {
	overrides overrideFlags
	output    outputFlags
	out       string
	long      bool
}

func newRun() *cobra.Command {
	c := &runCommand{}
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "Run scenarios: simulate every point, print the table, write results and plots",
		Long: `Run scenarios, given by name or path: simulate every point, print the table, check
the assertions and write to the output directory

  results.csv, results.jsonl   a row for each point
  *.png, *.svg                 the plots that the scenario asks for
  scenario.resolved.yaml       the scenario with all that it depends on

Ctrl-C keeps the finished points in results.partial.csv and results.partial.jsonl.`,
		Example: `  hcclsim run hello
  hcclsim run hello --long
  hcclsim run hello --set topology.servers=4 --out out/four
  hcclsim run scaling-2-to-64-servers --format csv -q >scaling.csv`,
		Args:              needs(1, -1, "one or more scenarios, e.g. hcclsim run hello"),
		ValidArgsFunction: orFile(scenarios.Names),
		RunE:              func(cmd *cobra.Command, names []string) error { return c.run(cmd, names) },
	}
	c.overrides.add(cmd)
	c.output.add(cmd)
	cmd.Flags().BoolVar(&c.long, "long", false, "print every point on a line of its own, with its algbw, busbw and what bounds it")
	cmd.Flags().StringVar(&c.out, "out", "", "directory of the results (default out/NAME; with several scenarios each gets a directory of its name inside)")
	return cmd
}

func (c *runCommand) run(cmd *cobra.Command, names []string) error {
	if err := c.output.check(); err != nil {
		return err
	}
	plans, err := c.plan(cmd, names)
	if err != nil {
		return err
	}
	var rows []records.Row
	var sum stats
	var asserted assertionsFailed
	for _, p := range plans {
		done, runErr := c.one(cmd, p, &sum)
		rows = append(rows, done...)
		if err = runErr; err != nil {
			break
		}
		failed, of := c.judge(cmd, p, done)
		asserted.failed, asserted.of = asserted.failed+failed, asserted.of+of
	}
	err = c.output.print(cmd, rows, reports.Options{Long: c.long}, err)
	if c.output.stats {
		sum.print(cmd.ErrOrStderr())
	}
	if err == nil && asserted.failed > 0 {
		return asserted
	}
	return err
}

// plan plans all scenarios before any of them runs.
func (c *runCommand) plan(cmd *cobra.Command, names []string) ([]*scenarios.Plan, error) {
	overrides, err := c.overrides.overrides()
	if err != nil {
		return nil, err
	}
	var plans []*scenarios.Plan
	for _, name := range names {
		p, err := scenarios.Load(name, overrides...)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(plans, func(q *scenarios.Plan) bool { return q.Name == p.Name }) {
			return nil, usagef("two scenarios are called %s: their results would go to one directory", p.Name)
		}
		c.output.warn(cmd, p)
		plans = append(plans, p)
	}
	return plans, nil
}

// directory is where the results of a plan go.
func (c *runCommand) directory(p *scenarios.Plan, several bool) string {
	switch {
	case c.out == "":
		return filepath.Join("out", p.Name)
	case several:
		return filepath.Join(c.out, p.Name)
	}
	return c.out
}

// one runs a plan into its directory and returns the finished rows.
func (c *runCommand) one(cmd *cobra.Command, p *scenarios.Plan, sum *stats) ([]records.Row, error) {
	files, err := openResults(c.directory(p, cmd.Flags().NArg() > 1))
	if err != nil {
		return nil, err
	}
	rows, err := execute(cmd, p, &c.output, sum, files.add)
	if err != nil {
		lost := files.keep(rows)
		if len(rows) > 0 && lost == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "hcclsim: %d of %d points are kept in %s\n", len(rows), len(p.Points), filepath.Join(files.dir, partialCSV))
		}
		return rows, errors.Join(err, lost)
	}
	drawn, err := files.finish(p, rows)
	for _, kind := range p.Plots {
		if err == nil && !slices.ContainsFunc(drawn, func(name string) bool { return strings.Contains(name, "-"+kind) }) {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: there is nothing to draw in the plot %s\n", p.Name, kind)
		}
	}
	if err == nil && !c.output.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "wrote %d results and %d plots to %s\n", len(rows), len(drawn), files.dir)
	}
	return rows, err
}

// maxFailures is the number of contradictions of an assertion that are printed.
const maxFailures = 10

// judge prints what became of the plan's assertions and returns how many failed, of how many.
func (c *runCommand) judge(cmd *cobra.Command, p *scenarios.Plan, rows []records.Row) (failed, of int) {
	stderr := cmd.ErrOrStderr()
	for _, v := range p.Judge(rows) {
		if of++; v.Holds() {
			continue
		}
		failed++
		fmt.Fprintf(stderr, "assertion failed: %s\n", v.Assertion)
		for _, f := range v.Failures[:min(maxFailures, len(v.Failures))] {
			fmt.Fprintf(stderr, "  %s\n", f)
		}
		if more := len(v.Failures) - maxFailures; more > 0 {
			fmt.Fprintf(stderr, "  and %d more\n", more)
		}
	}
	if of > 0 && failed == 0 && !c.output.quiet {
		fmt.Fprintf(stderr, "all %d assertions hold\n", of)
	}
	return failed, of
}
