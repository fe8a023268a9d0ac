package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

func TestAlgorithmGolden(t *testing.T) {
	for _, c := range []struct {
		name, args string
		code       int
	}{
		{"help-algorithm-show", "help algorithm show", exitDone},
		{"algorithm", "algorithm", exitInput},
		{"algorithm-list", "algorithm list", exitDone},
		{"algorithm-list-quiet", "algorithm list -q", exitDone},
		{"algorithm-list-reducescatter", "algorithm list --collective reduce_scatter", exitDone},
		{"algorithm-list-csv", "algorithm list --collective broadcast --format csv", exitDone},
		{"algorithm-list-json", "algorithm list --collective reduce --format json", exitDone},
		{"algorithm-list-format", "algorithm list --format xml", exitInput},
		{"algorithm-show-ring", "algorithm show ring --ranks 5 --diagram none", exitDone},
		{"algorithm-show-nhr", "algorithm show nhr --ranks 8 --collective reducescatter --diagram none", exitDone},
		{"algorithm-show-rhd", "algorithm show rhd --ranks 5 --diagram none", exitDone},
		{"algorithm-show-tree", "algorithm show tree --ranks 5 --collective broadcast --root 2 --diagram none", exitDone},
		{"algorithm-show-mix", "algorithm show mesh+ring --ranks 6 --servers 2 --diagram none", exitDone},
		{"algorithm-show-uneven", "algorithm show mesh+ring --ranks 5 --diagram none", exitInput},
		{"algorithm-show-root", "algorithm show ring --root 1 --diagram none", exitInput},
		{"algorithm-show-ranks", "algorithm show ring --ranks 0 --diagram none", exitInput},
		{"algorithm-show-unknown", "algorithm show rings", exitInput},
		{"algorithm-show-none", "algorithm show star --collective allgather --diagram none", exitInput},
		{"algorithm-show-collective", "algorithm show star --collective reduceall --diagram none", exitInput},
		{"algorithm-show-diagram", "algorithm show ring --diagram ring.gif", exitInput},
		{"algorithm-show-file", "algorithm show ../../algorithms/exchange/testdata/reducescatter-ring.xml --diagram none", exitDone},
		{"algorithm-show-file-ranks", "algorithm show ../../algorithms/exchange/testdata/reducescatter-ring.xml --ranks 3 --diagram none", exitInput},
		{"algorithm-show-no-file", "algorithm show none.xml", exitInput},
		{"algorithm-show-bad-file", "algorithm show testdata/bad.xml", exitInput},
		{"algorithm-export", "algorithm export nhr --ranks 3 --collective reducescatter --out-of-place", exitDone},
		{"algorithm-export-refused", "algorithm export pairwise --ranks 3 --collective sendrecv", exitInput},
		{"algorithm-show-sizes", "algorithm show ahc --servers 3,2 --diagram none", exitDone},
		{"algorithm-show-sizes-ranks", "algorithm show ahc --servers 3+2 --ranks 6", exitInput},
		{"algorithm-show-sizes-bad", "algorithm show ahc --servers 3,x", exitInput},
		{"algorithm-show-sizes-mix", "algorithm show mesh+ring --servers 3+2 --ranks 5", exitInput},
		{"algorithm-show-servers", "algorithm show ahc --servers two", exitInput},
		{"algorithm-show-pods", "algorithm show mesh+ring+nhr --pods 0", exitInput},
		{"algorithm-show-three", "algorithm show mesh+ring+nhr --collective allgather --diagram none", exitDone},
		{"algorithm-show-hccl", "algorithm show mesh+H-D_R", exitInput},
		{"algorithm-export-hccl", "algorithm export NHR", exitInput},
		{"algorithm-show-many", "algorithm show ring --ranks 33 --diagram ring.svg", exitInput},
	} {
		goldenCall(t, c.name, c.args, c.code)
	}
}

