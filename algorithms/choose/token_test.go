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
		{"910b", algorithms.AlltoAll, 4, 1 << 20, "alltoall=level1:pairwise", "pairwise", ""},
		{"910b", algorithms.AlltoAllV, 4, 1 << 20, "alltoall=level1:pipeline", "pipeline", ""},

		{"910b", ar, 4, 8, "level1:NHR_V1", "mesh+nhr-oneshot", "NHR_V1 is not simulated: NHR runs"},
		{"910b", ar, 4, 8, "level1:pairwise", "mesh+nhr-oneshot", "level1:pairwise is not to be had (not for allreduce): the automatic choice NHR runs"},
		{"910b", ar, 4, 8, "level1:fullmesh", "mesh+nhr-oneshot", "level1:fullmesh is not to be had (910b has none): the automatic choice NHR runs"},
		{"910b", ar, 4, 8, "level1:AHC", "mesh+nhr-oneshot", "910b has none"},
		{"910b", ar, 800, 8 << 30, "level1:pipeline", "mesh+rhd", "needs 68810 contexts of 65535: HCCL falls back to H-D_R"},
		{"910b", ar, 1, 8, "level1:ring", "star", "level1:ring has no effect here (small-count mesh)"},
		{"910b", algorithms.Broadcast, 4, 8, "level1:ring", "mesh+rhd", "not for broadcast): the automatic choice H-D_R runs"},
		{"910b", algorithms.Reduce, 3, 8, "level1:NHR", "mesh+ring", "not for reduce): the automatic choice ring runs"},
		{"910b", algorithms.Scatter, 4, 8, "level1:H-D_R", "mesh+ring", "not for scatter): the automatic choice ring runs"},
		{"910b", algorithms.AlltoAll, 4, 8, "level1:ring", "mesh+pairwise", "level1:ring is not to be had for alltoall: mesh+pairwise runs"},
		{"910a", ar, 4, 8, "level1:pipeline", "multi-ring+rhd", "level1:pipeline is not to be had (910a has none): the automatic choice H-D_R runs"},
		{"910a", ar, 1, 8, "level1:NB", "rhd-oneshot", "level1:NB has no effect here (small message in one server)"},
		{"910a", ar, 4, 8, "level1:NB", "multi-ring+nb", ""},
		{"a3", ar, 4, 64 << 20, "level1:H-D_R", "double-ring+nhr", "level1:H-D_R is not to be had (a3 has none): the automatic choice NHR runs"},
		{"a3", ar, 4, 8, "level1:ring", "nhr-oneshot", "level1:ring has no effect here (small message in one super-pod)"},
		{"a3", ar, 4, 64 << 20, "level1:AHC", "ahc", ""},
		{"a3", ag, 4, 64 << 20, "level1:AHC", "ahc", "AHC's allgather goes round rings"},
		{"a3", rs, 4, 64 << 20, "level1:AHC;level2:ring", "ahc", "level2:ring has no effect here (one super-pod)"},
		{"a3", algorithms.Broadcast, 4, 1 << 30, "level1:AHC", "double-ring+nhr", "not for broadcast): the automatic choice NHR runs"},
	} {
		q := question(c.product, c.collective, NotDeterministic)
		q.Groups, q.Bytes = slices.Repeat([]int{8}, c.servers), c.bytes
		checkForced(t, q, c.algo, c.want, c.warning)
	}
}

// TestBinaryTreeOfNB: n is 3 for 5 to 8 servers, 4 up to 16, 5 up to 32, 6 up to 64; so
// (2n-2)/(n-2), rounded down, is 4, 3, 8/3 = 2 and 10/4 = 2 times 20 * 60,000 bytes for
// each of eight NPUs.
func TestBinaryTreeOfNB(t *testing.T) {
	const base = 8 * 1_200_000
	for servers, limit := range map[int]int64{3: 3 * base, 4: 4 * base, 5: 4 * base, 6: 4 * base, 8: 4 * base,
		9: 3 * base, 16: 3 * base, 17: 2 * base, 32: 2 * base, 33: 2 * base, 64: 2 * base} {
		q := question("910b", algorithms.Broadcast, NotDeterministic)
		q.Groups, q.Bytes = slices.Repeat([]int{8}, servers), limit-8
		checkForced(t, q, "level1:NB", "mesh+nb-tree", "")
		q.Bytes = limit
		checkForced(t, q, "level1:NB", "mesh+nb", "")
	}
}

