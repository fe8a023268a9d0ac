package model

import (
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// singles is so many servers of one NPU, with every task set.
func singles(servers int) Topology {
	t := rdmaMachine()
	t.Servers = servers
	return t
}

// NHR posts a request for each slice of a stand-alone ReduceScatter, and as many as runs
// after it has reordered the slices in AllReduce: per rank and step, besides the ready.
func TestRequestsOfNHR(t *testing.T) {
	for _, c := range []struct {
		collective algorithms.Collective
		ranks      int
		perStep    []int64 // data requests of a rank
	}{
		{algorithms.ReduceScatter, 8, []int64{4, 2, 1}},
		{algorithms.AllGather, 8, []int64{1, 2, 4}},
		{algorithms.AllReduce, 8, []int64{1, 1, 1, 1, 1, 1}},
		{algorithms.ReduceScatter, 5, []int64{2, 1, 1}},
		{algorithms.ReduceScatter, 4, []int64{2, 1}},
		{algorithms.AllReduce, 4, []int64{1, 1, 1, 1}},
	} {
		res := simulated(t, Point{Topology: singles(c.ranks), Collective: c.collective, Algorithm: "nhr", Bytes: 1 << 20 * units.Bytes(c.ranks), Elem: 4, InPlace: true})
		steps := int64(len(c.perStep))
		want := steps // the ready of each step
		for _, n := range c.perStep {
			want += n
		}
		if ranks := int64(c.ranks); res.Requests != ranks*want || res.Messages != ranks*steps {
			t.Errorf("%s of %d ranks: %d requests and %d messages, want %d and %d", c.collective, c.ranks, res.Requests, res.Messages, ranks*want, ranks*steps)
		}
	}
}

// Blocks without bytes are neither sent nor announced; the others are one message each,
// and over RDMA one request besides the ready.
func TestZeroBlocksSendNothing(t *testing.T) {
	const ranks = 6
	size := func(from, to int) int64 {
		if (from+to)%3 != 1 {
			return 0
		}
		return 4000 * int64(1+from)
	}
	var messages int64
	for i := range ranks {
		for j := range ranks {
			if i != j && size(i, j) > 0 {
				messages++
			}
		}
	}
	for _, algorithm := range []string{"pairwise", "mesh"} {
		for _, top := range []Topology{singles(ranks), hockneyMachine(ranks, Crossbar)} {
			res := simulated(t, Point{Topology: top, Collective: algorithms.AlltoAllV, Algorithm: algorithm, Bytes: 2 * 24_000, Elem: 4, Blocks: size})
			if res.Messages != messages {
				t.Errorf("%s on %s: %d messages, want %d", algorithm, top.Name, res.Messages, messages)
			}
			if algorithm == "pairwise" && res.Requests > 0 && res.Requests != 2*messages {
				t.Errorf("%s: %d requests, want %d", algorithm, res.Requests, 2*messages)
			}
		}
	}
}

// In AlltoAll over servers a rank passes the blocks of its whole server on, one message to
// the rank of its number in each other server. They lie together where they were collected
// and in the receiver's output: one request and its ready.
func TestRequestsOfAlltoAllOverServers(t *testing.T) {
	res := simulated(t, Point{Topology: cluster(3), Collective: algorithms.AlltoAll, Algorithm: "mesh+pairwise", Bytes: 12 * 4000, Elem: 4})
	if want := int64(12 * 2 * 2); res.Requests != want {
		t.Errorf("%d requests, want %d", res.Requests, want)
	}
}

// What point-to-point and rooted collectives send at least.
func TestMessagesOfCollectives(t *testing.T) {
	for _, c := range []struct {
		collective algorithms.Collective
		algorithm  string
		messages   int64
	}{
		{algorithms.SendRecv, "pairwise", 8},
		{algorithms.Scatter, "star", 7},
		{algorithms.Gather, "star", 7},
		{algorithms.AlltoAll, "pairwise", 56},
		{algorithms.Barrier, "rhd-oneshot", 24},
	} {
		bytes := units.Bytes(32_000)
		if c.collective == algorithms.Barrier {
			bytes = 4
		}
		for _, top := range []Topology{cluster(2), hockneyMachine(8, FullMesh)} {
			res := simulated(t, Point{Topology: top, Collective: c.collective, Algorithm: c.algorithm, Bytes: bytes, Elem: 4, InPlace: c.collective.HasInPlace()})
			if res.Messages != c.messages {
				t.Errorf("%s by %s on %s: %d messages, want %d", c.collective, c.algorithm, top.Name, res.Messages, c.messages)
			}
		}
	}
}

// AHC joins servers of different sizes, in no more than the bound of its closed form.
func TestAHCOnUnequalServers(t *testing.T) {
	h := algorithms.Hockney{Alpha: 5_000_000, Bandwidth: 25e9}
	for _, ranks := range [][]int{{8, 4}, {5, 4, 3}, {2, 3, 1}, {4, 4, 4, 1}} {
		top := twoLevels(ranks, h, h)
		top.Server = hockneyMachine(8, FullMesh).Server
		top.Ranks = ranks
		p := Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: "ahc", Bytes: 4_000_012, Elem: 4, InPlace: true}
		s, err := p.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		most, err := algorithms.Estimate("ahc", s.Request, top.Levels())
		if err != nil {
			t.Fatal(err)
		}
		if took := int64(simulated(t, p).Time); took > most || took < most/4 {
			t.Errorf("servers of %v: takes %d ps, the bound is %d", ranks, took, most)
		}
	}
}
