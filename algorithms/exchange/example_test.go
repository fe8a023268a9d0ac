package exchange_test

import (
	"fmt"
	"os"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
	"hcclsim/algorithms/proof"
)

// A file is read, made a schedule for a size, and proved.
func ExampleRead() {
	f, err := os.Open("testdata/allreduce-chains.xml")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	a, err := exchange.Read("allreduce-chains.xml", f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s of %d gpus, %d chunks, in place %t, out of place %t\n", a.Name, a.Collective, a.Ranks, a.ChunksPerLoop, a.InPlace, a.OutOfPlace)
	s, err := a.Schedule(algorithms.Request{
		Collective: a.Collective, Groups: []int{a.Ranks}, Bytes: 1 << 20, Elem: 4, InPlace: a.InPlace,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := proof.Check(s)
	fmt.Println("messages proved, local copies among them:", n.Messages, err)
	// Output:
	// allreduce-chains: allreduce of 4 gpus, 4 chunks, in place true, out of place false
	// messages proved, local copies among them: 32 <nil>
}
