package choose

import (
	"fmt"
	"slices"
	"strings"
)

// ParseAlgo reads HCCL_ALGO:
//
//	setting  = levels | operator "=" levels { "/" operator "=" levels }
//	levels   = level ":" token { ";" level ":" token }
//	level    = "level0" | "level1" | "level2" | "level3"
//	operator = "allreduce" | "allgather" | ... | "others"
//	token    = "ring" | "H-D_R" | "NHR" | ...
//
// Every level takes every token; what has no effect is for HCCL to warn of. Blanks are dropped wherever they stand, as HCCL does. Names are case sensitive. Errors
// give the column, in bytes from 1.
func ParseAlgo(text string) (Algo, error) {
	whole := newPiece(text)
	if whole.text == "" {
		return Algo{}, fmt.Errorf("HCCL_ALGO is empty: expected level0:NA;level1:<algorithm> or <operator>=level0:NA;level1:<algorithm>")
	}
	parts, err := whole.split('/', "settings")
	if err != nil {
		return Algo{}, err
	}
	var a Algo
	for _, part := range parts {
		e, err := parseEntry(part)
		if err != nil {
			return Algo{}, err
		}
		if err := a.admit(e, part); err != nil {
			return Algo{}, err
		}
		a.entries = append(a.entries, e)
	}
	return a, nil
}

// admit refuses an entry that does not go with those before it.
func (a Algo) admit(e entry, at piece) error {
	if len(a.entries) == 0 {
		return nil
	}
	first := a.entries[0]
	switch {
	case first.operator == "" && e.operator == "":
		return at.errorf("a second setting for all operators: expected one, or one for each operator")
	case first.operator == "" || e.operator == "":
		return at.errorf("settings with and without an operator cannot be mixed")
	}
	for _, other := range a.entries {
		if other.operator == e.operator {
			return at.errorf("operator %s occurs twice", e.operator)
		}
	}
	return nil
}

func parseEntry(part piece) (entry, error) {
	operator, levels, specific := part.cut('=')
	if !specific {
		tokens, err := parseLevels(part)
		return entry{tokens: tokens}, err
	}
	switch {
	case operator.text == "":
		return entry{}, part.errorf("no operator before =")
	case levels.text == "":
		return entry{}, levels.errorf("no levels after %s=", operator.text)
	case !slices.Contains(operators, operator.text):
		return entry{}, operator.errorf("unknown operator %q (there are: %s)", operator.text, strings.Join(operators, ", "))
	}
	tokens, err := parseLevels(levels)
	return entry{operator.text, tokens}, err
}

func parseLevels(part piece) (Tokens, error) {
	var result Tokens
	levels, err := part.split(';', "levels")
	if err != nil {
		return result, err
	}
	for _, level := range levels {
		i, token, err := parseLevel(level)
		if err != nil {
			return result, err
		}
		if result[i] != "" {
			return result, level.errorf("%s occurs twice", levelNames[i])
		}
		result[i] = token
	}
	return result, nil
}

func parseLevel(part piece) (level int, token Token, err error) {
	name, algorithm, ok := part.cut(':')
	if !ok {
		return 0, "", part.errorf("expected <level>:<algorithm>, found %q", part.text)
	}
	level, token = slices.Index(levelNames[:], name.text), Token(algorithm.text)
	switch {
	case name.text == "":
		return 0, "", part.errorf("no level before :")
	case level < 0:
		return 0, "", name.errorf("unknown level %q (there are: %s)", name.text, strings.Join(levelNames[:], ", "))
	case token == "":
		return 0, "", algorithm.errorf("no algorithm after %s:", name.text)
	case !slices.Contains(tokens, token):
		return 0, "", algorithm.errorf("unknown algorithm %q (there are: %s)", token, join(tokens))
	}
	return level, token, nil
}

// piece is a part of the text without its blanks, which knows where it stood.
type piece struct {
	text    string
	columns []int // of every byte, and of the end
}

func newPiece(text string) piece {
	var kept []byte
	var columns []int
	for i := range len(text) {
		if text[i] != ' ' {
			kept, columns = append(kept, text[i]), append(columns, i+1)
		}
	}
	return piece{string(kept), append(columns, len(text)+1)}
}

func (p piece) slice(from, to int) piece { return piece{p.text[from:to], p.columns[from : to+1]} }

func (p piece) cut(sep byte) (before, after piece, found bool) {
	i := strings.IndexByte(p.text, sep)
	if i < 0 {
		return p, piece{}, false
	}
	return p.slice(0, i), p.slice(i+1, len(p.text)), true
}

// split cuts at every separator. Nothing may be empty.
func (p piece) split(sep byte, what string) ([]piece, error) {
	var parts []piece
	for rest, more := p, true; more; {
		var part piece
		start := rest
		part, rest, more = rest.cut(sep)
		if part.text == "" {
			switch {
			case len(parts) == 0:
				return nil, start.errorf("%s begin with %q", what, sep)
			case !more:
				return nil, start.errorf("%s end with %q", what, sep)
			}
			return nil, start.errorf("nothing between two %q", sep)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (p piece) errorf(format string, arguments ...any) error {
	return fmt.Errorf("HCCL_ALGO at column %d: %s", p.columns[0], fmt.Sprintf(format, arguments...))
}

func join(list []Token) string {
	var names []string
	for _, t := range list {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}
