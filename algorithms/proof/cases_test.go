package proof

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

// TestShapes: mixes are proved in all divisions up to 8 x 8 and 4 x 4 x 4, in unequal ones,
// and in few others.
func TestShapes(t *testing.T) {
	two, three := map[[2]int]bool{}, map[[3]int]bool{}
	for p := 2; p <= 64; p++ {
		for _, s := range shapes("mesh+ring", p) {
			if !unequal(s.groups) && !s.once {
				two[[2]int{s.groups[0], len(s.groups)}] = true
			}
		}
		for _, s := range shapes("mesh+ring+nhr", p) {
			if !unequal(s.groups) && !s.once {
				three[[3]int{s.groups[0], len(s.groups) / s.pods, s.pods}] = true
			}
		}
	}
	for n := 2; n <= 8; n++ {
		for m := 2; m <= 8; m++ {
			if !two[[2]int{n, m}] {
				t.Errorf("no %d servers of %d", m, n)
			}
			for pods := 2; pods <= 4; pods++ {
				if n <= 4 && m <= 4 && !three[[3]int{n, m, pods}] {
					t.Errorf("no %d super-pods of %d servers of %d", pods, m, n)
				}
			}
		}
	}
	if len(two) != 49 || len(three) != 28 {
		t.Errorf("%d divisions of two levels, %d of three", len(two), len(three))
	}
	for _, want := range [][]int{{2, 1}, {3, 1}, {5, 4}, {2, 3, 1}, {8, 4}, {22, 11}} {
		p := 0
		for _, n := range want {
			p += n
		}
		if !slices.ContainsFunc(shapes("ahc", p), func(s shape) bool { return slices.Equal(s.groups, want) }) {
			t.Errorf("no servers of %v", want)
		}
	}
	if flat := shapes("ring", 12); len(flat) != 1 || len(flat[0].groups) != 1 {
		t.Errorf("a flat algorithm over %v", flat)
	}
}

// TestRoots: the other root is neither in server 0 nor the first of its server.
func TestRoots(t *testing.T) {
	for p := 4; p <= 64; p++ {
		for _, s := range slices.Concat(divided(p), podded(p)) {
			n, root := s.groups[0], s.root()
			if root < 0 || root >= p || len(s.groups) > 1 && root < n || n > 1 && root%n == 0 {
				t.Errorf("root %d of servers of %v", root, s.groups)
			}
		}
	}
}

// TestRefusals: what New refuses because of the shape of servers is what it should.
func TestRefusals(t *testing.T) {
	for _, name := range Names() {
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers(name, c) {
				continue
			}
			f := family{name: name, collective: c}
			for p := 2; p <= fewRanks; p++ {
				for trial := range f.trials(p) {
					_, err := algorithms.New(name, trial.request)
					var shape *algorithms.ShapeError
					if want := misfit(name, trial.request); want != errors.As(err, &shape) || !want && err != nil {
						t.Fatalf("%s %s over servers of %v: %v, to be refused %t", name, c, trial.request.Groups, err, want)
					}
				}
			}
		}
	}
}

// misfit says whether an algorithm is not made for a request's servers: AHC and flat ones
// take all, the others equal ones, and multi-ring eight ranks of a server.
func misfit(name string, r algorithms.Request) bool {
	n := r.Groups[0]
	if algorithms.Flat(name) {
		n = r.Ranks()
	} else if name != "ahc" && !algorithms.NeedsHosts(name) && unequal(r.Groups) {
		return true
	}
	return strings.HasPrefix(name, "multi-ring") && n != 8 && n != 1
}

// TestTrials: every collective of every algorithm meets every reduction, every type of
// numbers, local copies of all kinds, both places where it has them, and rooted ones two
// roots. Only multi-ring, which takes eight ranks, has families too small for all types.
func TestTrials(t *testing.T) {
	for _, name := range Names() {
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers(name, c) {
				continue
			}
			f := family{name: name, collective: c}
			trials, seen := 0, map[any]bool{}
			for p := 2; p <= 64; p++ {
				for trial := range f.trials(p) {
					r := trial.request
					if misfit(name, r) {
						continue
					}
					trials++
					for _, property := range []any{trial.op, trial.numbers.name, r.Copies, place(r), r.Root > 0} {
						seen[property] = true
					}
				}
			}
			// With root 0 rooted ones are tried where there are more divisions than one.
			want := []any{Sum, Max, Min, Prod, algorithms.CopiesNone, algorithms.CopiesSlice, algorithms.CopiesFull, "out-of-place collective", c.Rooted()}
			if trials >= 16 {
				want = append(want, "int8", "int32", "int64", "float32")
			} else if name != "multi-ring" {
				t.Errorf("%s %s: only %d trials", name, c, trials)
			}
			if c.HasInPlace() {
				want = append(want, "in-place collective")
			}
			if !strings.HasPrefix(name, "multi-ring+") {
				want = append(want, false)
			}
			for _, w := range want {
				if !seen[w] {
					t.Errorf("%s %s is never tried with %v", name, c, w)
				}
			}
		}
	}
}

// TestBlocks: made-up blocks of AlltoAllV are uneven, and some are empty.
func TestBlocks(t *testing.T) {
	f := family{name: "pairwise", collective: algorithms.AlltoAllV}
	sizes := map[int64]bool{}
	for trial := range f.trials(5) {
		r := trial.request
		if r.InPlace {
			t.Error("in place")
		}
		for from := range 5 {
			for to := range 5 {
				sizes[r.Blocks(from, to)/r.Elem] = true
			}
		}
	}
	if !sizes[0] || len(sizes) < 4 {
		t.Errorf("blocks of %v elements", sizes)
	}
}
