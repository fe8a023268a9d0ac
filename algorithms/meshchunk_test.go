package algorithms

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// messagesOf lists what an index receives in a lane, step by step, as "peer:slices"; "=" is
// a signal, "-" an idle step.
func messagesOf(p part, i, lane int) string {
	var list []string
	for k := range p.steps(i, lane) {
		switch st := p.step(i, lane, k); {
		case st.Recv.Peer.Rank < 0:
			list = append(list, "-")
		case st.Recv.Set.Count == 0:
			list = append(list, fmt.Sprintf("%d=", st.Recv.Peer.Rank))
		default:
			var slices []string
			for j := range st.Recv.Set.Len() {
				slices = append(slices, fmt.Sprint(st.Recv.Set.Slice(j)))
			}
			list = append(list, fmt.Sprintf("%d:%s", st.Recv.Peer.Rank, strings.Join(slices, ",")))
		}
	}
	return strings.Join(list, " ")
}

// Rank 1 of four: chunks 3, 4 and 5 are its own; each lane gets ready with a peer, adds
// its chunk from all three in turn, and signals the last.
func TestMeshChunkMessages(t *testing.T) {
	for lane, want := range []string{
		1: "2= 2:3 3:3 0:3 0=",
		2: "3= 3:4 0:4 2:4 2=",
		3: "0= 0:5 2:5 3:5 3=",
	} {
		if lane == 0 {
			continue
		}
		if got := messagesOf(meshChunkPart{n: 4}, 1, lane); got != want {
			t.Errorf("lane %d: %s, want %s", lane, got, want)
		}
	}
}

// Every chunk gets every peer once, one a round, in the order i+q, i+q+1 and so on; in a
// round every rank reads from each peer once; and nobody begins a round before all its
// lanes are through with the one before.
func TestMeshChunkOrder(t *testing.T) {
	for n := 2; n <= 33; n++ {
		m := meshChunkPart{n: n}
		for i := range n {
			read := make([][]bool, n) // by round, the peers
			for k := range read {
				read[k] = make([]bool, n)
			}
			for lane := 1; lane < n; lane++ {
				peer := lane
				for k := 1; k < n; k++ {
					st := m.step(i, lane, k)
					if want := (i + peer) % n; int(st.Recv.Peer.Rank) != want {
						t.Fatalf("%d ranks: lane %d of rank %d reads from %d in round %d, want %d", n, lane, i, st.Recv.Peer.Rank, k, want)
					}
					if peer++; peer == n {
						peer = 1
					}
					if read[k][st.Recv.Peer.Rank] {
						t.Fatalf("%d ranks: rank %d reads from %d twice in round %d", n, i, st.Recv.Peer.Rank, k)
					}
					read[k][st.Recv.Peer.Rank] = true
					checkJoined(t, m, i, st.After, k-1)
				}
			}
		}
	}
}

// checkJoined makes sure that a step of lane 0 comes after step k of all other lanes.
func checkJoined(t *testing.T, p part, i int, after Ref, k int) {
	t.Helper()
	var joined []int
	for s := range int(after.Step) + 1 {
		if st := p.step(i, 0, s); st.After.Lane > 0 && int(st.After.Step) == k {
			joined = append(joined, int(st.After.Lane))
		}
	}
	for lane := 1; lane < p.lanes(i); lane++ {
		if !slices.Contains(joined, lane) {
			t.Fatalf("step %d of lane 0 of rank %d is not behind step %d of lane %d", after.Step, i, k, lane)
		}
	}
}

// TestMeshChunkCost compares the cost with HCCL's round by round: n-1 times a chunk on its
// own link and the reductions of n-1 chunks.
func TestMeshChunkCost(t *testing.T) {
	h := Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 100e9, PairLinks: true}
	for n := 2; n <= 33; n++ {
		const chunk = 100_000 // 4 us on the link, 1 us of reduction
		m, peers := meshChunkPart{n: n}, int64(n-1)
		sizes := func(int) int64 { return chunk }
		want := peers * (5_000_000 + 4_000_000 + peers*1_000_000)
		if got, exact := m.cost(h, sizes); got != want || !exact {
			t.Errorf("%d ranks with links of their own: %d ps, want %d (exact: %t)", n, got, want, exact)
		}
		one := h
		one.PairLinks = false
		want = peers * (5_000_000 + peers*(4_000_000+1_000_000))
		if got, exact := m.cost(one, sizes); got != want || !exact {
			t.Errorf("%d ranks with one port: %d ps, want %d (exact: %t)", n, got, want, exact)
		}
	}
}

// Four ranks whose chunks are 300, 300 and 100 KB, but for the last rank's. At 25 GB/s the
// small chunk arrives after 4 us, the others after 12, on one port after 12 and 28;
// they take 1 and 3 us to reduce. On one port the last rank's port runs ahead of the
// others', so that there the cost is an estimate.
func TestMeshChunkUneven(t *testing.T) {
	h := Hockney{Bandwidth: 25e9, Reduce: 100e9, PairLinks: true}
	sizes := func(i int) int64 {
		if i%3 < 2 && i < 10 {
			return 300_000
		}
		return 100_000
	}
	if got, exact := (meshChunkPart{n: 4}).cost(h, sizes); got != 3*18_000_000 || !exact {
		t.Errorf("links of their own: %d ps, exact %t, want three rounds of 12+3+3 us", got, exact)
	}
	h.PairLinks = false
	if got, exact := (meshChunkPart{n: 4}).cost(h, sizes); got != 3*34_000_000 || exact {
		t.Errorf("one port: %d ps, exact %t, want an estimate of three rounds of 28+3+3 us", got, exact)
	}
}
