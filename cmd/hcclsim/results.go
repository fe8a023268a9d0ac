package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hcclsim/model/records"
	"hcclsim/reports/plots"
	"hcclsim/scenarios"
)

// Names of the files in a directory of results. The partial ones hold what is finished
// of a run that is not; they go when the run is complete.
const (
	resultsJSONL  = "results.jsonl"
	resultsCSV    = "results.csv"
	partialJSONL  = "results.partial.jsonl"
	partialCSV    = "results.partial.csv"
	resolvedYAML  = "scenario.resolved.yaml"
	temporaryName = ".hcclsim-*"
)

// results is a directory that the results of one scenario are written to.
type results struct {
	dir     string
	journal *journal
	rows    []records.Row // of the first points, which the journal has already
	points  int           // how many
}

// clear removes the results and plots of an earlier run.
func (r *results) clear() error {
	old := []string{studyJSON, resultsJSONL, resultsCSV, partialCSV, resolvedYAML}
	for _, kind := range plots.Kinds() {
		for _, ending := range []string{"png", "svg"} {
			old = append(old, "*-"+kind+"."+ending, "*-"+kind+"-*."+ending)
		}
	}
	return r.removeAll(old...)
}

// removeAll removes the files whose names match patterns.
func (r *results) removeAll(patterns ...string) error {
	entries, err := os.ReadDir(r.dir)
	for _, e := range entries {
		for _, pattern := range patterns {
			if matches, _ := filepath.Match(pattern, e.Name()); matches { // the patterns are ours, and well-formed
				err = errors.Join(err, os.Remove(filepath.Join(r.dir, e.Name())))
				break
			}
		}
	}
	return err
}

// keep ends a run that was not completed: it leaves the finished points in files that
// cannot be taken for whole results, or nothing if there are none.
func (r *results) keep(rows []records.Row) error {
	if len(rows) == 0 {
		return errors.Join(r.journal.close(), os.Remove(r.journal.file.Name()))
	}
	return errors.Join(r.journal.close(), r.replace(partialCSV, func(w io.Writer) error { return records.WriteCSV(w, rows) }))
}

// finish completes the directory and returns the names of the plots. Every file takes its
// final name when it is whole; the journal becomes the results last, so that until then
// the next run finds it.
func (r *results) finish(p *scenarios.Plan, rows []records.Row) (drawn []string, err error) {
	if drawn, err = r.draw(p, rows); err != nil {
		return nil, err
	}
	for _, f := range append(p.Files, scenarios.File{Name: resolvedYAML, Text: p.Resolved}) {
		err := r.replace(f.Name, func(w io.Writer) error { _, err := w.Write(f.Text); return err })
		if err != nil {
			return nil, err
		}
	}
	return drawn, errors.Join(
		r.removeAll(partialCSV), // of a run that this one has gone on from
		os.Rename(r.journal.file.Name(), filepath.Join(r.dir, resultsJSONL)),
		r.journal.close())
}

// draw writes what follows from the rows: the plots, whose names it returns, and the CSV.
func (r *results) draw(p *scenarios.Plan, rows []records.Row) (drawn []string, err error) {
	for _, kind := range p.Plots {
		files, err := plots.Draw(kind, rows, r.dir, p.Name)
		if err != nil {
			return nil, fmt.Errorf("plot %s: %w", kind, err)
		}
		drawn = append(drawn, files...)
	}
	return drawn, r.replace(resultsCSV, func(w io.Writer) error { return records.WriteCSV(w, rows) })
}

// replace writes a file under a temporary name and renames it when it is whole.
func (r *results) replace(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(r.dir, temporaryName)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(r.dir, name))
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
