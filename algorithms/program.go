package algorithms

// Buffer names a memory region of a rank.
type Buffer uint8

const (
	// Data is the user's buffer of an in-place collective: input and output at once.
	Data Buffer = iota
	// In is the user's input of an out-of-place collective. Never written.
	In
	// Out is the user's output of an out-of-place collective.
	Out
	// Scratch is memory of the library: HCCL's communication buffer.
	Scratch
)

// Set names slices of a buffer without listing them: block i, for 0 <= i < Count, is
// the Width slices that start at Base + Width*((First + i*Stride) mod Mod).
// An empty Set (Count 0) carries no data.
type Set struct{ First, Count, Stride, Mod, Base, Width int32 }

// Len is the number of slices that s names.
func (s Set) Len() int { return int(s.Count) * int(s.Width) }

// Slice is the j-th slice that s names, 0 <= j < Len.
func (s Set) Slice(j int) int {
	if s.Width == 1 {
		return s.block(j)
	}
	return s.block(j/int(s.Width)) + j%int(s.Width)
}

// block is the first slice of block i.
func (s *Set) block(i int) int {
	return int(s.Base) + int(s.Width)*wrap(int(s.First)+i*int(s.Stride), int(s.Mod))
}

// Ref names a step of a rank's lane. Rank < 0 means "none"; see None.
type Ref struct{ Rank, Lane, Step int32 }

// None is the Ref that names nothing.
var None = Ref{Rank: -1}

// Half is one side of an exchange: what a step sends, or what it receives.
type Half struct {
	// Peer is the partner's step, whose opposite half refers back to this one.
	// None: there is no such half. Oneself: a local copy (both halves of one step).
	Peer Ref
	// Set is what this rank sends from, or receives into, Buf. Both ends of a message
	// have Sets of the same number of slices, paired in order. Empty with a Peer: a
	// pure signal (one notify, no data).
	Set Set
	Buf Buffer
}

// Drive says whose engine moves the data of a step.
type Drive uint8

const (
	LinkDefault Drive = iota // as the topology's link says
	Write                    // the sender's
	Read                     // the receiver's
)

// Step is one element of a lane: at most one message out and one message in.
type Step struct {
	After      Ref // a step of this rank that must be finished first; None: only the lane's own order
	Send, Recv Half
	Reduce     bool  // what is received is combined with what is there
	Drive      Drive // whose engine moves the data
	Synced     bool  // the partner is known to be ready from earlier signals: no handshake of its own
	Marker     bool  // a 4-byte local inline reduction that carries no data, as HCCL's mesh begins and ends with
}

// Idle is the step that does nothing. After may be set on it: a run of idle steps is a join.
var Idle = Step{After: None, Send: Half{Peer: None}, Recv: Half{Peer: None}}

// Program is one collective's schedule. Step is a pure function: no state, no
// allocation, any rank, lane and step in any order; so a program of 100,000 ranks
// occupies no memory. A step is finished when both of its halves are; a lane executes
// its steps in order; lanes run side by side.
type Program interface {
	Ranks() int
	// Lanes is how many sequences of rank run side by side (HCCL's main and slave
	// streams). Lane 0 is the main stream.
	Lanes(rank int) int
	Steps(rank, lane int) int
	Step(rank, lane, k int) Step
	// Slices is the number of slices that the program's Sets index in a buffer.
	Slices(Buffer) int
}

// Layout gives slices their place and size in bytes. A slice may be empty. The slices
// that a rank holds of its input and output follow each other without gaps from the
// buffer's beginning, in the order of their numbers, or of their owners where
// Request.OutsideIn numbers them otherwise.
type Layout interface {
	Span(b Buffer, slice int) (offset, bytes int64)
}
