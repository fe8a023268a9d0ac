package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/algorithms"
	"hcclsim/reports/plots"
	"hcclsim/scenarios"
)

func newAlgorithm() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "algorithm",
		Short: "List algorithms, show step by step what one does, export it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("%s needs a subcommand: list, show or export", cmd.CommandPath())
		},
	}
	cmd.AddCommand(newAlgorithmList(), newAlgorithmShow(), newAlgorithmExport())
	return cmd
}

// showCommand is the command line of hcclsim algorithm show.
type showCommand struct {
	ranks, pods, root int
	servers           string
	collective        string
	format, diagram   string
}

// showFormats are the values of --format: text for people; json has a list of steps, each
// a list of messages [source, destination, [slices]].
var showFormats = []string{"text", "json"}

func newAlgorithmShow() *cobra.Command {
	c := &showCommand{}
	cmd := &cobra.Command{
		Use:   "show ALGORITHM",
		Short: "Show an algorithm step by step: who sends which slices to whom",
		Long: `Show what an algorithm is for and what it does in every step: who sends which slices to
whom, what is reduced on arrival, as how many RDMA requests a message travels, and, where
sums are made, which slices every rank has complete first. The algorithm may be a file in
MSCCL's format, whose name ends in .xml.

With --format json, print a list of steps, each a list of messages
[source, destination, [slices]]. Otherwise draw the steps as well: a line for each rank, an
arrow for each message, and what every rank holds after each step.`,
		Example: `  hcclsim algorithm show ring --ranks 5
  hcclsim algorithm show nhr --ranks 8 --collective reducescatter --format json
  hcclsim algorithm show mesh+ring --ranks 8 --servers 2 --diagram mesh-ring.svg
  hcclsim algorithm show ahc --servers 3,2`,
		Args:              needs(1, 1, "an algorithm, e.g. hcclsim algorithm show nhr"),
		ValidArgsFunction: only(algorithms.Names),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	c.add(cmd)
	cmd.Flags().StringVar(&c.format, "format", "text", "of what is printed: text, json")
	cmd.Flags().StringVar(&c.diagram, "diagram", "", "file to draw the steps into: .svg, .png or .pdf; none: do not draw (default out/ALGORITHM-COLLECTIVE-RANKS.svg, for up to 32 ranks and not with json)")
	complete(cmd, "format", only(func() []string { return showFormats }))
	return cmd
}

// add defines the flags that say which schedule is wanted.
func (c *showCommand) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&c.ranks, "ranks", 8, "number of ranks")
	cmd.Flags().StringVar(&c.servers, "servers", "", "servers that the ranks are dealt out to as evenly as can be, or the ranks of each, e.g. 8,4 (default 1, or 2 for an algorithm that knows servers)")
	cmd.Flags().IntVar(&c.pods, "pods", 0, "super-pods that the servers are dealt out to (default 1, or 2 for a mix of three levels)")
	cmd.Flags().StringVar(&c.collective, "collective", "", "what the algorithm is to do (default allreduce, or the first that it offers)")
	cmd.Flags().IntVar(&c.root, "root", 0, "root rank of broadcast, reduce, scatter and gather")
	complete(cmd, "collective", only(collectives))
}

// noDiagram is the value of --diagram for none.
const noDiagram = "none"

func (c *showCommand) run(cmd *cobra.Command, name string) error {
	if !slices.Contains(showFormats, c.format) {
		return usagef("--format %s: expected text or json", c.format)
	}
	asked := cmd.Flags().Changed("diagram") && c.diagram != noDiagram
	if ending := strings.ToLower(filepath.Ext(c.diagram)); asked && !slices.Contains(plots.DiagramFormats(), ending) {
		return usagef("--diagram %s: expected a name that ends with %s, or %s", c.diagram, strings.Join(plots.DiagramFormats(), ", "), noDiagram)
	}
	s, err := c.schedule(cmd, name)
	if err != nil {
		return err
	}
	if asked && s.Ranks() > plots.MaxLanes {
		return usagef("--diagram of %d ranks: expected at most %d, more cannot be read", s.Ranks(), plots.MaxLanes)
	}
	rounds, err := algorithms.Rounds(s)
	if err != nil {
		return err
	}
	if c.format == "json" {
		err = writeStepsJSON(cmd.OutOrStdout(), rounds)
	} else {
		err = writeStepsText(cmd.OutOrStdout(), s, rounds)
	}
	if err != nil || !asked && (c.diagram == noDiagram || c.format == "json" || s.Ranks() > plots.MaxLanes) {
		return err
	}
	return c.draw(cmd, s, rounds)
}

// draw writes the diagram, to a place of its own if none is given.
func (c *showCommand) draw(cmd *cobra.Command, s *algorithms.Schedule, rounds []algorithms.Round) error {
	path := c.diagram
	if path == "" {
		path = filepath.Join("out", fmt.Sprintf("%s-%s-%d.svg", filepath.Base(s.Algorithm), s.Request.Collective, s.Ranks()))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
	}
	if err := drawDiagram(path, s, rounds); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\n", path)
	return nil
}

