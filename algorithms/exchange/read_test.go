package exchange_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
	"hcclsim/algorithms/proof"
)

// load reads a file that is right.
func load(t testing.TB, path string) *exchange.Algorithm {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := exchange.Read(path, f)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// requests are those that prove an algorithm: in place and out of place as it is made for,
// with all chunks equal and with a rest.
func requests(a *exchange.Algorithm, even bool) []algorithms.Request {
	var list []algorithms.Request
	for _, elements := range []int64{int64(a.ChunksPerLoop) * 3, int64(a.ChunksPerLoop)*3 + 2} {
		if even && elements%int64(a.ChunksPerLoop) != 0 {
			continue
		}
		for _, inPlace := range []bool{false, true} {
			if made := inPlace && a.InPlace || !inPlace && a.OutOfPlace; made {
				list = append(list, algorithms.Request{Collective: a.Collective, Groups: []int{a.Ranks}, Bytes: 4 * elements, Elem: 4, InPlace: inPlace})
			}
		}
	}
	return list
}

// prove proves a schedule and moves numbers through it.
func prove(t testing.TB, s *algorithms.Schedule) proof.Count {
	t.Helper()
	n, err := proof.Check(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range proof.Ops() {
		if err := proof.Data[int32](s, op); err != nil {
			t.Fatal(err)
		}
	}
	if err := proof.Data[float32](s, proof.Sum); err != nil {
		t.Fatal(err)
	}
	return n
}

// proveAll proves all requests of an algorithm.
func proveAll(t testing.TB, a *exchange.Algorithm, even bool) {
	t.Helper()
	for _, r := range requests(a, even) {
		s, err := a.Schedule(r)
		if err != nil {
			t.Fatal(err)
		}
		prove(t, s)
	}
}

// TestSamples proves files of other people, where they are at hand.
func TestSamples(t *testing.T) {
	paths, err := filepath.Glob("../../../shared/samples/msccl/*.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a := load(t, path)
			t.Logf("%s %s of %d gpus in %d steps", a.Name, a.Collective, a.Ranks, a.Steps)
			proveAll(t, a, false)
		})
	}
}

// TestFiles proves small files of all shapes.
func TestFiles(t *testing.T) {
	for _, c := range []struct {
		name   string
		even   bool   // its chunks must be equal
		reason string // why
	}{
		{"allgather-hierarchical", false, ""},
		{"allreduce-chains", false, ""},
		{"allreduce-ring", false, ""},
		{"reducescatter-ring", false, ""},
		{"allreduce-allpairs", false, ""},
		{"alltoall-two-step", true, "the blocks of an alltoall are equal"},
		{"allreduce-swap", false, ""},
		{"allreduce-oneshot", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := load(t, "testdata/"+c.name+".xml")
			proveAll(t, a, c.even)
			if !c.even {
				return
			}
			for _, r := range requests(a, false) {
				if r.Bytes/4%int64(a.ChunksPerLoop) != 0 {
					if _, err := a.Schedule(r); err == nil || !strings.Contains(err.Error(), c.reason) {
						t.Errorf("got %v, want %s", err, c.reason)
					}
				}
			}
		})
	}
}
