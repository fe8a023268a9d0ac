package exchange_test

import (
	"os"
	"path/filepath"
	"slices"
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
func requests(a *exchange.Algorithm) []algorithms.Request {
	var list []algorithms.Request
	rest := int64(2)
	if a.Collective == algorithms.AlltoAll {
		rest = int64(a.Ranks) // whose blocks are equal
	}
	for _, elements := range []int64{int64(a.ChunksPerLoop) * 3, int64(a.ChunksPerLoop)*3 + rest} {
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
func proveAll(t testing.TB, a *exchange.Algorithm) {
	t.Helper()
	for _, r := range requests(a) {
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
			proveAll(t, a)
		})
	}
}

// TestFiles proves small files of all shapes, and writes them as what they were read.
func TestFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a := load(t, path)
			proveAll(t, a)
			s, err := a.Schedule(requests(a)[0])
			if err != nil {
				t.Fatal(err)
			}
			again := ordered(t, back(t, s), s.Request)
			if want, got := messages(s), messages(again); !slices.Equal(want, got) {
				t.Error(difference(want, got))
			}
		})
	}
}
