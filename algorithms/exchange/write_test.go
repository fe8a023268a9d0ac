package exchange_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
)

// written is a schedule as a file.
func written(t testing.TB, s *algorithms.Schedule) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := exchange.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// back writes a schedule and makes one of the file, for the same request.
func back(t testing.TB, s *algorithms.Schedule) *algorithms.Schedule {
	t.Helper()
	text := written(t, s)
	a, err := exchange.Read("written.xml", bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	again, err := a.Schedule(s.Request)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// messages are what makes two programs the same: for each pair of lanes the slices that
// move, in order, from which buffer into which, and whether they are added. Lanes have
// other numbers in a file, so that the pairs of lanes are listed by pair of ranks, sorted.
func messages(p algorithms.Program) []string {
	type pair struct{ from, fromLane, to, toLane int32 }
	moved := make(map[pair]string)
	for rank := range p.Ranks() {
		for lane := range p.Lanes(rank) {
			for k := range p.Steps(rank, lane) {
				st := p.Step(rank, lane, k)
				peer := st.Send.Peer
				if peer.Rank < 0 || st.Send.Set.Count == 0 {
					continue
				}
				to := p.Step(int(peer.Rank), int(peer.Lane), int(peer.Step))
				at := pair{int32(rank), int32(lane), peer.Rank, peer.Lane}
				for j := range st.Send.Set.Len() {
					moved[at] += fmt.Sprintf(" %d:%d>%d:%d", st.Send.Buf, st.Send.Set.Slice(j), to.Recv.Buf, to.Recv.Set.Slice(j))
					if to.Reduce {
						moved[at] += "+"
					}
				}
			}
		}
	}
	var list []string
	for at, text := range moved {
		list = append(list, fmt.Sprintf("%d to %d:%s", at.from, at.to, text))
	}
	slices.SortFunc(list, cmp.Compare[string])
	return list
}

// grouped are the divisions of p ranks that a name is tried with.
func grouped(name string, p int) [][]int {
	if algorithms.Flat(name) {
		return [][]int{{p}}
	}
	var list [][]int
	for n := 2; n < p; n++ {
		if p%n == 0 {
			list = append(list, slices.Repeat([]int{n}, p/n))
		}
	}
	return list
}

// TestRoundTrip writes every algorithm's every collective and reads it back: the messages
// are the same, and the proof holds.
func TestRoundTrip(t *testing.T) {
	for _, name := range algorithms.Names() {
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers(name, c) {
				continue
			}
			t.Run(name+"/"+string(c), func(t *testing.T) {
				for p := 2; p <= 9; p++ {
					for _, groups := range grouped(name, p) {
						roundTrip(t, name, c, groups)
					}
				}
			})
		}
	}
}

func roundTrip(t *testing.T, name string, c algorithms.Collective, groups []int) {
	p := 0
	for _, g := range groups {
		p += g
	}
	for _, inPlace := range []bool{false, true} {
		for _, copies := range []algorithms.Copies{algorithms.CopiesNone, algorithms.CopiesSlice, algorithms.CopiesFull} {
			r := algorithms.Request{
				Collective: c, Groups: groups, Bytes: int64(512 * p), Elem: 4,
				InPlace: inPlace, Copies: copies, Marker: true, Segment: 128,
			}
			if c.Rooted() {
				r.Root = p / 2
			}
			if inPlace && !c.HasInPlace() {
				continue
			}
			s, err := algorithms.New(name, r)
			if err != nil {
				continue // refused for these groups
			}
			if refused(t, s) {
				continue
			}
			again := back(t, s)
			if want, got := messages(s), messages(again); !slices.Equal(want, got) {
				t.Fatalf("ranks %v in place %t copies %d: wrote\n%s\nread\n%s", groups, inPlace, copies, strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
			prove(t, again)
		}
	}
}

// refused says whether the format has no word for a collective, and checks the reason.
func refused(t *testing.T, s *algorithms.Schedule) bool {
	t.Helper()
	want := map[algorithms.Collective]string{
		algorithms.AlltoAllV: "the format has chunks of one size only",
		algorithms.Barrier:   "the format has no such collective",
		algorithms.SendRecv:  "the format has no such collective",
	}[s.Request.Collective]
	if want == "" {
		return false
	}
	err := exchange.Write(&bytes.Buffer{}, s)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want %s", err, want)
	}
	return true
}
