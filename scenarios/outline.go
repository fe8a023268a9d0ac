package scenarios

import (
	"slices"

	"hcclsim/topologies/document"
)

// outlineKeys are the keys of a scenario.
var outlineKeys = []string{"apiVersion", "kind", "name", "description", "topologies", "topology", "env", "communicators", "faults", "jitter", "repeat", "run", "sweep", "cases", "assert", "plots"}

// Plots lists the kinds of plots that a scenario can ask for.
var Plots = []string{"bandwidth", "latency", "crossover", "scaling", "sweep"}

// outline is what a scenario says about all of its combinations.
type outline struct {
	name, description string
	axes              []axis
	assertions        []Assertion
	plots             []string
}

func decodeOutline(root *document.Node) (outline, error) {
	d := document.NewDecoder()
	v := d.Root(root)
	v.ReadHeader("Scenario", document.Required)
	o := outline{
		name:        v.Key("name").Text("", document.Required),
		description: v.Key("description").Text(""),
		axes:        readAxes(v),
	}
	if !isName(o.name) {
		v.Key("name").Errorf("%q is no name: letters, digits, dots, dashes and underscores make one", o.name)
	}
	for _, e := range v.Key("assert").List() {
		a, err := parseAssertion(e.Text(""), o.swept())
		if err != nil {
			e.Errorf("%v", err)
		}
		o.assertions = append(o.assertions, a)
	}
	for _, e := range v.Key("plots").List() {
		kind := document.Enum(e, "", Plots)
		if slices.Contains(o.plots, kind) {
			e.Errorf("plot %s occurs twice", kind)
		}
		o.plots = append(o.plots, kind)
	}
	for _, key := range outlineKeys {
		v.Key(key) // read by decodeCombination
	}
	return o, d.Err()
}

// swept are the paths of all axes, in order.
func (o outline) swept() []string {
	var paths []string
	for _, a := range o.axes {
		paths = append(paths, a.paths...)
	}
	return paths
}

// isName reports whether a name can also be that of a directory.
func isName(name string) bool {
	for _, c := range []byte(name) {
		if !isLetter(c) && !isDigit(c) && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return name == "" || name[0] != '.' // an empty one is reported as missing
}
