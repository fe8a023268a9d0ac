package algorithms

import (
	"math/bits"
	"slices"
	"strings"
	"testing"
)

func divide(t *testing.T, sizes ...int) *ahc {
	t.Helper()
	a, err := newAHC(sizes)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Groups of 2 and 3 ranks: six logical parts, of which a rank of the first has three, one of
// the second two. The middle rank of the second group shares its parts with both of the first.
func TestAHCDivision(t *testing.T) {
	a := divide(t, 2, 3)
	if a.parts != 6 || !slices.Equal(a.cuts, []int{0, 2, 3, 4, 6}) {
		t.Errorf("%d parts cut at %v, want 6 cut at 0 2 3 4 6", a.parts, a.cuts)
	}
	owners := [][2]int{{0, 0}, {0, 1}, {1, 1}, {1, 2}}
	for s, want := range owners {
		if got := [2]int{a.owner(0, s), a.owner(1, s)}; got != want {
			t.Errorf("segment %d belongs to %v, want %v", s, got, want)
		}
	}
	between := ahcBetween{a}
	for rank, want := range []int{2, 2, 1, 2, 1} {
		if got := between.lanes(rank); got != want {
			t.Errorf("rank %d has %d segments, want %d", rank, got, want)
		}
	}
}

// Every logical part has one owner in each group, parts of a segment the same ones, and
// there are no more segments than ranks that begin one.
func TestAHCSegments(t *testing.T) {
	for _, sizes := range [][]int{{1}, {4, 4}, {8, 4}, {8, 7}, {8, 6, 5}, {16, 1, 3}, {2, 3, 2, 3, 2, 3, 1}, {12, 5}} {
		a := divide(t, sizes...)
		begin := 1
		for group, g := range sizes {
			begin += g - 1
			for l := range g {
				for s := a.first(group, l); s < a.first(group, l+1); s++ {
					if a.owner(group, s) != l {
						t.Errorf("%v: segment %d of rank %d of group %d belongs to rank %d", sizes, s, l, group, a.owner(group, s))
					}
				}
			}
			if a.first(group, 0) != 0 || a.first(group, g) != len(a.cuts)-1 {
				t.Errorf("%v: the ranks of group %d do not have all segments", sizes, group)
			}
		}
		if n := len(a.cuts) - 1; n > begin {
			t.Errorf("%v: %d segments, at most %d expected", sizes, n, begin)
		}
	}
}

// Groups of 1 and 2 ranks: two logical parts of two slices. Inside the second group ranks 1
// and 2 add up slices 0, 1 and 2, 3; then rank 0 does AllReduce with both, in two lanes.
func TestAHCMessages(t *testing.T) {
	a := divide(t, 1, 2)
	inside, between, back := ahcInside{a, addUp}, ahcBetween{a}, ahcInside{a, gather}
	for _, c := range []struct {
		part       part
		rank, lane int
		want       string
	}{
		{inside, 0, 0, ""}, {inside, 1, 0, "2:0,1"}, {inside, 2, 0, "1:2,3"},
		{between, 0, 0, "1:0 1:1"}, {between, 0, 1, "2:2 2:3"},
		{between, 1, 0, "0:1 0:0"}, {between, 2, 0, "0:3 0:2"},
		{back, 0, 0, ""}, {back, 1, 0, "2:2,3"}, {back, 2, 0, "1:0,1"},
	} {
		if got := messagesOf(c.part, c.rank, c.lane); got != c.want {
			t.Errorf("%T: rank %d receives %q in lane %d, want %q", c.part, c.rank, got, c.lane, c.want)
		}
	}
}

// The same groups in ReduceScatter: slice r*2+x is part x of rank r's. Ranks 1 and 2 add up
// parts 0 and 1 of everything; rank 0 gets its own slice from both, they get theirs, both
// of them, from rank 0; last they swap the pieces of each other's slice. AllGather is
// the same backwards.
func TestAHCShares(t *testing.T) {
	a, err := newAHCShares([]int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		collective Collective
		rank, lane int
		want       [3]string
	}{
		{ReduceScatter, 0, 0, [3]string{"", "1:0", ""}}, {ReduceScatter, 0, 1, [3]string{"", "2:1", ""}},
		{ReduceScatter, 1, 0, [3]string{"2:0,2,4", "0:2,4", "2:3"}}, {ReduceScatter, 2, 0, [3]string{"1:1,3,5", "0:3,5", "1:4"}},
		{AllGather, 0, 0, [3]string{"", "1:2,4", ""}}, {AllGather, 0, 1, [3]string{"", "2:3,5", ""}},
		{AllGather, 1, 0, [3]string{"2:4", "0:0", "2:1,3,5"}}, {AllGather, 2, 0, [3]string{"1:3", "0:1", "1:0,2,4"}},
	} {
		for f, p := range a.phases(c.collective) {
			if c.lane >= p.lanes(c.rank) {
				continue
			}
			if got := messagesOf(p, c.rank, c.lane); got != c.want[f] {
				t.Errorf("%s, phase %d: rank %d receives %q in lane %d, want %q", c.collective, f, c.rank, got, c.lane, c.want[f])
			}
		}
	}
}

// Groups of 4 and 5 ranks have segments of 4, 1 and 3 of 20 parts. No set can name pieces of 3
// in slices of 20, so that those become three each.
func TestAHCFinerSegments(t *testing.T) {
	a, err := newAHCShares([]int{4, 5})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15, 16, 20}; !slices.Equal(a.cuts, want) {
		t.Errorf("cut at %v, want %v", a.cuts, want)
	}
}

