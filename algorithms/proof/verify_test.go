package proof

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

// TestEverySchedule proves all that `hcclsim verify` proves by default, for 2 to 24 ranks;
// with -short to 12. `check full` runs the command itself, for 2 to 64.
func TestEverySchedule(t *testing.T) {
	most := 24
	if testing.Short() {
		most = 12
	}
	var ranks []int
	for p := 2; p <= most; p++ {
		ranks = append(ranks, p)
	}
	rows := map[string]int{}
	last := ""
	count, err := Verify(context.Background(), Names(), ranks, false, func(r Row) {
		if r.Count.Schedules == 0 {
			t.Errorf("%s %s of %d ranks: nothing was proved", r.Algorithm, r.Collective, r.Ranks)
		}
		last = r.Algorithm
		rows[last]++
	})
	if err != nil {
		t.Error(err)
	}
	for _, name := range Names() {
		if rows[name] == 0 {
			t.Errorf("%s: nothing was proved", name)
		}
	}
	if names := Names(); last != names[len(names)-1] {
		t.Errorf("rows end with %s", last)
	}
	if count.Schedules < 20_000 || count.Steps == 0 || count.Messages == 0 {
		t.Errorf("%+v", count)
	}
}

// TestLargeSchedules looks beyond 64 ranks, where sets of ranks take several words.
func TestLargeSchedules(t *testing.T) {
	for name, ranks := range map[string][]int{
		"ring": {65, 200}, "binomial": {127, 600}, "double-tree": {100, 257}, "mesh": {80}, "star": {65, 300},
		"nhr": {65, 200, 256}, "nb": {65, 200}, "rhd": {65, 200}, "mesh+nhr": {104}, "mesh-chunk": {72},
		"pairwise": {65, 130}, "mesh+pairwise": {96}, "pipeline": {72, 128}, "ring+ring+nhr": {128},
		"ring+double-tree": {96}, "mesh+ring": {128}, "mesh+binomial": {72},
	} {
		if _, err := Verify(context.Background(), []string{name}, ranks, false, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestEveryScheduleOnData moves numbers through all that is tried up to 10 ranks.
func TestEveryScheduleOnData(t *testing.T) {
	if _, err := Verify(context.Background(), Names(), []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, true, nil); err != nil {
		t.Error(err)
	}
}

func TestVerifyReports(t *testing.T) {
	_, err := Verify(context.Background(), []string{"rign"}, []int{2}, false, nil)
	if err == nil || !strings.Contains(err.Error(), `did you mean "ring"?`) {
		t.Errorf("unknown algorithm: %v", err)
	}
	_, err = Verify(context.Background(), []string{"multi-ring"}, []int{2, 3}, false, nil)
	if err == nil || !strings.Contains(err.Error(), "nothing to prove: multi-ring allreduce: multi-ring joins 3 ranks") {
		t.Errorf("ranks that an algorithm is not made for: %v", err)
	}
	_, err = Verify(context.Background(), []string{"mesh+ring"}, []int{17}, false, nil)
	if err == nil || !strings.Contains(err.Error(), "nothing to prove of mesh+ring allreduce: the ranks cannot be divided into servers") {
		t.Errorf("a prime number of ranks: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	count, err := Verify(ctx, []string{"ring"}, []int{2, 3, 4}, false, func(r Row) {
		if r.Ranks == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || count.Schedules == 0 {
		t.Errorf("cancelled after some: %+v, %v", count, err)
	}
}

// BenchmarkCheck proves a mesh AllReduce of 64 ranks, the largest schedule of Verify's
// default.
func BenchmarkCheck(b *testing.B) {
	s, err := algorithms.New("mesh", algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{64}, Bytes: 1 << 20, Elem: 4, InPlace: true})
	if err != nil {
		b.Fatal(err)
	}
	var p Prover
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Check(s); err != nil {
			b.Fatal(err)
		}
	}
}