// TestShowDraws: without a word the diagram has a place of its own.
func TestShowDraws(t *testing.T) {
	t.Chdir(t.TempDir())
	_, stderr, code := call("algorithm", "show", "mesh+ring", "--ranks", "6", "--collective", "allgather")
	path := filepath.Join("out", "mesh+ring-allgather-6.svg")
	if text, err := os.ReadFile(path); err != nil || code != exitDone || stderr != "wrote "+path+"\n" || !strings.Contains(string(text), "rank 5") {
		t.Errorf("exit code %d, %q, %v", code, stderr, err)
	}
	for _, args := range []string{"--format json", "--ranks 33"} {
		if _, stderr, code := call(append([]string{"algorithm", "show", "ring"}, strings.Fields(args)...)...); code != exitDone || stderr != "" {
			t.Errorf("%s: exit code %d, %q", args, code, stderr)
		}
	}
}

// vectors are HCCL's schedules by name, as they are written in the test data of package
// algorithms, for a number of ranks.
func vectors(t *testing.T, p int) map[string]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("../../algorithms/testdata/schedules.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		P map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all.P[strconv.Itoa(p)]
}

// The steps that the command prints are HCCL's, byte for byte. Those of the reordered NHR
// may name the slices of a message in another order.
func TestShowPrintsTheVectors(t *testing.T) {
	for p := 2; p <= 8; p++ {
		all := vectors(t, p)
		both := func(scatters, gathers string) string {
			return strings.TrimSuffix(string(all[scatters]), "]") + ", " + strings.TrimPrefix(string(all[gathers]), "[")
		}
		for _, c := range []struct {
			algorithm, collective, want string
			anyOrder                    bool
		}{
			{"ring", "reducescatter", string(all["ring_rs"]), false},
			{"ring", "allgather", string(all["ring_ag"]), false},
			{"ring", "allreduce", both("ring_rs", "ring_ag"), false},
			{"nhr", "reducescatter", string(all["nhr_rs_identity"]), false},
			{"nhr", "allgather", string(all["nhr_ag_identity"]), false},
			{"nhr", "allreduce", both("nhr_rs_mapped", "nhr_ag_mapped"), true},
			{"nb", "reducescatter", string(all["nb_rs"]), false},
			{"nb", "allgather", string(all["nb_ag"]), false},
			{"nb", "allreduce", both("nb_rs", "nb_ag"), false},
		} {
			got, stderr, code := call("algorithm", "show", c.algorithm, "--ranks", strconv.Itoa(p), "--collective", c.collective, "--format", "json")
			if code != exitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			same := got == c.want+"\n"
			if c.anyOrder {
				same = reflect.DeepEqual(sorted(t, got), sorted(t, c.want))
			}
			if !same {
				t.Errorf("%s %s of %d ranks: got %swant %s", c.algorithm, c.collective, p, got, c.want)
			}
		}
		var steps int
		if err := json.Unmarshal(all["rhd_ar_steps"], &steps); err != nil {
			t.Fatal(err)
		}
		got, _, _ := call("algorithm", "show", "rhd", "--ranks", strconv.Itoa(p), "--format", "json")
		if n := len(sorted(t, got)); n != steps {
			t.Errorf("rhd of %d ranks: %d steps, want %d", p, n, steps)
		}
	}
}

// message is [source, destination, [slices]].
type message struct {
	src, dst int
	slices   []int
}

func (m *message) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&m.src, &m.dst, &m.slices})
}

// sorted reads steps, with the slices of every message in ascending order.
func sorted(t *testing.T, text string) (steps [][]message) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &steps); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, step := range steps {
		for _, m := range step {
			slices.Sort(m.slices)
		}
	}
	return steps
}

