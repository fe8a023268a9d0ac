package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/model/records"
	"hcclsim/reports"
	"hcclsim/scenarios"
)

// explainCommand is the command line of hcclsim explain: that of perf for a collective, or
// a scenario.
type explainCommand struct {
	overrides overrideFlags
	where     string
	steps     bool
	whatIf    bool
	format    string
	quiet     bool
}

// explainKeys are the flags of perf, with one size.
var explainKeys = append([]keyFlag{{"bytes", "b", "1M", "run.0.sizes", "size"}},
	slices.DeleteFunc(slices.Clone(perfFlags), func(f keyFlag) bool {
		return slices.Contains([]string{"begin", "end", "factor", "step"}, f.name)
	})...)

func newExplain() *cobra.Command {
	c := &explainCommand{}
	cmd := &cobra.Command{
		Use:   "explain COLLECTIVE|SCENARIO",
		Short: "Say where the time of one point went: the critical path by cause and by link",
		Long: `Say where the time of one point went. The point is a collective with the flags of
hcclsim perf, or one of a scenario, which --where chooses by the columns of its results.

The critical path is the chain of tasks, transfers and waits that ends last; its causes
add up to the time exactly. --steps lists it step by step. What would be saved if one thing
of the machine were better is simulated, not estimated: one run for each, which
--what-if=false leaves out.`,
		Example: `  hcclsim explain allreduce -b 1M --algorithms ring --servers 2
  hcclsim explain hello --where requested=mesh+ring,bytes=1GiB
  hcclsim explain hello --where requested=ring,bytes=8KiB --steps
  hcclsim explain streams-sharing --where operator=late`,
		Args:              needs(1, 1, "a collective or a scenario, e.g. hcclsim explain allreduce -b 1M"),
		ValidArgsFunction: orFile(func() []string { return append(collectives(), scenarios.Names()...) }),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	addKeys(cmd, explainKeys)
	c.overrides.add(cmd)
	cmd.Flags().StringVar(&c.where, "where", "", "choose the point, e.g. requested=ring,bytes=1GiB")
	cmd.Flags().BoolVar(&c.steps, "steps", false, "list the steps on the critical path")
	cmd.Flags().BoolVar(&c.whatIf, "what-if", true, "simulate what twice the bandwidths and half the times would save, one by one")
	cmd.Flags().StringVar(&c.format, "format", "text", "of the result on stdout: text, json")
	cmd.Flags().BoolVarP(&c.quiet, "quiet", "q", false, "print the result and errors only")
	complete(cmd, "format", only(func() []string { return []string{"text", "json"} }))
	return cmd
}

func (c *explainCommand) run(cmd *cobra.Command, what string) error {
	if c.format != "text" && c.format != "json" {
		return usagef("--format %s: expected text or json", c.format)
	}
	p, err := c.plan(cmd, what)
	if err != nil {
		return err
	}
	picked, err := p.Select(c.where)
	if err != nil {
		return usageError{err}
	}
	first := picked[0]
	if first.Operator != "" && c.steps {
		return usagef("--steps lists the path of a run as a whole: leave operator=%s out of --where", first.Operator)
	}
	(&outputFlags{quiet: c.quiet}).warn(cmd, p)
	if len(picked) > 1 && !c.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "the first of %d that match: %s; --where chooses, e.g. --where %s\n", len(picked), first, chosenBy(picked[len(picked)-1]))
	}
	jobs := 0
	if c.whatIf {
		jobs = runtime.NumCPU()
	}
	e, err := first.Explain(cmd.Context(), jobs)
	if err != nil {
		return fmt.Errorf("%s: %w", first, err)
	}
	if c.format == "json" {
		return c.json(cmd, e)
	}
	if !c.steps {
		e.Steps = nil
	}
	return reports.Explain(cmd.OutOrStdout(), e)
}

// chosenBy is a selector that chooses a point, or an operator, among those of its scenario.
func chosenBy(picked scenarios.Selected) string {
	r := picked.Row
	selectors := []string{fmt.Sprintf("requested=%s,bytes=%s", r.Requested, r.Bytes)}
	if r.Run != "" {
		selectors[0] = "run=" + r.Run
	}
	if picked.Operator != "" {
		selectors = append(selectors, "operator="+picked.Operator)
	}
	for _, f := range r.Swept {
		if !strings.ContainsAny(f.Value, `, "'`) { // which a shell and the selector would want quoted
			selectors = append(selectors, f.Path+"="+f.Value)
		}
	}
	return strings.Join(selectors, ",")
}

// plan plans a scenario, or the command line of a collective as one.
func (c *explainCommand) plan(cmd *cobra.Command, what string) (*scenarios.Plan, error) {
	overrides, err := c.overrides.overrides()
	if err != nil {
		return nil, err
	}
	collective := spelt(what)
	if !slices.Contains(collectives(), collective) {
		for _, f := range explainKeys {
			if cmd.Flags().Changed(f.name) {
				return nil, usagef("--%s is for a collective; change a scenario with --set %s=...", f.name, f.path)
			}
		}
		return scenarios.Load(what, overrides...)
	}
	if _, err := os.Stat(what); err == nil && !c.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s is taken for the collective; write ./%s for the file\n", what, what)
	}
	root, keys, err := perfScenario(cmd, explainKeys, collective, overrides)
	if err != nil {
		return nil, err
	}
	return scenarios.New(root, append(keys, overrides...)...)
}

// json writes the row as in results.jsonl, and what explains it.
func (c *explainCommand) json(cmd *cobra.Command, e records.Explanation) error {
	var row strings.Builder
	if err := records.WriteJSONL(&row, e.Row); err != nil {
		return err
	}
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Point   json.RawMessage  `json:"point"`
		Changes []records.Change `json:"changes,omitempty"`
		Words   []string         `json:"words"`
		Steps   []records.Step   `json:"steps,omitempty"`
	}{json.RawMessage(row.String()), e.Changes, reports.Words(e.Row, e.Changes), e.Steps})
}
