package model

import (
	"context"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// wires is servers of one NPU each with a NIC of 25 GB/s, on a network that is nothing but
// its links.
func wires(servers int, n Network) Topology {
	t := Topology{Name: "wires", Servers: servers, Server: Server{NPUs: 1}, Network: n}
	t.Network.Class = "roce"
	t.NPU = NPU{Handshake: Ideal, NIC: NIC{Ports: 1, Bandwidth: 25e9}}
	return t
}

// messages are 1 MB from one rank to another each, at once, and their ends.
func messages(t *testing.T, top Topology, pairs ...[2]int) []units.Duration {
	t.Helper()
	s := newScript(top.Size())
	s.sizes = []int64{megabyte}
	for _, p := range pairs {
		s.send(p[0], p[1], 0)
	}
	_, ends := play(t, top, s)
	next := make([]int, top.Size())
	var list []units.Duration
	for _, p := range pairs {
		next[p[0]]++
		list = append(list, units.Duration(ends[p[1]][next[p[1]]]))
		next[p[1]]++
	}
	return list
}

// A clos of two leaves of four ports: within a leaf the ports are all there is; between
// them, at 2:1, four flows have two links' worth.
func TestClosOversubscription(t *testing.T) {
	clos := func(spines int, link units.Rate) Topology {
		return wires(8, Network{Connect: NetworkClos, Radix: 4, Spines: spines, Bandwidth: link})
	}
	across := [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}
	for _, c := range []struct {
		name string
		top  Topology
		want units.Duration
	}{
		{"as wide as the ports", clos(1, 100e9), 40 * us},
		{"2:1", clos(1, 50e9), 80 * us},
		{"4:1", clos(1, 25e9), 160 * us},
	} {
		for i, got := range messages(t, c.top, across...) {
			if got != c.want {
				t.Errorf("%s: flow %d ends at %v, want %v", c.name, i, got, c.want)
			}
		}
	}
	for _, got := range messages(t, clos(1, 25e9), [2]int{0, 1}, [2]int{2, 3}, [2]int{4, 5}, [2]int{6, 7}) {
		if got != 40*us {
			t.Errorf("within a leaf a flow ends at %v, want 40us", got)
		}
	}
}

// By ECMP a queue pair keeps to the spine that its hash says: two that meet on one share its
// link though another is idle. Another seed has them meet elsewhere; the same seed is the
// same.
func TestECMPCollides(t *testing.T) {
	at := func(seed int64) []units.Duration {
		top := wires(8, Network{Connect: NetworkClos, Radix: 4, Spines: 4, Bandwidth: 25e9, Seed: seed})
		return messages(t, top, [2]int{0, 4}, [2]int{1, 5}, [2]int{2, 6}, [2]int{3, 7})
	}
	seen := map[units.Duration]int{}
	for seed := range int64(20) {
		first, again := at(seed), at(seed)
		for i, d := range first {
			if d != again[i] {
				t.Errorf("seed %d gives %v and %v", seed, d, again[i])
			}
			seen[d]++
		}
	}
	// A flow alone takes 40 us, of two that meet both 80, of three 120, of four 160.
	if seen[40*us] == 0 || seen[80*us] == 0 {
		t.Errorf("times seen %v: expected flows that meet and flows that do not", seen)
	}
	for d := range seen {
		if d%(40*us) > 2 {
			t.Errorf("a flow ends at %v, which no sharing of whole links gives", d)
		}
	}
}

// A link of its own for each pair of servers, with all NPUs of both on it.
func TestFullMeshNetwork(t *testing.T) {
	top := wires(3, Network{Connect: NetworkFullMesh, Bandwidth: 10e9})
	for i, got := range messages(t, top, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 2}) {
		if got != 100*us {
			t.Errorf("flow %d ends at %v, want 100us", i, got)
		}
	}
	for _, got := range messages(t, top, [2]int{0, 1}, [2]int{0, 1}) {
		if got != 200*us {
			t.Errorf("two on one link end at %v, want 200us", got)
		}
	}
}

