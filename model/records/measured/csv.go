package measured

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// csv reads a table with a line of titles, of which collective, bytes and time_us are needed, and
// system, nranks, nnodes and algo_if_known are read if they are there; others are not. Lines
// that have no time or say so in notes are not measurements.
func (p *parser) csv(text []byte) {
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = -1
	titles, err := in.Read()
	if err != nil {
		p.csvFault(in, err)
		return
	}
	at := map[string]int{}
	for i, title := range titles {
		at[strings.TrimSpace(title)] = i
	}
	for _, needed := range []string{"collective", "bytes", "time_us"} {
		if _, ok := at[needed]; !ok {
			p.fail(1, 1, "there is no column %s, expected collective, bytes and time_us", needed)
		}
	}
	for len(p.errs) == 0 || len(p.errs) < most {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) || len(p.errs) > 0 && len(at) == 0 {
			return
		}
		if err != nil {
			p.csvFault(in, err)
			return
		}
		p.csvLine(in, at, cells)
	}
}

func (p *parser) csvFault(in *csv.Reader, err error) {
	var fault *csv.ParseError
	if errors.As(err, &fault) {
		p.fail(fault.Line, fault.Column, "%v", fault.Err)
		return
	}
	p.fail(1, 1, "%v", err)
}

func (p *parser) csvLine(in *csv.Reader, at map[string]int, cells []string) {
	line := 1
	cell := func(name string) string {
		i, ok := at[name]
		if !ok || i >= len(cells) {
			return ""
		}
		return strings.TrimSpace(cells[i])
	}
	if len(cells) > 0 {
		line, _ = in.FieldPos(0)
	}
	if cell("time_us") == "" {
		return // a line of what was not measured
	}
	text := strings.Join(cells, ",")
	n, ok := p.size(line, text, cell("bytes"))
	took, timed := p.micros(line, text, cell("time_us"))
	count := func(name string) int {
		text := cell(name)
		if text == "" {
			return 0
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			p.fail(line, 1, "%s %q is no number from 1", name, text)
		}
		return n
	}
	point := Point{System: cell("system"), Collective: cell("collective"), Algorithm: cell("algo_if_known"),
		Ranks: count("nranks"), Servers: count("nnodes"), Bytes: n, Time: took}
	point.InPlace = strings.Contains(cell("notes"), "(in-place)")
	point.Placed = point.InPlace || strings.Contains(cell("notes"), "(out-of-place)")
	if slices.Contains([]string{"auto", "unknown", "-"}, strings.ToLower(point.Algorithm)) {
		point.Algorithm = ""
	}
	if ok && timed {
		p.add(line, point)
	}
}
