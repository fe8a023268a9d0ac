package records

import "hcclsim/model/units"

// Row is one measured or simulated point. See docs/model.md for the definitions.
type Row struct {
	Scenario   string
	Topology   string
	Collective string
	Requested  string // the algorithm that the scenario asked for
	Algorithm  string // the algorithm that ran
	Servers    int
	Ranks      int
	Bytes      units.Bytes    // S: the largest buffer of one rank
	Time       units.Duration // of one iteration
	Swept      []Field        // the swept keys of the scenario, in its order

	DType      string
	Op         string
	Root       int
	InPlace    bool
	Iterations int
	// Shape says how the ranks lie where that is more than servers of equally many NPUs:
	// "8+4 NPUs", "2 super-pods", "8+4 NPUs, 2 super-pods".
	Shape      string
	SelectedBy string // the rule that chose the algorithm; empty when the scenario named it
	Critical   []Part // divides Time without remainder
	Messages   int64
	Requests   int64
	Tasks      int64
	Volumes    []Volume
	Busiest    []Utilisation // the busiest links, the busiest first
	Events     int64
}

// Field is a swept key with its value as the scenario wrote it.
type Field struct{ Path, Value string }

// Part is a share of the time by cause: launch, notify, setup, post, latency, sharing,
// engine, reduce, wire:<class>.
type Part struct {
	Cause string
	Time  units.Duration
}

// Volume is the bytes carried by one link class.
type Volume struct {
	Class string
	Bytes units.Bytes
}

// Utilisation is how busy one link was, 0 to 1. Texts keep four decimals.
type Utilisation struct {
	Link  string
	Share float64
}
