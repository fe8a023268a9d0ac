package scenarios

import (
	"strings"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/scenarios/training"
	"hcclsim/topologies/document"
)

// tensorGroup is a communicator whose ranks divide the matrices of a transformer's layers
// (Megatron-LM; arXiv 1909.08053). Each pass sums activations up twice a block, which the pass
// waits for: by AllReduce, or, where the ranks divide the sequence between the blocks too, by
// ReduceScatter behind a divided part and AllGather before it (arXiv 2205.05198).
type tensorGroup struct {
	comm     string
	sequence bool
	dtype    dtype
	entries  map[algorithms.Collective]entry
}

// sums is the collective that adds partial results up.
func (g *tensorGroup) sums() algorithms.Collective {
	if g.sequence {
		return algorithms.ReduceScatter
	}
	return algorithms.AllReduce
}

// decodeTensor reads the group, and takes of the model what one rank has.
func (s *trainingStep) decodeTensor(v document.Value, comms map[string]*communicator) {
	if !v.Present() {
		return
	}
	g := &tensorGroup{comm: v.Key("communicator").Require().Text(""), sequence: v.Key("sequence").Bool(false), entries: map[algorithms.Collective]entry{}}
	name := document.Enum(v.Key("dtype"), "bf16", DTypes())
	for _, d := range dtypes {
		if d.name == name {
			g.dtype = d
		}
	}
	for _, c := range []algorithms.Collective{algorithms.AllReduce, algorithms.AllGather, algorithms.ReduceScatter} {
		g.entries[c] = entry{at: v, collective: c, dtype: g.dtype, op: defaultOp, inPlace: true, iterations: defaultIterations, algorithms: []string{auto}}
	}
	comm := comms[g.comm]
	switch {
	case comm == nil:
		if g.comm != "" {
			v.Key("communicator").Errorf("unknown communicator %q, expected one of communicators", g.comm)
		}
		return
	case s.model.Layers == nil:
		return // reported
	case s.model.Activations == 0:
		v.Errorf("%s has no layers that ranks could divide, expected a model of %s", s.model.Name, strings.Join(transformers(), ", "))
		return
	case s.comm == world || g.comm == s.comm:
		v.Errorf("the ranks of %s divide the model: expected a communicator for the sums, whose ranks hold the same part", g.comm)
		return
	}
	s.tensor = g
	s.model = s.model.Divided(int64(len(comm.groups[0])))
}

// measure gives the exchanges their size, the activations of a batch.
func (g *tensorGroup) measure(batch document.Value, s *trainingStep) {
	if g == nil {
		return
	}
	bytes := units.Bytes(s.samples) * units.Bytes(s.model.Activations) * g.dtype.size
	if bytes > maxSize {
		batch.Errorf("gives activations of %v, above the largest, %v", bytes, maxSize)
		bytes = g.dtype.size
	}
	for c, e := range g.entries {
		e.sizes = []units.Bytes{bytes}
		g.entries[c] = e
	}
}

// transformers are the models that are built in and have layers to divide.
func transformers() (names []string) {
	for _, name := range training.Names() {
		if m, _ := training.Built(name); m.Activations > 0 {
			names = append(names, name)
		}
	}
	return names
}
