package proof

import (
	"reflect"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

func TestExecuteByHand(t *testing.T) {
	inputs := [][]int32{{1, 2, 3, 4, 5}, {10, 20, 30, 40, 50}, {-5, 7, -9, 0, 1}}
	for _, c := range []struct {
		algorithm  string
		collective algorithms.Collective
		op         Op
		want       [][]int32
	}{
		{"ring", algorithms.AllReduce, Sum, [][]int32{{6, 29, 24, 44, 56}, {6, 29, 24, 44, 56}, {6, 29, 24, 44, 56}}},
		{"double-tree", algorithms.AllReduce, Max, [][]int32{{10, 20, 30, 40, 50}, {10, 20, 30, 40, 50}, {10, 20, 30, 40, 50}}},
		{"mesh", algorithms.ReduceScatter, Min, [][]int32{{-5, 2}, {-9, 0}, {1}}},
		{"binomial", algorithms.Reduce, Prod, [][]int32{nil, {-50, 280, -810, 0, 250}, nil}},
		{"star", algorithms.Broadcast, Sum, [][]int32{{10, 20, 30, 40, 50}, {10, 20, 30, 40, 50}, {10, 20, 30, 40, 50}}},
	} {
		for _, inPlace := range []bool{true, false} {
			r := algorithms.Request{Collective: c.collective, Groups: []int{3}, Root: 1, Bytes: 20, Elem: 4, InPlace: inPlace}
			s, err := algorithms.New(c.algorithm, r)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Execute(s, c.op, inputs)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s %s %s, in place %t: %v, %v; want %v", c.algorithm, c.collective, c.op, inPlace, got, err, c.want)
			}
		}
	}
	gather, err := algorithms.New("mesh", algorithms.Request{Collective: algorithms.AllGather, Groups: []int{3}, Bytes: 20, Elem: 4})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Execute(gather, Sum, [][]int32{{1, 2}, {3, 4}, {5}})
	if want := [][]int32{{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("allgather: %v, %v; want %v", got, err, want)
	}
}

func TestExecuteRefuses(t *testing.T) {
	s, err := algorithms.New("ring", algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{2}, Bytes: 8, Elem: 4})
	if err != nil {
		t.Fatal(err)
	}
	two := []int32{1, 2}
	_, size := Execute(s, Sum, [][]int64{{1, 2}, {3, 4}})
	_, op := Execute(s, "avg", [][]int32{two, two})
	_, ranks := Execute(s, Sum, [][]int32{two})
	_, length := Execute(s, Sum, [][]int32{two, {1}})
	for want, err := range map[string]error{
		"numbers of 8 bytes for elements of 4": size,
		`unknown reduction "avg"`:              op,
		"1 inputs for 2 ranks":                 ranks,
		"rank 1 brings 1 elements: expected 2": length,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestDataOfAllTypes: every reduction on every type.
func TestDataOfAllTypes(t *testing.T) {
	r := algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{3, 3}, InPlace: true}
	for _, op := range Ops() {
		dataOf[int8](t, r, op, 1)
		dataOf[int32](t, r, op, 4)
		dataOf[float32](t, r, op, 4)
		dataOf[int64](t, r, op, 8)
	}
}

func dataOf[T Number](t *testing.T, r algorithms.Request, op Op, size int64) {
	t.Helper()
	r.Elem, r.Bytes = size, 100*size
	s, err := algorithms.New("mesh+tree", r)
	if err != nil {
		t.Fatal(err)
	}
	if err := Data[T](s, op); err != nil {
		t.Error(op, err)
	}
}

// TestDataFindsFaults: a lost contribution shows in the numbers.
func TestDataFindsFaults(t *testing.T) {
	s, err := algorithms.New("ring", algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{4}, Bytes: 64, Elem: 4, InPlace: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Program = mutant{s.Program, func(rank, _, k int, st *algorithms.Step) {
		st.Reduce = st.Reduce && (rank != 2 || k != 0)
	}}
	for name, err := range map[string]error{"int32": Data[int32](s, Sum), "float32": Data[float32](s, Sum)} {
		if err == nil || !strings.Contains(err.Error(), "ends with") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
