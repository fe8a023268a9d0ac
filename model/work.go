package model

import "hcclsim/model/units"

// Settings are what HCCL's environment tells the machine. The zero value leaves all of it
// to the topology.
type Settings struct {
	// Buffer is HCCL_BUFFSIZE: a collective moves at most so many bytes at once, the rest
	// in rounds one after another; 0: everything at once.
	Buffer units.Bytes
	// QueuePairs is HCCL_RDMA_QPS_PER_CONNECTION, between two ranks; 0: one.
	QueuePairs int
	// MultiQP is HCCL_MULTI_QP_THRESHOLD: what a queue pair must get for all of them to be
	// used; 0: 512 KiB.
	MultiQP units.Bytes
	// Split is HCCL_RDMA_SPLIT_THRESHOLD, hcclsim's own: a request carries at most so
	// much; 0: only npu.nic.request.max cuts.
	Split units.Bytes
	// Expansion is HCCL_OP_EXPANSION_MODE; empty: the topology's.
	Expansion Expansion
}

// Expansion is who carries the tasks of a collective.
type Expansion string

const (
	ExpandHost  Expansion = "HOST"   // the host thread issues every task
	ExpandAICPU Expansion = "AI_CPU" // one start, then the device issues its own tasks
	ExpandAIV   Expansion = "AIV"    // AI cores move and reduce the data themselves
)

// Faults are what is wrong with a machine.
type Faults struct {
	Stragglers []Straggler
	Links      []LinkFault
}

// Straggler is a rank that starts late, or whose engines are slower.
type Straggler struct {
	Rank int
	Late units.Duration
	Slow int64 // its engines and cores take so many thousandths of their time; 0: 1000
}

// LinkFault is links that are cut or slow.
type LinkFault struct {
	Link string // as results name links; * stands for any text
	Left int64  // thousandths of the bandwidth that are left; 0: cut, no route takes it
}

// Jitter makes the times of tasks vary at random, lognormally with mean 1. The same seed
// gives the same run.
type Jitter struct {
	Sigma int64 // of the logarithm, in thousandths; 0: none
	Seed  int64
}

// Work is what a machine carries out: streams of operators on its ranks.
type Work struct {
	Topology Topology
	Settings Settings
	Faults   Faults
	Jitter   Jitter
	Calls    []Call
	Streams  []Stream
}

// Call is one collective operation of a communicator. Each of its members takes part by an
// operator of one of its streams.
type Call struct {
	// Point says what is called. Its Topology is not looked at where Members are given:
	// servers and super-pods follow from where they lie.
	Point Point
	// Members are the ranks of the communicator in ascending order, by rank of the
	// communicator; nil: all of the machine.
	Members []int32
	// Communicator names whose buffers the call uses; calls of one name share them. Empty: a
	// communicator of the same members.
	Communicator string
}

// Stream is a sequence of operators on one rank: the next starts when the former has
// finished.
type Stream struct {
	Name      string
	Rank      int
	Priority  uint8          // 0 is the highest, 7 the lowest
	Start     units.Duration // no operator starts before
	Operators []Operator
}

// OperatorKind is what an operator does.
type OperatorKind uint8

const (
	OpKernel   OperatorKind = iota // computes on AI cores
	OpCall                         // takes part in a Call
	OpCopyHost                     // copies to or from the server's host memory
	OpRecord                       // records an event
	OpWait                         // waits for an event of the same rank
)

// Operator is an element of a stream. Operators of one name on several ranks are one in the
// results.
type Operator struct {
	Name   string
	Kind   OperatorKind
	Time   units.Duration // of a kernel, on its cores
	Cores  int            // of a kernel; 0: all
	Bytes  units.Bytes    // of a copy; of a kernel: what it moves through memory
	ToHost bool           // of a copy: else it comes from there
	Call   int            // index in Work.Calls
	Event  int            // number, per rank; recorded once
}

// Span is an operator's part of a run.
type Span struct {
	Name       string
	Kind       OperatorKind
	Call       int            // the first call of that name
	Start, End units.Duration // from its first rank's start to its last rank's end
	// Critical divides End-Start without remainder along the critical path from the first
	// rank's start on.
	Critical []Part
}
