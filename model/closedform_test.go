package model

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// shapes are the ways to lay p ranks out on equal servers: one server for a flat
// algorithm, all divisions for a mix.
func shapes(name string, p int) [][]int {
	if !strings.Contains(name, "+") {
		return [][]int{{p}}
	}
	var list [][]int
	for servers := 1; servers <= p; servers++ {
		if p%servers == 0 {
			groups := make([]int, servers)
			for i := range groups {
				groups[i] = p / servers
			}
			list = append(list, groups)
		}
	}
	return list
}

// hockneyMachine is `uniform`, or with FullMesh `uniform-mesh`: alpha 5 us, beta of
// 25 GB/s, gamma of 100 GB/s.
func hockneyMachine(npus int, connect Connect) Topology {
	t := crossbar(npus)
	l := &t.Server.Links[0]
	l.Connect, l.Latency = connect, 5*units.Microsecond
	t.NPU.Reduce = ReduceUnit{Bandwidth: 100e9}
	return t
}

// The machine with an ideal handshake is the Hockney model: it returns the closed forms,
// evaluated on the actual slices, whether a rank has one port for all others or a link to
// each. Both round every transfer and reduction up, so that they agree to the picosecond
// but for transfers that share a port: their rates are rounded down, and each round of
// them may be a picosecond late.
//
// The bound of docs/model.md is a picosecond for each transfer and reduction on the longest
// path: 3(p-1) with ring AllReduce, 3 log2 p with binomial, 2+(p-1) with mesh and star.
func TestClosedForms(t *testing.T) {
	ranks := []int{64}
	for p := 2; p <= 33; p++ {
		ranks = append(ranks, p)
	}
	for _, name := range []string{"ring", "binomial", "mesh", "star", "nhr", "nb", "rhd"} {
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers(name, c) {
				continue
			}
			for _, connect := range []Connect{Crossbar, FullMesh} {
				for _, p := range ranks {
					even := int64(p) * 4 * 25_000
					for _, bytes := range []int64{even, even + 4, 4 * 1_000_003, 4 * int64(p-1), 4} {
						t.Run(fmt.Sprintf("%s/%s/%s/%d/%d", name, c, connect, p, bytes), func(t *testing.T) {
							closedForm(t, name, c, hockneyMachine(p, connect), bytes)
						})
					}
				}
			}
		}
	}
}

func closedForm(t *testing.T, name string, c algorithms.Collective, top Topology, bytes int64) {
	p := Point{Topology: top, Collective: c, Algorithm: name, Bytes: units.Bytes(bytes), Elem: 4, InPlace: true}
	res, err := Simulate(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := algorithms.Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 100e9, PairLinks: top.Server.Links[0].Connect == FullMesh}
	want, ok, err := algorithms.Cost(name, algorithms.Request{Collective: c, Groups: []int{top.Server.NPUs}, Bytes: bytes, Elem: 4, InPlace: true}, algorithms.Everywhere(h))
	if err != nil || !ok {
		t.Fatalf("closed form: %v, %v", ok, err)
	}
	within := int64(0)
	if !h.PairLinks && (name == "mesh" || name == "star") {
		within = 2 // at most two rounds of messages that share a port, whose rates are rounded
	}
	if d := int64(res.Time) - want; d < -within || d > within {
		t.Errorf("the machine takes %d ps, the closed form %d: off by %d, at most %d", res.Time, want, d, within)
	}
}

// The figure of the README: 2*7*(5 us + 131072 B/25 GB/s) + 7*131072 B/100 GB/s.
func TestRingOnUniform(t *testing.T) {
	res, err := Simulate(context.Background(), Point{
		Topology: hockneyMachine(8, Crossbar), Collective: algorithms.AllReduce, Algorithm: "ring", Bytes: 1 << 20, Elem: 4, InPlace: true,
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Time != 152_575_360 {
		t.Errorf("ring AllReduce of 1 MiB takes %d ps, want 152575360", res.Time)
	}
}
