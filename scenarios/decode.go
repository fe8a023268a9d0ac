package scenarios

import (
	"slices"

	"hcclsim/model"
	"hcclsim/topologies"
	"hcclsim/topologies/document"
)

// settled is a combination, decoded: one machine and what runs on it.
type settled struct {
	topology model.Topology
	env      environment
	entries  []entry
	sets     []*streamSet
	faults   model.Faults
	jitter   model.Jitter
	repeat   int // runs of every point, with other seeds
	warnings []Warning

	communicators map[string]*communicator
}

// allEntries are the collectives that run, those of streams too.
func (s settled) allEntries() []entry {
	all := slices.Clone(s.entries)
	for _, set := range s.sets {
		for _, st := range set.streams {
			for _, o := range st.operators {
				if o.of.Kind == model.OpCall {
					all = append(all, o.entry)
				}
			}
		}
	}
	return all
}

// hasKernels says whether streams compute.
func (s settled) hasKernels() bool {
	return slices.ContainsFunc(s.sets, func(set *streamSet) bool {
		return slices.ContainsFunc(set.streams, func(st stream) bool { return st.computes() })
	})
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
	s.env = decodeEnv(v.Key("env"))
	s.env.links.check(v.Key("env"))
	if s.topology.Product != "" && !v.Key("env").Key("HCCL_BUFFSIZE").Present() {
		s.env.machine.Buffer = defaultBuffer << 20
	}
	runs := v.Key("run").List(document.Required)
	if v.Key("run").Present() && len(runs) == 0 {
		v.Key("run").Errorf("is empty: there is nothing to run")
	}
	ranks := 1 << 20 // of a topology that is wrong, any will do
	if topologyErr == nil {
		ranks = s.topology.Size()
	}
	s.faults = decodeFaults(v.Key("faults"), ranks)
	s.jitter, s.repeat = decodeJitter(v.Key("jitter"), v.Key("repeat"))
	machine := s.topology
	s.topology = s.env.links.onto(s.topology)
	if topologyErr == nil {
		s.communicators = decodeCommunicators(v.Key("communicators"), ranks)
	}
	for i, r := range runs {
		switch n := r.Node(); {
		case n != nil && n.Kind == document.Mapping && n.Key("streams") != nil:
			if topologyErr == nil {
				s.sets = append(s.sets, decodeStreams(r, i, s.topology, s.communicators))
			}
			continue
		case n != nil && n.Kind == document.Mapping && n.Key("training-step") != nil:
			if topologyErr == nil {
				s.sets = append(s.sets, decodeTrainingStep(r, i, s.topology, s.communicators))
			}
			continue
		}
		e := decodeEntry(r)
		e.checkRanks(ranks)
		s.entries = append(s.entries, e)
		s.warnings = append(s.warnings, e.idle()...)
	}
	s.warnings = append(s.warnings, s.env.idle(s.allEntries(), machine)...)
	s.warnings = append(s.warnings, s.idleNoise(v)...)
	for i, set := range s.sets {
		if slices.ContainsFunc(s.sets[:i], func(o *streamSet) bool { return o.name == set.name }) {
			set.at.Key("name").Errorf("another entry of run is named %s", set.name)
		}
	}
	if topologyErr == nil {
		s.checkLinks(v)
	}
	for _, set := range s.sets {
		set.checkPlaces(s.communicators)
		set.checkEvents()
	}
	if topologyErr == nil && !d.Failed() {
		var matched []*matcher
		for _, set := range s.sets {
			matched = append(matched, s.matchStreams(set))
		}
		for _, m := range matched {
			if !d.Failed() {
				m.checkDeadlocks()
			}
		}
	}
	for _, key := range outlineKeys {
		v.Key(key) // read by decodeOutline
	}
	errs := []error{topologyErr, d.Err()}
	for _, e := range s.entries {
		errs = append(errs, e.err)
	}
	return s, document.Join(errs...)
}
