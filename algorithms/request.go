package algorithms

import "fmt"

// Collective is an operation of a communicator.
type Collective string

const (
	AllReduce     Collective = "allreduce"
	AllGather     Collective = "allgather"
	ReduceScatter Collective = "reducescatter"
	Broadcast     Collective = "broadcast"
	Reduce        Collective = "reduce"
	Scatter       Collective = "scatter"
	Gather        Collective = "gather"
	AlltoAll      Collective = "alltoall"
	// AlltoAllV is AlltoAll with blocks of different sizes: Request.Blocks.
	AlltoAllV Collective = "alltoallv"
	// Barrier is an AllReduce, usually of a single element, which no rank can finish before
	// all ranks have begun.
	Barrier Collective = "barrier"
	// SendRecv is nccl-tests' point-to-point pattern: every rank sends its buffer to the
	// next rank, the last one to rank 0.
	SendRecv Collective = "sendrecv"
)

// Collectives are all collectives, in the order in which they are listed to users.
func Collectives() []Collective {
	return []Collective{AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Scatter, Gather, AlltoAll, AlltoAllV, Barrier, SendRecv}
}

// Rooted says whether one rank is the source or the destination of everything.
func (c Collective) Rooted() bool {
	return c == Broadcast || c == Reduce || c == Scatter || c == Gather
}

// Reduces says whether data are combined on the way.
func (c Collective) Reduces() bool {
	return c == AllReduce || c == ReduceScatter || c == Reduce || c == Barrier
}

// HasInPlace says whether input and output can be one buffer: not where a rank's output
// takes the place of input that is still to be sent.
func (c Collective) HasInPlace() bool { return c != AlltoAll && c != AlltoAllV && c != SendRecv }

// dealsOut says whether every rank has a piece of its own of the input, or of the result.
func (c Collective) dealsOut() bool {
	switch c {
	case AllGather, ReduceScatter, Scatter, Gather, AlltoAll, AlltoAllV, SendRecv:
		return true
	}
	return false
}

// Copies says which local copies a collective makes around its exchange.
type Copies uint8

const (
	// CopiesNone works on the user's buffers.
	CopiesNone Copies = iota
	// CopiesSlice passes only the rank's own slice through the library's buffer, as
	// HCCL's mesh does: peers add to it there and fetch it from there. Where the ranks of
	// a server are not joined by a mesh the partial results of other ranks' slices need
	// the library's buffer too, so that there, and in AllGather and ReduceScatter over
	// several servers, CopiesSlice is CopiesFull.
	CopiesSlice
	// CopiesFull copies everything into the library's buffer and out of it.
	CopiesFull
)

// Hockney is the linear cost model of one step: n bytes take
// Alpha + n/Bandwidth, and n/Reduce more when they are reduced.
type Hockney struct {
	Alpha     int64 // picoseconds
	Bandwidth int64 // bytes per second, one direction; 0: infinitely fast
	Reduce    int64 // bytes per second; 0: reductions are free
	// PairLinks: every pair of ranks has a link of its own. Otherwise a rank has one
	// port, and what it sends at once shares it, as does what it receives at once.
	PairLinks bool
}

// Request says which schedule is wanted.
type Request struct {
	Collective Collective
	// Groups is the number of ranks of each server; rank numbers run through the
	// servers in order. Flat algorithms see only the sum.
	Groups []int
	// Pods is the number of super-pods, each of equally many servers that follow each
	// other; 0 or 1: there is one.
	Pods int
	// OutsideIn: AllGather of a mix begins at the outermost level and ReduceScatter ends
	// there, as HCCL has it on the A3. Else AllGather begins inside the servers and
	// ReduceScatter ends there, as on the A2.
	OutsideIn bool
	Root      int // of rooted collectives
	// Bytes is S of nccl-tests: the largest buffer of one rank.
	Bytes int64
	Elem  int64 // bytes of one element; slices are whole elements; 0: one byte
	// Align: slices that the library cuts a buffer into are rounded up to a multiple of it,
	// bytes; 0: to the element. Where every rank has a piece of its own it means nothing.
	Align int64
	// Blocks gives the bytes that a rank sends to another in AlltoAllV, whole elements.
	// It must give the same whenever it is asked. Bytes is then the largest sum that one
	// rank sends. Nil in all other collectives.
	Blocks func(from, to int) int64
	// NBAlign: nb rounds smaller slices of an AllReduce up to it, bytes. In HCCL 128 KiB
	// (GetSliceSizeOfNB in all_reduce_nb.cc).
	NBAlign int64
	// InPlace: input and output are one buffer.
	InPlace bool
	Copies  Copies
	Marker  bool // the mesh opens and closes with a marker step
	// Segment is the size that double-tree cuts its halves into, bytes; 0: the size
	// with the lowest predicted cost under Hockney.
	Segment int64
	// Depth is the number of buffers that pipeline's stages pass data through, at least 2; 0:
	// 2, which is how HCCL behaves. More let the mesh and the ring run ahead of each other.
	Depth   int
	Hockney Hockney
}

