package choose

import (
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

// TestForced holds what HCCL_ALGO does on each product: what is run, and the warnings.
func TestForced(t *testing.T) {
	const ar, ag, rs = algorithms.AllReduce, algorithms.AllGather, algorithms.ReduceScatter
	for _, c := range []struct {
		product    string
		collective algorithms.Collective
		servers    int
		bytes      int64
		algo       string
		want       string
		warning    string // empty: none
	}{
		{"910b", ar, 4, 64 << 20, "level0:NA;level1:ring", "mesh+ring", ""},
		{"910b", ar, 4, 64 << 20, "level0:NA;level1:H-D_R", "mesh+rhd", ""},
		{"910b", ar, 2, 8, "level1:NHR", "mesh+nhr-oneshot", ""},
		{"910b", ar, 2, 2<<20 + 8, "level1:NHR", "mesh+nhr", ""},
		{"910b", ar, 4, 8, "level1:pipeline", "pipeline", ""},
		{"910b", ar, 4, 8, "level1:NA", "mesh+nhr-oneshot", ""},
		{"910b", ar, 4, 8, "allgather=level1:ring", "mesh+nhr-oneshot", ""},
		{"910b", algorithms.Broadcast, 4, 16 << 20, "level1:NHR", "mesh+nhr-oneshot", ""},
		{"910b", algorithms.Broadcast, 4, 16<<20 + 8, "level1:NHR", "mesh+nhr", ""},
		{"910b", algorithms.Broadcast, 2, 1 << 33, "level1:NB", "mesh+nb-tree", ""},
		{"910b", algorithms.Broadcast, 4, 8*4*1_200_000 - 8, "level1:NB", "mesh+nb-tree", ""},
		{"910b", algorithms.Broadcast, 4, 8 * 4 * 1_200_000, "level1:NB", "mesh+nb", ""},
		// Six servers: 10/4 of the base.
		{"910b", algorithms.Broadcast, 6, 8*3_000_000 - 8, "level1:NB", "mesh+nb-tree", ""},
		{"910b", algorithms.Broadcast, 6, 8 * 3_000_000, "level1:NB", "mesh+nb", ""},
		{"910b", algorithms.AlltoAll, 4, 1 << 20, "alltoall=level1:pairwise", "pairwise", ""},
		{"910b", algorithms.AlltoAllV, 4, 1 << 20, "alltoall=level1:pipeline", "pipeline", ""},

		{"910b", ar, 4, 8, "level1:NHR_V1", "mesh+nhr-oneshot", "NHR_V1 is not simulated: NHR runs"},
		{"910b", ar, 4, 8, "level1:pairwise", "mesh+nhr-oneshot", "level1:pairwise is not to be had (not for allreduce): the automatic choice NHR runs"},
		{"910b", ar, 4, 8, "level1:fullmesh", "mesh+nhr-oneshot", "level1:fullmesh is not to be had (910b has none): the automatic choice NHR runs"},
		{"910b", ar, 4, 8, "level1:AHC", "mesh+nhr-oneshot", "910b has none"},
		{"910b", ar, 800, 8 << 30, "level1:pipeline", "mesh+rhd", "needs 68810 contexts of 65535: HCCL falls back to H-D_R"},
		{"910b", ar, 1, 8, "level1:ring", "mesh", "level1:ring has no effect here (small-count mesh): mesh runs"},
		{"910b", algorithms.Broadcast, 4, 8, "level1:ring", "mesh+rhd", "not for broadcast): the automatic choice H-D_R runs"},
		{"910b", algorithms.Reduce, 3, 8, "level1:NHR", "mesh+ring", "not for reduce): the automatic choice ring runs"},
		{"910b", algorithms.Scatter, 4, 8, "level1:H-D_R", "mesh+ring", "not for scatter): the automatic choice ring runs"},
		{"910b", algorithms.AlltoAll, 4, 8, "level1:ring", "mesh+pairwise", "level1:ring is not to be had for alltoall: mesh+pairwise runs"},
		{"910a", ar, 4, 8, "level1:pipeline", "multi-ring+rhd", "level1:pipeline is not to be had (910a has none): the automatic choice H-D_R runs"},
		{"910a", ar, 1, 8, "level1:NB", "rhd", "level1:NB has no effect here (small message in one server): rhd runs"},
		{"910a", ar, 4, 8, "level1:NB", "multi-ring+nb", ""},
		{"a3", ar, 4, 64 << 20, "level1:H-D_R", "double-ring+nhr", "level1:H-D_R is not to be had (a3 has none): the automatic choice NHR runs"},
		{"a3", ar, 4, 8, "level1:ring", "nhr-oneshot", "level1:ring has no effect here (small message in one super-pod): nhr-oneshot runs"},
		{"a3", ag, 4, 64 << 20, "level1:AHC", "ahc", ""},
		{"a3", rs, 4, 64 << 20, "level1:AHC;level2:ring", "ahc", "level2:ring has no effect: level1:AHC sets level 2 to AHC too"},
		{"a3", algorithms.Broadcast, 4, 1 << 30, "level1:AHC", "double-ring+nhr", "not for broadcast): the automatic choice NHR runs"},
	} {
		q := question(c.product, c.collective, NotDeterministic)
		q.Groups, q.Bytes = slices.Repeat([]int{8}, c.servers), c.bytes
		checkForced(t, q, c.algo, c.want, c.warning)
	}
}

func TestForcedBetweenSuperPods(t *testing.T) {
	for _, c := range []struct {
		collective          algorithms.Collective
		algo, want, warning string
	}{
		{algorithms.AllReduce, "level1:NB;level2:ring", "double-ring+nb+ring", ""},
		{algorithms.AllReduce, "level2:H-D_R", "double-ring+nhr+rhd", ""},
		{algorithms.AllGather, "level2:H-D_R", "double-ring+nhr+nhr", "level2:H-D_R is not to be had for allgather: NHR runs"},
		{algorithms.AllGather, "level2:pipeline", "double-ring+nhr+nhr", "level2:pipeline works with zero copy only, which is not simulated: NHR runs"},
		{algorithms.AllReduce, "level2:pipeline", "double-ring+nhr+nhr", "level2:pipeline is not to be had for allreduce: NHR runs"},
		{algorithms.Reduce, "level2:NHR", "double-ring+ring+ring", "level2:NHR is not to be had for reduce: ring runs"},
	} {
		q := question("a3", c.collective, NotDeterministic)
		q.Groups, q.Pods, q.Bytes = slices.Repeat([]int{16}, 8), 2, 1<<33
		checkForced(t, q, c.algo, c.want, c.warning)
	}
}

func TestPipelineGivesWayToDeterminism(t *testing.T) {
	q := question("910b", algorithms.AllReduce, IsDeterministic)
	q.Groups, q.Bytes = slices.Repeat([]int{8}, 6), 1<<20
	checkForced(t, q, "level1:pipeline", "mesh-chunk+nhr-oneshot", "level1:pipeline is not to be had (not in deterministic mode): the automatic choice NHR runs")
	q.Settings.Deterministic = Strict
	checkForced(t, q, "level1:NHR", "mesh-chunk+nhr-oneshot", "HCCL's order-preserving form is not simulated")
	q.Settings.Deterministic, q.Collective = IsDeterministic, algorithms.Reduce
	checkForced(t, q, "level1:ring", "mesh+ring", "HCCL's deterministic Reduce is not simulated")
}

func checkForced(t *testing.T, q Question, algo, want, warning string) {
	t.Helper()
	var err error
	if q.Settings.Algo, err = ParseAlgo(algo); err != nil {
		t.Fatal(err)
	}
	s, err := newSituation(q)
	if err != nil {
		t.Fatal(err)
	}
	got := s.decide()
	all := strings.Join(s.warnings, "\n")
	if got.algorithm != want || (warning == "") != (all == "") || !strings.Contains(all, warning) {
		t.Errorf("%s %s with %s: got %s with warnings %q, want %s with %q", q.Product, q.Collective, algo, got.algorithm, all, want, warning)
	}
}

func TestServersOfDifferentSize(t *testing.T) {
	for _, c := range []struct {
		product, want, warning string
		collective             algorithms.Collective
	}{
		{"910b", "ring", "HCCL gives up its levels, and ring runs over all ranks", algorithms.AllReduce},
		{"910a", "ring", "HCCL gives up its levels", algorithms.ReduceScatter},
		{"a3", "ahc", "AllReduceARSFor91093), which is not simulated: ahc runs", algorithms.AllReduce},
		{"a3", "nhr", "nhr runs over all ranks", algorithms.AllGather},
		{"a3", "ring", "ring runs over all ranks", algorithms.Reduce},
	} {
		q := question(c.product, c.collective, NotDeterministic)
		q.Groups, q.Bytes = []int{8, 4}, 1<<20
		s, err := newSituation(q)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.decide(); got.algorithm != c.want || len(s.warnings) != 1 || !strings.Contains(s.warnings[0], c.warning) {
			t.Errorf("%s %s: got %v with warnings %q, want %s with %q", c.product, c.collective, got, s.warnings, c.want, c.warning)
		}
	}
}
