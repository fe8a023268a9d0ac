package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Limits of a document. They bound the work that a hostile one can cause and are far above
// what a document of use needs.
const (
	MaxSize  = 4 << 20 // bytes of text
	MaxDepth = 64      // mappings and lists inside one another
	MaxNodes = 1 << 19 // values, with aliases written out
	maxAlias = 1 << 14 // values that come from aliases
)

// ReadFile parses the file at path. A file that cannot be read is bad input too.
func ReadFile(path string) (*Node, error) {
	text, err := readLimited(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // without operation and path, which the origin has
		}
		return nil, Fault(Origin{File: path}, "cannot be read: %v", err)
	}
	return Parse(path, text)
}

func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxSize+1)) // Parse refuses what is longer
}

// Parse makes a tree of the one document in text. The name of the file goes into the
// origins. The error, if any, is an Errors.
func Parse(file string, text []byte) (*Node, error) {
	at := Origin{File: file}
	n, err := parse(at, text)
	if err == nil && n.Kind == Null {
		return nil, Fault(at, "the document is empty")
	}
	return n, err
}

// parse gives every node the place at.File:line:column, or at itself if it has a label.
func parse(at Origin, text []byte) (*Node, error) {
	if len(text) > MaxSize {
		return nil, Fault(at, "is larger than the limit of %d MiB", MaxSize>>20)
	}
	p := parser{at: at}
	if i := firstInvalid(text); i >= 0 {
		return nil, Fault(p.offset(text, i), "is not a UTF-8 text")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, Fault(at, "the document is empty")
	} else if err != nil {
		return nil, p.syntax(text, err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return nil, Fault(p.place(&second), "a second document begins here, expected one document")
	} else if !errors.Is(err, io.EOF) {
		return nil, p.syntax(text, err)
	}
	root := p.node(doc.Content[0], "", 0)
	if err := p.errs.sorted(); err != nil {
		return nil, err
	}
	return root, nil
}

// firstInvalid is the offset of the first byte that is not valid UTF-8, or -1.
func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

type parser struct {
	at      Origin
	errs    Errors
	nodes   int
	aliases int // depth of aliases being written out
	aliased int // nodes made there
	stopped bool
}

// place is the origin of a node.
func (p *parser) place(y *yaml.Node) Origin {
	if p.at.Label != "" {
		return p.at
	}
	return Origin{File: p.at.File, Line: max(y.Line, 1), Column: max(y.Column, 1)}
}

// offset is the origin of a byte of the text.
func (p *parser) offset(text []byte, i int) Origin {
	if p.at.Label != "" {
		return p.at
	}
	before := text[:i]
	line := bytes.LastIndexByte(before, '\n') + 1
	return Origin{File: p.at.File, Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[line:])}
}

func (p *parser) errorf(y *yaml.Node, path, format string, args ...any) {
	p.errs = append(p.errs, Error{Origin: p.place(y), Path: path, Text: fmt.Sprintf(format, args...)})
}

// stop ends the parse at a limit. Only the first limit is reported.
func (p *parser) stop(y *yaml.Node, format string, args ...any) *Node {
	if !p.stopped {
		p.errorf(y, "", format, args...)
	}
	p.stopped = true
	return nil
}

