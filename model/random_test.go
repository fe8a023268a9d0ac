package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// randomMachine is a cluster with parts chosen at random.
func randomMachine(r *rand.Rand) Topology {
	top := cluster(1 + r.IntN(3))
	n := &top.NPU
	if r.IntN(3) == 0 {
		n.Handshake = Ideal
	}
	n.Cores = []int{0, 8, 48}[r.IntN(3)]
	n.AIV = AIV{Cores: 1 + r.IntN(4), Setup: units.Duration(r.IntN(1000)) * ns, Notify: 500 * ns}
	if r.IntN(3) == 0 {
		n.Expansion = []Expansion{ExpandHost, ExpandAICPU, ExpandAIV}[r.IntN(3)]
	}
	if r.IntN(2) == 0 {
		n.Host = HostThread{Issue{3 * us, 500 * ns}, Issue{20 * us, 100 * ns}, Issue{4 * us, 0}}
	}
	if r.IntN(3) == 0 {
		n.Reduce.Cores = 1 + r.IntN(8)
	}
	n.Reduce.Inline = r.IntN(2) == 0
	n.SyncNotify = r.IntN(4) == 0
	c := &n.NIC
	c.Finack, c.ByRequest, c.GrainRequest, c.Staged = r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(2) == 0, r.IntN(3) == 0
	c.Inline = n.Reduce.Inline && r.IntN(2) == 0
	c.Fetch, c.Store, c.WireOverhead = Stage{20e9, 1 * us}, Stage{10e9, 0}, 300*ns
	c.NPUs = 1 + r.IntN(2)
	if r.IntN(4) == 0 {
		c.Drive = algorithms.Read
	}
	if r.IntN(4) == 0 {
		top.Network = Network{Class: "roce", Connect: NetworkClos, Radix: 2, Spines: 2, Bandwidth: 20e9, Seed: r.Int64N(9)}
	}
	return top
}

// randomWork is streams that cannot wait for each other in a circle: every rank has its
// operators in the order in which they were drawn, on two streams, and collectives meet in
// that order on one of them.
func randomWork(r *rand.Rand, top Topology) Work {
	w := Work{Topology: top, Settings: Settings{Buffer: units.Bytes(r.IntN(2) * 100_000), Split: units.Bytes(r.IntN(2) * 20_000), QueuePairs: 1 + r.IntN(3), MultiQP: 4096}}
	p := top.Size()
	comm := make([][]Operator, p)
	side := make([][]Operator, p)
	flat := []string{"ring", "binomial", "nhr", "mesh", "double-tree", "rhd", "host"}
	events := 0
	for i := range 3 + r.IntN(5) {
		name := fmt.Sprint("op", i)
		switch r.IntN(4) {
		case 0: // a kernel, between events
			for rank := range p {
				k := Operator{Name: name, Kind: OpKernel, Time: units.Duration(r.IntN(50)) * us, Bytes: units.Bytes(r.IntN(2) * 100_000)}
				if top.NPU.Cores > 0 {
					k.Cores = r.IntN(top.NPU.Cores + 1)
				}
				side[rank] = append(side[rank], k, Operator{Name: "e", Kind: OpRecord, Event: events})
				if r.IntN(2) == 0 {
					comm[rank] = append(comm[rank], Operator{Name: "e", Kind: OpWait, Event: events})
				}
			}
			events++
		case 1: // copies
			for rank := range p {
				side[rank] = append(side[rank], Operator{Name: name, Kind: OpCopyHost, Bytes: 1 + units.Bytes(r.IntN(500_000)), ToHost: r.IntN(2) == 0})
			}
		default: // a collective of every s-th rank
			stride := 1 + r.IntN(2)
			if p%stride > 0 {
				stride = 1
			}
			size := 4 * units.Bytes(1+r.IntN(100_000))
			algorithm := flat[r.IntN(len(flat))]
			for first := range stride {
				var members []int32
				for m := first; m < p; m += stride {
					members = append(members, int32(m))
				}
				if len(members) == p {
					members = nil
				}
				w.Calls = append(w.Calls, Call{Members: members, Point: Point{Collective: algorithms.AllReduce, Algorithm: algorithm, Bytes: size, Elem: 4, InPlace: r.IntN(2) == 0, Iterations: 1 + r.IntN(2)}})
				for m := first; m < p; m += stride {
					comm[m] = append(comm[m], Operator{Name: name, Kind: OpCall, Call: len(w.Calls) - 1})
				}
			}
		}
	}
	// The same operations once more on streams of their own: their requests meet those of the
	// first on the queue pairs. Under AIV both might hold cores that the other needs.
	again := make([][]Operator, p)
	for i := range w.Calls {
		if top.NPU.Expansion == ExpandAIV || r.IntN(2) == 0 {
			continue
		}
		of := w.Calls[i]
		members := of.Members
		if members == nil {
			for m := range p {
				members = append(members, int32(m))
			}
		}
		w.Calls = append(w.Calls, of)
		for _, m := range members {
			again[m] = append(again[m], Operator{Name: fmt.Sprint("again", i), Kind: OpCall, Call: len(w.Calls) - 1})
		}
	}
	for rank := range p {
		w.Streams = append(w.Streams,
			Stream{Name: "again", Rank: rank, Priority: uint8(r.IntN(8)), Start: units.Duration(r.IntN(4)) * 50 * us, Operators: again[rank]},
			Stream{Name: "side", Rank: rank, Priority: uint8(r.IntN(8)), Operators: side[rank]},
			Stream{Name: "comm", Rank: rank, Priority: uint8(r.IntN(8)), Start: units.Duration(r.IntN(2)) * 7 * us, Operators: comm[rank]})
	}
	if r.IntN(2) == 0 {
		w.Faults.Stragglers = []Straggler{{Rank: r.IntN(p), Late: units.Duration(r.IntN(100)) * us, Slow: 1500}}
	}
	if r.IntN(2) == 0 {
		w.Jitter = Jitter{Sigma: 100, Seed: r.Int64N(1000)}
	}
	return w
}

// Whatever runs beside whatever: no run fails, its causes and those of its operators add up,
// the history of its path has no gaps, and running it again gives the same.
func TestRandomWorks(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 60
	}
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := randomWork(r, randomMachine(r))
		if err := CheckWork(w); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		first, err := SimulateWork(context.Background(), w, Options{Path: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		addsUp(t, fmt.Sprint("seed ", seed), first)
		for _, s := range first.Spans {
			var sum units.Duration
			for _, p := range s.Critical {
				if p.Time < 0 {
					t.Errorf("seed %d: %s has %v of %s", seed, s.Name, p.Time, p.Name)
				}
				sum += p.Time
			}
			if sum != s.End-s.Start {
				t.Errorf("seed %d: the causes of %s add up to %v of %v", seed, s.Name, sum, s.End-s.Start)
			}
		}
		again, err := SimulateWork(context.Background(), w, Options{})
		first.Path = nil
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Errorf("seed %d: again %v, %v and %v", seed, err, first.Time, again.Time)
		}
	}
}

// Equal priorities change nothing, whatever they are.
func TestEqualPrioritiesChangeNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		w := randomWork(r, randomMachine(r))
		var results [2]Result
		for i, priority := range []uint8{0, 6} {
			for s := range w.Streams {
				w.Streams[s].Priority = priority
			}
			res, err := SimulateWork(context.Background(), w, Options{})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			results[i] = res
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			t.Errorf("seed %d: %v at priority 0, %v at 6", seed, results[0].Time, results[1].Time)
		}
	}
}
