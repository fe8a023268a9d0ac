package records

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"hcclsim/model/units"
)

// line is a row as JSON. The order of its fields is the order of the keys.
// Times are decimal numbers of microseconds, exact to the picosecond; the bandwidths
// and bound_by follow from the rest and are not read back.
type line struct {
	Scenario      string      `json:"scenario"`
	Topology      string      `json:"topology"`
	Collective    string      `json:"collective"`
	Requested     string      `json:"requested"`
	Algorithm     string      `json:"algorithm"`
	Servers       int         `json:"servers"`
	Ranks         int         `json:"ranks"`
	Bytes         int64       `json:"bytes"`
	Time          jsonMicros  `json:"time_us"`
	AlgBW         json.Number `json:"algbw_GBps"`
	BusBW         json.Number `json:"busbw_GBps"`
	Swept         []jsonField `json:"swept"`
	DType         string      `json:"dtype"`
	Op            string      `json:"op"`
	Root          int         `json:"root"`
	InPlace       bool        `json:"in_place"`
	Iterations    int         `json:"iterations"`
	Shape         string      `json:"shape,omitempty"`
	Faults        string      `json:"faults,omitempty"`
	Run           string      `json:"run,omitempty"`
	Operator      string      `json:"operator,omitempty"`
	Start         jsonMicros  `json:"start_us,omitempty"`
	Compute       jsonMicros  `json:"compute_us,omitempty"`
	Communication jsonMicros  `json:"communication_us,omitempty"`
	Exposed       jsonMicros  `json:"exposed_us,omitempty"`
	Repeat        int         `json:"repeat,omitempty"`
	Interval      jsonMicros  `json:"interval_us,omitempty"`
	SelectedBy    string      `json:"selected_by"`
	BoundBy       string      `json:"bound_by"`
	Critical      []jsonPart  `json:"critical"`
	Messages      int64       `json:"messages"`
	Requests      int64       `json:"requests"`
	Tasks         int64       `json:"tasks"`
	Rounds        int         `json:"rounds,omitempty"`
	Buffer        int64       `json:"buffer_bytes,omitempty"`
	Streams       int         `json:"streams,omitempty"`
	Contexts      int64       `json:"contexts,omitempty"`
	Volumes       []jsonBytes `json:"volumes"`
	Busiest       []jsonShare `json:"busiest"`
	Events        int64       `json:"events"`
}

type (
	jsonMicros units.Duration
	jsonField  struct {
		Path  string `json:"path"`
		Value string `json:"value"`
	}
	jsonPart struct {
		Cause string     `json:"cause"`
		Time  jsonMicros `json:"time_us"`
	}
	jsonBytes struct {
		Class string `json:"class"`
		Bytes int64  `json:"bytes"`
	}
	jsonShare struct {
		Link  string      `json:"link"`
		Share json.Number `json:"share"`
	}
)

func (m jsonMicros) MarshalJSON() ([]byte, error) { return []byte(micros(units.Duration(m))), nil }

func (m *jsonMicros) UnmarshalJSON(text []byte) error {
	d, err := parseMicros(string(text))
	*m = jsonMicros(d)
	return err
}

// WriteJSONL appends the rows, one JSON object a line, each in a single write, so that
// an interrupted run leaves whole lines.
func WriteJSONL(w io.Writer, rows ...Row) error {
	for _, r := range rows {
		if err := valid(r); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(toLine(r)); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
		if _, err := w.Write(text.Bytes()); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	return nil
}

// ReadJSONL reads what WriteJSONL wrote; empty lines are skipped. Errors begin with
// name:line:column.
func ReadJSONL(r io.Reader, name string) ([]Row, error) {
	var rows []Row
	in := bufio.NewReader(r)
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s:%d:1: %w", name, number, err)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			row, column, lineErr := parseLine(text)
			if lineErr != nil {
				return nil, fmt.Errorf("%s:%d:%d: %w", name, number, column, lineErr)
			}
			rows = append(rows, row)
		}
		if err == io.EOF {
			return rows, nil
		}
	}
}