// A cut link: with another entry that joins the two the route is over it, else there is
// none, and the plan says for whom. A slow link has less.
func TestLinkFaults(t *testing.T) {
	all := [][]int{{0, 1, 2, 3}}
	top := Topology{Name: "twofold", Servers: 1, NPU: NPU{Handshake: Ideal}, Server: Server{NPUs: 4, Links: []Link{
		{Class: "hccs", Connect: FullMesh, Groups: all, Bandwidth: Bandwidth{20e9, 20e9}},
		{Class: "pcie", Connect: Crossbar, Groups: all, Bandwidth: Bandwidth{10e9, 10e9}, Latency: 5 * us},
	}}}
	run := func(top Topology, faults ...LinkFault) (Result, error) {
		p := Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: "mesh", Bytes: 4 * megabyte, Elem: 4, InPlace: true, Faults: Faults{Links: faults}}
		if err := Check(p); err != nil {
			return Result{}, err
		}
		return Simulate(context.Background(), p, Options{})
	}
	// 1 MB to each peer, twice: 50 us a phase. A detour takes 5 + 100 in each.
	for _, c := range []struct {
		name   string
		faults []LinkFault
		want   units.Duration
	}{
		{"none", nil, 100 * us},
		{"cut", []LinkFault{{Link: "hccs s0n0>n1"}}, 210 * us},
		{"half", []LinkFault{{Link: "hccs s0n0>n1", Left: 500}}, 200 * us},
		{"all of one NPU half", []LinkFault{{Link: "hccs s0n2>*", Left: 500}}, 200 * us},
	} {
		res, err := run(top, c.faults...)
		if err != nil {
			t.Fatal(err)
		}
		if res.Time != c.want {
			t.Errorf("%s: %v, want %v", c.name, res.Time, c.want)
		}
	}
	top.Server.Links = top.Server.Links[:1]
	_, err := run(top, LinkFault{Link: "hccs s0n0>n1"})
	if want := "the link hccs s0n0>n1 from rank 0 (server 0, NPU 0) to rank 1 (server 0, NPU 1) is cut (faults)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err = run(top, LinkFault{Link: "hccs s0n0>n9"}); err == nil || !strings.Contains(err.Error(), `no link "hccs s0n0>n9"; links are named like "hccs s0n0>n1"`) {
		t.Errorf("got %v", err)
	}
	// A flow of a clos takes the next spine where a link of its own is cut.
	clos := wires(2, Network{Connect: NetworkClos, Radix: 1, Spines: 2, Bandwidth: 25e9})
	for _, cut := range []string{"roce leaf0>spine0", "roce leaf0>spine1"} {
		f, err := (&Work{Topology: clos, Faults: Faults{Links: []LinkFault{{Link: cut}}}}).fabric()
		if err != nil {
			t.Fatal(err)
		}
		var r route
		if !f.route(0, 1, algorithms.LinkDefault, &r) || f.crossesCut(&r) {
			t.Errorf("without %s: a route of %d links", cut, r.n)
		}
	}
}

// The network joins NPUs of one server where no link does, if it says so.
func TestNetworkWithin(t *testing.T) {
	top := wires(1, Network{Connect: NetworkSwitch, Within: true})
	top.Server = Server{NPUs: 4, Links: []Link{{Class: "hccs", Connect: FullMesh, Groups: [][]int{{0, 1}, {2, 3}}, Bandwidth: Bandwidth{50e9, 50e9}}}}
	got := messages(t, top, [2]int{0, 1}, [2]int{1, 2})
	if got[0] != 20*us || got[1] != 40*us {
		t.Errorf("over the link %v, over the network %v, want 20us and 40us", got[0], got[1])
	}
	top.Network.Within = false
	f, err := newFabric(&top)
	if err != nil {
		t.Fatal(err)
	}
	var r route
	if f.route(1, 2, algorithms.LinkDefault, &r) {
		t.Error("joined without being told to")
	}
}
