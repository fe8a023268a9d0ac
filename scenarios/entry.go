package scenarios

import (
	"path/filepath"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/algorithms/choose"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// entry is one element of run, decoded.
type entry struct {
	at         document.Value
	collective algorithms.Collective
	sizes      []units.Bytes // none where matrix says it
	matrix     [][]int64     // of AlltoAllV: bytes from each rank to each
	skew       int64         // of AlltoAllV, in thousandths
	algorithms []string      // as written
	candidates []string      // of best
	ranges     []choose.Range
	dtype      dtype
	op         string
	root       int
	inPlace    bool
	iterations int
	segment    units.Bytes
	depth      int
	files      []program // algorithms that are files
	err        error     // of the files
}

// Defaults of the keys of a run.
const (
	defaultOp         = "sum"
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

func decodeEntry(v document.Value) entry {
	c := document.Enum(v.Key("collective"), "", algorithms.Collectives(), document.Required)
	e := decodeWork(v, c)
	e.decodeAmounts(v)
	e.iterations = v.Key("iterations").Int(defaultIterations, document.Range(1, 1_000_000))
	e.algorithms = decodeAlgorithms(v.Key("algorithms").Require(), e.collective, choices, e.decodeFile)
	e.candidates = decodeAlgorithms(v.Key("candidates"), e.collective, nil, nil)
	e.ranges = decodeRanges(v.Key("ranges"), e.collective)
	return e
}

// decodeWork reads what a collective does, but for how much and by which algorithm.
func decodeWork(v document.Value, c algorithms.Collective) entry {
	e := entry{at: v, collective: c, iterations: defaultIterations}
	name := document.Enum(v.Key("dtype"), dtypes[0].name, DTypes())
	e.dtype = dtypes[slices.Index(DTypes(), name)]
	e.op = document.Enum(v.Key("op"), defaultOp, ops)
	e.root = v.Key("root").Int(0, document.NonNegative)
	// Frameworks reduce gradients in place.
	if e.inPlace = v.Key("in_place").Bool(e.collective.HasInPlace()); e.inPlace && !e.collective.HasInPlace() {
		v.Key("in_place").Errorf("%s has no form in place: its output would overwrite input that is still to be sent", e.collective)
	}
	if segment := v.Key("segment"); segment.Present() {
		e.segment = decodeSize(segment, e.dtype)
	}
	e.depth = v.Key("depth").Int(0, document.Range(2, 1<<10))
	return e
}

// decodeAmounts reads how much is moved.
func (e *entry) decodeAmounts(v document.Value) {
	sizes, matrix := v.Key("sizes"), v.Key("matrix")
	e.matrix, e.skew = decodeMatrix(matrix, e.dtype), decodeSkew(v.Key("skew"))
	switch {
	case e.collective == algorithms.Barrier && !sizes.Present():
		e.sizes = []units.Bytes{e.dtype.size}
	case matrix.Present() && e.collective != algorithms.AlltoAllV:
		matrix.Errorf("gives blocks sizes of their own, which only alltoallv has")
	case matrix.Present() && sizes.Present():
		sizes.Errorf("the matrix says how much is sent: expected either sizes or matrix")
	case matrix.Present() && v.Key("skew").Present():
		v.Key("skew").Errorf("the matrix says how much is sent: expected either skew or matrix")
	}
	if sizes.Present() || !matrix.Present() && e.collective != algorithms.Barrier {
		e.sizes = decodeSizes(sizes.Require(), e.dtype)
	}
}

// checkRanks compares what the entry says of ranks with their number.
func (e entry) checkRanks(ranks int) {
	if e.root >= ranks {
		e.at.Key("root").Errorf("rank %d does not exist: there are %d", e.root, ranks)
	}
	if len(e.matrix) > 0 && len(e.matrix) != ranks {
		e.at.Key("matrix").Errorf("has %d rows, expected %d: one for each rank", len(e.matrix), ranks)
	}
}

// decodeAlgorithms reads names of algorithms that the collective has, of choices, and of
// files if file takes them.
func decodeAlgorithms(v document.Value, c algorithms.Collective, choices []string, file func(document.Value, string)) []string {
	var names, paths []string
	for _, a := range v.OneOrMore() {
		path := a.Text("")
		name := path
		if file != nil && IsFile(path) {
			name = filepath.Base(path)
		}
		i := slices.IndexFunc(names, func(n string) bool { return algorithms.Canonical(n) == algorithms.Canonical(name) })
		switch {
		case a.Present() && a.Node().Kind != document.Scalar: // which has been reported
		case i >= 0 && name != path && paths[i] != path:
			a.Errorf("%s and %s would both be kept as %s beside the results: expected files of different names", paths[i], path, name)
		case i >= 0 && names[i] != name && algorithms.Canonical(name) != name:
			a.Errorf("algorithm %s is %s, which occurs already", name, names[i])
		case i >= 0 && names[i] != name:
			a.Errorf("algorithm %s occurs already, as %s", name, names[i])
		case i >= 0:
			a.Errorf("algorithm %s occurs twice", name)
		case slices.Contains(choices, name):
			names, paths = append(names, name), append(paths, path)
		case file != nil && IsFile(name):
			file(a, path)
			names, paths = append(names, name), append(paths, path)
		case !algorithms.Known(name):
			a.Errorf("unknown algorithm %q%s", name, nearestAlgorithm(name, c, choices))
		case c != "" && !algorithms.Offers(name, c):
			a.Errorf("%s has no algorithm %s, it has %s", c, name, list(offering(c)))
		default:
			names, paths = append(names, name), append(paths, path)
		}
	}
	if isList(v) && len(v.Node().Items) == 0 {
		v.Errorf("is empty: name one of %s", list(slices.Concat(offering(c), choices)))
	}
	return names
}

// decodeAlgorithm reads the canonical name of one algorithm; "" if there is none.
func decodeAlgorithm(v document.Value, c algorithms.Collective) string {
	if isList(v) {
		v.Errorf("expected one name, got a list")
		return ""
	}
	names := decodeAlgorithms(v.Require(), c, nil, nil)
	if len(names) == 0 {
		return ""
	}
	return algorithms.Canonical(names[0])
}

// offering lists the algorithms of a collective, of any if it is empty: without mixes,
// which can be put together.
func offering(c algorithms.Collective) []string {
	return slices.DeleteFunc(algorithms.Names(), func(name string) bool {
		return strings.Contains(name, "+") || c != "" && !algorithms.Offers(name, c)
	})
}
