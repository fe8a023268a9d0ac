package proof

import (
	"slices"
	"testing"

	"hcclsim/algorithms"
)

// TestOutsideIn proves mixes whose AllGather begins at the outermost level, as on the A3.
func TestOutsideIn(t *testing.T) {
	var p Prover
	for _, name := range []string{"mesh+ring", "double-ring+nhr", "double-ring+ring+nhr", "mesh+nb+nhr", "mesh-chunk+nhr+rhd"} {
		for _, c := range []algorithms.Collective{algorithms.AllGather, algorithms.ReduceScatter} {
			for _, shape := range [][3]int{{1, 4, 2}, {2, 2, 1}, {3, 4, 2}, {2, 9, 3}, {8, 4, 2}} {
				for _, copies := range []algorithms.Copies{algorithms.CopiesNone, algorithms.CopiesSlice} {
					r := algorithms.Request{
						Collective: c, Groups: slices.Repeat([]int{shape[0]}, shape[1]), Pods: shape[2], OutsideIn: true,
						Elem: 4, Copies: copies, InPlace: copies == algorithms.CopiesNone,
					}
					r.Bytes = 128*int64(r.Ranks()) - 31*4
					s, err := algorithms.New(name, r)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := p.Check(s); err != nil {
						t.Errorf("%v of %d in %d super-pods: %v", r.Groups, shape[0], shape[2], err)
					}
					if err := Data[int32](s, Sum); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}
