package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hcclsim/model/records"
	"hcclsim/model/records/measured"
	"hcclsim/reports"
)

// compareCommand is the command line of hcclsim compare.
type compareCommand struct {
	tolerance, maxError string
	collective          string
	ranks               int
}

func newCompare() *cobra.Command {
	c := &compareCommand{}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Lay two result sets side by side, or results and a measured table",
		Long: `Lay the times of A and B side by side: what both have, with the ratio B/A, and the geometric
mean of the ratios. Each is a directory of results, a results.csv or results.jsonl, or, one of
them, what was measured: a printout of hccl_test or nccl-tests, or a CSV with columns collective,
bytes and time_us, and system, nranks, nnodes and algo_if_known where they are known.

Results of one point are those that agree in everything but topology and scenario. Measured is
compared with what is of the same collective, size, ranks and servers, in place or not. Printouts do not say
their collective and ranks: --collective and --ranks do.`,
		Example: `  hcclsim compare out/before out/after
  hcclsim compare measured.txt out/allreduce --collective allreduce --ranks 16 --max-error 20%`,
		Args: needs(2, 2, "two result sets, e.g. hcclsim compare out/before out/after"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0], args[1]) },
	}
	cmd.Flags().StringVar(&c.tolerance, "tolerance", "5%", "mark what is further apart")
	cmd.Flags().StringVar(&c.maxError, "max-error", "", "exit with code 3 if anything is further apart, e.g. 20%")
	cmd.Flags().StringVar(&c.collective, "collective", "", "of a printout, e.g. allreduce")
	cmd.Flags().IntVar(&c.ranks, "ranks", 0, "of a printout")
	complete(cmd, "collective", only(collectives))
	return cmd
}

// furtherApart ends a comparison with --max-error. The table has been printed by then.
type furtherApart struct{ error, most float64 }

func (e furtherApart) Error() string {
	return fmt.Sprintf("%.1f%% apart, --max-error is %.1f%%", 100*e.error, 100*e.most)
}

func (c *compareCommand) run(cmd *cobra.Command, a, b string) error {
	tolerance, err := percentage("--tolerance", c.tolerance)
	if err != nil {
		return err
	}
	most := -1.0
	if c.maxError != "" {
		if most, err = percentage("--max-error", c.maxError); err != nil {
			return err
		}
	}
	c.collective = spelt(c.collective)
	left, err := c.side(a)
	right, rightErr := c.side(b)
	if err = errors.Join(err, rightErr); err != nil {
		return usageError{err}
	}
	var compared reports.Comparison
	switch {
	case left.points != nil && right.points != nil:
		return usagef("%s and %s are both measured: expected results of hcclsim for one of them", a, b)
	case left.points != nil:
		compared = reports.CompareMeasured(left.points, right.rows)
	case right.points != nil:
		compared = reports.CompareMeasured(right.points, left.rows).Turned()
	default:
		compared = reports.CompareRows(left.rows, right.rows)
	}
	if len(compared.Pairs) == 0 {
		return usagef("%s and %s have nothing in common: no collective of the same size, ranks and servers, in place or not", a, b)
	}
	if err := reports.WriteComparison(cmd.OutOrStdout(), compared, tolerance); err != nil {
		return err
	}
	if worst := compared.Error(); most >= 0 && worst > most {
		return furtherApart{worst, most}
	}
	return nil
}

// percentage reads 5% or 0.05.
func percentage(flag, text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	var x float64
	if _, err := fmt.Sscanf(number+" ", "%g ", &x); err != nil || !(x >= 0) || x > 1e6 {
		return 0, usagef("%s %s: expected a share such as 5%% or 0.05", flag, text)
	}
	if percent {
		x /= 100
	}
	return x, nil
}

// side is one of the two: results, or what was measured.
type side struct {
	rows   []records.Row
	points []measured.Point
}

func (c *compareCommand) side(path string) (side, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, resultsJSONL)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return side{}, err
	}
	read := func(rows []records.Row, err error) (side, error) { return side{rows: rows}, err }
	switch {
	case strings.HasSuffix(path, ".jsonl"):
		return read(records.ReadJSONL(strings.NewReader(string(text)), path))
	case strings.HasPrefix(string(text), "scenario,topology,collective,"):
		return read(records.ReadCSV(strings.NewReader(string(text)), path))
	}
	table, err := measured.Read(path, text)
	if err != nil {
		return side{}, err
	}
	return side{points: table.Whole(c.collective, c.ranks).Points}, nil
}
