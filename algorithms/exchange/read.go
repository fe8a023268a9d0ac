package exchange

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hcclsim/algorithms"
)

// Limits of what a file may ask for, far above what is run: they keep numbers of slices
// within the 32 bits of a set, and memory in proportion to the file.
const (
	maxGPUs   = 1 << 14
	maxChunks = 1 << 20
	maxSlices = 1 << 28 // of the whole program
	maxName   = 200     // characters
)

// Read reads a file and checks all of it. The name is for errors. An error of the file is
// of type Errors.
func Read(name string, r io.Reader) (*Algorithm, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	p := &parser{faults: newFaults(name, text), a: &Algorithm{File: name}}
	p.parse(text)
	if err := p.err(); err != nil {
		return nil, err
	}
	p.check()
	if err := p.err(); err != nil {
		return nil, err
	}
	p.compile()
	if err := p.err(); err != nil {
		return nil, err
	}
	return p.a, nil
}

// parser takes a file in, element by element.
type parser struct {
	*faults
	a     *Algorithm
	path  []string // of the elements that are open
	gpu   *gpu
	block *block
}

// nesting is which element stands in which.
var nesting = []string{"algo", "gpu", "tb", "step"}

var errCharset = errors.New("not UTF-8")

// parse reads the elements. A fault of XML itself ends it.
func (p *parser) parse(text []byte) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errCharset }
	for !p.full() {
		from := int(d.InputOffset())
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			p.notXML(text, from, int(d.InputOffset()), err)
			return
		}
		switch t := t.(type) {
		case xml.StartElement:
			p.open(&element{parser: p, name: t.Name.Local, attrs: t.Attr, at: from, raw: text[from:d.InputOffset()]})
		case xml.EndElement:
			p.path = p.path[:len(p.path)-1]
		case xml.CharData:
			if s := strings.TrimSpace(string(t)); s != "" {
				p.add(from+max(bytes.IndexByte(text[from:], s[0]), 0), "text between elements: expected elements only")
			}
		}
	}
	if p.a.Ranks == 0 && len(p.list) == 0 {
		p.add(len(text), "no element algo: expected one")
	}
}

// notXML notes why a token, or what stands at an offset in it, is none of XML.
func (p *parser) notXML(text []byte, from, at int, err error) {
	switch {
	case errors.Is(err, errCharset):
		p.add(from, "the file says that it is written in another encoding: expected UTF-8")
	case !utf8.Valid(text):
		valid := 0
		for r, n := utf8.DecodeRune(text); r != utf8.RuneError || n != 1; r, n = utf8.DecodeRune(text[valid:]) {
			valid += n
		}
		p.add(valid, "bytes that are no characters: expected UTF-8")
	default:
		why := strings.TrimPrefix(err.Error(), "xml: ")
		p.add(at, "not XML: %s", strings.TrimPrefix(why, "XML syntax error on "))
	}
}

// open takes in an element.
func (p *parser) open(e *element) {
	depth := len(p.path)
	p.path = append(p.path, e.name)
	inside := slices.Equal(p.path[:depth], nesting[:min(depth, len(nesting))])
	switch {
	case !inside:
		return // of an element that has been refused
	case depth == len(nesting) || e.name != nesting[depth]:
		where := "the file"
		if depth > 0 {
			where = "element " + p.path[depth-1]
		}
		expected := "none inside it"
		if depth < len(nesting) {
			expected = nesting[depth]
		}
		p.add(e.at, "element %s in %s: expected %s", e.name, where, expected)
		return
	}
	if depth == 0 && p.a.Ranks != 0 {
		p.path[0] = "" // whose elements are not looked at
		p.add(e.at, "a second element algo: expected one")
		return
	}
	e.noteRepeated()
	switch e.name {
	case "algo":
		p.algo(e)
	case "gpu":
		p.takeGPU(e)
	case "tb":
		p.takeBlock(e)
	case "step":
		p.takeStep(e)
	}
	e.noteUnknown()
}

func (p *parser) algo(e *element) {
	a := p.a
	a.Name = e.title("name")
	a.Protocol = e.oneOf("proto", "LL", "LL128", "Simple")
	a.Channels = e.number("nchannels", 1, maxChunks)
	a.ChunksPerLoop = e.number("nchunksperloop", 1, maxChunks)
	a.Ranks = e.number("ngpus", 1, maxGPUs)
	a.Collective = e.collective()
	a.InPlace = e.number("inplace", 0, 1) == 1
	a.OutOfPlace = !a.InPlace
	if e.has("outofplace") {
		a.OutOfPlace = e.number("outofplace", 0, 1) == 1
	}
	if e.has("minBytes") {
		a.MinBytes = e.bytes("minBytes")
	}
	if e.has("maxBytes") {
		a.MaxBytes = e.bytes("maxBytes")
	}
	e.ignore("redop")
	a.gpus = make([]gpu, a.Ranks)
	for i := range a.gpus {
		a.gpus[i].at = -1
	}
	e.checkAlgo(a)
}

