package choose_test

import (
	"fmt"

	"hcclsim/algorithms"
	"hcclsim/algorithms/choose"
)

// What HCCL runs for an AllReduce of 8 MiB on four A2 servers of eight NPUs, and why; and
// what HCCL_ALGO makes of it.
func Example() {
	q := choose.Question{
		Request: algorithms.Request{Collective: algorithms.AllReduce, Bytes: 8 << 20, Elem: 4, Groups: []int{8, 8, 8, 8}},
		DType:   "fp32", Op: "sum", Product: "910b", InlineReduce: true,
	}
	choice, err := choose.Auto(q)
	fmt.Println(choice.Algorithm, err)
	fmt.Println(choice.Rule, "-", choice.Value)
	fmt.Println(choice.Source)

	if q.Settings.Algo, err = choose.ParseAlgo("allreduce=level0:NA;level1:fullmesh"); err != nil {
		fmt.Println(err)
	}
	choice, err = choose.Auto(q)
	fmt.Println(choice.Algorithm, choice.Warnings, err)
	// Output:
	// mesh+nhr <nil>
	// lowest cost by 60us a step - ring 433.2us, NHR 313.2us, H-D_R 313.2us
	// HCCL coll_alg_operator.cc, GetDefaultAlgoLevel1V2
	// mesh+nhr [HCCL_ALGO level1:fullmesh is not to be had (910b has none): the automatic choice NHR runs] <nil>
}
