package proof

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hcclsim/algorithms"
)

// Data executes a schedule on made-up numbers and compares the result with the
// collective's definition. Integers, and the largest and smallest of float32, must be
// equal. Sums and products of float32 over p ranks, whose operations the schedule may
// take in any order, may differ by p roundings: p * 2^-24 of the sum, or product, of the
// absolute values.
func Data[T Number](s *algorithms.Schedule, op Op) error {
	inputs := make([][]T, s.Ranks())
	d := definition[T]{s: s, op: op, want: make([]T, s.Request.Bytes/max(s.Request.Elem, 1))}
	d.exact, d.slack = make([]float64, len(d.want)), make([]float64, len(d.want))
	for rank := range inputs {
		if h := shareOf(s, rank, true); h.has {
			inputs[rank] = madeUp[T](rank, int(h.n), op)
			d.take(rank, h.begin, inputs[rank])
		}
	}
	results, err := Execute(s, op, inputs)
	if err != nil {
		return fmt.Errorf("%s %s of %d ranks: %w", s.Algorithm, s.Request.Collective, s.Ranks(), err)
	}
	for rank, result := range results {
		begin := shareOf(s, rank, false).begin
		for i, got := range result {
			if !d.meets(got, begin+int64(i)) {
				return fmt.Errorf("%s %s of %d ranks: rank %d ends with %v at element %d: expected %v",
					s.Algorithm, s.Request.Collective, s.Ranks(), rank, got, i, d.want[begin+int64(i)])
			}
		}
	}
	return nil
}

// madeUp is a rank's input. No product of float32 leaves their range for some hundred
// ranks; integers may overflow, which loses no equality.
func madeUp[T Number](rank, n int, op Op) []T {
	random := rand.New(rand.NewPCG(uint64(rank), 1))
	in := make([]T, n)
	for i := range in {
		switch x := any(&in[i]).(type) {
		case *float32:
			*x = random.Float32()*2 - 1
			if op == Prod {
				*x = 0.75 + random.Float32()/2
			}
		default:
			in[i] = T(random.Int64())
		}
	}
	return in
}

// definition is the collective as its definition has it, rank by rank.
type definition[T Number] struct {
	s     *algorithms.Schedule
	op    Op
	want  []T       // in integers
	exact []float64 // in floating point, with much smaller roundings
	slack []float64 // sum or product of absolute values
}

// take takes in the input of the next rank, which begins at an element of the whole.
func (d *definition[T]) take(rank int, begin int64, in []T) {
	first := rank == 0 || !d.s.Request.Collective.Reduces()
	for i, x := range in {
		at := begin + int64(i)
		if first {
			d.want[at], d.exact[at], d.slack[at] = x, float64(x), math.Abs(float64(x))
			continue
		}
		d.want[at] = combine(d.op, d.want[at], x)
		d.exact[at] = combine(d.op, d.exact[at], float64(x))
		d.slack[at] = combine(d.op, d.slack[at], math.Abs(float64(x)))
	}
}

// meets says whether an element of the result is right.
func (d *definition[T]) meets(got T, at int64) bool {
	if _, float := any(got).(float32); !float || d.op == Max || d.op == Min {
		return got == d.want[at]
	}
	slack := float64(d.s.Ranks()) * d.slack[at] * 0x1p-24
	return math.Abs(float64(got)-d.exact[at]) <= slack
}
