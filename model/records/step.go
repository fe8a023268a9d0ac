package records

import "hcclsim/model/units"

// Step is one thing on the critical path of a row. Steps follow each other without gaps.
type Step struct {
	Start, End units.Duration // from the beginning of the run
	Rank, Peer int            // where it ends; the other rank, or the same
	Lane, Step int            // of the schedule; -1: of a stream itself
	Name       string         // of the task, or Transfer, Notify, Request, Stream
	Operator   string         // of a stream
	Bytes      units.Bytes
	Class      string // of links, local inside the NPU; empty where nothing moves
	Critical   []Part // divides End-Start without remainder
}