// schedule makes the schedule that the flags ask for. Its slices all have bytes, and
// double-tree has one segment a tree: so the steps are those of the rule.
func (c *showCommand) schedule(cmd *cobra.Command, name string) (*algorithms.Schedule, error) {
	if scenarios.IsFile(name) {
		for _, flag := range []string{"ranks", "servers", "pods", "collective"} {
			if cmd.Flags().Changed(flag) {
				return nil, usagef("--%s: %s says so itself", flag, name)
			}
		}
		return fileSchedule(name, c.root)
	}
	if ours, ok := algorithms.Respelt(name); ok {
		return nil, usagef("unknown algorithm %q, did you mean %s?", name, ours)
	}
	collective, err := c.what(name)
	if err != nil {
		return nil, err
	}
	if cmd.Flags().Changed("root") && !collective.Rooted() {
		return nil, usagef("--root %d: %s has no root", c.root, collective)
	}
	groups, err := c.groups(cmd, name)
	if err != nil {
		return nil, err
	}
	if cmd.Flags().Changed("pods") && c.pods < 1 {
		return nil, usagef("--pods %d: expected at least 1", c.pods)
	}
	r := example(collective, groups, c.root)
	if r.Pods = c.pods; r.Pods == 0 && strings.Count(name, "+") == 2 {
		r.Pods = 2
	}
	s, err := algorithms.New(name, r)
	if err != nil {
		return nil, usageError{err}
	}
	return s, nil
}

// what is the collective to show.
func (c *showCommand) what(name string) (algorithms.Collective, error) {
	if c.collective != "" {
		return collectiveOf(c.collective)
	}
	for _, collective := range algorithms.Collectives() {
		if algorithms.Offers(name, collective) {
			return collective, nil
		}
	}
	return algorithms.AllReduce, nil // of an unknown algorithm, which New has words for
}

// collectiveOf reads a collective as nccl-tests and hccl_test write it, too.
func collectiveOf(text string) (algorithms.Collective, error) {
	name := algorithms.Collective(spelt(text))
	if !slices.Contains(algorithms.Collectives(), name) {
		return "", usagef("--collective %s: expected one of %s", text, strings.Join(collectives(), ", "))
	}
	return name, nil
}

// groups are the ranks of each server: those that are given, or all dealt out so that the
// first servers get one more where they must.
func (c *showCommand) groups(cmd *cobra.Command, name string) ([]int, error) {
	if strings.ContainsAny(c.servers, ",+") {
		return c.givenGroups(cmd.Flags().Changed("ranks"))
	}
	servers := 1
	if levels := strings.Count(name, "+"); levels > 0 || !algorithms.Flat(name) {
		servers = 2 * max(levels, 1)
	}
	if cmd.Flags().Changed("servers") {
		var err error
		if servers, err = strconv.Atoi(c.servers); err != nil {
			return nil, usagef("--servers %s: expected a number of servers, or the ranks of each, e.g. 8,4", c.servers)
		}
	}
	if servers < 1 || c.ranks < servers || c.ranks > maxShownRanks {
		return nil, usagef("--ranks %d --servers %d: expected at least a rank a server, and at most %d", c.ranks, servers, maxShownRanks)
	}
	groups := make([]int, servers)
	for i := range groups {
		groups[i] = c.ranks / servers
		if i < c.ranks%servers {
			groups[i]++
		}
	}
	return groups, nil
}

// givenGroups are the ranks of each server as --servers gives them; their sum must be
// --ranks if that is given, too.
func (c *showCommand) givenGroups(ranks bool) ([]int, error) {
	var groups []int
	sum := 0
	for _, size := range splitSizes(c.servers) {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || n > maxShownRanks {
			return nil, usagef("--servers %s: %q is no number of ranks from 1 to %d", c.servers, size, maxShownRanks)
		}
		groups, sum = append(groups, n), sum+n
	}
	switch {
	case ranks && sum != c.ranks:
		return nil, usagef("--servers %s: these are %d ranks, but --ranks is %d; expected the same, or no --ranks", c.servers, sum, c.ranks)
	case sum > maxShownRanks:
		return nil, usagef("--servers %s: %d ranks, expected at most %d", c.servers, sum, maxShownRanks)
	}
	return groups, nil
}

// maxShownRanks keeps the steps of a show in memory.
const maxShownRanks = 512

// example is a request of 1 MiB a slice, so that no slice is empty.
func example(c algorithms.Collective, groups []int, root int) algorithms.Request {
	r := algorithms.Request{Collective: c, Groups: groups, Root: root, InPlace: c.HasInPlace()}
	r.Bytes = int64(r.Ranks()) << 20
	r.Segment = r.Bytes
	if c == algorithms.AlltoAllV {
		r.Blocks = func(int, int) int64 { return 1 << 20 }
	}
	return r
}
