package model

import (
	"context"
	"fmt"
	"testing"

	"hcclsim/algorithms"
)

// BenchmarkRing is the ring AllReduce on the Hockney machine; ns/send is the figure that
// docs/performance.md records.
func BenchmarkRing(b *testing.B) {
	for _, p := range []int{64, 1024} {
		b.Run(fmt.Sprintf("ranks=%d", p), func(b *testing.B) {
			b.ReportAllocs()
			point := Point{Topology: hockneyMachine(p, Crossbar), Collective: algorithms.AllReduce, Algorithm: "ring", Bytes: 1 << 30, Elem: 4, InPlace: true}
			var sends int64
			for b.Loop() {
				res, err := Simulate(context.Background(), point, Options{})
				if err != nil {
					b.Fatal(err)
				}
				sends += res.Messages
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(sends), "ns/send")
		})
	}
}
