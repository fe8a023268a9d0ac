package algorithms_test

import (
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/algorithms/proof"
)

// What Verify does not try: other numbers of buffers than HCCL's, and many divisions into unequal
// groups.

func TestPipelineDepthsProved(t *testing.T) {
	prove := new(proof.Prover)
	for _, c := range []algorithms.Collective{algorithms.AllReduce, algorithms.AllGather, algorithms.ReduceScatter} {
		for servers := 2; servers <= 5; servers++ {
			for n := 1; n <= 4; n++ {
				for depth := 2; depth <= 5; depth++ {
					for copies := range algorithms.Copies(3) {
						r := algorithms.Request{
							Collective: c, Groups: slices.Repeat([]int{n}, servers), Bytes: int64(40*servers*n) - 4*7, Elem: 4,
							InPlace: depth%2 == 0, Copies: copies, Depth: depth,
						}
						s, err := algorithms.New("pipeline", r)
						if err != nil {
							t.Fatal(err)
						}
						if _, err := prove.Check(s); err != nil {
							t.Errorf("%d servers of %d, depth %d: %v", servers, n, depth, err)
						}
					}
				}
			}
		}
	}
}

// TestAHCGroupsProved proves all that AHC offers for one to four groups of 1 to 4 ranks in
// every order, and some larger ones.
func TestAHCGroupsProved(t *testing.T) {
	shapes := [][]int{{8, 4}, {8, 7}, {8, 6, 5}, {16, 1, 3}, {2, 3, 2, 3, 2, 3, 1}, {5, 4, 5, 4}}
	last := [][]int{nil}
	for range 4 {
		var next [][]int
		for _, groups := range last {
			for n := 1; n <= 4; n++ {
				next = append(next, append(slices.Clone(groups), n))
			}
		}
		shapes, last = append(shapes, next...), next
	}
	prove := new(proof.Prover)
	for i, groups := range shapes {
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers("ahc", c) {
				continue
			}
			r := algorithms.Request{Collective: c, Groups: groups, Bytes: 4 * int64(97*(i%3)+1), Elem: 4, InPlace: i%2 == 0}
			s, err := algorithms.New("ahc", r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := prove.Check(s); err != nil {
				t.Errorf("%v: %v", groups, err)
			}
		}
	}
}

// TestChunkMeshIsDeterministic: additions into a slice come in one order, whoever is late. In
// the plain mesh they do not.
func TestChunkMeshIsDeterministic(t *testing.T) {
	prove := new(proof.Prover)
	for n := 3; n <= 9; n++ {
		r := algorithms.Request{Collective: algorithms.ReduceScatter, Groups: []int{n}, Bytes: int64(400 * n), Elem: 4, InPlace: true}
		for name, ordered := range map[string]bool{"mesh-chunk": true, "mesh": false} {
			s, err := algorithms.New(name, r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := prove.CheckOrdered(s); (err == nil) != ordered {
				t.Errorf("%s of %d ranks: %v", name, n, err)
			}
		}
	}
}
