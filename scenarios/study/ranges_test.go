package study

import (
	"context"
	"math"
	"strings"
	"testing"

	"hcclsim/scenarios"
	"hcclsim/topologies/document"
)

func planOf(t *testing.T, text string) *scenarios.Plan {
	t.Helper()
	root, err := document.Parse("test.yaml", []byte("apiVersion: hcclsim/v1\nkind: Scenario\nname: test\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := scenarios.New(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Ring and binomial on eight ranks of 5 us, 25 GB/s and reductions at 100 GB/s, by closed form:
// 14 a + 1.75 S/B + 0.875 S/R = 6 a + 6 S/B + 3 S/R, so S = 40 us / 0.19125 ns/B = 209,150 B.
func TestCrossoverOfClosedForms(t *testing.T) {
	const want = 40_000 / 0.19125
	for _, jobs := range []int{1, 3} {
		list, err := FindRanges(context.Background(), planOf(t, "topology: {use: uniform}\nrun: [{collective: allreduce, sizes: {from: 1KiB, to: 1GiB, factor: 32}, algorithms: [ring, binomial, auto]}]\n"), Options{Jobs: jobs, Precision: 1.01})
		if err != nil {
			t.Fatal(err)
		}
		w := list[0].Winners
		if len(list) != 1 || len(w) != 2 || w[0].Algorithm != "binomial" || w[1].Algorithm != "ring" {
			t.Fatalf("got %+v", list)
		}
		low, high := float64(w[0].To), float64(w[1].From)
		// Slices are whole elements, and so the times are not quite the closed forms.
		if high/low > 1.01 || low > want*1.001 || high < want*0.999 || math.Abs(high/want-1) > 0.01 {
			t.Errorf("changes between %.0f and %.0f, by closed form at %.0f", low, high, want)
		}
		if w[0].From != 1024 || w[1].To != 1<<30 || w[1].Next != "binomial" || w[1].Most < 2.4 || w[0].Least < 0 {
			t.Errorf("got %+v", w)
		}
	}
}

// Every setting has ranges of its own; with one algorithm there is nothing to find.
func TestSettings(t *testing.T) {
	list, err := FindRanges(context.Background(), planOf(t, "topology: {use: uniform}\nrun: [{collective: allreduce, sizes: [1KiB, 64MiB], algorithms: [ring, binomial]}]\nsweep: {topology.server.npus: [4, 8]}\n"), Options{Jobs: 2, Precision: 1.05})
	if err != nil || len(list) != 2 || list[0].Row.Ranks != 4 || list[1].Row.Ranks != 8 || list[0].Winners[1].From >= list[1].Winners[1].From {
		t.Errorf("got %+v, %v", list, err)
	}
	_, err = FindRanges(context.Background(), planOf(t, "topology: {use: uniform}\nrun: [{collective: allreduce, sizes: 1KiB, algorithms: ring}]\n"), Options{Jobs: 1, Precision: 1.01})
	if err == nil || !strings.Contains(err.Error(), "two or more named algorithms") {
		t.Errorf("got %v", err)
	}
}
