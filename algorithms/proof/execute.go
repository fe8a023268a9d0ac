package proof

import (
	"fmt"
	"slices"
	"unsafe"

	"hcclsim/algorithms"
)

// Number is a type of elements.
type Number interface {
	int8 | int32 | int64 | float32
}

// Op combines two elements.
type Op string

const (
	Sum  Op = "sum"
	Max  Op = "max"
	Min  Op = "min"
	Prod Op = "prod"
)

// Ops are all reductions.
func Ops() []Op { return []Op{Sum, Max, Min, Prod} }

func combine[T Number | float64](op Op, a, b T) T {
	switch op {
	case Max:
		return max(a, b)
	case Min:
		return min(a, b)
	case Prod:
		return a * b
	}
	return a + b
}

// Execute moves numbers through a schedule and returns the result of every rank. inputs
// holds what every rank brings: the whole buffer; in AllGather its own slice; in
// Broadcast only the root's is looked at. Of the results, a rank has the whole buffer, in
// ReduceScatter its own slice, in Reduce only the root has one. The size of T must be the
// request's element. The schedule's structure is checked, not its contents.
func Execute[T Number](s *algorithms.Schedule, op Op, inputs [][]T) ([][]T, error) {
	e, err := newExecution(s, op, inputs)
	if err != nil {
		return nil, err
	}
	for _, v := range e.g.order {
		if m := v - e.g.node(0); m >= 0 {
			e.move(e.g.messages[m])
		}
	}
	_, result := ends(s.Request)
	results := make([][]T, s.Ranks())
	for rank := range results {
		if h := shareOf(s, rank, false); h.has {
			results[rank] = e.memory[rank][result][h.offset : h.offset+h.n]
		}
	}
	return results, nil
}

// execution is the memory of all ranks.
type execution[T Number] struct {
	g      graph
	op     Op
	elem   int64
	memory [][buffers][]T
}

func newExecution[T Number](s *algorithms.Schedule, op Op, inputs [][]T) (*execution[T], error) {
	e := &execution[T]{op: op, elem: int64(unsafe.Sizeof(T(0)))}
	if s.Request.Elem != e.elem {
		return nil, fmt.Errorf("numbers of %d bytes for elements of %d", e.elem, s.Request.Elem)
	}
	if !slices.Contains(Ops(), op) {
		return nil, fmt.Errorf("unknown reduction %q: expected one of %v", op, Ops())
	}
	if len(inputs) != s.Ranks() {
		return nil, fmt.Errorf("%d inputs for %d ranks", len(inputs), s.Ranks())
	}
	if err := e.g.load(s); err != nil {
		return nil, err
	}
	input, _ := ends(s.Request)
	e.memory = make([][buffers][]T, s.Ranks())
	for rank := range e.memory {
		for b := range algorithms.Buffer(buffers) {
			if exists(s.Request, b) {
				e.memory[rank][b] = make([]T, s.Request.Bytes/e.elem)
			}
		}
		h := shareOf(s, rank, true)
		if !h.has {
			continue
		}
		if int64(len(inputs[rank])) != h.n {
			return nil, fmt.Errorf("rank %d brings %d elements: expected %d", rank, len(inputs[rank]), h.n)
		}
		copy(e.memory[rank][input][h.offset:], inputs[rank])
	}
	return e, nil
}

// ends are the buffers that hold the input and the result.
func ends(r algorithms.Request) (input, result algorithms.Buffer) {
	if r.InPlace {
		return algorithms.Data, algorithms.Data
	}
	return algorithms.In, algorithms.Out
}

// share is what a rank has of the input, or of the result.
type share struct {
	has    bool
	begin  int64 // in the whole input or result of the collective, elements
	offset int64 // in its buffer, elements
	n      int64
}

func shareOf(s *algorithms.Schedule, rank int, input bool) share {
	in, b := ends(s.Request)
	own, rooted := algorithms.ReduceScatter, algorithms.Reduce
	if input {
		b, own, rooted = in, algorithms.AllGather, algorithms.Broadcast
	}
	elem := max(s.Request.Elem, 1)
	if s.Request.Collective != own {
		return share{has: s.Request.Collective != rooted || rank == s.Request.Root, n: s.Request.Bytes / elem}
	}
	per := s.Slices(b) / s.Ranks()
	begin, _ := s.Layout.Span(algorithms.Scratch, rank*per) // in which everybody has everything
	offset, _ := s.Layout.Span(b, rank*per)
	last, bytes := s.Layout.Span(b, rank*per+per-1)
	return share{true, begin / elem, offset / elem, (last + bytes - offset) / elem}
}

func (e *execution[T]) move(m message) {
	send, to := e.g.steps[m.from].Send, &e.g.steps[m.to]
	source := e.memory[e.g.refs[m.from].Rank][send.Buf]
	sink := e.memory[e.g.refs[m.to].Rank][to.Recv.Buf]
	for j := range send.Set.Len() {
		from, bytes := e.g.s.Layout.Span(send.Buf, send.Set.Slice(j))
		at, _ := e.g.s.Layout.Span(to.Recv.Buf, to.Recv.Set.Slice(j))
		a, b := source[from/e.elem:][:bytes/e.elem], sink[at/e.elem:][:bytes/e.elem]
		if !to.Reduce {
			copy(b, a)
			continue
		}
		for i := range b {
			b[i] = combine(e.op, b[i], a[i])
		}
	}
}
