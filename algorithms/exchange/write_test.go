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
	"hcclsim/algorithms/proof"
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

// back writes a schedule and reads the file.
func back(t testing.TB, s *algorithms.Schedule) *exchange.Algorithm {
	t.Helper()
	text := written(t, s)
	a, err := exchange.Read("written.xml", bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return a
}

// messages are what makes two programs the same: for each pair of lanes its messages in
// order, with the slices that move, from which buffer into which, and whether they are
// added. Lanes have other numbers in a file: what they move is listed by pair of ranks.
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
				moved[at] += ";"
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
			if copies != algorithms.CopiesNone && p > 4 {
				continue // more partners, but no other copies
			}
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
			a := back(t, s)
			proveOrdered(t, a, r) // whatever the rest of the division
			r.Bytes = 4 * int64(a.ChunksPerLoop)
			again := proveOrdered(t, a, r)
			if want, got := messages(s), messages(again); !slices.Equal(want, got) {
				t.Fatalf("ranks %v in place %t copies %d: %s", groups, inPlace, copies, difference(want, got))
			}
		}
	}
}

func proveOrdered(t *testing.T, a *exchange.Algorithm, r algorithms.Request) *algorithms.Schedule {
	t.Helper()
	s, err := a.Schedule(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proof.CheckOrdered(s); err != nil {
		t.Fatal(err)
	}
	if err := proof.Data[int32](s, proof.Sum); err != nil {
		t.Fatal(err)
	}
	return s
}

// difference lists what only one of two programs has.
func difference(wrote, read []string) string {
	var b strings.Builder
	for _, line := range wrote {
		if !slices.Contains(read, line) {
			fmt.Fprintf(&b, "\nwrote %s", line)
		}
	}
	for _, line := range read {
		if !slices.Contains(wrote, line) {
			fmt.Fprintf(&b, "\nread  %s", line)
		}
	}
	return b.String()
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
