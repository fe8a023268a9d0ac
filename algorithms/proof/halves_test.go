package proof

import (
	"math/rand/v2"
	"testing"

	"hcclsim/algorithms"
)

// TestHalves: sets are written out as Set.Slice names them.
func TestHalves(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		mod := 1 + random.Int32N(9)
		s := algorithms.Set{
			First: random.Int32N(40) - 20, Count: random.Int32N(7), Stride: random.Int32N(40) - 20,
			Mod: mod, Base: random.Int32N(5), Width: 1 + random.Int32N(3),
		}
		h := halves{begin: []int32{0}}
		got := h.add(s)
		if len(got) != s.Len() {
			t.Fatalf("%+v: %d slices, want %d", s, len(got), s.Len())
		}
		for j, slice := range got {
			if int(slice) != s.Slice(j) {
				t.Fatalf("%+v: slice %d is %d, want %d", s, j, slice, s.Slice(j))
			}
		}
	}
}
