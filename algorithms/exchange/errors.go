package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Error is one thing wrong with a file: what it is, and what was expected. Line and Column
// count from 1, columns in characters.
type Error struct {
	File         string
	Line, Column int
	Text         string
}

func (e Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text) }

// Errors are the errors of a file, in the order of their places, one a line: all of them,
// or those that were found until there were maxErrors. Their text ends after maxShown lines.
type Errors []Error

const (
	maxErrors = 100
	maxShown  = 50
)

func (e Errors) Error() string {
	var lines []string
	for i, one := range e {
		if i == maxShown {
			more := fmt.Sprintf("and %d more errors", len(e)-i)
			if len(e) == maxErrors {
				more += ", at which the reading ended"
			}
			lines = append(lines, more)
			break
		}
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// faults collects the errors of a file, whose places are offsets of bytes.
type faults struct {
	file  string
	text  []byte
	lines []int // where each line begins
	list  Errors
}

// newFaults takes in the text of a file.
func newFaults(file string, text []byte) *faults {
	f := &faults{file: file, text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// at gives the line and the column of an offset.
func (f *faults) at(offset int) (line, column int) {
	offset = min(offset, len(f.text))
	line = f.line(offset)
	return line, 1 + utf8.RuneCount(f.text[f.lines[line-1]:offset])
}

// line gives the line of an offset.
func (f *faults) line(offset int) int { return sort.SearchInts(f.lines, offset+1) }

// full says that enough was found. A file of nothing but errors is not read to its end.
func (f *faults) full() bool { return len(f.list) >= maxErrors }

// add notes what is wrong at an offset, unless there is enough already.
func (f *faults) add(offset int, format string, args ...any) {
	if f.full() {
		return
	}
	line, column := f.at(offset)
	f.list = append(f.list, Error{f.file, line, column, fmt.Sprintf(format, args...)})
}

// err is all that was noted, by place; nil if nothing was.
func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	slices.SortStableFunc(f.list, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f.list
}
