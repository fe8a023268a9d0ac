package algorithms

// Collective is an operation of a communicator.
type Collective string

const (
	AllReduce     Collective = "allreduce"
	AllGather     Collective = "allgather"
	ReduceScatter Collective = "reducescatter"
	Broadcast     Collective = "broadcast"
	Reduce        Collective = "reduce"
)

// Copies says which local copies a collective makes around its exchange.
type Copies uint8

const (
	CopiesNone  Copies = iota // works on the user's buffers
	CopiesSlice               // only the rank's own slice goes through the library's buffer
	CopiesFull                // everything is copied into the library's buffer and out of it
)

// Hockney is the linear cost model of one step: n bytes take
// Alpha + n/Bandwidth, and n/Reduce more when they are reduced.
type Hockney struct {
	Alpha     int64 // picoseconds
	Bandwidth int64 // bytes per second, one direction; 0: infinitely fast
	Reduce    int64 // bytes per second; 0: reductions are free
}

// Request says which schedule is wanted.
type Request struct {
	Collective Collective
	// Groups is the number of ranks of each server; rank numbers run through the
	// servers in order. Flat algorithms see only the sum.
	Groups []int
	Root   int // of Broadcast and Reduce
	// Bytes is S of nccl-tests: the largest buffer of one rank.
	Bytes int64
	Elem  int64 // bytes of one element; slices are whole elements
	Align int64 // slices are rounded up to a multiple of it, bytes; 0: to the element
	// InPlace: input and output are one buffer.
	InPlace bool
	Copies  Copies
	Marker  bool // the mesh opens and closes with a marker step
	// Segment is the size that double-tree cuts its halves into, bytes; 0: the size
	// with the lowest predicted cost under Hockney.
	Segment int64
	Hockney Hockney
}

// Schedule is a program with the layout of its slices, ready to be read by the
// prover, the executor on data, the simulator and the exporters.
type Schedule struct {
	Program
	Layout  Layout
	Request Request
	// Algorithm is the name that the schedule was asked for by.
	Algorithm string
}
