package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hcclsim/model/records"
	"hcclsim/reports"
	"hcclsim/scenarios"
	"hcclsim/topologies/document"
)

// reportCommand is the command line of hcclsim report.
type reportCommand struct {
	output outputFlags
	out    string
	long   bool
}

func newReport() *cobra.Command {
	c := &reportCommand{}
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Print and draw stored results again, and put the shards of a study together",
		Long: `Print and draw the results of hcclsim run again, from their directories. Nothing is
simulated. The directories of shards become one study, whose files are those of a run of
the whole, byte for byte; all its shards must be there.`,
		Example: `  hcclsim report out/hello
  hcclsim report out/hccl-choice/shard-*`,
		Args: needs(1, -1, "the directories of results, e.g. hcclsim report out/hello"),
		RunE: func(cmd *cobra.Command, dirs []string) error { return c.run(cmd, dirs) },
	}
	c.output.addFormat(cmd)
	cmd.Flags().BoolVar(&c.long, "long", false, "print every point on a line of its own")
	cmd.Flags().StringVar(&c.out, "out", "", "directory of the results (default that of the study; with several studies each gets a directory of its name inside)")
	return cmd
}

func (c *reportCommand) run(cmd *cobra.Command, dirs []string) error {
	if err := c.output.check(); err != nil {
		return err
	}
	studies, err := storedStudies(dirs)
	if err != nil {
		return usageError{err}
	}
	var all []records.Row
	var asserted assertionsFailed
	for _, s := range studies {
		rows, err := s.rows()
		if err != nil {
			return usageError{err}
		}
		dir := s.home
		switch {
		case c.out != "" && len(studies) > 1:
			dir = filepath.Join(c.out, s.plan.Name)
		case c.out != "":
			dir = c.out
		}
		if err := s.store(cmd, dir, rows, c.output.quiet); err != nil {
			return err
		}
		failed, of := judge(cmd, s.plan, rows, c.output.quiet)
		asserted.failed, asserted.of = asserted.failed+failed, asserted.of+of
		all = append(all, rows...)
	}
	if err := c.output.print(cmd, all, reports.Options{Long: c.long}, nil); err != nil {
		return err
	}
	if asserted.failed > 0 {
		return asserted
	}
	return nil
}

// stored is a study as the directories of its results have it.
type stored struct {
	study
	plan   *scenarios.Plan
	home   string   // the directory of the whole
	shards []string // the directories, by index; one of the whole
}

// storedStudies sorts directories by study and checks that each is complete.
func storedStudies(dirs []string) ([]*stored, error) {
	var studies []*stored
	var errs []error
	for _, dir := range dirs {
		s, found := readStudy(dir)
		if !found {
			errs = append(errs, fmt.Errorf("%s holds no results of hcclsim run (%s)", dir, studyJSON))
			continue
		}
		i := slices.IndexFunc(studies, func(o *stored) bool {
			return o.Scenario == s.Scenario && o.Shard.Of == s.Shard.Of && o.home == homeOf(dir, s)
		})
		if i < 0 {
			i = len(studies)
			studies = append(studies, &stored{study: s, home: homeOf(dir, s), shards: make([]string, max(s.Shard.Of, 1))})
		}
		errs = append(errs, studies[i].take(dir, s))
	}
	for _, s := range studies {
		errs = append(errs, s.complete())
	}
	return studies, errors.Join(errs...)
}

// homeOf is where the whole of a study belongs.
func homeOf(dir string, s study) string {
	if s.Shard.whole() {
		return dir
	}
	return filepath.Dir(filepath.Clean(dir))
}

// take adds a directory to those of the study.
func (s *stored) take(dir string, of study) error {
	at := max(of.Shard.Index, 1) - 1
	switch {
	case at >= len(s.shards):
		return fmt.Errorf("%s: %s says shard %d of %d", dir, studyJSON, of.Shard.Index, of.Shard.Of)
	case s.shards[at] != "":
		return fmt.Errorf("%s and %s are the same part of one study", s.shards[at], dir)
	case of.Program != s.Program:
		return fmt.Errorf("%s: its points are simulated by another program than those of the other shards", dir)
	}
	s.shards[at] = dir
	return nil
}

// complete checks that all shards are there, and reads what the study is of.
func (s *stored) complete() error {
	var errs []error
	for i, dir := range s.shards {
		if dir == "" {
			errs = append(errs, fmt.Errorf("%s: shard %d of %d is missing", s.home, i+1, len(s.shards)))
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, resultsJSONL)); err != nil {
			errs = append(errs, fmt.Errorf("%s: the run is not finished: there is no %s", dir, resultsJSONL))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	p, err := scenarios.Load(filepath.Join(s.shards[0], resolvedYAML))
	var faults document.Errors
	if errors.As(err, &faults) {
		return fmt.Errorf("%s: %w", s.shards[0], faults)
	}
	s.plan = p
	return err
}

// rows are those of all points in the order of the plan.
func (s *stored) rows() ([]records.Row, error) {
	parts := make([][]records.Row, len(s.shards))
	for i, dir := range s.shards {
		path := filepath.Join(dir, resultsJSONL)
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		parts[i], err = records.ReadJSONL(f, path)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	var rows []records.Row
	for i, p := range s.plan.Points {
		part := &parts[i%len(parts)]
		n := 1 + len(p.Operators)
		if n > len(*part) || !p.Has((*part)[:n]) {
			return nil, fmt.Errorf("%s: %s does not have the results of %s", s.shards[i%len(parts)], resultsJSONL, p)
		}
		rows = append(rows, (*part)[:n]...)
		*part = (*part)[n:]
	}
	for i, rest := range parts {
		if len(rest) > 0 {
			return nil, fmt.Errorf("%s: %s has %d rows more than its points have", s.shards[i], resultsJSONL, len(rest))
		}
	}
	return rows, nil
}

// store writes the whole study into a directory. In its own only what follows from the points
// is written again.
func (s *stored) store(cmd *cobra.Command, dir string, rows []records.Row, quiet bool) error {
	if dir == s.shards[0] {
		drawn, err := (&results{dir: dir}).draw(s.plan, rows)
		return told(cmd, s.plan, dir, len(rows), drawn, quiet, err)
	}
	files, _, err := openResults(dir, s.plan, shard{}, true)
	if err != nil {
		return err
	}
	if err := files.journal.add(rows...); err != nil {
		return errors.Join(err, files.keep(rows))
	}
	return finish(cmd, files, s.plan, rows, quiet)
}