// TestTokensWithoutEffect: what HCCL reads and does nothing with is warned of.
func TestTokensWithoutEffect(t *testing.T) {
	const ar, ag, large = algorithms.AllReduce, algorithms.AllGather, 64 << 20
	for _, c := range []struct {
		product             string
		collective          algorithms.Collective
		servers, pods       int
		algo, want, warning string
	}{
		{"910b", ar, 4, 1, "level0:ring;level1:NHR", "mesh+nhr", "level0:ring has no effect here (level 0 follows from the wiring and cannot be set)"},
		{"910b", algorithms.AlltoAll, 4, 1, "level0:fullmesh;level1:pairwise", "pairwise", "level0:fullmesh has no effect here"},
		{"910b", algorithms.AlltoAll, 4, 1, "level0:null;level1:pairwise", "pairwise", "level0:null has no effect here"},
		{"910b", ar, 4, 1, "level0:null;level1:ring", "ring", "level0:null: one plane of all ranks"},
		{"910b", ar, 4, 1, "level0:null", "nhr", "level0:null: one plane of all ranks"},
		{"910b", ar, 4, 1, "level1:NHR;level2:ring", "mesh+nhr", "level2:ring has no effect here (one super-pod)"},
		{"910b", ar, 4, 1, "level1:NHR;level3:ring", "mesh+nhr", "level3:ring has no effect here (HCCL reads it"},
		{"910b", ar, 4, 1, "level1:NHR;level2:NA;level3:null", "mesh+nhr", ""},
		{"910b", algorithms.SendRecv, 4, 1, "level1:NHR", "pairwise", "level1:NHR has no effect here (point to point)"},
		{"a3", ar, 4, 1, "level1:NB;level2:ring", "double-ring+nb", "level2:ring has no effect here (one super-pod)"},
		{"a3", ar, 2, 2, "level1:NB;level2:ring", "double-ring+ring", "level1:NB has no effect here (one server in each super-pod)"},
		{"a3", ag, 2, 2, "level2:NB", "double-ring+nb", ""},
		{"a3", ar, 2, 2, "level1:AHC", "ahc", ""},
		{"a3", ar, 4, 1, "level1:AHC;level0:null", "ahc", "level0:null has no effect here"},
	} {
		q := question(c.product, c.collective, NotDeterministic)
		q.Groups, q.Pods, q.Bytes = slices.Repeat([]int{8}, c.servers), c.pods, large
		checkForced(t, q, c.algo, c.want, c.warning)
	}
	// 64 KiB over two super-pods of two servers: NHR in two steps, whatever the levels say.
	q := question("a3", ag, NotDeterministic)
	q.Groups, q.Pods, q.Bytes = []int{8, 8, 8, 8}, 2, 32*64<<10
	checkForced(t, q, "level2:ring", "nhr", "level2:ring has no effect here (middle size over super-pods)")
	// Servers of different size in one plane.
	q = question("910b", ar, NotDeterministic)
	q.Groups, q.Bytes = []int{8, 4}, large
	checkForced(t, q, "level0:null;level1:NB", "nb", "level0:null: one plane of all ranks")
}

// TestRuleBetweenSuperPods: with one server in each, level 2 decides, and says so.
func TestRuleBetweenSuperPods(t *testing.T) {
	q := question("a3", algorithms.AllReduce, NotDeterministic)
	q.Groups, q.Pods, q.Bytes = []int{16, 16}, 2, 1<<30
	for algo, want := range map[string][2]string{
		"level1:NA":   {"default between super-pods", "2 super-pods"},
		"level2:ring": {"HCCL_ALGO", "level2:ring"},
	} {
		var err error
		if q.Settings.Algo, err = ParseAlgo(algo); err != nil {
			t.Fatal(err)
		}
		if got, err := HCCL(q); err != nil || got.Rule != want[0] || got.Value != want[1] {
			t.Errorf("%s: got %+v, %v, want %q", algo, got, err, want)
		}
	}
}

// TestPipelineWithoutInlineReduce: HCCL's mesh runs instead, with H-D_R; gathers reduce nothing.
func TestPipelineWithoutInlineReduce(t *testing.T) {
	for _, c := range []struct {
		collective    algorithms.Collective
		dtype, op     string
		inline        bool
		want, warning string
	}{
		{algorithms.AllReduce, "int64", "sum", true, "mesh+rhd", "nothing reduces int64 sum inline: HCCL falls back to its mesh"},
		{algorithms.ReduceScatter, "fp32", "prod", true, "mesh+rhd", "nothing reduces fp32 prod inline"},
		{algorithms.AllReduce, "fp32", "sum", false, "mesh+rhd", "nothing reduces fp32 sum inline"},
		{algorithms.AllGather, "int64", "", false, "pipeline", ""},
		{algorithms.AllReduce, "fp32", "max", true, "pipeline", ""},
	} {
		q := question("910b", c.collective, NotDeterministic)
		q.Groups, q.Bytes, q.DType, q.Op, q.InlineReduce = slices.Repeat([]int{8}, 4), 64<<20, c.dtype, c.op, c.inline
		checkForced(t, q, "level1:pipeline", c.want, c.warning)
	}
}

