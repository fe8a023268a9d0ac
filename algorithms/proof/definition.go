package proof

import (
	"math"

	"hcclsim/algorithms"
)

// expected is an element of a result as the definition of the collective has it.
type expected[T Number] struct {
	want  T       // in the type itself
	exact float64 // in floating point with much smaller roundings
	slack float64 // by how much a float32 may differ from exact; 0: it must be equal to want
}

// met says whether an element of the result is right.
func (e expected[T]) met(got T) bool {
	if e.slack == 0 {
		return got == e.want
	}
	return math.Abs(float64(got)-e.exact) <= e.slack
}

// define is what every rank gets from the inputs by the definition of the collective, for
// a rank that gets nothing nil. It reads no step of the schedule.
func define[T Number](s *algorithms.Schedule, op Op, inputs [][]T) [][]expected[T] {
	r := s.Request
	results := make([][]expected[T], len(inputs))
	everybody := func(whole []expected[T]) {
		for rank := range results {
			results[rank] = whole
		}
	}
	switch r.Collective {
	case algorithms.AllReduce, algorithms.Barrier:
		everybody(reduced(op, inputs))
	case algorithms.Reduce:
		results[r.Root] = reduced(op, inputs)
	case algorithms.ReduceScatter:
		deal(s, results, reduced(op, inputs))
	case algorithms.Broadcast:
		everybody(as(inputs[r.Root]))
	case algorithms.Scatter:
		deal(s, results, as(inputs[r.Root]))
	case algorithms.AllGather:
		everybody(as(inputs...))
	case algorithms.Gather:
		results[r.Root] = as(inputs...)
	case algorithms.SendRecv:
		for rank := range inputs {
			results[(rank+1)%len(inputs)] = as(inputs[rank])
		}
	case algorithms.AlltoAll, algorithms.AlltoAllV:
		for from := range inputs {
			rest := inputs[from]
			for to := range results {
				n := block(s, from, to)
				results[to] = append(results[to], as(rest[:n])...)
				rest = rest[n:]
			}
		}
	}
	return results
}

// deal gives each rank its own part of the whole.
func deal[T Number](s *algorithms.Schedule, results [][]expected[T], whole []expected[T]) {
	input, _ := ends(s.Request)
	bytes := make([]int64, len(results))
	for slice := range s.Slices(input) {
		_, n := s.Layout.Span(input, slice)
		bytes[s.Owner(slice)] += n
	}
	for rank := range results {
		n := bytes[rank] / s.Request.Elem
		results[rank], whole = whole[:n], whole[n:]
	}
}

// block is how many elements a rank sends to another in an AlltoAll.
func block(s *algorithms.Schedule, from, to int) int64 {
	if s.Request.Blocks != nil {
		return s.Request.Blocks(from, to) / s.Request.Elem
	}
	per := s.Slices(algorithms.In) / (s.Ranks() * s.Ranks())
	var n int64
	for i := range per {
		_, bytes := s.Layout.Span(algorithms.In, (from*s.Ranks()+to)*per+i)
		n += bytes
	}
	return n / s.Request.Elem
}

// as is the result that is made of these inputs, one behind the other.
func as[T Number](inputs ...[]T) []expected[T] {
	result := []expected[T]{}
	for _, in := range inputs {
		for _, x := range in {
			result = append(result, expected[T]{want: x})
		}
	}
	return result
}

// reduced combines the inputs element by element. Integers, and the largest and smallest
// of float32, must be equal. Sums and products of float32 over p ranks, whose operations a
// schedule may take in any order, may differ by p roundings: p * 2^-24 of the sum, or
// product, of the absolute values.
func reduced[T Number](op Op, inputs [][]T) []expected[T] {
	result := as(inputs[0])
	for i := range result {
		x := float64(result[i].want)
		result[i].exact, result[i].slack = x, math.Abs(x)
	}
	for _, in := range inputs[1:] {
		for i, x := range in {
			e := &result[i]
			e.want = combine(op, e.want, x)
			e.exact = combine(op, e.exact, float64(x))
			e.slack = combine(op, e.slack, math.Abs(float64(x)))
		}
	}
	_, float := any(T(0)).(float32)
	for i := range result {
		if e := &result[i]; float && (op == Sum || op == Prod) {
			e.slack *= float64(len(inputs)) * 0x1p-24
		} else {
			e.slack = 0
		}
	}
	return result
}
