package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"hcclsim/model/units"
)

// Assertion is a claim about the results of a scenario:
//
//	assertion = side compare side        at least one side has a term
//	compare   = "<" | "<=" | ">" | ">=" | "=="
//	side      = [ number "*" ] term | quantity
//	term      = metric "(" [ selector { "," selector } ] ")"
//	metric    = "time" | "end" | "algbw" | "busbw"
//	selector  = column ( "=" | "<" | "<=" | ">" | ">=" ) value
//	quantity  = a duration with its unit beside time, a rate with its unit otherwise
//
// A term selects rows by column: scenario, topology, collective, requested, algorithm,
// servers, ranks, bytes, dtype, op, root, in_place, iterations, run, operator or a swept key. Columns of
// numbers can be ordered, the others only be equal.
type Assertion struct {
	Text        string
	left, right side
	compare     string
}

// side is one side of the comparison: a quantity, or a factor times a term.
type side struct {
	term     *term
	factor   float64 // of a term
	text     string  // of a side without a term
	quantity float64 // the same in picoseconds or GB/s
}

type term struct {
	metric    string
	selectors []selector
}

type selector struct {
	column, compare string
	text            string
	number          int64 // of columns of numbers
}

// assertionError is a fault of an assertion's text. Offset counts bytes.
type assertionError struct {
	offset int
	reason string
}

func (e *assertionError) Error() string {
	return fmt.Sprintf("%s (at character %d)", e.reason, e.offset+1)
}

// parseAssertion reads an assertion. swept are the paths that may be used as columns
// besides those of every row.
func parseAssertion(text string, swept []string) (Assertion, error) {
	p := &assertionParser{text: text, swept: swept}
	a, err := p.assertion()
	if err != nil {
		return Assertion{}, err
	}
	a.Text = text
	return a, nil
}

type assertionParser struct {
	text  string
	at    int
	swept []string
}

func (p *assertionParser) fail(format string, args ...any) error {
	return &assertionError{p.at, fmt.Sprintf(format, args...)}
}

func (p *assertionParser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t' || p.text[p.at] == '\n') {
		p.at++
	}
}

// take consumes the longest run of characters that ok accepts.
func (p *assertionParser) take(ok func(c byte) bool) string {
	p.space()
	start := p.at
	for p.at < len(p.text) && ok(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *assertionParser) found() string {
	p.space()
	if p.at == len(p.text) {
		return "the end"
	}
	return strconv.Quote(p.text[p.at : p.at+1])
}

// accept consumes a single character, and says whether it was there.
func (p *assertionParser) accept(c byte) bool {
	p.space()
	if p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *assertionParser) assertion() (Assertion, error) {
	var a Assertion
	var err error
	p.space()
	atLeft := p.at
	if a.left, err = p.side(); err != nil {
		return a, err
	}
	if a.compare = p.comparison(); a.compare == "" || a.compare == "=" {
		return a, p.fail("expected a comparison (<, <=, >, >= or ==), found %s", p.found())
	}
	p.space()
	atRight := p.at
	if a.right, err = p.side(); err != nil {
		return a, err
	}
	if p.space(); p.at < len(p.text) {
		return a, p.fail("expected the end, found %s", p.found())
	}
	switch l, r := a.left.term, a.right.term; {
	case l == nil && r == nil:
		return a, &assertionError{0, "compares two quantities: one side must be time(...), end(...), algbw(...) or busbw(...)"}
	case l == nil:
		a.left.quantity, err = quantity(a.left.text, r.metric, atLeft)
	case r == nil:
		a.right.quantity, err = quantity(a.right.text, l.metric, atRight)
	case isTime(l.metric) != isTime(r.metric):
		err = &assertionError{atRight, fmt.Sprintf("%s cannot be compared with %s", l.metric, r.metric)}
	}
	return a, err
}

// side reads one side. What a quantity measures is known only from the other side, so it
// stays text here.
func (p *assertionParser) side() (side, error) {
	p.space()
	at := p.at
	s := side{factor: 1}
	number := p.take(func(c byte) bool { return isDigit(c) || isLetter(c) || c == '.' || c == '/' })
	if number == "" || isLetter(number[0]) {
		p.at = at
	} else if !p.accept('*') {
		s.text = number
		return s, nil
	} else if !units.Plain(number) {
		return s, &assertionError{at, fmt.Sprintf("the factor %q is not a plain decimal number", number)}
	} else {
		s.factor, _ = strconv.ParseFloat(number, 64) // a plain number cannot fail
	}
	var err error
	s.term, err = p.term()
	return s, err
}

func (p *assertionParser) term() (*term, error) {
	p.space()
	at := p.at
	name := p.take(isLetter)
	switch name {
	case "time", "end", "algbw", "busbw":
	case "":
		return nil, p.fail("expected time(...), end(...), algbw(...), busbw(...) or a quantity, found %s", p.found())
	default:
		return nil, &assertionError{at, fmt.Sprintf("unknown metric %q: there are time, end, algbw and busbw", name)}
	}
	t := &term{metric: name}
	if !p.accept('(') {
		return nil, p.fail("expected ( after %s, found %s", name, p.found())
	}
	if p.accept(')') {
		return t, nil
	}
	for {
		s, err := p.selector()
		if err != nil {
			return nil, err
		}
		t.selectors = append(t.selectors, s)
		if p.accept(')') {
			return t, nil
		}
		if !p.accept(',') {
			return nil, p.fail("expected , or ) after a selector, found %s", p.found())
		}
	}
}

func (p *assertionParser) selector() (s selector, err error) {
	p.space()
	at := p.at
	s.column = p.take(func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("._-", c) >= 0 })
	if s.column == "" {
		return s, p.fail("expected a column, found %s", p.found())
	}
	c := findColumn(s.column, p.swept)
	if c == nil {
		return s, &assertionError{at, fmt.Sprintf("unknown column %q%s", s.column, nearestColumn(s.column, p.swept))}
	}
	s.compare = p.comparison()
	switch {
	case s.compare == "" || s.compare == "==":
		return s, p.fail("expected =, <, <=, > or >= after column %s, found %s", s.column, p.found())
	case s.compare != "=" && c.number == nil:
		return s, &assertionError{at, fmt.Sprintf("column %s has no order: only = works", s.column)}
	}
	p.space()
	at = p.at
	s.text = strings.TrimSpace(p.take(func(c byte) bool { return c != ',' && c != ')' }))
	if s.text == "" {
		return s, p.fail("expected a value for column %s, found %s", s.column, p.found())
	}
	if c.number != nil {
		if s.number, err = c.parse(s.text); err != nil {
			return s, &assertionError{at, err.Error()}
		}
	}
	return s, nil
}

// comparison reads <, <=, >, >=, = or ==; "" if there is none.
func (p *assertionParser) comparison() string {
	p.space()
	for _, c := range []string{"<=", ">=", "==", "<", ">", "="} {
		if strings.HasPrefix(p.text[p.at:], c) {
			p.at += len(c)
			return c
		}
	}
	return ""
}

// quantity reads what is compared with a metric: a duration or a rate.
func quantity(text, metric string, at int) (float64, error) {
	if isTime(metric) {
		d, err := units.ParseDuration(text)
		if err != nil {
			return 0, &assertionError{at, err.Error()}
		}
		return float64(d), nil
	}
	r, err := units.ParseRate(text)
	if err != nil {
		return 0, &assertionError{at, err.Error()}
	}
	return float64(r) / 1e9, nil
}

// isTime says whether a metric is a time: that of a point or an operator, or the end of an
// operator from the beginning of the run.
func isTime(metric string) bool { return metric == "time" || metric == "end" }

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
