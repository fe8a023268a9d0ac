package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hcclsim/scenarios"
	"hcclsim/topologies/document"
)

func newScenario() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "List, show and check scenarios",
		Args:  cobra.NoArgs,
		RunE:  needsSubcommand,
	}
	cmd.AddCommand(newList("scenarios", scenarios.List), newScenarioShow(), newScenarioCheck())
	return cmd
}

// needsSubcommand is what a command does that only has others below it.
func needsSubcommand(cmd *cobra.Command, _ []string) error {
	return usagef("%s needs a subcommand: list, show or check", cmd.CommandPath())
}

// newList lists the built-in documents of a kind.
func newList(kind string, list func() ([]document.Info, error)) *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the built-in " + kind,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			infos, err := list()
			if err != nil {
				return err
			}
			l := startList(cmd.OutOrStdout(), quiet)
			for _, i := range infos {
				l.add(i.Name, i.Description)
			}
			return l.end()
		},
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "names only")
	return cmd
}

// listing prints names with their descriptions.
type listing struct {
	w     *tabwriter.Writer
	quiet bool
}

func startList(w io.Writer, quiet bool) listing {
	return listing{tabwriter.NewWriter(w, 0, 8, 2, ' ', 0), quiet}
}

func (l listing) add(name, description string) {
	if l.quiet || description == "" {
		fmt.Fprintln(l.w, name)
		return
	}
	fmt.Fprintf(l.w, "%s\t%s\n", name, description)
}

func (l listing) end() error { return l.w.Flush() }

func newScenarioShow() *cobra.Command {
	var overrides overrideFlags
	var resolved bool
	cmd := &cobra.Command{
		Use:   "show SCENARIO",
		Short: "Print a scenario, as written or with all that it depends on",
		Example: `  hcclsim scenario show hello >mine.yaml
  hcclsim scenario show hello --resolved --set topology.servers=4`,
		Args:              needs(1, 1, "a scenario, e.g. hcclsim scenario show hello"),
		ValidArgsFunction: orFile(scenarios.Names),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := scenarioText(args[0], resolved, &overrides)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&resolved, "resolved", false, "with overrides, defaults and topologies written out")
	overrides.add(cmd)
	return cmd
}

func scenarioText(name string, resolved bool, flags *overrideFlags) ([]byte, error) {
	overrides, err := flags.overrides()
	if err != nil {
		return nil, err
	}
	if !resolved {
		if len(overrides) > 0 {
			return nil, usagef("--set and --preset need --resolved: without it the scenario is printed as it is written")
		}
		return scenarios.Source(name)
	}
	p, err := scenarios.Load(name, overrides...)
	if err != nil {
		return nil, err
	}
	return p.Resolved, nil
}

func newScenarioCheck() *cobra.Command {
	var overrides overrideFlags
	cmd := &cobra.Command{
		Use:   "check SCENARIO...",
		Short: "Check scenarios without running them",
		Long: `Check scenarios, given by name or path, without running them: every key and value, every
combination that is swept, and that every pair of ranks that a schedule uses has a route.`,
		Example:           `  hcclsim scenario check hello mine.yaml`,
		Args:              needs(1, -1, "one or more scenarios, e.g. hcclsim scenario check hello"),
		ValidArgsFunction: orFile(scenarios.Names),
		RunE: func(cmd *cobra.Command, names []string) error {
			set, err := overrides.overrides()
			if err != nil {
				return err
			}
			var errs []error
			for _, name := range names {
				p, err := scenarios.Load(name, set...)
				if errs = append(errs, err); err != nil {
					continue
				}
				(&outputFlags{}).warn(cmd, p)
				fmt.Fprintf(cmd.OutOrStdout(), "%s: ok (points: %d, assertions: %d)\n", name, len(p.Points), len(p.Assertions))
			}
			return document.Join(errs...)
		},
	}
	overrides.add(cmd)
	return cmd
}
