package exchange

import (
	"fmt"

	"hcclsim/algorithms"
)

// Algorithm is one file: what it says of itself, and its steps, gpu by gpu.
type Algorithm struct {
	File       string // as it was named to Read
	Name       string
	Collective algorithms.Collective
	Ranks      int
	// InPlace and OutOfPlace say for which buffers the algorithm was made.
	InPlace, OutOfPlace bool
	Protocol            string // LL, LL128 or Simple
	Channels            int
	ChunksPerLoop       int // equal pieces of the largest buffer of a rank
	Steps               int // of all gpus
	// MinBytes and MaxBytes are the sizes for which a runtime would select the algorithm;
	// MaxBytes 0: no limit.
	MinBytes, MaxBytes int64

	gpus   []gpu
	places [2]*table // the program out of place and in place; nil: it was not made for that
}

// gpu is one rank.
type gpu struct {
	at     int          // offset in the file; negative: the file has no such gpu
	chunks [buffers]int // that the file declares, by buffer
	blocks []block      // by id
	order  []place      // its instructions in an order in which no one waits for a later one
}

// block is a thread block: it executes its instructions one after the other, has at most
// one peer that it sends to and one that it receives from, both on one channel.
type block struct {
	at         int
	send, recv int // -1: no such peer
	channel    int
	steps      []instruction
	tells      []int // by step: the next one that others may wait for, -1: none
}

// place names an instruction of a gpu; block < 0: none.
type place struct{ block, step int }

// instruction is one step of the file.
type instruction struct {
	at       int
	kind     kind
	src, dst chunk
	count    int
	after    place   // what it waits for
	notifies bool    // others may wait for it
	peerSend partner // the instruction that receives what this one sends
	peerRecv partner // the instruction that sends what this one receives
}

// partner is the other end of a message.
type partner struct {
	gpu int
	place
}

// chunk is a place in a buffer, in equal pieces.
type chunk struct {
	buffer buffer
	offset int
}

// buffer is one of a gpu: its letters are i, o and s.
type buffer uint8

const (
	input buffer = iota
	output
	scratch

	buffers = 3
)

const bufferLetters = "ios"

func (b buffer) String() string { return bufferLetters[b : b+1] }

// kind is what an instruction does.
type kind uint8

const (
	send               kind = iota // src to the peer
	recv                           // what arrives to dst
	recvCopySend                   // what arrives to dst, and on to the peer
	recvReduceSend                 // src and what arrives, added, to the peer
	recvReduceCopy                 // src and what arrives, added, to dst
	recvReduceCopySend             // src and what arrives, added, to dst, and on to the peer
	localCopy                      // src to dst
	localReduce                    // src is added to dst
	nop                            // waits
)

// kinds says how each kind is written and which of its fields count.
var kinds = [...]struct {
	name                      string
	sends, receives, src, dst bool
}{
	send:               {"s", true, false, true, false},
	recv:               {"r", false, true, false, true},
	recvCopySend:       {"rcs", true, true, false, true},
	recvReduceSend:     {"rrs", true, true, true, false},
	recvReduceCopy:     {"rrc", false, true, true, true},
	recvReduceCopySend: {"rrcs", true, true, true, true},
	localCopy:          {"cpy", false, false, true, true},
	localReduce:        {"re", false, false, true, true},
	nop:                {"nop", false, false, false, false},
}

func (k kind) String() string { return kinds[k].name }

var kindNames = func() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}()

// Schedule makes the schedule of a request of the file's collective and number of ranks.
// The buffer is cut into ChunksPerLoop pieces of whole elements; if that leaves a rest the
// first pieces, of AlltoAll those of each block, are one element larger, where the algorithm
// allows it: a piece must nowhere pass through the place of a larger or smaller one. The file knows no root: that of
// Broadcast, Reduce, Scatter and Gather is the request's, and a wrong one does not pass the
// proof. Copies, Marker, Align, Segment and Depth have no meaning here: the file says
// itself what is copied.
func (a *Algorithm) Schedule(r algorithms.Request) (*algorithms.Schedule, error) {
	fail := func(format string, args ...any) (*algorithms.Schedule, error) {
		return nil, fmt.Errorf("%s: "+format, append([]any{a.File}, args...)...)
	}
	elem := max(r.Elem, 1)
	switch {
	case r.Collective != a.Collective:
		return fail("the file is an %s: expected one of %s", a.Collective, r.Collective)
	case r.Ranks() != a.Ranks:
		return fail("the file is for %d gpus: expected one for %d ranks", a.Ranks, r.Ranks())
	case r.Collective.Rooted() && (r.Root < 0 || r.Root >= a.Ranks):
		return fail("root %d: expected 0 to %d", r.Root, a.Ranks-1)
	case r.Bytes < 0 || r.Elem < 0 || r.Bytes%elem != 0:
		return fail("%d bytes are not whole elements of %d bytes", r.Bytes, elem)
	case r.InPlace && !a.InPlace:
		return fail(`the file is not for buffers in place (inplace="0")`)
	case !r.InPlace && !a.OutOfPlace:
		return fail(`the file is only for buffers in place (outofplace="0")`)
	}
	t := a.places[0]
	if r.InPlace {
		t = a.places[1]
	}
	cut, err := newCut(t.numbering, r.Bytes/elem, elem)
	if err == nil && cut.uneven() {
		t, err = t.sized(cut)
	}
	if err != nil {
		return fail("%d bytes: %w", r.Bytes, err)
	}
	return &algorithms.Schedule{Program: t, Layout: cut, Request: r, Algorithm: a.File}, nil
}
