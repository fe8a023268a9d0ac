package scenarios

import (
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies"
	"hcclsim/topologies/document"
)

// entry is one element of run, decoded.
type entry struct {
	at         document.Value
	collective algorithms.Collective
	sizes      []units.Bytes
	algorithms []string // as written
	dtype      dtype
	op         string
	root       int
	inPlace    bool
	iterations int
	segment    units.Bytes
}

// Defaults of the keys of a run. Frameworks reduce gradients in place.
const (
	defaultOp         = "sum"
	defaultInPlace    = true
	defaultIterations = 1
)

// dtype is a data type of elements.
type dtype struct {
	name string
	size units.Bytes
}

var dtypes = []dtype{
	{"fp32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp64", 8},
	{"int8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8},
	{"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8},
}

var ops = []string{defaultOp, "prod", "max", "min"}

// DTypes lists the data types by name, the default first.
func DTypes() []string {
	names := make([]string, len(dtypes))
	for i, t := range dtypes {
		names[i] = t.name
	}
	return names
}

// Ops lists the reductions by name, the default first.
func Ops() []string { return slices.Clone(ops) }

// settled is a combination, decoded: one machine and what runs on it.
type settled struct {
	topology model.Topology
	entries  []entry
	warnings []Warning
}

// Warning is something that was set and does nothing.
type Warning struct{ At, Text string }

func (w Warning) String() string { return w.At + ": " + w.Text }

func noEffect(v document.Value, why string) Warning {
	return Warning{v.Node().Position(), v.Path() + " has no effect " + why}
}

// decodeCombination reads topology, env and run of a tree in which nothing varies any more.
func decodeCombination(root *document.Node) (settled, error) {
	d := document.NewDecoder()
	v := d.Root(root)
	var s settled
	var topologyErr error
	if t := v.Key("topology").Require(); t.Present() {
		s.topology, topologyErr = topologies.Decode(t.Node())
	}
	s.warnings = decodeEnv(v.Key("env"))
	runs := v.Key("run").List(document.Required)
	if v.Key("run").Present() && len(runs) == 0 {
		v.Key("run").Errorf("is empty: there is nothing to run")
	}
	for _, r := range runs {
		e := decodeEntry(r)
		if topologyErr == nil && e.root >= s.topology.Servers*s.topology.Server.NPUs {
			r.Key("root").Errorf("rank %d does not exist: there are %d", e.root, s.topology.Servers*s.topology.Server.NPUs)
		}
		s.entries = append(s.entries, e)
		s.warnings = append(s.warnings, e.idle()...)
	}
	for _, key := range outlineKeys {
		v.Key(key) // read by decodeOutline
	}
	return s, document.Join(topologyErr, d.Err())
}

// decodeEnv checks the names under env and warns of each that it does nothing.
func decodeEnv(env document.Value) (warnings []Warning) {
	for _, v := range env.Entries() {
		if !slices.Contains(variables, v.Name()) {
			v.Errorf("unknown variable %s%s", v.Name(), nearest(v.Name(), variables))
			continue
		}
		v.Text("")
		warnings = append(warnings, noEffect(v, "in this version"))
	}
	return warnings
}

func decodeEntry(v document.Value) entry {
	e := entry{at: v}
	e.collective = document.Enum(v.Key("collective"), "", algorithms.Collectives(), document.Required)
	types := v.Key("dtype")
	name := document.Enum(types, dtypes[0].name, DTypes())
	e.dtype = dtypes[slices.Index(DTypes(), name)]
	e.sizes = decodeSizes(v.Key("sizes").Require(), e.dtype)
	e.op = document.Enum(v.Key("op"), defaultOp, ops)
	e.root = v.Key("root").Int(0, document.NonNegative)
	e.inPlace = v.Key("in_place").Bool(defaultInPlace)
	e.iterations = v.Key("iterations").Int(defaultIterations, document.Range(1, 1_000_000))
	e.segment = v.Key("segment").Bytes(0, document.Positive)
	e.algorithms = decodeAlgorithms(v.Key("algorithms").Require(), e.collective)
	return e
}

// decodeAlgorithms reads names of algorithms that the collective has.
func decodeAlgorithms(v document.Value, c algorithms.Collective) []string {
	var names []string
	for _, a := range v.OneOrMore() {
		name := a.Text("")
		switch {
		case name == "auto":
			a.Errorf("nothing chooses an algorithm in this version: name one of %s", list(offering(c)))
		case !slices.Contains(algorithms.Names(), algorithms.Canonical(name)):
			a.Errorf("unknown algorithm %q%s", name, nearest(name, algorithms.Names()))
		case c != "" && !algorithms.Offers(name, c):
			a.Errorf("%s has no algorithm %s, it has %s", c, name, list(offering(c)))
		case slices.Contains(names, name):
			a.Errorf("algorithm %s occurs twice", name)
		default:
			names = append(names, name)
		}
	}
	if v.Present() && v.Node().Kind == document.List && len(v.Node().Items) == 0 {
		v.Errorf("is empty: name one of %s", list(offering(c)))
	}
	return names
}

// offering lists the algorithms of a collective; of any if it is empty.
func offering(c algorithms.Collective) []string {
	return slices.DeleteFunc(algorithms.Names(), func(name string) bool { return c != "" && !algorithms.Offers(name, c) })
}

// idle warns of keys that do nothing for this collective and these algorithms.
func (e entry) idle() (warnings []Warning) {
	warn := func(key, why string) {
		if k := e.at.Key(key); k.Present() {
			warnings = append(warnings, noEffect(k, "here: "+why))
		}
	}
	if e.collective != "" && !e.collective.Rooted() {
		warn("root", string(e.collective)+" has no root")
	}
	if e.collective != "" && !e.collective.Reduces() {
		warn("op", string(e.collective)+" reduces nothing")
	}
	if !slices.ContainsFunc(e.algorithms, func(name string) bool {
		return strings.Contains(algorithms.Canonical(name), "double-tree")
	}) {
		warn("segment", "only double-tree cuts its messages into segments")
	}
	return warnings
}
