package choose

import (
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

// TestSelector910B holds the facts of HCCL's selector: ring for two and three servers, NHR
// from four, H-D_R never, whatever the size; the pipeline where its conditions hold.
func TestSelector910B(t *testing.T) {
	for _, c := range []algorithms.Collective{algorithms.AllReduce, algorithms.AllGather, algorithms.ReduceScatter} {
		for _, npus := range []int{1, 2, 8} {
			for m := 2; m <= 64; m++ {
				for e := 3; e <= 33; e++ {
					for _, d := range []Deterministic{NotDeterministic, IsDeterministic, Strict} {
						q := question("910b", c, d)
						q.Groups, q.Bytes = slices.Repeat([]int{npus}, m), 1<<e
						want := tokenNHR
						if m <= 3 {
							want = tokenRing
						}
						if pipelined(q) {
							want = tokenPipeline
						}
						s, err := newSituation(q)
						if err != nil {
							t.Fatal(err)
						}
						if got := selector910B(s); got.token != want {
							t.Fatalf("%s of %s on %d servers of %d, deterministic %d: got %v, want %s", c, size(q.Bytes), m, npus, d, got, want)
						}
					}
				}
			}
		}
	}
}

// pipelined restates the pipeline's conditions for up to 64 servers, where contexts never
// run out.
func pipelined(q Question) bool {
	npus, ranks := q.Groups[0], int64(q.Ranks())
	ordered := q.Settings.Deterministic == IsDeterministic
	if npus == 1 || q.Collective.Reduces() && (q.Settings.Deterministic == Strict || ordered && npus == 2) {
		return false
	}
	switch {
	case q.Collective == algorithms.AllReduce:
		return q.Bytes/ranks >= 1<<20
	case q.Collective == algorithms.ReduceScatter && ordered:
		return q.Bytes/ranks >= 256<<10
	}
	return q.Bytes/ranks >= 32<<10
}

func TestPipelineConditions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Question)
		want   bool
	}{
		"as it is":                           {func(*Question) {}, true},
		"just under 1 MiB a slice":           {func(q *Question) { q.Bytes = 16<<20 - 4 }, false},
		"int64 is not reduced inline":        {func(q *Question) { q.DType = "int64" }, false},
		"prod is not reduced inline":         {func(q *Question) { q.Op = "prod" }, false},
		"no inline reduce":                   {func(q *Question) { q.InlineReduce = false }, false},
		"gathers need no inline reduce":      {func(q *Question) { q.InlineReduce, q.Collective = false, algorithms.AllGather }, true},
		"761 servers: 65,456 contexts":       {func(q *Question) { q.Groups = slices.Repeat([]int{8}, 761); q.Bytes = 8 << 30 }, true},
		"762 servers: 65,542 contexts":       {func(q *Question) { q.Groups = slices.Repeat([]int{8}, 762); q.Bytes = 8 << 30 }, false},
		"AllGather, 1,523 servers":           {func(q *Question) { gathers(q, 1523) }, true},
		"AllGather, 1,524 servers":           {func(q *Question) { gathers(q, 1524) }, false},
		"deterministic":                      {func(q *Question) { q.Settings.Deterministic = IsDeterministic }, true},
		"deterministic, 648 servers: 65,457": {func(q *Question) { deterministic(q, 648) }, true},
		"deterministic, 649 servers: 65,558": {func(q *Question) { deterministic(q, 649) }, false},
	} {
		q := question("910b", algorithms.AllReduce, NotDeterministic)
		q.Groups, q.Bytes = []int{8, 8}, 16<<20
		c.change(&q)
		s, err := newSituation(q)
		if err != nil {
			t.Fatal(err)
		}
		if l, got := s.pipeline(); got != c.want {
			t.Errorf("%s: pipeline %v (%d contexts, %v), want %v", name, got, s.contexts(), l, c.want)
		}
	}
}

func gathers(q *Question, servers int) {
	q.Collective, q.Groups, q.Bytes = algorithms.AllGather, slices.Repeat([]int{8}, servers), 8<<30
}

func deterministic(q *Question, servers int) {
	q.Settings.Deterministic, q.Groups, q.Bytes = IsDeterministic, slices.Repeat([]int{8}, servers), 8<<30
}

