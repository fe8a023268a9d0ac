package main

import (
	"bytes"
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
	dir   string
	jsonl *os.File
}

// openResults makes the directory and begins the file of finished points, so that a
// directory that cannot be written, or that another run is writing, is known before
// anything runs. What an earlier run has left goes: it would be taken for this one's.
func openResults(dir string) (*results, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, partialJSONL), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("another run is writing its results to %s: %w", dir, err), f.Close())
	}
	r := &results{dir, f}
	if err := errors.Join(f.Truncate(0), r.clear()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// clear removes the results and plots of an earlier run.
func (r *results) clear() error {
	old := []string{resultsJSONL, resultsCSV, partialCSV, resolvedYAML}
	for _, kind := range plots.Kinds() {
		for _, ending := range []string{"png", "svg"} {
			for _, pattern := range []string{"*-" + kind + ".", "*-" + kind + "-*."} {
				found, err := filepath.Glob(filepath.Join(r.dir, pattern+ending))
				if err != nil {
					return err
				}
				for _, path := range found {
					old = append(old, filepath.Base(path))
				}
			}
		}
	}
	var err error
	for _, name := range old {
		if e := os.Remove(filepath.Join(r.dir, name)); !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// add appends a finished point.
func (r *results) add(row records.Row) error { return records.WriteJSONL(r.jsonl, row) }

// keep ends a run that was not completed: it leaves the finished points in files that
// cannot be taken for whole results, or nothing if there are none.
func (r *results) keep(rows []records.Row) error {
	if len(rows) == 0 {
		return errors.Join(r.jsonl.Close(), os.Remove(r.jsonl.Name()))
	}
	return errors.Join(r.jsonl.Close(), r.replace(partialCSV, func(w io.Writer) error { return records.WriteCSV(w, rows) }))
}

// finish completes the directory and returns the names of the plots. Every file takes its
// final name when it is whole, the results last.
func (r *results) finish(p *scenarios.Plan, rows []records.Row) (drawn []string, err error) {
	for _, kind := range p.Plots {
		files, err := plots.Draw(kind, rows, r.dir, p.Name)
		if err != nil {
			return nil, fmt.Errorf("plot %s: %w", kind, err)
		}
		drawn = append(drawn, files...)
	}
	write := func(text []byte) func(io.Writer) error {
		return func(w io.Writer) error { _, err := bytes.NewReader(text).WriteTo(w); return err }
	}
	for _, f := range append(p.Files, scenarios.File{Name: resolvedYAML, Text: p.Resolved}) {
		if err := r.replace(f.Name, write(f.Text)); err != nil {
			return nil, err
		}
	}
	if err := os.Rename(r.jsonl.Name(), filepath.Join(r.dir, resultsJSONL)); err != nil {
		return nil, err
	}
	return drawn, errors.Join(
		r.replace(resultsCSV, func(w io.Writer) error { return records.WriteCSV(w, rows) }),
		r.jsonl.Close())
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
