package proof

import (
	"fmt"
	"math/rand/v2"

	"hcclsim/algorithms"
)

// Data executes a schedule on made-up numbers and compares the result with the
// collective's definition, of float32 sums and products within their roundings.
func Data[T Number](s *algorithms.Schedule, op Op) error {
	var g graph
	err := g.load(s)
	if err == nil {
		err = compare[T](&g, op)
	}
	if err != nil {
		return fmt.Errorf("%s %s of %d ranks, %s of %T: %w", s.Algorithm, s.Request.Collective, s.Ranks(), op, T(0), err)
	}
	return nil
}

// compare is Data of a schedule that is written out.
func compare[T Number](g *graph, op Op) error {
	s := g.s
	inputs := make([][]T, s.Ranks())
	for rank := range inputs {
		inputs[rank] = madeUp[T](rank, int(brought(s, rank)), op)
	}
	results, err := execute(g, op, inputs)
	if err != nil {
		return err
	}
	for rank, want := range define(s, op, inputs[:s.Ranks()-s.Hosts()]) {
		if len(results[rank]) != len(want) {
			return fmt.Errorf("rank %d ends with %d elements: expected %d", rank, len(results[rank]), len(want))
		}
		for i, got := range results[rank] {
			if !want[i].met(got) {
				return fmt.Errorf("rank %d ends with %v at element %d: expected %v", rank, got, i, want[i].want)
			}
		}
	}
	return nil
}

// brought is how many elements a rank brings.
func brought(s *algorithms.Schedule, rank int) int64 {
	input, _ := ends(s.Request)
	var n int64
	for slice := range s.Slices(input) {
		if s.Brings(rank, slice) {
			_, bytes := s.Layout.Span(input, slice)
			n += bytes
		}
	}
	return n / max(s.Request.Elem, 1)
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
