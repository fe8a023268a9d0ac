package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Presets are the names that the values of a quantity may be given under: what HCCL plans
// with, what was measured, and what a specification says.
var Presets = []string{"plan", "measured", "spec"}

// Decoder reads a tree into typed values. It hands out a Value for the root; every key
// that is asked for becomes a known key, and Err reports the keys that nobody asked for.
type Decoder struct {
	errs   Errors
	prefer []string
	opened []*Node // mappings whose keys were asked for, in that order
	asked  map[*Node]map[string]bool
	failed map[*Node]bool // values already reported to be of the wrong kind
}

// NewDecoder returns a decoder without preferences among presets.
func NewDecoder() *Decoder {
	return &Decoder{asked: map[*Node]map[string]bool{}, failed: map[*Node]bool{}}
}

// Prefer appends to the order of preference among presets. Names in front win. A set that
// has none of the preferred names gives its measured, spec or plan value, in this order.
func (d *Decoder) Prefer(presets ...string) { d.prefer = append(d.prefer, presets...) }

// Root returns the value of the whole tree.
func (d *Decoder) Root(n *Node) Value { return Value{d: d, node: n, parent: n} }

// Errorf reports an error at a place of one's own. Value.Errorf is the usual way.
func (d *Decoder) Errorf(at Origin, path, format string, args ...any) {
	d.errs = append(d.errs, Error{Origin: at, Path: path, Text: fmt.Sprintf(format, args...)})
}

// Failed says whether something wrong has been reported so far.
func (d *Decoder) Failed() bool { return len(d.errs) > 0 }

// Err reports unknown keys and returns all errors in the order of their places, nil if
// there are none. To be called once, after everything was read.
func (d *Decoder) Err() error {
	for _, n := range d.opened {
		asked := d.asked[n]
		known := slices.Sorted(maps.Keys(asked))
		for _, k := range n.Keys {
			if !asked[k.Name] {
				d.Errorf(k.Origin, "", "unknown key %q, %s", shorten(k.Name), hint(k.Name, known))
			}
		}
	}
	d.opened = nil
	return d.errs.sorted()
}

// hint names the nearest of the known words, or all of them.
func hint(word string, known []string) string {
	if near, ok := Nearest(word, known); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "expected one of " + strings.Join(known, ", ")
}

// open returns the node if it is a mapping and notes that the key was asked for.
func (d *Decoder) open(v Value, key string) *Node {
	if v.node == nil || v.node.Kind == Null {
		return nil
	}
	if v.node.Kind != Mapping {
		v.wrongKind("a mapping")
		return nil
	}
	if d.asked[v.node] == nil {
		d.asked[v.node] = map[string]bool{}
		d.opened = append(d.opened, v.node)
	}
	d.asked[v.node][key] = true
	return v.node
}

// Pick reads a value that may be given as a set over presets: it calls read for every
// member, so that all are checked, and returns what the preferred one gives. A value that
// is no set is read as it is. The methods of Value that read numbers do this by themselves.
func Pick[T any](v Value, read func(Value) T) T {
	if !v.isSet() {
		return read(v)
	}
	values := map[string]T{}
	for _, name := range Presets {
		if member := v.Key(name); member.Present() {
			values[name] = read(member)
		}
	}
	for _, name := range append(slices.Clone(v.d.prefer), "measured", "spec", "plan") {
		if value, ok := values[name]; ok {
			return value
		}
	}
	v.Errorf("the set over %s has no value", strings.Join(Presets, ", "))
	var zero T
	return zero
}

// isSet reports whether the value is a mapping with the name of a preset among its keys.
func (v Value) isSet() bool {
	if v.node == nil || v.node.Kind != Mapping {
		return false
	}
	return slices.ContainsFunc(v.node.Keys, func(k Key) bool { return slices.Contains(Presets, k.Name) })
}
