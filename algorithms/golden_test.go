package algorithms

import (
	"encoding/json"
	"os"
	"reflect"
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

// TestRingMatchesHCCL compares the ring with HCCL's, message by message. See
// testdata/SOURCES.md.
func TestRingMatchesHCCL(t *testing.T) {
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
	for p := 2; p <= 8; p++ {
		vectors := golden.P[strconv.Itoa(p)]
		for name, c := range map[string]Collective{"ring_rs": ReduceScatter, "ring_ag": AllGather} {
			var want [][]goldenMessage
			if err := json.Unmarshal(vectors[name], &want); err != nil {
				t.Fatal(name, p, err)
			}
			s := schedule(t, "ring", Request{Collective: c, Groups: []int{p}, Bytes: 64, InPlace: true})
			if got := messages(s); !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %d ranks:\n got %v\nwant %v", name, p, got, want)
			}
		}
		// AllReduce is the one behind the other.
		s := schedule(t, "ring", Request{Collective: AllReduce, Groups: []int{p}, Bytes: 64, InPlace: true})
		rs := schedule(t, "ring", Request{Collective: ReduceScatter, Groups: []int{p}, Bytes: 64, InPlace: true})
		ag := schedule(t, "ring", Request{Collective: AllGather, Groups: []int{p}, Bytes: 64, InPlace: true})
		if got, want := messages(s), append(messages(rs), messages(ag)...); !reflect.DeepEqual(got, want) {
			t.Errorf("allreduce of %d ranks:\n got %v\nwant %v", p, got, want)
		}
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
