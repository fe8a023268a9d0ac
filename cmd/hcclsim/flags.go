package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/model/records"
	"hcclsim/reports"
	"hcclsim/scenarios"
	"hcclsim/topologies/document"
)

// overrideFlags change keys of documents.
type overrideFlags struct {
	sets   []string
	preset string
}

func (f *overrideFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.sets, "set", nil, "override a key, e.g. topology.servers=4 or topology.server.links.hccs.bandwidth=10GB/s; repeatable")
	cmd.Flags().StringVar(&f.preset, "preset", "", "prefer these values where a topology gives several: "+strings.Join(document.Presets, ", "))
	complete(cmd, "preset", only(func() []string { return document.Presets }))
}

// overrides returns what the flags put into a scenario.
func (f *overrideFlags) overrides() ([]scenarios.Override, error) {
	var overrides []scenarios.Override
	if f.preset != "" {
		overrides = append(overrides, scenarios.Override{Path: "topology.preset", Value: "[" + f.preset + "]", Origin: "--preset " + f.preset})
	}
	for _, set := range f.sets {
		path, value, ok := strings.Cut(set, "=")
		if !ok || path == "" {
			return nil, usagef("--set %s: expected path=value, e.g. topology.servers=4", set)
		}
		overrides = append(overrides, scenarios.Override{Path: path, Value: value, Origin: "--set " + set})
	}
	return overrides, nil
}

// outputFlags say how a run is carried out and shown.
type outputFlags struct {
	format string
	quiet  bool
	jobs   int
	stats  bool
}

func (f *outputFlags) add(cmd *cobra.Command) {
	f.addFormat(cmd)
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "points simulated at once (default one for each processor); the results do not depend on it")
	cmd.Flags().BoolVar(&f.stats, "stats", false, "print events, events per second, the longest queue and memory to stderr")
}

// addFormat adds what a command needs that simulates nothing.
func (f *outputFlags) addFormat(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "table", "of the results on stdout: "+strings.Join(reports.Formats(), ", "))
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print results and errors only")
	complete(cmd, "format", only(reports.Formats))
}

// check refuses values that no flag parser knows to be wrong, and settles the others.
func (f *outputFlags) check() error {
	if !slices.Contains(reports.Formats(), f.format) {
		return usagef("--format %s: expected one of %s", f.format, strings.Join(reports.Formats(), ", "))
	}
	if f.jobs < 0 {
		return usagef("--jobs %d: expected at least 1", f.jobs)
	}
	if f.jobs == 0 {
		f.jobs = runtime.NumCPU()
	}
	return nil
}

// warn prints what has no effect: settings of the plan, and variables of the environment
// that a user of HCCL would expect to steer auto.
func (f *outputFlags) warn(cmd *cobra.Command, p *scenarios.Plan) {
	if f.quiet {
		return
	}
	stderr, at := cmd.ErrOrStderr(), p.Name
	if p.Name == perfDocument {
		at = cmd.CommandPath()
	}
	for _, w := range p.Warnings {
		if strings.HasPrefix(w.At, perfDocument+":") { // no file that a user could look at
			w.At = cmd.CommandPath()
		}
		fmt.Fprintf(stderr, "warning: %v\n", w)
	}
	for _, name := range p.Unset() {
		if os.Getenv(name) != "" {
			fmt.Fprintf(stderr, "warning: %s: %s is set in the environment, which is not read: use --set env.%s=...\n", at, name, name)
		}
	}
}

// print writes the results to stdout. Those of a run that ended with an error are not
// whole: the table says so, and the other formats, which cannot, are not written.
func (f *outputFlags) print(cmd *cobra.Command, rows []records.Row, o reports.Options, runErr error) error {
	switch {
	case len(rows) == 0, runErr != nil && f.format != "table":
		return runErr
	case runErr != nil:
		fmt.Fprintln(cmd.OutOrStdout(), "# UNFINISHED: only the points that were done when the run ended")
	}
	return errors.Join(runErr, reports.Write(cmd.OutOrStdout(), f.format, rows, o))
}