// Everything that is listed can be shown and drawn, for 8 and, where it can be, for 5 ranks.
func TestEverythingListedIsShown(t *testing.T) {
	dir := t.TempDir()
	for _, l := range listOf("") {
		for _, c := range l.Collectives {
			path := filepath.Join(dir, l.Name+string(c)+".svg")
			stdout, stderr, code := call("algorithm", "show", l.Name, "--collective", string(c), "--diagram", path)
			if code != exitDone || !strings.Contains(stdout, "\nstep 0 ") {
				t.Errorf("%s %s: exit code %d\n%s%s", l.Name, c, code, stdout, stderr)
				continue
			}
			if picture, err := os.ReadFile(path); err != nil || !strings.Contains(string(picture), ">rank 7<") {
				t.Errorf("%s %s: no picture of rank 7: %v", l.Name, c, err)
			}
		}
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		algorithm  string
		collective algorithms.Collective
		groups     []int
		want       []string
	}{
		{"ring", algorithms.ReduceScatter, []int{4}, []string{"r -> r+1: slice r-1", "r -> r+1: slice r-2", "r -> r+1: slice r-3"}},
		{"nhr", algorithms.ReduceScatter, []int{16}, []string{"r -> r-1: slices r-1, r-3, ..., r-15", "r -> r-2: slices r-2, r-6, r-10, r-14", "r -> r-4: slices r-4, r-12", "r -> r+8: slice r+8"}},
		{"nb", algorithms.ReduceScatter, []int{8}, []string{"r -> r+1: slices r+1, r+3, r+5, r+7", "r -> r+2: slices r+2, r+6", "r -> r+4: slice r+4"}},
		{"nb", algorithms.AllGather, []int{8}, []string{"r -> r+1: slice r", "r -> r+2: slices r, r-1", "r -> r+4: slices r, r-1, r-2, r-3"}},
		{"mesh", algorithms.AllReduce, []int{4}, []string{"every rank r -> every other rank q: slice q", "every rank r -> every other rank q: slice r"}},
		{"rhd", algorithms.AllReduce, []int{4}, []string{"r -> r+2", "r -> r xor 1: the other's slice", "r -> r xor 1: slice r", "r -> r+2"}},
		{"ring+ring", algorithms.AllReduce, []int{2, 2, 2}, []string{"inside each server, r -> r+1: part r-1 of 2", "r -> r+2", "r -> r+2", "r -> r+2", "r -> r+2", "inside each server, r -> r+1: part r of 2"}},
		{"pipeline", algorithms.AllGather, []int{3, 3}, []string{
			"inside each server, every rank r -> every other rank q; r -> r+3", "inside each server, every rank r -> every other rank q"}},
		{"double-ring", algorithms.AllGather, []int{4}, []string{"r -> r+1, r-1", "r -> r+1, r-1", "r -> r+1, r-1"}},
		{"mesh+pairwise", algorithms.AlltoAll, []int{3, 3}, []string{"inside each server, every rank r -> every other rank q", "r -> r+3"}},
		{"binomial", algorithms.Broadcast, []int{4}, []string{"", ""}},
	} {
		s, err := algorithms.New(c.algorithm, example(c.collective, c.groups, 0))
		if err != nil {
			t.Fatal(err)
		}
		rounds, err := algorithms.Rounds(s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, round := range rounds {
			got = append(got, ruleOf(round.Messages, s.Ranks(), equalServers(c.groups), s.Slices(algorithms.Data)).String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s of %v: %q, want %q", c.algorithm, c.collective, c.groups, got, c.want)
		}
	}
}

func TestListSlices(t *testing.T) {
	for want, list := range map[string][]int{"3": {3}, "0,1": {1, 0}, "0-2": {2, 1, 0}, "0,2-5,7": {7, 0, 2, 3, 4, 5}} {
		if got := listSlices(list); got != want {
			t.Errorf("%v: %s, want %s", list, got, want)
		}
	}
}

// The slices that are complete first are the sums that a gathering phase hands out.
func TestFirstComplete(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"nhr --ranks 5", "after step 2     rank 0: 0  rank 1: 3  rank 2: 1  rank 3: 4  rank 4: 2\n"},
		{"ring --ranks 4 --collective reducescatter", "after step 2     every rank r: slice r\n"},
		{"rhd --ranks 3", "after step 1     rank 0: 0  rank 2: 1\nafter step 3     rank 1: all\n"},
		{"rhd-oneshot --ranks 4", "after step 1     every rank: all\n"},
		{"binomial --ranks 4 --collective reduce", "after step 1     rank 0: 0\n"},
		{"ring --ranks 4 --collective allgather", ""},
		{"ring --ranks 33", ""},
	} {
		stdout, stderr, code := call(strings.Fields("algorithm show " + c.args + " --diagram none")...)
		_, got, _ := strings.Cut(stdout, "first complete slices\n")
		if code != exitDone || got != c.want {
			t.Errorf("%s: exit code %d\n%s%swant\n%s", c.args, code, stderr, got, c.want)
		}
	}
}
