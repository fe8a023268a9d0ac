package scenarios

import (
	"hcclsim/model"
	"hcclsim/topologies"
	"hcclsim/topologies/document"
)

// settled is a combination, decoded: one machine and what runs on it.
type settled struct {
	topology model.Topology
	env      environment
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
	s.env = decodeEnv(v.Key("env"))
	s.env.links.check(v.Key("env"))
	if s.topology.Product != "" && !v.Key("env").Key("HCCL_BUFFSIZE").Present() {
		s.env.machine.Buffer = defaultBuffer << 20
	}
	runs := v.Key("run").List(document.Required)
	if v.Key("run").Present() && len(runs) == 0 {
		v.Key("run").Errorf("is empty: there is nothing to run")
	}
	for _, r := range runs {
		e := decodeEntry(r)
		if topologyErr == nil {
			e.checkRanks(s.topology.Size())
		}
		s.entries = append(s.entries, e)
		s.warnings = append(s.warnings, e.idle()...)
	}
	s.warnings = append(s.warnings, s.env.idle(s.entries, s.topology)...)
	s.topology = s.env.links.onto(s.topology)
	for _, key := range outlineKeys {
		v.Key(key) // read by decodeOutline
	}
	errs := []error{topologyErr, d.Err()}
	for _, e := range s.entries {
		errs = append(errs, e.err)
	}
	return s, document.Join(errs...)
}
