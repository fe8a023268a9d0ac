package records

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hcclsim/model/units"
)

// ReadCSV reads what WriteCSV wrote. The leading columns must be there, in their order;
// the columns from dtype on may be absent, as in a table of measurements made by hand.
// Bandwidths and bound_by follow from the rest and are not read. Causes of zero time and
// classes without bytes are left out of the rows. Errors begin with name:line:column.
func ReadCSV(r io.Reader, name string) ([]Row, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	at := func(column int, err error) error {
		line, col := in.FieldPos(column)
		return fmt.Errorf("%s:%d:%d: %w", name, line, col, err)
	}
	names, err := in.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s:1:1: the file is empty, a header line is expected", name)
	}
	if err != nil {
		return nil, positioned(name, err)
	}
	columns, column, err := parseHeader(slices.Clone(names))
	if err != nil {
		return nil, at(column, err)
	}
	var rows []Row
	for {
		cells, err := in.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, positioned(name, err)
		}
		row := Row{}
		for i, set := range columns {
			if err := set(&row, strings.Clone(cells[i])); err != nil {
				return nil, at(i, err)
			}
		}
		if err := valid(row); err != nil {
			return nil, at(0, err)
		}
		rows = append(rows, row)
	}
}

// positioned puts a CSV syntax error into the form name:line:column.
func positioned(name string, err error) error {
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d:%d: %w", name, syntax.Line, max(syntax.Column, 1), syntax.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// setter puts the text of one cell into a row.
type setter func(r *Row, cell string) error

// parseHeader finds the setter of each column; column is where an error is.
func parseHeader(names []string) (setters []setter, column int, err error) {
	known := knownColumns()
	for i, want := range leading {
		if i >= len(names) {
			return nil, i - 1, fmt.Errorf("column %q is missing after this one", want)
		}
		if names[i] != want {
			return nil, i, fmt.Errorf("column %q stands where %q belongs", names[i], want)
		}
		setters = append(setters, known[want])
	}
	tail := slices.Index(names, settings[0])
	if tail < 0 {
		tail = len(names)
	}
	for i, n := range names[len(leading):] {
		i += len(leading)
		if slices.Contains(names[:i], n) {
			return nil, i, fmt.Errorf("column %q appears twice", n)
		}
		if n == "" {
			return nil, i, errors.New("a column has no name")
		}
		set := known[n]
		if set == nil {
			set = namedSetter(n)
		}
		switch {
		case i < tail && set != nil:
			return nil, i, fmt.Errorf("column %q belongs behind %q", n, settings[0])
		case i < tail:
			set = sweptSetter(n)
		case set == nil:
			return nil, i, fmt.Errorf("unknown column %q", n)
		}
		setters = append(setters, set)
	}
	return setters, 0, nil
}

// sweptSetter reads the column of a swept key.
func sweptSetter(path string) setter {
	return func(r *Row, cell string) error {
		if cell != "" {
			r.Swept = append(r.Swept, Field{path, cell})
		}
		return nil
	}
}

// namedSetter reads bytes_<class> and <cause>_us; nil for other names.
func namedSetter(column string) setter {
	if class, ok := strings.CutPrefix(column, "bytes_"); ok {
		return func(r *Row, cell string) error {
			n, err := parseCount(cell)
			if err == nil && n > 0 {
				r.Volumes = append(r.Volumes, Volume{class, units.Bytes(n)})
			}
			return err
		}
	}
	if cause, ok := columnCause(column); ok && cause != "" {
		return func(r *Row, cell string) error {
			d, err := parseMicros(cell)
			if err == nil && d > 0 {
				r.Critical = append(r.Critical, Part{cause, d})
			}
			return err
		}
	}
	return nil
}

// knownColumns are the columns whose names do not depend on the rows.
func knownColumns() map[string]setter {
	text := func(field func(*Row) *string) setter {
		return func(r *Row, cell string) error { *field(r) = cell; return nil }
	}
	count := func(field func(*Row) *int64) setter {
		return func(r *Row, cell string) (err error) { *field(r), err = parseCount(cell); return }
	}
	micro := func(field func(*Row) *units.Duration) setter {
		return func(r *Row, cell string) (err error) { *field(r), err = parseMicros(cell); return }
	}
	small := func(field func(*Row) *int) setter {
		return func(r *Row, cell string) error {
			n, err := parseCount(cell)
			*field(r) = int(n)
			return err
		}
	}
	derived := func(*Row, string) error { return nil }
	return map[string]setter{
		"scenario":         text(func(r *Row) *string { return &r.Scenario }),
		"topology":         text(func(r *Row) *string { return &r.Topology }),
		"collective":       text(func(r *Row) *string { return &r.Collective }),
		"requested":        text(func(r *Row) *string { return &r.Requested }),
		"algorithm":        text(func(r *Row) *string { return &r.Algorithm }),
		"servers":          small(func(r *Row) *int { return &r.Servers }),
		"ranks":            small(func(r *Row) *int { return &r.Ranks }),
		"bytes":            count(func(r *Row) *int64 { return (*int64)(&r.Bytes) }),
		"time_us":          micro(func(r *Row) *units.Duration { return &r.Time }),
		"algbw_GBps":       derived,
		"busbw_GBps":       derived,
		"bound_by":         derived,
		"dtype":            text(func(r *Row) *string { return &r.DType }),
		"op":               text(func(r *Row) *string { return &r.Op }),
		"root":             small(func(r *Row) *int { return &r.Root }),
		"in_place":         setInPlace,
		"iterations":       small(func(r *Row) *int { return &r.Iterations }),
		"shape":            text(func(r *Row) *string { return &r.Shape }),
		"faults":           text(func(r *Row) *string { return &r.Faults }),
		"selected_by":      text(func(r *Row) *string { return &r.SelectedBy }),
		"run":              text(func(r *Row) *string { return &r.Run }),
		"operator":         text(func(r *Row) *string { return &r.Operator }),
		"start_us":         micro(func(r *Row) *units.Duration { return &r.Start }),
		"compute_us":       micro(func(r *Row) *units.Duration { return &r.Compute }),
		"communication_us": micro(func(r *Row) *units.Duration { return &r.Communication }),
		"exposed_us":       micro(func(r *Row) *units.Duration { return &r.Exposed }),
		"overlap":          derived,
		"repeat":           small(func(r *Row) *int { return &r.Repeat }),
		"interval_us":      micro(func(r *Row) *units.Duration { return &r.Interval }),
		"rounds":           small(func(r *Row) *int { return &r.Rounds }),
		"buffer_bytes":     count(func(r *Row) *int64 { return (*int64)(&r.Buffer) }),
		"streams":          small(func(r *Row) *int { return &r.Streams }),
		"contexts":         count(func(r *Row) *int64 { return &r.Contexts }),
		"messages":         count(func(r *Row) *int64 { return &r.Messages }),
		"requests":         count(func(r *Row) *int64 { return &r.Requests }),
		"tasks":            count(func(r *Row) *int64 { return &r.Tasks }),
		"events":           count(func(r *Row) *int64 { return &r.Events }),
		// busiest_link makes the entry that busiest_share completes
		"busiest_link":  setLink,
		"busiest_share": setShare,
	}
}

func setInPlace(r *Row, cell string) error {
	in, err := strconv.ParseBool(cell)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", cell)
	}
	r.InPlace = in
	return nil
}

func setLink(r *Row, cell string) error {
	if cell != "" {
		r.Busiest = []Utilisation{{Link: cell}}
	}
	return nil
}

func setShare(r *Row, cell string) error {
	if len(r.Busiest) == 0 {
		if cell != "" {
			return fmt.Errorf("a share of %s without a busiest_link before it", cell)
		}
		return nil
	}
	x, err := parseShare(cell)
	r.Busiest[0].Share = x
	return err
}