// checkAlgo compares what the algorithm says of itself.
func (e *element) checkAlgo(a *Algorithm) {
	if a.Collective == "" || a.Ranks == 0 {
		return
	}
	if !a.InPlace && !a.OutOfPlace {
		e.wrong("inplace", `inplace="0" outofplace="0": expected one of them to be 1`)
	}
	if a.InPlace && !a.Collective.HasInPlace() {
		e.wrong("inplace", `inplace="1": %s cannot be in place`, a.Collective)
	}
	n := e.numbering()
	switch {
	case n.slices > maxSlices:
		e.wrong("nchunksperloop", "nchunksperloop is %d: an alltoall of %d gpus can have at most %d", a.ChunksPerLoop, a.Ranks, maxSlices/a.Ranks)
	case (n.ownInput() || n.ownOutput()) && a.ChunksPerLoop%a.Ranks != 0:
		e.wrong("nchunksperloop", "nchunksperloop is %d: expected a multiple of the %d gpus of an %s", a.ChunksPerLoop, a.Ranks, a.Collective)
	}
	if !e.valid() {
		a.Collective = "" // by which nothing else is judged
	}
}

// numbering is that of buffers out of place; in place chunks have the same numbers.
func (p *parser) numbering() numbering {
	return newNumbering(p.a.Collective, p.a.Ranks, p.a.ChunksPerLoop, false)
}

func (p *parser) takeGPU(e *element) {
	p.gpu, p.block = &gpu{}, nil // where a faulty one is kept
	id := e.number("id", 0, max(p.a.Ranks-1, 0))
	declared := [buffers]int{}
	for b := range declared {
		declared[b] = e.number(bufferLetters[b:b+1]+"_chunks", 0, maxChunks)
	}
	if !e.valid() {
		return
	}
	g := &p.a.gpus[id]
	if g.at >= 0 {
		p.add(e.at, "gpu %d again: it is in line %d", id, p.line(g.at))
		return
	}
	p.gpu = g
	g.at, g.chunks = e.at, declared
	if p.a.Collective == "" {
		return
	}
	n := p.numbering()
	for b := range scratch {
		if most := n.chunks(b); declared[b] > most {
			p.add(e.place(b.String()+"_chunks"), "%v_chunks is %d: an %s of %d gpus in %d chunks has at most %d", b, declared[b], p.a.Collective, p.a.Ranks, p.a.ChunksPerLoop, most)
		}
	}
}

func (p *parser) takeBlock(e *element) {
	b := block{at: e.at}
	p.block = &b
	id := e.number("id", 0, maxChunks)
	most := max(p.a.Ranks-1, 0)
	b.send = e.number("send", -1, most)
	b.recv = e.number("recv", -1, most)
	b.channel = e.number("chan", 0, max(p.a.Channels-1, 0))
	if want := len(p.gpu.blocks); e.valid() && id != want {
		p.add(e.place("id"), "tb id is %d: expected %d, ids count from 0", id, want)
	}
	p.gpu.blocks = append(p.gpu.blocks, b)
	p.block = &p.gpu.blocks[len(p.gpu.blocks)-1]
}

func (p *parser) takeStep(e *element) {
	none := partner{place: place{block: -1}}
	i := instruction{at: e.at, peerSend: none, peerRecv: none}
	s := e.number("s", 0, maxChunks)
	i.kind = kind(slices.Index(kindNames, e.oneOf("type", kindNames...)))
	i.src = chunk{e.buffer("srcbuf"), e.number("srcoff", -1, maxChunks)}
	i.dst = chunk{e.buffer("dstbuf"), e.number("dstoff", -1, maxChunks)}
	i.count = e.number("cnt", 0, maxChunks)
	i.after = place{e.number("depid", -1, maxChunks), e.number("deps", -1, maxChunks)}
	i.notifies = e.number("hasdep", 0, 1) == 1
	if want := len(p.block.steps); e.valid() && s != want {
		p.add(e.place("s"), "step %d: expected %d, steps count from 0", s, want)
	}
	p.block.steps = append(p.block.steps, i)
	p.a.Steps++
}

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
