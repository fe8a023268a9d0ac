package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/topologies/document"
)

// axis is one dimension of the product that a scenario spans: a swept key with its values,
// or the cases, whose keys vary together.
type axis struct {
	at     document.Value // where the document has it
	paths  []string
	values [][]*document.Node // one row a position on the axis, one value a path
}

// assignment is a value that one combination puts at a path.
type assignment struct {
	path  string
	value *document.Node
}

// maxCombinations bounds what a short document can ask for.
const maxCombinations = 100_000

// readAxes reads sweep and cases.
func readAxes(root document.Value) []axis {
	var axes []axis
	for _, v := range root.Key("sweep").Entries() {
		a := axis{at: v, paths: []string{v.Name()}}
		seen := map[string]bool{}
		for _, e := range v.List() {
			if text := flow(e.Node()); seen[text] {
				e.Errorf("the value %s occurs twice", text)
			} else {
				seen[text] = true
				a.values = append(a.values, []*document.Node{e.Node()})
			}
		}
		if v.Node().Kind == document.List && len(v.Node().Items) == 0 {
			v.Errorf("has no values")
		}
		axes = append(axes, a)
	}
	if c := readCases(root.Key("cases")); len(c.values) > 0 {
		axes = append(axes, c)
	}
	checkAxes(axes)
	return axes
}

func readCases(cases document.Value) axis {
	a := axis{at: cases}
	for i, c := range cases.List() {
		var paths []string
		var values []*document.Node
		for _, e := range c.Entries() {
			paths, values = append(paths, e.Name()), append(values, e.Node())
		}
		if i == 0 {
			a.paths = paths
		}
		if !slices.Equal(paths, a.paths) {
			c.Errorf("gives %s where the first case gives %s: the cases must give the same keys in the same order",
				strings.Join(paths, ", "), strings.Join(a.paths, ", "))
			continue
		}
		a.values = append(a.values, values)
	}
	return a
}

// varying are the keys of a scenario that may differ between its points.
var varying = []string{"topology", "env", "communicators", "faults", "jitter", "repeat", "run"}

// checkAxes refuses keys that cannot vary and keys that two axes claim.
func checkAxes(axes []axis) {
	seen := map[string]bool{}
	combinations := 1
	for _, a := range axes {
		for _, path := range a.paths {
			switch {
			case path == "topology":
				a.at.Errorf("topology cannot vary as a whole: vary topology.use, with topologies of your own under topologies")
			case !slices.ContainsFunc(varying, func(key string) bool { return within(path, key) }):
				a.at.Errorf("%s cannot vary: only keys under %s can", path, strings.Join(varying, ", "))
			case seen[path]:
				a.at.Errorf("%s varies twice", path)
			}
			seen[path] = true
		}
		if combinations *= max(1, len(a.values)); combinations > maxCombinations {
			a.at.Errorf("more than %d combinations", maxCombinations)
			return
		}
	}
}

// combinations is the product of the axes, the last one varying fastest.
func combinations(axes []axis) [][]assignment {
	all := [][]assignment{nil}
	for _, a := range axes {
		var longer [][]assignment
		for _, begun := range all {
			for _, values := range a.values {
				c := slices.Clone(begun)
				for i, path := range a.paths {
					c = append(c, assignment{path, values[i]})
				}
				longer = append(longer, c)
			}
		}
		all = longer
	}
	return all
}

// within reports whether path is key or lies under it.
func within(path, key string) bool {
	return path == key || strings.HasPrefix(path, key+".")
}

// flow is the text of a value on one line.
func flow(n *document.Node) string {
	var parts []string
	switch {
	case n == nil || n.Kind == document.Null:
		return "null"
	case n.Kind == document.List:
		for _, item := range n.Items {
			parts = append(parts, flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case n.Kind == document.Mapping:
		for _, k := range n.Keys {
			parts = append(parts, fmt.Sprintf("%s: %s", k.Name, flow(k.Value)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return n.Text
}