func TestAHCTooManySlices(t *testing.T) {
	_, err := newAHC([]int{64, 63, 61, 59, 57})
	if err == nil || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("groups without common divisors: %v, want an error that names the limit", err)
	}
}

// TestAHCBounds: the lower bound is not above the upper one, and where all groups are of one
// size and slices are even, there is one value: for AllReduce HCCL's formula.
func TestAHCBounds(t *testing.T) {
	for _, sizes := range [][]int{{4, 4}, {8, 8, 8}, {4, 4, 4, 4}, {8, 4}, {8, 7}, {8, 6, 5}, {16, 1, 3}, {2, 3, 2, 3, 2}} {
		for _, pairs := range []bool{true, false} {
			for _, c := range []Collective{AllReduce, AllGather, ReduceScatter} {
				h := Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 100e9, PairLinks: pairs}
				r := Request{Collective: c, Groups: sizes, Bytes: 4 * 25 * 1680 * 12, Elem: 4, InPlace: true}
				lower, upper, err := AHCBounds(r, Everywhere(h))
				if err != nil || lower > upper || lower <= 0 {
					t.Errorf("%s of %v: bounds %d and %d, %v", c, sizes, lower, upper, err)
				}
				even := divide(t, sizes...).even()
				if even && lower != upper {
					t.Errorf("%s of %v: bounds %d and %d differ", c, sizes, lower, upper)
				}
				if want := ahcFormula(r, h); even && c == AllReduce && upper != want {
					t.Errorf("%v: %d ps, HCCL's formula gives %d", sizes, upper, want)
				}
			}
		}
	}
}

// ahcFormula is HCCL's, for groups of one size g, G of them: 2(lg g + lg G) alpha +
// 2((g-1)/g + (G-1)/(Gg)) n beta + the same once n gamma; sizes must divide.
func ahcFormula(r Request, h Hockney) int64 {
	g, groups := int64(r.Groups[0]), int64(len(r.Groups))
	n := r.Bytes*(g-1)/g + r.Bytes*(groups-1)/(groups*g)
	steps := int64(bits.Len(uint(g-1)) + bits.Len(uint(groups-1)))
	return 2*(steps*h.Alpha+Duration(n, h.Bandwidth)) + Duration(n, h.Reduce)
}
