package algorithms_test

import (
	"fmt"

	"hcclsim/algorithms"
)

// The AllReduce of a ring of three ranks, over ten elements of four bytes.
func ExampleNew() {
	s, err := algorithms.New("ring", algorithms.Request{
		Collective: algorithms.AllReduce,
		Groups:     []int{3},
		Bytes:      40,
		Elem:       4,
		InPlace:    true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k := range s.Steps(0, 0) {
		for rank := range s.Ranks() {
			st := s.Step(rank, 0, k)
			verb := "copy"
			if st.Reduce {
				verb = "add"
			}
			bytes, _ := algorithms.Message(s.Layout, st.Send.Buf, st.Send.Set)
			fmt.Printf("step %d: rank %d sends slice %d (%d bytes) to rank %d, receives slice %d to %s\n",
				k, rank, st.Send.Set.Slice(0), bytes, st.Send.Peer.Rank, st.Recv.Set.Slice(0), verb)
		}
	}
	// Output:
	// step 0: rank 0 sends slice 2 (8 bytes) to rank 1, receives slice 1 to add
	// step 0: rank 1 sends slice 0 (16 bytes) to rank 2, receives slice 2 to add
	// step 0: rank 2 sends slice 1 (16 bytes) to rank 0, receives slice 0 to add
	// step 1: rank 0 sends slice 1 (16 bytes) to rank 1, receives slice 0 to add
	// step 1: rank 1 sends slice 2 (8 bytes) to rank 2, receives slice 1 to add
	// step 1: rank 2 sends slice 0 (16 bytes) to rank 0, receives slice 2 to add
	// step 2: rank 0 sends slice 0 (16 bytes) to rank 1, receives slice 2 to copy
	// step 2: rank 1 sends slice 1 (16 bytes) to rank 2, receives slice 0 to copy
	// step 2: rank 2 sends slice 2 (8 bytes) to rank 0, receives slice 1 to copy
	// step 3: rank 0 sends slice 2 (8 bytes) to rank 1, receives slice 1 to copy
	// step 3: rank 1 sends slice 0 (16 bytes) to rank 2, receives slice 2 to copy
	// step 3: rank 2 sends slice 1 (16 bytes) to rank 0, receives slice 0 to copy
}

// Closed forms are evaluated on the actual slices.
func ExampleCost() {
	h := algorithms.Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 100e9}
	r := algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{8}, Bytes: 1 << 20, Elem: 4, InPlace: true}
	for _, name := range []string{"ring", "binomial", "mesh", "star"} {
		ps, _, err := algorithms.Cost(name, r, algorithms.Everywhere(h))
		fmt.Printf("%-8s %10.3f us %v\n", name, float64(ps)/1e6, err)
	}
	// Output:
	// ring        152.575 us <nil>
	// binomial    313.116 us <nil>
	// mesh         92.575 us <nil>
	// star        670.603 us <nil>
}
