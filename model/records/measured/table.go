package measured

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hcclsim/model/units"
)

// Point is one measurement. What a table does not say is zero.
type Point struct {
	System     string
	Collective string // as scenarios name it
	Algorithm  string // auto and unknown are none
	Ranks      int
	Servers    int
	Bytes      units.Bytes // S of nccl-tests: the largest buffer of one rank
	Time       units.Duration
	Placed     bool // it is known whether it worked in place
	InPlace    bool
	At         string // file:line
}

// Table is a file of measurements, in its order.
type Table struct {
	Format string // hccl_test, nccl-tests or csv
	Points []Point
}

// Read reads a file in any of the formats, which it tells apart by what is in it. Errors begin
// with name:line:column, all of them.
func Read(name string, text []byte) (Table, error) {
	p := &parser{name: name, lines: strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")}
	switch {
	case strings.Contains(p.lines[0], "time_us"):
		p.table.Format = "csv"
		p.csv(text)
	case bytes.Contains(text, []byte("data_size(Bytes)")):
		p.table.Format = "hccl_test"
		p.each(p.hccl)
	case bytes.Contains(text, []byte("out-of-place")):
		p.table.Format = "nccl-tests"
		p.each(p.nccl)
	default:
		return Table{}, fmt.Errorf("%s:1:1: neither a printout of hccl_test or nccl-tests nor a table in CSV with columns collective, bytes and time_us", name)
	}
	if len(p.errs) == 0 && len(p.table.Points) == 0 {
		p.fail(1, 1, "has no measurements")
	}
	return p.table, errors.Join(p.errs...)
}

// parser holds what has been read, and what is wrong.
type parser struct {
	name  string
	lines []string
	table Table
	errs  []error
}

// most errors that are kept.
const most = 20

func (p *parser) fail(line, column int, format string, args ...any) {
	if len(p.errs) < most {
		p.errs = append(p.errs, fmt.Errorf("%s:%d:%d: %s", p.name, line, column, fmt.Sprintf(format, args...)))
	}
}

func (p *parser) each(read func(line int, text string)) {
	for i, text := range p.lines {
		read(i+1, text)
	}
}

func (p *parser) add(line int, point Point) {
	point.At = fmt.Sprintf("%s:%d", p.name, line)
	p.table.Points = append(p.table.Points, point)
}

// hccl reads a line of hccl_test: size | time in us | bandwidth | result. The size is that of one
// rank's part, which for some collectives is not S: see Whole. Lines of other kinds are log.
func (p *parser) hccl(line int, text string) {
	cells := strings.Split(text, "|")
	size := strings.TrimSpace(cells[0])
	if len(cells) != 4 || size == "" || strings.Trim(size, "0123456789") != "" {
		return
	}
	if strings.TrimSpace(cells[3]) == "failed" {
		p.fail(line, strings.Index(text, "failed")+1, "the check of this result has failed")
		return
	}
	n, ok := p.size(line, text, size)
	took, timed := p.micros(line, text, strings.TrimSpace(cells[1]))
	if ok && timed {
		p.add(line, Point{Bytes: n, Time: took})
	}
}

// nccl reads a line of nccl-tests: size, count, type, redop, root, then time, algbw, busbw and
// errors, out of place and in place.
func (p *parser) nccl(line int, text string) {
	cells := strings.Fields(text)
	if len(cells) < 13 || strings.HasPrefix(cells[0], "#") || strings.Trim(cells[0], "0123456789") != "" {
		return
	}
	n, ok := p.size(line, text, cells[0])
	for i, inPlace := range []bool{false, true} {
		cell := cells[5+4*i]
		if cell == "N/A" {
			continue
		}
		if took, timed := p.micros(line, text, cell); ok && timed {
			p.add(line, Point{Bytes: n, Time: took, Placed: true, InPlace: inPlace})
		}
	}
}

// size and micros read a cell of a line.
func (p *parser) size(line int, text, cell string) (units.Bytes, bool) {
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil || n < 0 {
		p.fail(line, column(text, cell), "%q is no number of bytes", cell)
		return 0, false
	}
	return units.Bytes(n), true
}

func (p *parser) micros(line int, text, cell string) (units.Duration, bool) {
	us, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(us > 0) || us > 1e12 {
		p.fail(line, column(text, cell), "%q is no time in us above 0", cell)
		return 0, false
	}
	return units.Duration(math.Round(us * 1e6)), true
}

// column is where a cell stands in its line, from 1.
func column(text, cell string) int { return strings.Index(text, cell) + 1 }

// Whole is the table with what is known besides: its collective and number of ranks, where it
// says neither. hccl_test counts one rank's part of what AllGather and ReduceScatter move.
func (t Table) Whole(collective string, ranks int) Table {
	whole := Table{Format: t.Format}
	for _, p := range t.Points {
		p.Collective, p.Ranks = cmp.Or(p.Collective, collective), cmp.Or(p.Ranks, ranks)
		if t.Format == "hccl_test" && (p.Collective == "allgather" || p.Collective == "reducescatter") {
			p.Bytes *= units.Bytes(max(p.Ranks, 1))
		}
		whole.Points = append(whole.Points, p)
	}
	return whole
}
