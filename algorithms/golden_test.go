package algorithms

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// goldenMessage is [source, destination, [slices]].
type goldenMessage struct {
	src, dst int
	slices   []int
}

func (m *goldenMessage) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&m.src, &m.dst, &m.slices})
}

// goldenSchedules are the vectors of testdata/schedules.json by number of ranks and name.
func goldenSchedules(t *testing.T) map[string]map[string]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile("testdata/schedules.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		P map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	return golden.P
}

// TestMatchesHCCL compares with HCCL's schedules, message by message, and slice by slice
// in HCCL's order. See testdata/SOURCES.md.
func TestMatchesHCCL(t *testing.T) {
	golden := goldenSchedules(t)
	for p := 2; p <= 8; p++ {
		for _, c := range []struct {
			name, scatters, gathers string
			mapped                  bool
		}{
			{"ring", "ring_rs", "ring_ag", false},
			{"nhr", "nhr_rs_identity", "nhr_ag_identity", false},
			{"nhr", "nhr_rs_mapped", "nhr_ag_mapped", true},
			{"nb", "nb_rs", "nb_ag", false},
		} {
			var rs, ag [][]goldenMessage
			for vector, want := range map[string]*[][]goldenMessage{c.scatters: &rs, c.gathers: &ag} {
				if err := json.Unmarshal(golden[strconv.Itoa(p)][vector], want); err != nil {
					t.Fatal(vector, p, err)
				}
			}
			if !c.mapped {
				compareSchedule(t, c.name, ReduceScatter, p, rs)
				compareSchedule(t, c.name, AllGather, p, ag)
			}
			if c.name != "nhr" || c.mapped {
				compareSchedule(t, c.name, AllReduce, p, append(rs, ag...)) // the one behind the other
			}
		}
		var steps int
		if err := json.Unmarshal(golden[strconv.Itoa(p)]["rhd_ar_steps"], &steps); err != nil {
			t.Fatal(err)
		}
		s := schedule(t, "rhd", Request{Collective: AllReduce, Groups: []int{p}, Bytes: 1 << 20, InPlace: true})
		if got := s.Steps(0, 0); got != steps {
			t.Errorf("rhd allreduce of %d ranks takes %d steps, want %d", p, got, steps)
		}
	}
}

// compareSchedule lays the messages of a collective beside others. Those of the reordered
// NHR may name the slices of a message in another order.
func compareSchedule(t *testing.T, name string, c Collective, p int, want [][]goldenMessage) {
	t.Helper()
	got := messages(schedule(t, name, Request{Collective: c, Groups: []int{p}, Bytes: 1 << 20, InPlace: true}))
	if name == "nhr" && c == AllReduce {
		for _, steps := range [][][]goldenMessage{got, want} {
			for _, step := range steps {
				for _, m := range step {
					slices.Sort(m.slices)
				}
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s %s of %d ranks:\n got %v\nwant %v", name, c, p, got, want)
	}
}

// messages lists what every rank sends in each step of its only lane.
func messages(s *Schedule) [][]goldenMessage {
	steps := make([][]goldenMessage, s.Steps(0, 0))
	for k := range steps {
		for rank := range s.Ranks() {
			send := s.Step(rank, 0, k).Send
			if send.Peer.Rank < 0 {
				continue
			}
			m := goldenMessage{src: rank, dst: int(send.Peer.Rank)}
			for j := range send.Set.Len() {
				m.slices = append(m.slices, send.Set.Slice(j))
			}
			steps[k] = append(steps[k], m)
		}
	}
	return steps
}

// TestBinomialIsOneShot compares with the rule of HCCL's unsliced tree: reducing, at step
// k a rank whose distance d from the root has d mod 2^(k+1) = 2^k sends to d - 2^k;
// broadcasting, the same backwards and the other way round.
func TestBinomialIsOneShot(t *testing.T) {
	for p := 2; p <= 17; p++ {
		root := p / 2
		s := schedule(t, "binomial", Request{Collective: Reduce, Groups: []int{p}, Root: root, Bytes: 64, InPlace: true})
		b := schedule(t, "binomial", Request{Collective: Broadcast, Groups: []int{p}, Root: root, Bytes: 64, InPlace: true})
		n := s.Steps(0, 0)
		if 1<<n < p || 1<<(n-1) >= p {
			t.Fatalf("%d ranks take %d steps", p, n)
		}
		for k := range n {
			for rank := range p {
				d := (rank - root + p) % p
				to := int32(-1)
				if d%(2<<k) == 1<<k {
					to = int32((rank - 1<<k + 2*p) % p)
				}
				if got := s.Step(rank, 0, k).Send.Peer.Rank; got != to {
					t.Errorf("reduce of %d ranks, step %d: rank %d sends to %d, want %d", p, k, rank, got, to)
				}
				if got := b.Step(rank, 0, n-1-k).Recv.Peer.Rank; got != to {
					t.Errorf("broadcast of %d ranks, step %d: rank %d receives from %d, want %d", p, n-1-k, rank, got, to)
				}
			}
		}
	}
}

// schedule is New for requests that are right.
func schedule(tb testing.TB, algorithm string, r Request) *Schedule {
	tb.Helper()
	s, err := New(algorithm, r)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
