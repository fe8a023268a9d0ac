package scenarios

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
	"hcclsim/algorithms/proof"
	"hcclsim/topologies/document"
)

// An algorithm whose name ends in .xml is a file in MSCCL's format. Its path counts from the
// directory of the scenario that names it, or from the working directory on a command line.
// Rows and the resolved scenario know it by the last part of the path.

// IsFile says whether a name of an algorithm is that of a file.
func IsFile(name string) bool { return strings.HasSuffix(name, ".xml") }

// File is a file that a plan depends on besides its documents.
type File struct {
	Name string // the last part of its path
	Text []byte
}

// program is a file of an algorithm.
type program struct {
	*exchange.Algorithm
	File
}

// decodeFile reads the file that an algorithm is.
func (e *entry) decodeFile(v document.Value, path string) {
	if at := v.Node().Origin; at.Label == "" && !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(at.File), path)
	}
	a, text, err := ReadFile(path)
	p := program{a, File{filepath.Base(path), text}}
	switch {
	case errors.As(err, new(document.Errors)):
		e.err = document.Join(e.err, err)
	case err != nil:
		v.Errorf("%v", err)
	case e.collective != "" && p.Collective != e.collective:
		v.Errorf("%s is made for %s, not for %s", path, p.Collective, e.collective)
	default:
		e.files = append(e.files, p)
	}
}

// ReadFile reads the algorithm of a file, and the file's text. What is wrong with the text is
// a document.Errors, with line and column.
func ReadFile(path string) (*exchange.Algorithm, []byte, error) {
	a, text, err := exchange.ReadFile(path)
	var faults exchange.Errors
	if !errors.As(err, &faults) {
		return a, text, err
	}
	var errs []error
	for _, f := range faults {
		errs = append(errs, document.Fault(document.Origin{File: f.File, Line: f.Line, Column: f.Column}, "%s", f.Text))
	}
	return nil, nil, document.Join(errs...)
}

// file is the file of that name; false if the name is not a file's.
func (e entry) file(name string) (program, bool) {
	i := slices.IndexFunc(e.files, func(p program) bool { return p.File.Name == name })
	if i < 0 {
		return program{}, false
	}
	return e.files[i], true
}

// runFile makes the point that of a file. Unless the scenario says so, the file says whether
// it works in place.
func (e entry) runFile(p *Point, a program) {
	p.Make = func(r algorithms.Request) (*algorithms.Schedule, error) {
		s, err := a.Schedule(r)
		return s, faultOf(a.Algorithm.File, err)
	}
	p.Algorithm, p.Row.Algorithm = a.Algorithm.Name, a.Algorithm.Name
	if !e.at.Key("in_place").Present() {
		p.InPlace, p.Row.InPlace = a.InPlace, a.InPlace
	}
}

// faultOf is an error of a file as a whole, which may begin with its path.
func faultOf(path string, err error) error {
	if err == nil {
		return nil
	}
	return document.Fault(document.Origin{File: path}, "%s", strings.TrimLeft(strings.TrimPrefix(err.Error(), path), ": "))
}

// prove proves the schedule of a file, as nobody has done it before.
func prove(p *Point) error {
	s, err := p.Schedule()
	if err != nil {
		return err
	}
	_, err = proof.Check(s)
	return faultOf(s.Algorithm, err)
}

// shortenFiles names files in a document by the last part of their paths: beside it is where
// results keep them.
func shortenFiles(n *document.Node) {
	if n == nil {
		return
	}
	if n.Kind == document.Scalar && IsFile(n.Text) {
		n.Text = filepath.Base(n.Text)
	}
	for _, item := range n.Items {
		shortenFiles(item)
	}
	for _, k := range n.Keys {
		shortenFiles(k.Value)
	}
}

// usesFiles says whether an entry of run names a file.
func usesFiles(e *document.Node) bool {
	names := e.Key("algorithms")
	return names != nil && (IsFile(names.Text) || slices.ContainsFunc(names.Items, func(n *document.Node) bool { return IsFile(n.Text) }))
}
