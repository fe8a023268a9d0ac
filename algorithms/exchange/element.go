package exchange

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hcclsim/algorithms"
)

// element is one of the file. Its methods read attributes and note what is wrong with them.
type element struct {
	*parser
	name   string
	attrs  []xml.Attr
	at     int
	raw    []byte // as it is written
	known  []string
	faulty bool
}

func (e *element) valid() bool { return !e.faulty }

func (e *element) has(name string) bool {
	return slices.ContainsFunc(e.attrs, func(a xml.Attr) bool { return a.Name.Local == name })
}

func (e *element) ignore(name string) { e.known = append(e.known, name) }

// wrong notes a fault of an attribute.
func (e *element) wrong(name, format string, args ...any) {
	e.faulty = true
	e.add(e.place(name), format, args...)
}

// text is the value of an attribute that must be there.
func (e *element) text(name string) string {
	e.known = append(e.known, name)
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	e.wrong(name, "element %s has no attribute %s: expected one", e.name, name)
	return ""
}

// title is a text for people, which stands in one line.
func (e *element) title(name string) string {
	s := e.text(name)
	unprintable := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
	switch {
	case !e.has(name): // which has been noted
	case s == "":
		e.wrong(name, `%s is "": expected a %s`, name, name)
	case unprintable >= 0:
		r, _ := utf8.DecodeRuneInString(s[unprintable:])
		e.wrong(name, "%s holds %U: expected characters that can be printed", name, r)
	case utf8.RuneCountInString(s) > maxName:
		e.wrong(name, "%s has %d characters: expected at most %d", name, utf8.RuneCountInString(s), maxName)
	}
	return s
}

// number is a whole number from least to most; least if it is none.
func (e *element) number(name string, least, most int) int {
	s := e.text(name)
	if s == "" && !e.has(name) {
		return least
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		e.wrong(name, "%s is %q: expected a whole number from %d to %d", name, s, least, most)
		return least
	}
	return n
}

// bytes is a size.
func (e *element) bytes(name string) int64 {
	s := e.text(name)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		e.wrong(name, "%s is %q: expected a number of bytes", name, s)
	}
	return max(n, 0)
}

// oneOf is one of some words; the first if it is none.
func (e *element) oneOf(name string, words ...string) string {
	s := e.text(name)
	if slices.Contains(words, s) {
		return s
	}
	if e.has(name) {
		e.wrong(name, "%s is %q: expected one of %s", name, s, strings.Join(words, ", "))
	}
	return words[0]
}

func (e *element) buffer(name string) buffer {
	return buffer(strings.Index(bufferLetters, e.oneOf(name, "i", "o", "s")))
}

// collectives are those that can be said in a file, in its words.
var collectives = []struct {
	word       string
	collective algorithms.Collective
}{
	{"allreduce", algorithms.AllReduce}, {"allgather", algorithms.AllGather},
	{"reducescatter", algorithms.ReduceScatter}, {"broadcast", algorithms.Broadcast},
	{"reduce", algorithms.Reduce}, {"scatter", algorithms.Scatter},
	{"gather", algorithms.Gather}, {"alltoall", algorithms.AlltoAll},
}

// collective is what the algorithm does. Generators write reduce_scatter, the runtime
// reads reducescatter.
func (e *element) collective() algorithms.Collective {
	s := e.text("coll")
	var words []string
	for _, c := range collectives {
		if strings.ReplaceAll(s, "_", "") == c.word {
			return c.collective
		}
		words = append(words, c.word)
	}
	switch {
	case !e.has("coll"): // which has been noted
	case s == "custom":
		e.wrong("coll", "coll is custom: the file does not say what such a collective promises, so that nothing can be proved of it; expected one of %s", strings.Join(words, ", "))
	case s == "alltoallv":
		e.wrong("coll", "coll is alltoallv: the file does not say how large the blocks are; expected one of %s", strings.Join(words, ", "))
	default:
		e.wrong("coll", "coll is %q: expected one of %s", s, strings.Join(words, ", "))
	}
	return ""
}

// noteUnknown notes attributes that nobody has asked for.
func (e *element) noteUnknown() {
	for _, a := range e.attrs {
		if !e.full() && !slices.Contains(e.known, a.Name.Local) {
			e.add(e.place(a.Name.Local), "element %s has an unknown attribute %s: expected %s", e.name, a.Name.Local, strings.Join(e.known, ", "))
		}
	}
}

// noteRepeated notes attributes that are there twice, which the XML decoder lets pass.
func (e *element) noteRepeated() {
	seen := make(map[xml.Name]bool, len(e.attrs))
	for _, a := range e.attrs {
		if seen[a.Name] {
			e.add(e.at, "element %s has attribute %s twice", e.name, a.Name.Local)
		}
		seen[a.Name] = true
	}
}

// place is the offset of an attribute; of the element if it has none.
func (e *element) place(name string) int {
	const space = " \t\r\n"
	rest := e.raw
	skip := func(n int) { rest = rest[min(n, len(rest)):] }
	skip(1 + len(e.name))
	for len(rest) > 0 {
		skip(len(rest) - len(bytes.TrimLeft(rest, space)))
		end := bytes.IndexAny(rest, space+"=/>")
		if end <= 0 {
			break
		}
		if string(rest[:end]) == name {
			return e.at + len(e.raw) - len(rest)
		}
		open := bytes.IndexAny(rest, `"'`)
		if open < 0 {
			break
		}
		quote := rest[open]
		skip(open + 1)
		skip(1 + max(slices.Index(rest, quote), 0))
	}
	return e.at
}
