package document

import (
	"fmt"
	"strconv"
	"strings"

	"hcclsim/model/units"
)

// Value is a place in a tree that a decoder reads: what stands there, or that nothing
// does. Its methods never fail: they report to the decoder and return the default.
type Value struct {
	d      *Decoder
	node   *Node // nil: absent
	parent *Node // nearest node that exists; where a missing value is reported
	path   string
	name   string // last step of the path
	orphan bool   // in a mapping that is absent itself, so that nothing is required of it
}

// Present reports whether the document has a value here. A null is none.
func (v Value) Present() bool { return v.node != nil && v.node.Kind != Null }

// Node is what stands here, nil if the value is absent.
func (v Value) Node() *Node {
	if v.Present() {
		return v.node
	}
	return nil
}

// Path is the path of the value from the root, e.g. npu.dma.remote.
func (v Value) Path() string { return v.path }

// Errorf reports something wrong with the value, at its place.
func (v Value) Errorf(format string, args ...any) {
	at := v.parent
	if v.node != nil {
		at = v.node
	}
	v.d.Errorf(at.Origin, v.path, format, args...)
}

// wrongKind reports once that something else was expected here.
func (v Value) wrongKind(expected string) {
	if !v.d.failed[v.node] {
		v.d.failed[v.node] = true
		v.Errorf("expected %s, got %s", expected, v.node.describe())
	}
}

func (n *Node) describe() string {
	if n.Kind == Scalar {
		return fmt.Sprintf("%q", shorten(n.Text))
	}
	return n.Kind.String()
}

func shorten(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "..."
	}
	return text
}

// Key returns the value of a key of the mapping that stands here. From then on the key is
// known. In an absent mapping every key is absent.
func (v Value) Key(name string) Value {
	n := v.d.open(v, name)
	if n == nil {
		return Value{d: v.d, parent: v.parent, path: joinPath(v.path, name), name: name, orphan: true}
	}
	return v.child(n.Key(name), name)
}

// child is the value of a key, or an element, of what stands here.
func (v Value) child(n *Node, name string) Value {
	return Value{d: v.d, node: n, parent: v.node, path: joinPath(v.path, name), name: name}
}

// Entries returns the values of all keys of the mapping that stands here, in the order of
// the document, for mappings whose keys are not fixed. Name gives the key of each.
func (v Value) Entries() []Value {
	if !v.Present() {
		return nil
	}
	if v.node.Kind != Mapping {
		v.wrongKind("a mapping")
		return nil
	}
	var entries []Value
	for _, k := range v.node.Keys {
		v.d.open(v, k.Name)
		if e := v.child(k.Value, k.Name); e.Present() {
			entries = append(entries, e)
		}
	}
	return entries
}

// Name is the last step of the path: the key of a mapping, or the index in a list.
func (v Value) Name() string { return v.name }

// List returns the elements of the list that stands here, none if it is absent.
func (v Value) List(rules ...Rule) []Value {
	if !v.present(rules) {
		return nil
	}
	if v.node.Kind != List {
		v.wrongKind("a list")
		return nil
	}
	elements := make([]Value, len(v.node.Items))
	for i, item := range v.node.Items {
		elements[i] = v.child(item, strconv.Itoa(i))
	}
	return elements
}

// OneOrMore is List, except that something else than a list counts as a list of it alone.
func (v Value) OneOrMore(rules ...Rule) []Value {
	if v.Present() && v.node.Kind != List {
		return []Value{v}
	}
	return v.List(rules...)
}

// Require reports the value as missing if it is absent, and returns it.
func (v Value) Require() Value {
	v.present([]Rule{Required})
	return v
}

// Text reads a single value as it is written; numbers are texts too.
func (v Value) Text(absent string, rules ...Rule) string {
	if text, ok := v.scalar("a single value", rules); ok {
		return text
	}
	return absent
}

