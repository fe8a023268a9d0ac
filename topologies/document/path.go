package document

import (
	"fmt"
	"slices"
	"strings"
)

// Get returns the value at a path such as server.links.hccs.latency: keys of mappings,
// and elements of lists by index, name or class.
func (n *Node) Get(path string) (*Node, bool) {
	for steps := strings.Split(path, "."); len(steps) > 0; {
		switch n.Kind {
		case Mapping:
			name, rest := n.step(steps)
			if n = n.Key(name); n == nil {
				return nil, false
			}
			steps = rest
		case List:
			i, ok := n.element(steps[0])
			if !ok {
				return nil, false
			}
			n, steps = n.Items[i], steps[1:]
		default:
			return nil, false
		}
	}
	return n, true
}

// step takes the next key off a path. A key may have dots itself, as those of a sweep do:
// the longest key that exists wins.
func (n *Node) step(steps []string) (name string, rest []string) {
	for i := len(steps); i > 1; i-- {
		if name = strings.Join(steps[:i], "."); n.index(name) >= 0 {
			return name, steps[i:]
		}
	}
	return steps[0], steps[1:]
}

// Set puts a value at a path. The value is what one would write in a document: a single
// value, or a list or mapping in brackets or braces; null takes what is there away.
// Mappings on the way are made where the document has none. The origin, for example
// "--set topology.servers=4", becomes that of the value and of the error, if any.
func (n *Node) Set(path, value, origin string) error {
	at := Origin{Label: origin}
	if strings.TrimSpace(value) == "" {
		return Fault(at, "has no value")
	}
	v, err := parse(at, []byte(value))
	if err != nil {
		return err
	}
	return n.Put(path, v, at)
}

// Put is Set with a value that is a node already. The mappings that it makes and the
// error have the origin at.
func (n *Node) Put(path string, v *Node, at Origin) error {
	steps := strings.Split(path, ".")
	if slices.Contains(steps, "") {
		return Fault(at, "path %q has an empty step, expected keys with dots between them", path)
	}
	done := ""
	for len(steps) > 0 {
		switch n.Kind {
		case Mapping:
			name, rest := n.step(steps)
			done, steps = joinPath(done, name), rest
			next := n.Key(name)
			if len(steps) == 0 {
				n.PutKey(Key{Name: name, Origin: at, Value: v})
				return nil
			}
			if next == nil || next.Kind == Null {
				next = NewMapping(at)
				n.PutKey(Key{Name: name, Origin: at, Value: next})
			}
			n = next
		case List:
			i, ok := n.element(steps[0])
			if !ok {
				return Fault(at, "%s", n.noElement(done, steps[0]))
			}
			done, steps = joinPath(done, steps[0]), steps[1:]
			if len(steps) == 0 {
				n.putElement(i, v)
				return nil
			}
			n = n.Items[i]
		default:
			return Fault(at, "%s is %v, it has no key %q", done, n.Kind, steps[0])
		}
	}
	return nil
}

func (n *Node) putElement(i int, v *Node) {
	if v.Kind == Null {
		n.Items = slices.Delete(n.Items, i, i+1)
	} else {
		n.Items[i] = v
	}
}

func (n *Node) noElement(path, step string) string {
	labels := n.labels()
	text := fmt.Sprintf("%s has no element %q", path, step)
	if slices.Index(labels, step) >= 0 {
		return text + ": several have this name or class, give the index"
	}
	if near, ok := Nearest(step, labels); ok {
		return fmt.Sprintf("%s, did you mean %q?", text, near)
	}
	return fmt.Sprintf("%s, expected one of %s", text, strings.Join(labels, ", "))
}
