package model

import (
	"context"
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// addsUp makes sure that the pieces of a critical path follow each other without gaps up to
// the end, and that their causes are those of the whole.
func addsUp(t *testing.T, name string, r Result) {
	t.Helper()
	var at units.Duration
	sum := map[string]units.Duration{}
	for i, p := range r.Path {
		if p.Start != at || p.End <= p.Start {
			t.Fatalf("%s: piece %d, %s, is from %v to %v, the one before ends at %v", name, i, p.Name, p.Start, p.End, at)
		}
		at = p.End
		var own units.Duration
		for _, c := range p.Critical {
			if c.Time < 0 {
				t.Errorf("%s: piece %d, %s, has %v of %s", name, i, p.Name, c.Time, c.Name)
			}
			sum[c.Name] += c.Time
			own += c.Time
		}
		if own != p.End-p.Start {
			t.Errorf("%s: the causes of piece %d, %s, add up to %v of %v", name, i, p.Name, own, p.End-p.Start)
		}
	}
	if at != r.Time {
		t.Errorf("%s: the pieces end at %v of %v", name, at, r.Time)
	}
	for _, c := range r.Critical {
		if sum[c.Name] != c.Time {
			t.Errorf("%s: the pieces have %v of %s, the whole %v", name, sum[c.Name], c.Name, c.Time)
		}
	}
}

// The history of every algorithm on machines with every recipe.
func TestHistoryAddsUp(t *testing.T) {
	staged := cluster(4)
	staged.NPU.NIC.Staged, staged.NPU.NIC.Fetch, staged.NPU.NIC.Store = true, Stage{20e9, 1 * us}, Stage{20e9, 1 * us}
	for _, top := range []Topology{hockneyMachine(8, Crossbar), cluster(4), staged} {
		for _, name := range algorithms.Names() {
			p := Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: name, Bytes: 1 << 20, Elem: 4, InPlace: true, Settings: Settings{Split: 10_000}}
			if !algorithms.Offers(name, p.Collective) || Check(p) != nil {
				continue
			}
			res, err := Simulate(context.Background(), p, Options{Path: true})
			if err != nil {
				t.Fatal(err)
			}
			addsUp(t, top.Name+" "+name, res)
			plain, err := Simulate(context.Background(), p, Options{})
			if err != nil || plain.Time != res.Time || !slices.Equal(plain.Critical, res.Critical) || plain.Path != nil {
				t.Errorf("%s %s: with history %v, without %v, %v", top.Name, name, res.Time, plain.Time, err)
			}
		}
	}
}

// The history goes through operators of streams, late ranks, rounds and iterations.
func TestHistoryOfStreams(t *testing.T) {
	call := ringCall(megabyte)
	call.Point.Iterations = 3
	w := Work{Topology: taskMachine(), Settings: Settings{Buffer: 300_000}, Calls: []Call{ringCall(megabyte), call}, Faults: Faults{Stragglers: []Straggler{{Rank: 1, Late: 50 * us}}},
		Streams: streamsOf(2, kernel("work", 10*us, 1), calls("one", 0), kernel("between", 5*us, 1), calls("two", 1), kernel("end", 1*us, 1))}
	w.Topology.NPU.Host.Host = Issue{Collective: 20 * us, Task: 1 * us}
	res, err := SimulateWork(context.Background(), w, Options{Path: true})
	if err != nil {
		t.Fatal(err)
	}
	addsUp(t, "streams", res)
	for _, name := range []string{"work", "one", "between", "two", "end"} {
		if !slices.ContainsFunc(res.Path, func(p Piece) bool { return p.Operator == name }) {
			t.Errorf("operator %s is not on the path", name)
		}
	}
}