// Texts reads a list of texts, or one text.
func (v Value) Texts() []string {
	var texts []string
	for _, e := range v.OneOrMore() {
		if text, ok := e.scalar("a single value", nil); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Bool reads true or false.
func (v Value) Bool(absent bool, rules ...Rule) bool {
	text, ok := v.scalar("true or false", rules)
	if !ok {
		return absent
	}
	if v.node.Quoted || text != "true" && text != "false" {
		v.Errorf("expected true or false, got %q", shorten(text))
		return absent
	}
	return text == "true"
}

// Enum reads one of the allowed words.
func Enum[T ~string](v Value, absent T, allowed []T, rules ...Rule) T {
	words := make([]string, len(allowed))
	for i, a := range allowed {
		words[i] = string(a)
	}
	text, ok := v.scalar("one of "+strings.Join(words, ", "), rules)
	if !ok {
		return absent
	}
	for _, a := range allowed {
		if string(a) == text {
			return a
		}
	}
	if near, ok := Nearest(text, words); ok {
		v.Errorf("unknown value %q, did you mean %q? (%s)", shorten(text), near, strings.Join(words, ", "))
	} else {
		v.Errorf("unknown value %q, expected one of %s", shorten(text), strings.Join(words, ", "))
	}
	return absent
}

// Int reads a whole number.
func (v Value) Int(absent int, rules ...Rule) int {
	return int(number(v, int64(absent), "", "a whole number", rules, func(text string) (int64, error) {
		if !units.Plain(text) || strings.Contains(text, ".") {
			return 0, fmt.Errorf("expected a whole number, got %q", shorten(text))
		}
		i, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("number %s is too large", shorten(text))
		}
		return i, nil
	}))
}

// Float reads a plain decimal number without a dimension. Nothing that a simulated time
// depends on may be read with it.
func (v Value) Float(absent float64, rules ...Rule) float64 {
	return number(v, absent, "", "a number", rules, func(text string) (float64, error) {
		if !units.Plain(text) {
			return 0, fmt.Errorf("expected a plain decimal number, got %q", shorten(text))
		}
		return strconv.ParseFloat(text, 64)
	})
}

// Thousandths reads a plain decimal number between two whole ones, as thousandths.
func (v Value) Thousandths(absent, low, high int64) int64 {
	x := v.Float(float64(absent)/1000, Range(low, high))
	return int64(x*1000 + 0.5)
}

// Bytes reads a size. It must not be negative.
func (v Value) Bytes(absent units.Bytes, rules ...Rule) units.Bytes {
	parse := units.ParseBytes
	if has(rules, Bare) {
		parse = func(text string) (units.Bytes, error) { return units.ParseBytesBare(text, 1) }
	}
	return number(v, absent, "size", "a size such as 512KiB", withSign(rules), parse)
}

// Rate reads a bandwidth. It must not be negative.
func (v Value) Rate(absent units.Rate, rules ...Rule) units.Rate {
	return number(v, absent, "bandwidth", "a bandwidth such as 25GB/s", append(withSign(rules), attainable), units.ParseRate)
}

// Duration reads a duration of at most 1000 s. It must not be negative.
func (v Value) Duration(absent units.Duration, rules ...Rule) units.Duration {
	return number(v, absent, "duration", "a duration such as 1.5us", append(withSign(rules), shortEnough), units.ParseDuration)
}

// number reads a number, or a set of numbers over presets, and checks it. Numbers without
// a dimension have no name.
func number[T ~int64 | ~float64](v Value, absent T, name, expected string, rules []Rule, parse func(string) (T, error)) T {
	return Pick(v, func(v Value) T {
		text, ok := v.scalar(expected, rules)
		if !ok {
			return absent
		}
		if v.node.Quoted && name == "" {
			v.Errorf("expected %s, got the text %q", expected, shorten(text))
			return absent
		}
		value, err := parse(text)
		if err != nil {
			v.Errorf("%v", err)
			return absent
		}
		for _, r := range rules {
			if r.broken != nil && r.broken(float64(value)) {
				v.Errorf("%s", strings.TrimSpace(fmt.Sprintf("%s must be %s, got %s", name, r.text, shorten(text))))
				return absent
			}
		}
		return value
	})
}

// scalar is the text of a single value. ok is false if there is none; what is wrong about
// that has been reported.
func (v Value) scalar(expected string, rules []Rule) (text string, ok bool) {
	if !v.present(rules) {
		return "", false
	}
	if v.node.Kind != Scalar {
		v.wrongKind(expected)
		return "", false
	}
	return v.node.Text, true
}

// present reports whether there is a value, and an error if there must be one.
func (v Value) present(rules []Rule) bool {
	if v.Present() {
		return true
	}
	if has(rules, Required) && !v.orphan {
		v.Errorf("is missing")
	}
	return false
}