// node converts one value and what is in it.
func (p *parser) node(y *yaml.Node, path string, depth int) *Node {
	p.nodes++
	if p.aliases > 0 {
		p.aliased++
	}
	switch {
	case p.stopped:
		return nil
	case depth > MaxDepth:
		return p.stop(y, "more than %d mappings and lists inside one another", MaxDepth)
	case p.nodes > MaxNodes:
		return p.stop(y, "more than %d values", MaxNodes)
	case p.aliased > maxAlias:
		return p.stop(y, "aliases grow out of proportion: they stand for more than %d values", maxAlias)
	}
	n := &Node{Origin: p.place(y), flow: y.Style&yaml.FlowStyle != 0}
	switch y.Kind {
	case yaml.AliasNode:
		p.aliases++
		defer func() { p.aliases-- }()
		return p.node(y.Alias, path, depth+1) // an alias inside its own anchor ends at MaxDepth
	case yaml.ScalarNode:
		p.scalar(n, y, path)
	case yaml.SequenceNode:
		n.Kind = List
		p.tag(y, path, "!!seq")
		for i, item := range y.Content {
			inner := joinPath(path, strconv.Itoa(i))
			child := p.node(item, inner, depth+1)
			if child != nil && child.Kind == Null {
				p.errorf(item, inner, "element has no value")
			} else if child != nil {
				n.Items = append(n.Items, child)
			}
		}
	case yaml.MappingNode:
		n.Kind = Mapping
		p.tag(y, path, "!!map")
		p.mapping(n, y, path, depth)
	}
	return n
}

func (p *parser) scalar(n *Node, y *yaml.Node, path string) {
	n.Kind, n.Text = Scalar, y.Value
	n.Quoted = y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if y.ShortTag() == "!!null" && !n.Quoted {
		n.Kind, n.Text = Null, ""
	}
	p.tag(y, path, "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!merge")
}

// tag refuses tags that somebody wrote: values have the type that their key asks for.
func (p *parser) tag(y *yaml.Node, path string, allowed ...string) {
	if y.Style&yaml.TaggedStyle != 0 {
		p.errorf(y, path, "tag %q is not supported, write the plain value", y.Tag)
		return
	}
	for _, t := range allowed {
		if y.ShortTag() == t {
			return
		}
	}
	p.errorf(y, path, "unexpected tag %q", y.Tag)
}

func (p *parser) mapping(n *Node, y *yaml.Node, path string, depth int) {
	first := map[string]Origin{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			p.errorf(key, path, "a key must be a single word, not a list, a mapping or an alias")
			continue
		}
		name := key.Value
		inner := joinPath(path, name)
		switch at, repeated := first[name]; {
		case name == "":
			p.errorf(key, path, "a key is empty")
			continue
		case name == "<<":
			p.errorf(key, path, "merge keys are not supported, write the keys out")
			continue
		case repeated:
			p.errorf(key, inner, "key is repeated, first at %s", at)
			continue
		}
		p.tag(key, inner, "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp")
		first[name] = p.place(key)
		child := p.node(value, inner, depth+1)
		if child == nil {
			continue
		}
		if child.Kind == Null && value.Kind == yaml.ScalarNode && value.Value == "" {
			p.errorf(key, inner, "key has no value")
			continue
		}
		n.Keys = append(n.Keys, Key{Name: name, Origin: p.place(key), Value: child})
	}
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// syntax words an error of the YAML parser and finds its place.
func (p *parser) syntax(text []byte, err error) error {
	message := err.Error()
	line := 1
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	}
	message = strings.TrimPrefix(message, "yaml: ")
	at := p.at
	if at.Label == "" {
		at.Line, at.Column = syntaxPlace(text, line)
	}
	return Fault(at, "not valid YAML: %s", message)
}

// The place of a syntax error is searched for in a text of up to maxSearch bytes, among its
// last maxLines lines: each costs a parse.
const (
	maxSearch = 16 << 10
	maxLines  = 400
)

// syntaxPlace finds the first line that no longer parses. The YAML parser itself names the
// beginning of the mapping or list around it, without a column.
func syntaxPlace(text []byte, reported int) (line, column int) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	line = min(max(reported, 1), len(lines))
	if len(text) <= maxSearch {
		end := len(text)
		for i := len(lines) - 1; i >= max(0, len(lines)-maxLines); i-- {
			end -= len(lines[i])
			var n yaml.Node
			if err := yaml.Unmarshal(text[:end], &n); err == nil {
				line = i + 1
				break
			}
		}
	}
	blank := len(lines[line-1]) - len(bytes.TrimLeft(lines[line-1], " "))
	return line, blank + 1
}
