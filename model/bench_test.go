package model

import (
	"context"
	"fmt"
	"testing"

	"hcclsim/algorithms"
)

// BenchmarkRing is the ring AllReduce on the Hockney machine, BenchmarkCluster a machine
// with every part set; ns/send and ns/event are what docs/performance.md records. The
// profile that the command is built with, cmd/hcclsim/default.pgo, comes from both.

func BenchmarkRing(b *testing.B) {
	for _, p := range []int{64, 1024} {
		b.Run(fmt.Sprintf("ranks=%d", p), func(b *testing.B) {
			benchmarkPoint(b, Point{Topology: hockneyMachine(p, Crossbar), Collective: algorithms.AllReduce, Algorithm: "ring", Bytes: 1 << 30, Elem: 4, InPlace: true})
		})
	}
}

func BenchmarkCluster(b *testing.B) {
	for _, name := range []string{"ring", "mesh+ring", "mesh+double-tree"} {
		b.Run(name+"/ranks=128", func(b *testing.B) {
			benchmarkPoint(b, Point{Topology: cluster(32), Collective: algorithms.AllReduce, Algorithm: name, Bytes: 64 << 20, Elem: 4, InPlace: true})
		})
	}
}

func benchmarkPoint(b *testing.B, p Point) {
	b.ReportAllocs()
	var sends, events int64
	for b.Loop() {
		res, err := Simulate(context.Background(), p, Options{})
		if err != nil {
			b.Fatal(err)
		}
		sends += res.Messages
		events += res.Events
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(sends), "ns/send")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
