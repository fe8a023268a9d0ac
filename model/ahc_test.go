package model

import (
	"context"
	"math/bits"
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// TestAHCBounds runs AHC over groups of one machine, on one port and on a link for each pair:
// the time is within AHCBounds, which are equal where groups are and slices too. HCCL's
// formula, with a convergence ratio of 1, is no bound: lanes of a rank that get out of step
// share ports worse than it says, by up to 0.3 % here.
func TestAHCBounds(t *testing.T) {
	for _, groups := range [][]int{{5}, {2, 2}, {4, 4, 4}, {8, 8, 8, 8}, {8, 4}, {8, 7}, {8, 6, 5}, {16, 1, 3}, {2, 3, 2, 3, 2}, {8, 4, 8, 4, 8, 4}, {1, 2, 3, 4, 5, 6}} {
		ranks := 0
		for _, g := range groups {
			ranks += g
		}
		for _, connect := range []Connect{Crossbar, FullMesh} {
			for _, c := range algorithms.Collectives() {
				if !algorithms.Offers("ahc", c) || c == algorithms.Barrier {
					continue
				}
				for _, bytes := range []int64{4, 4 * 97, 4 * 1680 * 60 * 12, 4 * 1_000_003} {
					r := algorithms.Request{Collective: c, Groups: groups, Bytes: bytes, Elem: 4, InPlace: true}
					p := Point{
						Topology: hockneyMachine(ranks, connect), Collective: c, Bytes: units.Bytes(bytes), Elem: 4, InPlace: true,
						Make: func(algorithms.Request) (*algorithms.Schedule, error) { return algorithms.New("ahc", r) },
					}
					res, err := Simulate(context.Background(), p, Options{})
					if err != nil {
						t.Fatal(err)
					}
					h := algorithms.Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 100e9, PairLinks: connect == FullMesh}
					lower, upper, err := algorithms.AHCBounds(r, algorithms.Everywhere(h))
					if err != nil {
						t.Fatal(err)
					}
					if got := int64(res.Time); got < lower || got > upper {
						t.Errorf("%s of %d bytes, %v, %s: %d ps, expected %d to %d", c, bytes, groups, connect, got, lower, upper)
					}
					if most := ahcFormula(groups, bytes); c == algorithms.AllReduce && bytes > 1_000_000 && float64(res.Time) > 1.003*most {
						t.Errorf("%d bytes, %v, %s: %d ps, HCCL's formula gives %.0f", bytes, groups, connect, res.Time, most)
					}
				}
			}
		}
	}
}

// ahcFormula is HCCL's for AllReduce, in picoseconds, on hockneyMachine.
func ahcFormula(groups []int, bytes int64) float64 {
	small, large, count := float64(slices.Min(groups)), float64(slices.Max(groups)), float64(len(groups))
	steps := bits.Len(uint(slices.Max(groups)-1)) + bits.Len(uint(len(groups)-1))
	share := (large-1)/large + (count-1)/(count*small)
	return 2*float64(steps)*5_000_000 + share*float64(bytes)*(2*1e12/25e9+1e12/100e9)
}
