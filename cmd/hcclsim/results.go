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
// directory that cannot be written is known before anything runs.
func openResults(dir string) (*results, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, partialJSONL))
	return &results{dir, f}, err
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
// final name when it is whole.
func (r *results) finish(p *scenarios.Plan, rows []records.Row) (drawn []string, err error) {
	if err := r.jsonl.Close(); err != nil {
		return nil, err
	}
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
	err = errors.Join(
		r.replace(resolvedYAML, write(p.Resolved)),
		r.replace(resultsCSV, func(w io.Writer) error { return records.WriteCSV(w, rows) }),
		os.Rename(r.jsonl.Name(), filepath.Join(r.dir, resultsJSONL)))
	if old := os.Remove(filepath.Join(r.dir, partialCSV)); !errors.Is(old, os.ErrNotExist) {
		err = errors.Join(err, old)
	}
	return drawn, err
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