// TestCosts works HCCL's costs out by hand: 1 GiB over six servers of eight at 20 GiB/s.
func TestCosts(t *testing.T) {
	q := question("910b", algorithms.AllReduce, NotDeterministic)
	q.Groups, q.Bytes = slices.Repeat([]int{8}, 6), 1<<30
	s, err := newSituation(q)
	if err != nil {
		t.Fatal(err)
	}
	// An eighth of it takes 6250 us. Ring: 10 steps, 10/6 of it. NHR: 6 steps, 10/6.
	// H-D_R: 6 steps, 2*11/6.
	for i, want := range []string{"11016.667", "10776.667", "23276.667"} {
		if got := s.costs()[i].time.FloatString(3); got != want {
			t.Errorf("%s: got %s us, want %s", s.costs()[i].token, got, want)
		}
	}
	q.Settings.Buffer = 200 << 20 // 25 MiB a plane: 1220.703 us
	if s, err = newSituation(q); err != nil {
		t.Fatal(err)
	}
	if got, want := s.costs()[1].time.FloatString(3), "2394.505"; got != want {
		t.Errorf("with HCCL_BUFFSIZE: got %s us, want %s", got, want)
	}
	// AllGather of 64 MiB a rank: one round takes 200 MiB of all ranks, 9765.625 us. Ring: 5
	// steps, 5/6 of it.
	q.Collective, q.Bytes = algorithms.AllGather, 48*64<<20
	if s, err = newSituation(q); err != nil {
		t.Fatal(err)
	}
	if got, want := s.costs()[0].time.FloatString(3), "8438.021"; got != want {
		t.Errorf("AllGather with HCCL_BUFFSIZE: got %s us, want %s", got, want)
	}
	// Two servers count as one of 16 NPUs: 64 GB/s PCIe at 0.85. ReduceScatter of 1 GiB:
	// one step of half of it.
	q = question("910b", algorithms.ReduceScatter, NotDeterministic)
	q.Groups, q.Bytes = []int{8, 8}, 1<<30
	if s, err = newSituation(q); err != nil {
		t.Fatal(err)
	}
	if got, want := s.costs()[0].time.FloatString(3), "9251.176"; got != want {
		t.Errorf("two servers: got %s us, want %s", got, want)
	}
}

// TestEveryChoiceRuns: whatever the product, collective, mode, servers and size, the
// catalogue makes a schedule, and the choice says why.
func TestEveryChoiceRuns(t *testing.T) {
	groups := [][]int{{1}, {2}, {4}, {8}, {16}, {5}, {8, 4}, {1, 1, 1}, {2, 2}, {8, 8}, {4, 4, 4}, {3, 3, 3, 3}, {16, 8, 16, 8}}
	for m := 5; m <= 64; m++ {
		groups = append(groups, slices.Repeat([]int{8}, m))
	}
	for _, product := range []string{"910a", "910b", "a3"} {
		for _, c := range algorithms.Collectives() {
			t.Run(product+"/"+string(c), func(t *testing.T) {
				for i, g := range groups {
					if c == algorithms.AlltoAllV && len(g) > 12 {
						break // the catalogue asks for every block
					}
					for _, bytes := range []int64{0, 8, 64 << 10, 1 << 20, 1 << 33} {
						q := question(product, c, Deterministic(i%3))
						q.Groups, q.Bytes, q.Settings.Buffer = g, bytes, 200<<20
						if product == "a3" && len(g)%6 == 0 {
							q.Pods = 2
						}
						if c == algorithms.AlltoAllV {
							block := bytes / int64(q.Ranks()) / 4 * 4
							q.Blocks, q.Bytes = func(from, to int) int64 { return block }, block*int64(q.Ranks())
						}
						checkRuns(t, q)
					}
				}
			})
		}
	}
}

func checkRuns(t *testing.T, q Question) {
	t.Helper()
	choice, err := HCCL(q)
	if err != nil {
		t.Fatalf("%d servers of %d, %s: %v", len(q.Groups), q.Groups[0], size(q.Bytes), err)
	}
	if choice.By != byHCCL || choice.Rule == "" || choice.Source == "" {
		t.Fatalf("%d servers of %d, %s: %+v does not say why", len(q.Groups), q.Groups[0], size(q.Bytes), choice)
	}
	if _, err := algorithms.New(choice.Algorithm, q.Request); err != nil {
		t.Fatalf("%d servers of %d, %s: %v", len(q.Groups), q.Groups[0], size(q.Bytes), err)
	}
}

func TestRefusedQuestions(t *testing.T) {
	for want, q := range map[string]Question{
		`no rules of HCCL for product "950" (there are: 910a, 910b, a3)`: {Product: "950"},
		"servers with [] ranks": {Product: "a3"},
		"servers with [8 0]":    {Product: "910b", Request: algorithms.Request{Groups: []int{8, 0}}},
	} {
		if _, err := HCCL(q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
