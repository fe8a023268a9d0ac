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

// Execute moves numbers through a schedule and returns the result of every rank, nil where
// it gets none. inputs holds what every rank brings, the slices that it brings one behind
// the other: the whole buffer in AllReduce, its own part in AllGather; of a rank that brings
// nothing, as all but the root in Broadcast, the input is not looked at. The size of T must
// be the request's element. The schedule's structure is checked, not its contents.
func Execute[T Number](s *algorithms.Schedule, op Op, inputs [][]T) ([][]T, error) {
	var g graph
	if err := g.load(s); err != nil {
		return nil, err
	}
	return execute(&g, op, inputs)
}

// execute moves numbers through a schedule that is written out.
func execute[T Number](g *graph, op Op, inputs [][]T) ([][]T, error) {
	s := g.s
	e, err := newExecution(g, op, inputs)
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
		if h := e.share(rank, result, s.Gets); h.has {
			results[rank] = e.memory[rank][result][h.offset : h.offset+h.n]
		}
	}
	return results, nil
}

// execution is the memory of all ranks.
type execution[T Number] struct {
	g      *graph
	op     Op
	elem   int64
	memory [][buffers][]T
}

func newExecution[T Number](g *graph, op Op, inputs [][]T) (*execution[T], error) {
	s, e := g.s, &execution[T]{g: g, op: op, elem: int64(unsafe.Sizeof(T(0)))}
	if s.Request.Elem != e.elem {
		return nil, fmt.Errorf("numbers of %d bytes for elements of %d", e.elem, s.Request.Elem)
	}
	if !slices.Contains(Ops(), op) {
		return nil, fmt.Errorf("unknown reduction %q: expected one of %v", op, Ops())
	}
	if len(inputs) != s.Ranks() {
		return nil, fmt.Errorf("%d inputs for %d ranks", len(inputs), s.Ranks())
	}
	input, _ := ends(s.Request)
	e.memory = make([][buffers][]T, s.Ranks())
	for rank := range e.memory {
		for b := range algorithms.Buffer(buffers) {
			e.memory[rank][b] = make([]T, e.size(rank, b))
		}
		h := e.share(rank, input, s.Brings)
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

// size is how many elements the slices that a rank has of a buffer reach to.
func (e *execution[T]) size(rank int, b algorithms.Buffer) int64 {
	reach := int64(0)
	for slice := range e.g.cells.of(rank, b) {
		offset, bytes := e.g.s.Layout.Span(b, slice)
		reach = max(reach, offset+bytes)
	}
	return reach / e.elem
}

// share is where a rank's input, or result, lies in its buffer, in elements.
type share struct {
	has       bool
	offset, n int64
}

// share finds the slices of a rank's buffer that are part of its input, or result. They
// lie side by side.
func (e *execution[T]) share(rank int, b algorithms.Buffer, part func(rank, slice int) bool) share {
	var h share
	for slice := range e.g.cells.of(rank, b) {
		if !part(rank, slice) {
			continue
		}
		offset, bytes := e.g.s.Layout.Span(b, slice)
		if offset /= e.elem; !h.has || offset < h.offset {
			h.has, h.offset = true, offset
		}
		h.n += bytes / e.elem
	}
	return h
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
