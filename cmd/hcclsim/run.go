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
	shard     string
	fresh     bool
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

Finished points are kept in results.partial.jsonl: after Ctrl-C, a crash or a full disk the
same command runs the rest. --shard 2/8 runs the second eighth of the points, into a
directory of its own; hcclsim report puts the shards together.`,
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
	cmd.Flags().StringVar(&c.shard, "shard", "", "run a part of the points: i/n, or */n for the task of a job array (default all, or the task of a Slurm job array)")
	cmd.Flags().BoolVar(&c.fresh, "fresh", false, "run all points, also those that are finished")
	cmd.Flags().StringVar(&c.out, "out", "", "directory of the results (default out/NAME; with several scenarios each gets a directory of its name inside)")
	return cmd
}

func (c *runCommand) run(cmd *cobra.Command, names []string) error {
	if err := c.output.check(); err != nil {
		return err
	}
	part, err := shardFlag(c.shard)
	if err != nil {
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
		done, runErr := c.one(cmd, p, part, &sum)
		rows = append(rows, done...)
		if err = runErr; err != nil {
			break
		}
		if !part.whole() {
			continue // assertions are about all points
		}
		failed, of := judge(cmd, p, done, c.output.quiet)
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
func (c *runCommand) directory(p *scenarios.Plan, part shard, several bool) string {
	dir := c.out
	if c.out == "" {
		dir = filepath.Join("out", p.Name)
	} else if several {
		dir = filepath.Join(c.out, p.Name)
	}
	if part.whole() {
		return dir
	}
	return filepath.Join(dir, part.directory())
}

// one runs a plan, or a part of it, into its directory and returns the finished rows.
func (c *runCommand) one(cmd *cobra.Command, p *scenarios.Plan, part shard, sum *stats) ([]records.Row, error) {
	p = p.Part(part.takes)
	if !part.whole() {
		p.Plots = nil // they are drawn of all points
	}
	files, said, err := openResults(c.directory(p, part, cmd.Flags().NArg() > 1), p, part, c.fresh)
	if err != nil {
		return nil, err
	}
	if said != "" && !c.output.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "hcclsim: %s\n", said)
	}
	rows, err := execute(cmd, p, &c.output, sum, files)
	if err != nil {
		lost := files.keep(rows)
		if len(rows) > 0 && lost == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "hcclsim: %d of %d points are kept in %s\n", pointsOf(rows), len(p.Points), filepath.Join(files.dir, partialCSV))
		}
		return rows, errors.Join(err, lost)
	}
	return rows, finish(cmd, files, p, rows, c.output.quiet)
}

// pointsOf counts the points that rows are of; those of operators are part of one.
func pointsOf(rows []records.Row) (n int) {
	for _, r := range rows {
		if r.Operator == "" {
			n++
		}
	}
	return n
}

// finish writes the results of all rows, and says so.
func finish(cmd *cobra.Command, files *results, p *scenarios.Plan, rows []records.Row, quiet bool) error {
	drawn, err := files.finish(p, rows)
	return told(cmd, p, files.dir, len(rows), drawn, quiet, err)
}

// told says what was written, and what there was nothing to draw of.
func told(cmd *cobra.Command, p *scenarios.Plan, dir string, rows int, drawn []string, quiet bool, err error) error {
	for _, kind := range p.Plots {
		if err == nil && !slices.ContainsFunc(drawn, func(name string) bool { return strings.Contains(name, "-"+kind) }) {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: there is nothing to draw in the plot %s\n", p.Name, kind)
		}
	}
	if err == nil && !quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "wrote %d results and %d plots to %s\n", rows, len(drawn), dir)
	}
	return err
}

// maxFailures is the number of contradictions of an assertion that are printed.
const maxFailures = 10

// judge prints what became of the plan's assertions and returns how many failed, of how many.
func judge(cmd *cobra.Command, p *scenarios.Plan, rows []records.Row, quiet bool) (failed, of int) {
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
	if of > 0 && failed == 0 && !quiet {
		fmt.Fprintf(stderr, "all %d assertions hold\n", of)
	}
	return failed, of
}