// parseLine reads one object; column is where the error is, from 1, or 1 when only the
// object is known to be wrong.
func parseLine(text []byte) (r Row, column int64, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var l line
	if err := decoder.Decode(&l); err != nil {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			return r, max(syntax.Offset, 1), err
		case errors.As(err, &kind):
			return r, max(kind.Offset, 1), fmt.Errorf("%s: unexpected %s", kind.Field, kind.Value)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return r, int64(len(bytes.TrimRight(text, "\r\n"))) + 1, errors.New("the line ends early")
		}
		if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return r, int64(bytes.Index(text, []byte(key))) + 1, fmt.Errorf("unknown key %s", key)
		}
		return r, 1, err
	}
	end := decoder.InputOffset()
	if rest := bytes.TrimSpace(text[end:]); len(rest) > 0 {
		return r, end + 1, fmt.Errorf("unexpected %.20q after the object", rest)
	}
	r, err = fromLine(l)
	return r, 1, err
}

func toLine(r Row) line {
	l := line{
		Scenario: r.Scenario, Topology: r.Topology, Collective: r.Collective,
		Requested: r.Requested, Algorithm: r.Algorithm, Servers: r.Servers, Ranks: r.Ranks,
		Bytes: int64(r.Bytes), Time: jsonMicros(r.Time),
		AlgBW: json.Number(gigabytes(r.AlgBW())), BusBW: json.Number(gigabytes(r.BusBW())),
		DType: r.DType, Op: r.Op, Root: r.Root, InPlace: r.InPlace, Iterations: r.Iterations, Shape: r.Shape, Faults: r.Faults,
		Run: r.Run, Operator: r.Operator, Start: jsonMicros(r.Start), Compute: jsonMicros(r.Compute), Communication: jsonMicros(r.Communication), Exposed: jsonMicros(r.Exposed), Repeat: r.Repeat, Interval: jsonMicros(r.Interval),
		Rounds: r.Rounds, Buffer: int64(r.Buffer), Streams: r.Streams, Contexts: r.Contexts,
		SelectedBy: r.SelectedBy, BoundBy: r.Bound(),
		Messages: r.Messages, Requests: r.Requests, Tasks: r.Tasks, Events: r.Events,
		// empty lists are written as [], not as null
		Swept: []jsonField{}, Critical: []jsonPart{}, Volumes: []jsonBytes{}, Busiest: []jsonShare{},
	}
	for _, f := range r.Swept {
		l.Swept = append(l.Swept, jsonField(f))
	}
	for _, p := range r.Critical {
		l.Critical = append(l.Critical, jsonPart{p.Cause, jsonMicros(p.Time)})
	}
	for _, v := range r.Volumes {
		l.Volumes = append(l.Volumes, jsonBytes{v.Class, int64(v.Bytes)})
	}
	for _, u := range r.Busiest {
		l.Busiest = append(l.Busiest, jsonShare{u.Link, json.Number(share(u.Share))})
	}
	return l
}

func fromLine(l line) (Row, error) {
	r := Row{
		Scenario: l.Scenario, Topology: l.Topology, Collective: l.Collective,
		Requested: l.Requested, Algorithm: l.Algorithm, Servers: l.Servers, Ranks: l.Ranks,
		Bytes: units.Bytes(l.Bytes), Time: units.Duration(l.Time),
		DType: l.DType, Op: l.Op, Root: l.Root, InPlace: l.InPlace, Iterations: l.Iterations, Shape: l.Shape, Faults: l.Faults,
		Run: l.Run, Operator: l.Operator, Start: units.Duration(l.Start), Compute: units.Duration(l.Compute), Communication: units.Duration(l.Communication), Exposed: units.Duration(l.Exposed), Repeat: l.Repeat, Interval: units.Duration(l.Interval),
		Rounds: l.Rounds, Buffer: units.Bytes(l.Buffer), Streams: l.Streams, Contexts: l.Contexts,
		SelectedBy: l.SelectedBy,
		Messages:   l.Messages, Requests: l.Requests, Tasks: l.Tasks, Events: l.Events,
	}
	for _, f := range l.Swept {
		r.Swept = append(r.Swept, Field(f))
	}
	for _, p := range l.Critical {
		r.Critical = append(r.Critical, Part{p.Cause, units.Duration(p.Time)})
	}
	for _, v := range l.Volumes {
		r.Volumes = append(r.Volumes, Volume{v.Class, units.Bytes(v.Bytes)})
	}
	for _, u := range l.Busiest {
		x, err := parseShare(string(u.Share))
		if err != nil {
			return Row{}, fmt.Errorf("link %q: %w", u.Link, err)
		}
		r.Busiest = append(r.Busiest, Utilisation{u.Link, x})
	}
	return r, valid(r)
}