// TestSmallDeterministic: whole buffers over all ranks up to 512 KiB, whatever the numbers,
// with a warning where HCCL does not double at both levels.
func TestSmallDeterministic(t *testing.T) {
	const ar, rs = algorithms.AllReduce, algorithms.ReduceScatter
	for _, c := range []struct {
		collective    algorithms.Collective
		npus, servers int
		bytes         int64
		want, warning string
	}{
		{ar, 8, 4, 512 << 10, "rhd-oneshot", ""},
		{ar, 8, 4, 512<<10 + 4, "mesh-chunk+nhr-oneshot", ""},
		{ar, 8, 6, 512 << 10, "rhd-oneshot", "6 servers: HCCL doubles inside the servers only"},
		{ar, 8, 6, 512<<10 + 4, "mesh-chunk+nhr-oneshot", ""},
		{ar, 6, 4, 8, "rhd-oneshot", "6 NPUs a server: HCCL gathers, adds and broadcasts"},
		{ar, 2, 6, 8, "mesh+nhr-oneshot", ""},
		// Of a rank, 8 B; 48 ranks.
		{rs, 8, 6, 48 * 8, "mesh-chunk+nhr", "HCCL takes halving in stages inside the servers"},
		{rs, 8, 6, 48 * 128 << 10, "mesh-chunk+nhr", "HCCL takes halving in stages inside the servers"},
		{rs, 6, 8, 48 * 8, "mesh-chunk+nhr", "HCCL takes NHR inside the servers"},
		{rs, 2, 6, 12 * 8, "mesh+nhr", ""},
		{rs, 8, 1, 8 * 8, "mesh-chunk", ""},
		// From 256 KiB a rank on there is the pipeline.
		{rs, 8, 6, 48 * 256 << 10, "pipeline", "deterministic pipeline"},
	} {
		q := question("910b", c.collective, IsDeterministic)
		q.Groups, q.Bytes = slices.Repeat([]int{c.npus}, c.servers), c.bytes
		checkForced(t, q, "level1:NA", c.want, c.warning)
	}
}

// TestPipelineOverSuperPods: more than 608 MiB in all, in blocks of 4 MiB: with 200 MiB of
// buffer 100 MiB for 25 ranks, so 24 are few enough and 32 too many.
func TestPipelineOverSuperPods(t *testing.T) {
	const ag, rs, warning = algorithms.AllGather, algorithms.ReduceScatter, "608MiB over super-pods in a pipeline, which is not simulated"
	for _, c := range []struct {
		collective algorithms.Collective
		npus, pods int
		bytes      int64
		buffer     int64
		dtype      string
		want       bool
	}{
		{ag, 12, 2, 609 << 20, 200 << 20, "fp32", true},
		{ag, 12, 2, 608 << 20, 200 << 20, "fp32", false},
		{ag, 16, 2, 1 << 30, 200 << 20, "fp32", false},
		{ag, 16, 2, 1 << 30, 0, "fp32", true},
		{ag, 12, 1, 1 << 30, 200 << 20, "fp32", false},
		{ag, 12, 2, 1 << 30, 200 << 20, "int64", true},
		{rs, 12, 2, 1 << 30, 200 << 20, "fp32", true},
		{rs, 12, 2, 1 << 30, 200 << 20, "int64", false},
		{algorithms.AllReduce, 12, 2, 1 << 30, 200 << 20, "fp32", false},
	} {
		q := question("a3", c.collective, NotDeterministic)
		q.Groups, q.Pods, q.Bytes, q.DType, q.Settings.Buffer = []int{c.npus, c.npus}, c.pods, c.bytes, c.dtype, c.buffer
		choice, err := HCCL(q)
		if got := strings.Contains(strings.Join(choice.Warnings, "\n"), warning); err != nil || got != c.want {
			t.Errorf("%+v: got %+v, %v", c, choice, err)
		}
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
		{algorithms.AllReduce, "level1:AHC;level2:ring", "ahc", "level2:ring has no effect: level1:AHC sets level 2 to AHC too"},
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