// Ranks is the number of ranks of all groups.
func (r Request) Ranks() int {
	n := 0
	for _, g := range r.Groups {
		n += g
	}
	return n
}

// maxRanks keeps the number of slices within the 32 bits of a Set.
const maxRanks = 1 << 20

// check finds what is wrong with the request whatever the algorithm.
func (r Request) check() error {
	if len(r.Groups) == 0 {
		return fmt.Errorf("no groups of ranks: expected the number of ranks of each server")
	}
	for i, g := range r.Groups {
		if g < 1 {
			return fmt.Errorf("server %d has %d ranks: expected at least 1", i, g)
		}
	}
	p := r.Ranks()
	if p > maxRanks {
		return fmt.Errorf("%d ranks: expected at most %d", p, maxRanks)
	}
	if r.Collective.Rooted() && (r.Root < 0 || r.Root >= p) {
		return fmt.Errorf("root %d: expected 0 to %d", r.Root, p-1)
	}
	if r.Bytes < 0 || r.Elem < 0 || r.Align < 0 || r.NBAlign < 0 || r.Segment < 0 {
		return fmt.Errorf("negative size: bytes %d, element %d, align %d, segment %d", r.Bytes, r.Elem, r.Align, r.Segment)
	}
	if r.Depth < 0 || r.Depth == 1 {
		return fmt.Errorf("depth %d: expected at least 2 buffers, one to send from and one to receive into", r.Depth)
	}
	elem := r.elem()
	if err := r.checkCollective(); err != nil {
		return err
	}
	if r.Bytes%elem != 0 {
		return fmt.Errorf("%d bytes are not whole elements of %d bytes", r.Bytes, elem)
	}
	if r.Align%elem != 0 {
		return fmt.Errorf("align %d is not a multiple of the element's %d bytes", r.Align, elem)
	}
	return nil
}

// checkCollective finds what is wrong with the request for its collective.
func (r Request) checkCollective() error {
	p := r.Ranks()
	switch {
	case r.InPlace && !r.Collective.HasInPlace():
		return fmt.Errorf("in place: its output would overwrite input that is still to be sent; expected an output buffer of its own")
	case (r.Collective == AlltoAll || r.Collective == AlltoAllV) && p > maxBlockRanks:
		return fmt.Errorf("%d ranks: expected at most %d, whose blocks can be numbered", p, maxBlockRanks)
	case (r.Collective == AlltoAllV) != (r.Blocks != nil):
		return fmt.Errorf("sizes of blocks are for alltoallv, which needs them")
	case r.Collective == AlltoAllV:
		return r.checkBlocks()
	}
	return nil
}

// maxBlockRanks keeps the number of blocks within the 32 bits of a Set.
const maxBlockRanks = 1 << 15

// checkBlocks compares the sizes of AlltoAllV's blocks with elements and Bytes.
func (r Request) checkBlocks() error {
	p, elem := r.Ranks(), r.elem()
	var most int64
	for i := range p {
		var sent int64
		for j := range p {
			n := r.Blocks(i, j)
			if n < 0 || n%elem != 0 {
				return fmt.Errorf("the block from rank %d to rank %d has %d bytes: expected whole elements of %d bytes", i, j, n, elem)
			}
			sent += n
		}
		most = max(most, sent)
	}
	if most != r.Bytes {
		return fmt.Errorf("%d bytes, but the rank that sends most sends %d", r.Bytes, most)
	}
	return nil
}

func (r Request) elem() int64 { return max(r.Elem, 1) }

// Schedule is a program with the layout of its slices, ready to be read by the
// prover, the executor on data, the simulator and the exporters.
type Schedule struct {
	Program
	Layout  Layout
	Request Request
	// Algorithm is the name that the schedule was asked for by.
	Algorithm string

	hosts int                 // see Hosts
	owner func(slice int) int // where slices are not dealt out in order; nil: they are
}
