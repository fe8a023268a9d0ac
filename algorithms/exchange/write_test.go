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

// grouped are the divisions of p ranks into servers that a name is tried with. Mixes add
// no kinds of steps to those of their parts: few ranks will do.
func grouped(name string, p int) [][]int {
	if algorithms.Flat(name) {
		return [][]int{{p}}
	}
	return map[int][][]int{4: {{2, 2}}, 5: {{3, 2}}, 6: {{2, 2, 2}, {3, 3}}}[p]
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
			if copies != algorithms.CopiesNone && (p > 4 || !algorithms.Flat(name)) {
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
			again := ordered(t, a, r) // with a rest, at some numbers of ranks
			r.Bytes = 4 * int64(a.ChunksPerLoop)
			if r.Bytes != s.Request.Bytes {
				again = ordered(t, a, r)
			}
			if want, got := messages(s), messages(again); !slices.Equal(want, got) {
				t.Fatalf("ranks %v in place %t copies %d: %s", groups, inPlace, copies, difference(want, got))
			}
		}
	}
}

// ordered makes a schedule of a file and proves it, the order of reductions included.
func ordered(t *testing.T, a *exchange.Algorithm, r algorithms.Request) *algorithms.Schedule {
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
	if s.Hosts() > 0 && want == "" {
		want = "the format knows no hosts"
	}
	if want == "" {
		return false
	}
	err := exchange.Write(&bytes.Buffer{}, s)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want %s", err, want)
	}
	return true
}

// script is a program of single lanes, written out, and the layout of its slices of four
// bytes.
type script [][]algorithms.Step

func (s script) Ranks() int                          { return len(s) }
func (s script) Lanes(int) int                       { return 1 }
func (s script) Steps(rank, _ int) int               { return len(s[rank]) }
func (s script) Step(rank, _, k int) algorithms.Step { return s[rank][k] }
func (s script) Slices(algorithms.Buffer) int        { return len(s) }
func (s script) Span(_ algorithms.Buffer, slice int) (offset, bytes int64) {
	return 4 * int64(slice), 4
}

// TestSyncedOnly: two ranks that write to each other before either is at the step at which
// it is written to.
func TestSyncedOnly(t *testing.T) {
	half := func(rank, step int32, slice int32) algorithms.Half {
		return algorithms.Half{Peer: algorithms.Ref{Rank: rank, Step: step}, Set: algorithms.Set{Count: 1, Mod: 1, Base: slice, Width: 1}}
	}
	none := algorithms.Half{Peer: algorithms.None}
	step := func(send, recv algorithms.Half) algorithms.Step {
		return algorithms.Step{After: algorithms.None, Send: send, Recv: recv, Synced: true, Drive: algorithms.Write}
	}
	p := script{
		{step(half(1, 1, 0), none), step(none, half(1, 0, 1))},
		{step(half(0, 1, 1), none), step(none, half(0, 0, 0))},
	}
	s := &algorithms.Schedule{Program: p, Layout: p, Algorithm: "synced", Request: algorithms.Request{
		Collective: algorithms.AllGather, Groups: []int{2}, Bytes: 8, Elem: 4, InPlace: true}}
	prove(t, s)
	err := exchange.Write(&bytes.Buffer{}, s)
	want := "synced allgather of 2 ranks: it stops where every message takes both its ranks: " +
		"rank 0 lane 0 step 0 waits for rank 1 lane 0 step 0 waits for rank 0 lane 0 step 0"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
