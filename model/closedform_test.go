package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// hockneyMachine is `uniform`, or with FullMesh `uniform-mesh`: alpha 5 us, beta of
// 25 GB/s, gamma of 100 GB/s.
func hockneyMachine(npus int, connect Connect) Topology {
	t := crossbar(npus)
	l := &t.Server.Links[0]
	l.Connect, l.Latency = connect, 5*units.Microsecond
	t.NPU.Reduce = ReduceUnit{Bandwidth: 100e9}
	return t
}

// twoLevels is `uniform-two-level`: what hockneyMachine is inside servers, and ports with a
// latency and a bandwidth of their own between them.
func twoLevels(groups []int, inside, between algorithms.Hockney) Topology {
	t := hockneyMachine(groups[0], FullMesh)
	l := &t.Server.Links[0]
	l.Latency, l.Bandwidth = units.Duration(inside.Alpha), Bandwidth{units.Rate(inside.Bandwidth), units.Rate(inside.Bandwidth)}
	t.Servers = len(groups)
	t.Network = Network{Class: "between", Connect: NetworkSwitch, Latency: units.Duration(between.Alpha)}
	t.NPU.NIC = NIC{Ports: 1, Bandwidth: units.Rate(between.Bandwidth)}
	return t
}

// manyRanks are 2 to 33 and 64; a few with -short, as under the race detector.
func manyRanks() []int {
	if testing.Short() {
		return []int{2, 3, 6, 8}
	}
	ranks := []int{64}
	for p := 2; p <= 33; p++ {
		ranks = append(ranks, p)
	}
	return ranks
}

// open says of which algorithms no closed form is known, whatever the slices: trees whose
// segments meet, and rings side by side whose reductions wait for one unit.
func open(name string) bool {
	return strings.Contains(name, "double-") || strings.Contains(name, "multi-ring")
}

// bounded says of what there is a bound from above only: unequal blocks, and the halves of
// AHC by themselves.
func bounded(name string, c algorithms.Collective) bool {
	return c == algorithms.AlltoAllV || name == "ahc" && c != algorithms.AllReduce
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
	for _, a := range algorithms.Catalogue() {
		if algorithms.NeedsHosts(a.Name) { // of its own links: host_test.go
			continue
		}
		for _, c := range a.Offers {
			for _, connect := range []Connect{Crossbar, FullMesh} {
				t.Run(fmt.Sprintf("%s/%s/%s", a.Name, c, connect), func(t *testing.T) {
					compared := 0
					for _, p := range manyRanks() {
						even := int64(p) * 4 * 25_000
						sizes := []int64{even, 4 * 1_000_003, even + 4, 4 * int64(p-1), 4}
						if p > 17 {
							sizes = sizes[:2]
						}
						for _, bytes := range sizes {
							compared += closedForm(t, a.Name, c, hockneyMachine(p, connect), bytes)
						}
					}
					if compared == 0 && !open(a.Name) && !bounded(a.Name, c) {
						t.Error("there is no closed form to compare with")
					}
				})
			}
		}
	}
}

// Algorithms of several levels take the sum of their levels, or as pipeline does its own
// form, whatever the speeds of the levels are to each other. Mixes are tried on some ranks
// only: their parts are those of the test above.
func TestClosedFormsOfLevels(t *testing.T) {
	slow, fast := algorithms.Hockney{Alpha: 10_000_000, Bandwidth: 12.5e9}, algorithms.Hockney{Alpha: 5_000_000, Bandwidth: 25e9}
	offering(t, func(t *testing.T, name string, c algorithms.Collective) {
		ranks := []int{4, 6, 8, 12}
		switch {
		case algorithms.Flat(name):
			return
		case !strings.Contains(name, "+"):
			ranks = manyRanks()
		}
		compared := 0
		for _, level := range [][2]algorithms.Hockney{{fast, fast}, {fast, slow}, {slow, fast}} {
			for _, p := range ranks {
				for _, s := range shapes(name, p) {
					top := twoLevels(s.groups, level[0], level[1])
					top.Pods = s.pods
					for _, bytes := range []int64{int64(p*p) * 4000, 4 * 1_000_003, 4 * int64(p-1)} {
						compared += closedForm(t, name, c, top, bytes)
					}
				}
			}
		}
		if compared == 0 && !open(name) && !bounded(name, c) {
			t.Error("there is no closed form to compare with")
		}
	})
}

// closedForm compares the machine with the closed form; 0 where there is none. Then it has
// to be an algorithm that has none, or the estimate is an upper bound.
func closedForm(t *testing.T, name string, c algorithms.Collective, top Topology, bytes int64) int {
	t.Helper()
	p := Point{Topology: top, Collective: c, Algorithm: name, Elem: 4, InPlace: c.HasInPlace()}
	p.Blocks, p.Bytes = blocks(c, top.Size(), units.Bytes(bytes))
	s, err := p.Schedule()
	var shape *algorithms.ShapeError
	if errors.As(err, &shape) || p.Bytes == 0 {
		return 0
	}
	res, err := Simulate(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c == algorithms.AlltoAllV && strings.Contains(name, "+") {
		return 0 // of a mix with unequal blocks nothing is known
	}
	want, ok, err := algorithms.Cost(name, s.Request, top.Levels())
	if err != nil {
		t.Fatal(err)
	}
	// Messages that share a port have rates that are rounded: two rounds of them at most, but
	// one for each rank where the mesh goes chunk by chunk.
	within := int64(2)
	if strings.HasPrefix(name, "mesh-chunk") {
		within += int64(top.Size())
	}
	if outer := top.Hockney(); outer.PairLinks {
		within = 0
	}
	if ok {
		if d := int64(res.Time) - want; d < -within || d > within {
			t.Errorf("%d ranks, %d bytes: the machine takes %d ps, the closed form %d: off by %d, at most %d", top.Size(), bytes, res.Time, want, d, within)
		}
		return 1
	}
	// Of uneven chunks the first group of servers need not be the slowest.
	if open(name) || strings.HasPrefix(name, "mesh-chunk+") && c == algorithms.ReduceScatter {
		return 0
	}
	// Blocks, or chunks, of which some are shorter: no rank waits longer than for the largest.
	most, err := algorithms.Estimate(name, s.Request, top.Levels())
	unequal := c == algorithms.AlltoAll || name == "mesh-chunk"
	if err != nil || !unequal && !bounded(name, c) || int64(res.Time) > most+within {
		t.Errorf("%d ranks, %d bytes: no closed form, the machine takes %d ps, the estimate is %d (%v)", top.Size(), bytes, res.Time, most, err)
	}
	return 0
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
