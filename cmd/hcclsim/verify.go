package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/algorithms"
	"hcclsim/algorithms/proof"
	"hcclsim/scenarios/recorded"
	"hcclsim/topologies/document"
)

// verifyCommand is the command line of hcclsim verify.
type verifyCommand struct {
	names    []string
	ranks    string
	data     bool
	recorded bool
	quiet    bool
}

func newVerify() *cobra.Command {
	c := &verifyCommand{}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove schedules, or lay the machine beside recorded runs",
		Long: `Prove that schedules do what they promise: that every rank ends with exactly what the
collective says, that nothing is counted twice, that nothing waits for itself and that no
two accesses race, for every collective that an algorithm has, in and out of place.

Flat algorithms are proved over all ranks, mixes INTRA+INTER in divisions of the ranks into
servers, mixes INTRA+INTER+PODS in divisions into super-pods; numbers of ranks that an
algorithm is not made for are passed over. --algorithms takes every name that a scenario
takes; the default is the whole catalogue and a choice of the mixes of three levels.
--data moves numbers too: sums, maxima, minima and products of int8, int32, int64 and
float32 take turns.

A name that ends in .xml is a file in MSCCL's format. It is proved for its number of ranks,
in sizes that its chunks divide and in others that it allows; a rooted one for the roots
that it is right for.

With --recorded, lay the machine beside what was recorded on real hardware instead: the
tasks of two AllReduces on eight Ascend 910B, and blocks copied between two of them.`,
		Example: `  hcclsim verify --ranks 2-16
  hcclsim verify --algorithms ring,mesh+ring --ranks 2-64,128 --data
  hcclsim verify --algorithms nhr.xml,ring --data
  hcclsim verify --recorded`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.recorded {
				return c.compareRecorded(cmd)
			}
			return c.run(cmd)
		},
	}
	cmd.Flags().StringSliceVar(&c.names, "algorithms", nil, "algorithms to prove: names or .xml files (default: see above)")
	cmd.Flags().StringVar(&c.ranks, "ranks", "2-64", "numbers of ranks, e.g. 2-16,32,64")
	cmd.Flags().BoolVar(&c.data, "data", false, "also move real numbers and compare the results")
	cmd.Flags().BoolVar(&c.recorded, "recorded", false, "lay the machine beside recorded runs")
	cmd.Flags().BoolVarP(&c.quiet, "quiet", "q", false, "print the total only")
	complete(cmd, "algorithms", only(algorithms.Names))
	return cmd
}

func (c *verifyCommand) run(cmd *cobra.Command) error {
	ranks, err := parseRanks(c.ranks)
	if err != nil {
		return usagef("--ranks %s: %w", c.ranks, err)
	}
	files, names, err := readAlgorithms(c.names)
	if err != nil {
		return err
	}
	switch {
	case len(c.names) == 0:
		names = proof.Names()
	case len(names) == 0 && cmd.Flags().Changed("ranks"):
		return usagef("--ranks: the files say so themselves")
	}
	if err := canonical(names); err != nil {
		return err
	}
	stdout := cmd.OutOrStdout()
	lines := &proofLines{w: stdout}
	if c.quiet {
		lines.w = io.Discard
	}
	total, err := proof.Verify(cmd.Context(), names, ranks, c.data, lines.add)
	more, err2 := verifyFiles(cmd.Context(), files, c.data, lines.add)
	lines.flush()
	total.Add(more)
	fmt.Fprintf(stdout, "proved %d schedules with %d steps and %d messages\n", total.Schedules, total.Steps, total.Messages)
	return errors.Join(err, err2)
}

// canonical makes names those of the catalogue.
func canonical(names []string) error {
	for i, name := range names {
		if names[i] = algorithms.Canonical(name); slices.Contains(names[:i], names[i]) {
			return usagef("--algorithms: %s is named twice", name)
		}
		if algorithms.Known(name) {
			continue
		}
		hint := "expected some of " + strings.Join(algorithms.Names(), ", ")
		if near, ok := algorithms.Respelt(name); ok {
			hint = fmt.Sprintf("did you mean %s?", near)
		} else if near, ok := document.Nearest(name, algorithms.Names()); ok {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return usagef("--algorithms: unknown algorithm %q, %s", name, hint)
	}
	return nil
}

func (c *verifyCommand) compareRecorded(cmd *cobra.Command) error {
	for _, other := range []string{"algorithms", "ranks", "data", "quiet"} {
		if cmd.Flags().Changed(other) {
			return usagef("--recorded compares what was recorded, it has no use for --%s", other)
		}
	}
	w := cmd.OutOrStdout()
	runs, err := recorded.Compare(cmd.Context())
	if err != nil {
		return err
	}
	for i := range runs {
		if err := runs[i].Write(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	blocks, err := recorded.PointToPoint(cmd.Context())
	if err != nil {
		return err
	}
	return recorded.WriteBlocks(w, blocks)
}

// proofLines sums up, a line each, the rows of an algorithm's collective.
type proofLines struct {
	w                 io.Writer
	title             string
	schedules, failed int64
}

func (l *proofLines) add(r proof.Row) {
	if title := fmt.Sprintf("%-28s %-14s", r.Algorithm, r.Collective); title != l.title {
		l.flush()
		*l = proofLines{w: l.w, title: title}
	}
	l.schedules += r.Count.Schedules
	if r.Err != nil {
		l.failed++
	}
}

func (l *proofLines) flush() {
	switch {
	case l.title == "":
	case l.failed > 0:
		fmt.Fprintf(l.w, "%s FAILED for %d numbers of ranks\n", l.title, l.failed)
	default:
		fmt.Fprintf(l.w, "%s %5d schedules proved\n", l.title, l.schedules)
	}
}

// maxVerifyRanks keeps a slip of the finger from a proof of days: its time and memory grow
// with the third power.
const maxVerifyRanks = 512

// parseRanks reads numbers and ranges, e.g. 2-16,32.
func parseRanks(text string) ([]int, error) {
	var ranks []int
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || from < 1 || to < from || to > maxVerifyRanks {
			return nil, fmt.Errorf("%q is no number or range from 1 to %d, e.g. 2-64", part, maxVerifyRanks)
		}
		for n := from; n <= to; n++ {
			ranks = append(ranks, n)
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks), nil
}
