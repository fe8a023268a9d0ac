package records

import (
	"slices"

	"hcclsim/model/units"
)

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
	Shape string
	// Faults says what is wrong with the machine, and how times vary: "rank 5 late 100us,
	// hccs s0n0>n1 at 0.25, jitter 0.1". Empty: nothing.
	Faults string
	// Of streams, whose whole has no operator:
	Run      string         // name of the entry of the scenario
	Operator string         // whose beginning to end Time is
	Start    units.Duration // when its first rank began
	// Of a training step: its kernels one after the other, its collectives one after the
	// other and alone, and what of the step is not computing; of a bucket, what of its sum
	// comes after the backward pass.
	Compute, Communication, Exposed units.Duration
	// Of several runs with different seeds Time is the mean; with 95 % confidence the mean of
	// all seeds lies no further than Interval from it.
	Repeat   int // 0: one run
	Interval units.Duration

	SelectedBy string // the rule that chose the algorithm; empty when the scenario named it
	Critical   []Part // divides Time without remainder
	Messages   int64
	Requests   int64
	Tasks      int64
	Rounds     int         // into which HCCL's buffer cuts the collective; 0: one
	Buffer     units.Bytes // what HCCL's buffers take of each NPU's memory
	Streams    int         // the most of one NPU: the user's, and those that collectives add
	Contexts   int64       // the most tasks of one NPU
	Volumes    []Volume
	Busiest    []Utilisation // the busiest links, the busiest first
	Events     int64
}

// Same says whether two rows are of one point, whatever came of it.
func (r Row) Same(o Row) bool {
	return r.Scenario == o.Scenario && r.Topology == o.Topology && r.Collective == o.Collective && r.Requested == o.Requested &&
		r.Servers == o.Servers && r.Ranks == o.Ranks && r.Bytes == o.Bytes && slices.Equal(r.Swept, o.Swept) &&
		r.DType == o.DType && r.Op == o.Op && r.Root == o.Root && r.InPlace == o.InPlace && r.Iterations == o.Iterations &&
		r.Shape == o.Shape && r.Faults == o.Faults && r.Run == o.Run && r.Operator == o.Operator
}

// Field is a swept key with its value as the scenario wrote it.
type Field struct{ Path, Value string }

// Part is a share of the time by cause: host, launch, notify, setup, post, latency, sharing,
// engine, reduce, kernel, late, wire:<class>.
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
