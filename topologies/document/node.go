package document

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is what a node holds.
type Kind uint8

const (
	Null Kind = iota
	Scalar
	List
	Mapping
)

func (k Kind) String() string {
	return [...]string{"null", "a single value", "a list", "a mapping"}[k]
}

// Node is a value of a document with the place that it was written at.
type Node struct {
	Kind   Kind
	Origin Origin
	Text   string  // of a scalar, as written
	Quoted bool    // the scalar was quoted: it is a text, never a number
	Items  []*Node // of a list
	Keys   []Key   // of a mapping, in the order of the document

	flow bool // written in braces or brackets; kept for Encode
}

// Key is one entry of a mapping.
type Key struct {
	Name   string
	Origin Origin
	Value  *Node
}

// NewMapping returns an empty mapping.
func NewMapping(at Origin) *Node { return &Node{Kind: Mapping, Origin: at} }

// Position is file:line:column of the node, or the label of the override that it comes from.
func (n *Node) Position() string { return n.Origin.String() }

// Key returns the value of a key of a mapping, nil if there is none. An explicit null is
// returned as a node of kind Null.
func (n *Node) Key(name string) *Node {
	if i := n.index(name); i >= 0 {
		return n.Keys[i].Value
	}
	return nil
}

func (n *Node) index(name string) int {
	if n == nil {
		return -1
	}
	return slices.IndexFunc(n.Keys, func(k Key) bool { return k.Name == name })
}

// PutKey sets a key; a null value takes it away.
func (n *Node) PutKey(k Key) {
	i := n.index(k.Name)
	switch {
	case k.Value.Kind == Null && i >= 0:
		n.Keys = slices.Delete(n.Keys, i, i+1)
	case k.Value.Kind == Null:
	case i >= 0:
		n.Keys[i] = k
	default:
		n.Keys = append(n.Keys, k)
	}
}

// Clone is a copy that shares nothing with n.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Items, c.Keys = slices.Clone(n.Items), slices.Clone(n.Keys)
	for i := range c.Items {
		c.Items[i] = c.Items[i].Clone()
	}
	for i := range c.Keys {
		c.Keys[i].Value = c.Keys[i].Value.Clone()
	}
	return &c
}

// Overlay returns base with the values of over put in. Mappings merge key by key, at every
// depth; a null in over takes the key away. A list replaces the list of base wholly, with
// one exception: if every element of it names an element of base by its class or name,
// those elements are merged and the others stay. Neither argument is changed.
func Overlay(base, over *Node) *Node {
	switch {
	case base == nil:
		return over.Clone()
	case over == nil:
		return base.Clone()
	case base.Kind == Mapping && over.Kind == Mapping:
		merged := base.Clone()
		for _, k := range over.Keys {
			k.Value = Overlay(merged.Key(k.Name), k.Value)
			merged.PutKey(k)
		}
		return merged
	case base.Kind == List && over.Kind == List:
		if merged, ok := overlayElements(base, over); ok {
			return merged
		}
	}
	return over.Clone()
}

func overlayElements(base, over *Node) (*Node, bool) {
	merged := base.Clone()
	for _, element := range over.Items {
		i, ok := -1, false
		if label := element.label(); label != "" {
			i, ok = merged.element(label)
		}
		if !ok {
			return nil, false
		}
		merged.Items[i] = Overlay(merged.Items[i], element)
	}
	return merged, len(over.Items) > 0
}

// label is the name or class of an element of a list.
func (n *Node) label() string {
	for _, key := range []string{"name", "class"} {
		if v := n.Key(key); v != nil && v.Kind == Scalar {
			return v.Text
		}
	}
	return ""
}

// element finds an element of a list by name or class, or else by index. A label that two
// elements have finds none.
func (n *Node) element(step string) (int, bool) {
	found := -1
	for i, item := range n.Items {
		if item.label() != step {
			continue
		}
		if found >= 0 {
			return -1, false
		}
		found = i
	}
	if found < 0 {
		if i, err := strconv.Atoi(step); err == nil && strconv.Itoa(i) == step {
			found = i
		}
	}
	return found, found >= 0 && found < len(n.Items)
}

// labels lists how the elements of a list can be addressed, for hints.
func (n *Node) labels() []string {
	var labels []string
	for i, item := range n.Items {
		if l := item.label(); l != "" {
			labels = append(labels, l)
		} else {
			labels = append(labels, strconv.Itoa(i))
		}
	}
	return labels
}

// joinPath appends a step to a path.
func joinPath(path, step string) string {
	return strings.TrimPrefix(path+"."+step, ".")
}
