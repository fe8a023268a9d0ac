package algorithms

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMeshMatchesRecordedRun lays the tasks of every lane of rank 0 beside the planes of a
// recorded AllReduce. See testdata/SOURCES.md.
func TestMeshMatchesRecordedRun(t *testing.T) {
	text, err := os.ReadFile("testdata/mesh-allreduce-planes.csv")
	if err != nil {
		t.Fatal(err)
	}
	s := schedule(t, "mesh", Request{
		Collective: AllReduce, Groups: []int{8}, Bytes: 16_388_000, Elem: 4, Align: 16384,
		InPlace: true, Copies: CopiesSlice, Marker: true,
	})
	lines := []string{"plane,task,peer,bytes"}
	for lane := range s.Lanes(0) {
		for k := range s.Steps(0, lane) {
			for _, task := range meshTasks(s, s.Step(0, lane, k)) {
				lines = append(lines, fmt.Sprintf("%d,%s", lane, task))
			}
		}
	}
	if got, want := strings.Join(lines, "\n"), strings.TrimSpace(string(text)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// meshTasks are the tasks of a step of rank 0 of a mesh, as the profiler lists them.
func meshTasks(s *Schedule, st Step) []string {
	peer := st.Send.Peer.Rank
	moved := st.Send
	switch {
	case st.Marker:
		return []string{"Reduce_Inline,0,4"}
	case peer < 0:
		return nil // a join
	case st.Send.Set.Count == 0:
		return []string{fmt.Sprintf("Notify_Record,%d,0", peer), fmt.Sprintf("Notify_Wait,%d,0", peer)}
	case st.Drive == Read:
		moved = st.Recv
	}
	task := "Memcpy"
	if st.Reduce {
		task = "Reduce_Inline"
	}
	bytes, _ := Message(s.Layout, moved.Buf, moved.Set)
	return []string{fmt.Sprintf("%s,%d,%d", task, peer, bytes)}
}

// TestMeshJoins checks that no lane moves data before every peer of the rank is ready:
// behind each signal there is a join of all lanes, and behind the join the data.
func TestMeshJoins(t *testing.T) {
	const p = 5
	s := schedule(t, "mesh", Request{Collective: AllReduce, Groups: []int{p}, Bytes: 400, Elem: 4, InPlace: true})
	for rank := range p {
		for lane := 1; lane < p; lane++ {
			for k := range s.Steps(rank, lane) {
				if st := s.Step(rank, lane, k); !st.Synced {
					continue
				}
				// The step before waits for lane 0's last wait, for the last lane.
				wait := s.Step(rank, lane, k-1).After
				if wait.Rank != int32(rank) || wait.Lane != 0 {
					t.Fatalf("rank %d lane %d step %d is not behind lane 0", rank, lane, k)
				}
				for other := 1; other < p; other++ {
					join := s.Step(rank, 0, int(wait.Step)-(p-1)+other).After
					signal := s.Step(rank, other, int(join.Step))
					if join.Lane != int32(other) || signal.Send.Peer.Rank < 0 || signal.Send.Set.Count != 0 {
						t.Errorf("rank %d lane %d step %d does not wait for the signal of lane %d", rank, lane, k, other)
					}
				}
			}
		}
	}
}
