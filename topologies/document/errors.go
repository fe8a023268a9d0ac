package document

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is one thing wrong with a document.
type Error struct {
	Origin
	Path string // of the value, e.g. npu.dma.remote; may be empty
	Text string // what is wrong and what was expected
}

func (e Error) Error() string {
	parts := make([]string, 0, 3)
	for _, p := range []string{e.Origin.String(), e.Path, e.Text} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ": ")
}

// Errors are all errors of a document, in the order of their places, one a line. They mean
// bad input: a command that gets them exits with 2. Their text ends after maxShown lines.
type Errors []Error

const maxShown = 50

func (e Errors) Error() string {
	var lines []string
	for i, one := range e {
		if i == maxShown {
			lines = append(lines, fmt.Sprintf("and %d more errors", len(e)-i))
			break
		}
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// Join merges the document errors among errs into one sorted Errors. An error of another
// kind is returned alone: it is no fault of the document. Without errors Join returns nil.
func Join(errs ...error) error {
	var all Errors
	for _, err := range errs {
		var some Errors
		switch {
		case err == nil:
		case errors.As(err, &some):
			all = append(all, some...)
		default:
			return err
		}
	}
	return all.sorted()
}

// sorted returns the errors by place, each once; nil if there are none.
func (e Errors) sorted() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(e)
}

// Fault is a single error at a place, as an error value.
func Fault(at Origin, format string, args ...any) error {
	return Errors{{Origin: at, Text: fmt.Sprintf(format, args...)}}
}

// Origin is where a value was written: a place in a file, or a label such as
// "--set topology.servers=4".
type Origin struct {
	File         string
	Line, Column int // from 1; 0: the file as a whole
	Label        string
}

// String is file:line:column, or the label.
func (o Origin) String() string {
	switch {
	case o.Label != "":
		return o.Label
	case o.Line == 0:
		return o.File
	}
	return fmt.Sprintf("%s:%d:%d", o.File, o.Line, o.Column)
}
