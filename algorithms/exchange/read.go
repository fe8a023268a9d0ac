package exchange

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
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
