package model

import (
	"context"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// Of servers of which only some NPUs take part, ranks are the first of each: the links and
// NICs are those of the NPUs, not of the rank numbers.
func TestUnequalServers(t *testing.T) {
	top := cluster(3)
	top.Ranks = []int{4, 2, 3}
	f, err := newFabric(&top)
	if err != nil {
		t.Fatal(err)
	}
	if top.Size() != 9 || f.ranks != 9 {
		t.Fatalf("%d and %d ranks, want 9", top.Size(), f.ranks)
	}
	for _, c := range []struct {
		src, dst int32
		links    string
	}{
		{0, 3, "hccs s0n0>n3"},
		{4, 5, "hccs s1n0>n1"},
		{8, 6, "hccs s2n2>n0"},
		{3, 4, "roce s0n3 out, roce s1n0 in"},
		{8, 5, "roce s2n2 out, roce s1n1 in"},
	} {
		var r route
		f.route(c.src, c.dst, algorithms.LinkDefault, &r)
		if got := linksOf(f, &r); got != c.links {
			t.Errorf("rank %d to rank %d: %s, want %s", c.src, c.dst, got, c.links)
		}
	}
	if got := f.linkName(f.memory + 5); got != "memory s1n1" {
		t.Errorf("the memory of rank 5 is %s", got)
	}
}

func linksOf(f *fabric, r *route) string {
	var names []string
	for _, u := range r.uses[:r.n] {
		names = append(names, f.linkName(u.Link))
	}
	return strings.Join(names, ", ")
}

// Servers that all take part with the same NPUs are the same machine as smaller servers.
func TestRanksOfEqualServersChangeNothing(t *testing.T) {
	points(t, cluster(2), func(t *testing.T, p Point) {
		whole := simulated(t, p)
		p.Topology.Ranks = []int{4, 4}
		if same := simulated(t, p); same.Time != whole.Time || same.Events != whole.Events {
			t.Errorf("takes %s, with ranks: [4, 4] %s", whole.Time, same.Time)
		}
	})
}

// Flat algorithms run on unequal servers; a mix says why it does not, or runs.
func TestFlatAlgorithmsOnUnequalServers(t *testing.T) {
	top := cluster(2)
	top.Ranks = []int{4, 2}
	points(t, top, func(t *testing.T, p Point) {
		err := Check(p)
		if err != nil && algorithms.Flat(p.Algorithm) {
			t.Fatal(err)
		}
		if err != nil {
			if !strings.Contains(err.Error(), "server 0 has 4 ranks but server 1 has 2") {
				t.Errorf("%s is refused without a reason: %v", p.Algorithm, err)
			}
			return
		}
		if res := simulated(t, p); res.Time <= 0 || res.Ranks != 6 {
			t.Errorf("takes %s on %d ranks", res.Time, res.Ranks)
		}
	})
}

// podMachine is four servers of four NPUs in two super-pods: pairs of NPUs on a link of
// their own, a crossbar over the pod, a network between pods.
func podMachine() Topology {
	t := crossbar(4)
	t.Name, t.Servers, t.Pods = "pods", 4, 2
	ub := t.Server.Links[0]
	ub.Class, ub.Bandwidth, ub.Latency = "ub", Bandwidth{Read: 200e9, Write: 200e9}, 1000*ns
	ub.Pod = PodLink{Spans: true, Read: 1800 * ns, Write: 900 * ns}
	t.Server.Links = []Link{{
		Class: "sio", Connect: Pairs, Groups: [][]int{{0, 1}, {2, 3}}, Bandwidth: Bandwidth{240e9, 240e9}, Latency: 300 * ns,
	}, ub}
	t.Network = Network{Class: "roce", Connect: NetworkRails, Rails: 4, Latency: 5000 * ns}
	t.NPU.NIC = NIC{Ports: 1, Bandwidth: 25e9}
	return t
}

func TestRoutesOfSuperPods(t *testing.T) {
	top := podMachine()
	f, err := newFabric(&top)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		src, dst int32
		drive    algorithms.Drive
		links    string
		latency  sim.Time // ns
		rdma     bool
	}{
		{0, 1, algorithms.LinkDefault, "sio s0n0>n1", 300, false},
		{0, 2, algorithms.LinkDefault, "ub s0n0 out, ub s0n2 in", 1000, false},
		{0, 4, algorithms.LinkDefault, "ub s0n0 out, ub s1n0 in", 1900, false},
		{7, 1, algorithms.Read, "ub s1n3 out, ub s0n1 in", 2800, false},
		{8, 15, algorithms.Write, "ub s2n0 out, ub s3n3 in", 1900, false},
		{4, 8, algorithms.LinkDefault, "roce s1n0 out, roce s2n0 in", 5000, true},
	} {
		var r route
		joined := f.route(c.src, c.dst, c.drive, &r)
		if got := linksOf(f, &r); !joined || got != c.links || r.latency != c.latency*sim.Nanosecond || r.rdma != c.rdma {
			t.Errorf("rank %d to rank %d: %s, latency %d ps, RDMA %t, want %s, %d ns, %t", c.src, c.dst, got, r.latency, r.rdma, c.links, c.latency, c.rdma)
		}
	}
	var r route
	if f.route(0, 9, algorithms.LinkDefault, &r) {
		t.Error("NPUs of two pods on different rails are joined")
	}
	// One pod needs no network, and joins every pair.
	top.Pods, top.Network = 1, Network{}
	if f, err = newFabric(&top); err != nil || !f.joinsAll() || !f.route(0, 15, algorithms.LinkDefault, &r) {
		t.Errorf("one pod does not join all: %v", err)
	}
}

// A port carries what goes into its own server and what goes into others.
func TestPortOfAPodIsOne(t *testing.T) {
	s := newScript(16, megabyte)
	s.send(0, 2, 0)
	s.send(0, 6, 0)
	_, ends := play(t, podMachine(), s)
	near(t, "inside the server", ends[2][0], 11*sim.Microsecond, 1) // 1 MB at 100 GB/s, 1 us
	near(t, "to the other server", ends[6][0], 11_900_000, 1)
}

// A single transfer is held to the link's `single` by who drives it, in both recipes; two
// share the port beyond that.
func TestSingleTransfer(t *testing.T) {
	for _, h := range []Handshake{Rendezvous, Ideal} {
		top := memoryMachine(h, true)
		top.NPU.Memory = Memory{}
		l := &top.Server.Links[0]
		l.Connect, l.Bandwidth, l.Single = Crossbar, Bandwidth{20e9, 20e9}, Bandwidth{Read: 16e9, Write: 12.5e9}
		for _, c := range []struct {
			drives []algorithms.Drive
			want   sim.Time
		}{
			{[]algorithms.Drive{algorithms.Write}, 80 * sim.Microsecond},
			{[]algorithms.Drive{algorithms.Read}, 62_500_000},
			{[]algorithms.Drive{algorithms.Write, algorithms.Write}, 100 * sim.Microsecond},
		} {
			s := newScript(3, megabyte)
			for i, d := range c.drives {
				from, to := s.send(0, 1+i, 0)
				from.Drive, to.Drive = d, d
			}
			res, _ := play(t, top, s)
			near(t, string(h), sim.Time(res.Time), c.want, 1)
		}
	}
}

// Of the caps of a copy the lowest holds.
func TestLower(t *testing.T) {
	for _, c := range [][3]sim.Rate{{0, 0, 0}, {5, 0, 5}, {0, 5, 5}, {5, 7, 5}, {7, 5, 5}} {
		if got := lower(c[0], c[1]); got != c[2] {
			t.Errorf("the lower of %d and %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestLevels(t *testing.T) {
	gamma := int64(100e9)
	h := func(alpha, bandwidth int64, pairs bool) algorithms.Hockney {
		return algorithms.Hockney{Alpha: alpha, Bandwidth: bandwidth, Reduce: gamma, PairLinks: pairs}
	}
	pods := podMachine()
	pods.NPU.Reduce.Bandwidth = 100e9
	pods.Server.Links[1].Single = Bandwidth{Read: 163e9, Write: 136e9}
	pod := pods
	pod.Pods = 1
	two := hockneyMachine(4, FullMesh)
	two.Servers, two.Network, two.NPU.NIC = 2, Network{Class: "net", Connect: NetworkSwitch, Latency: 10_000 * ns}, NIC{Ports: 1, Bandwidth: 12.5e9}
	for _, c := range []struct {
		name  string
		top   Topology
		want  algorithms.Levels
		outer algorithms.Hockney
	}{
		{"one server", hockneyMachine(4, FullMesh), algorithms.Levels{Inside: h(5_000_000, 25e9, true)}, h(5_000_000, 25e9, true)},
		{"two servers", two, algorithms.Levels{Inside: h(5_000_000, 25e9, true), Between: h(10_000_000, 12.5e9, false)}, h(10_000_000, 12.5e9, false)},
		// Inside a server it is the crossbar, which joins all, not the links of pairs.
		{"one pod", pod, algorithms.Levels{Inside: h(1_000_000, 136e9, false), Between: h(2_800_000, 136e9, false)}, h(2_800_000, 136e9, false)},
		{"two pods", pods, algorithms.Levels{Inside: h(1_000_000, 136e9, false), Between: h(2_800_000, 136e9, false), Pods: h(5_000_000, 25e9, false)}, h(5_000_000, 25e9, false)},
		{"one NPU", Topology{Servers: 1, Server: Server{NPUs: 1}}, algorithms.Levels{}, algorithms.Hockney{}},
	} {
		if got := c.top.Levels(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if got := c.top.Hockney(); got != c.outer {
			t.Errorf("%s: the outermost level is %+v, want %+v", c.name, got, c.outer)
		}
	}
}

// A point hands its own settings to whoever makes its schedule.
func TestPointMakesItsSchedule(t *testing.T) {
	top := podMachine()
	top.Ranks = []int{4, 3, 4, 4}
	var got algorithms.Request
	p := Point{Topology: top, Collective: algorithms.AlltoAllV, Bytes: 4000, Elem: 4, Depth: 3,
		Blocks: func(from, to int) int64 { return int64(4 * (from + to)) },
		Make: func(r algorithms.Request) (*algorithms.Schedule, error) {
			got = r
			s := newScript(15, 1000)
			s.send(0, 7, 0)
			return &algorithms.Schedule{Program: s, Layout: s, Algorithm: "imported"}, nil
		}}
	res, err := Simulate(context.Background(), p, Options{})
	if err != nil || res.Messages != 1 || res.Time != 5_040_000 { // 1,000 B over the network
		t.Errorf("%v, %d messages in %s", err, res.Messages, res.Time)
	}
	if len(got.Groups) != 4 || got.Groups[1] != 3 || got.Pods != 2 || got.Depth != 3 || got.Blocks(1, 2) != 12 {
		t.Errorf("the request is %+v", got)
	}
}

// DMA engines may reduce on the way where NICs do not, and the other way about. 1 MB is
// reduced in 10 us, or 11 with the set-up of 1 us.
func TestInlineOfLinksAndOfNICs(t *testing.T) {
	for _, links := range []bool{false, true} {
		for _, nic := range []bool{false, true} {
			top := podMachine()
			top.NPU.Reduce = ReduceUnit{Bandwidth: 100e9, Setup: 1000 * ns, Inline: links}
			top.NPU.NIC.Inline = nic
			for _, h := range []Handshake{Ideal, Rendezvous} {
				for _, synced := range []bool{false, true} {
					for _, c := range []struct {
						dst    int
						inline bool
						want   units.Duration
					}{{2, links, 6000 * ns}, {6, links, 6900 * ns}, {8, nic, 45_000 * ns}} {
						top.NPU.Handshake = h
						s := newScript(16, megabyte)
						from, to := s.send(0, c.dst, 0)
						from.Synced, to.Synced, to.Reduce = synced, synced, true
						res, _ := play(t, top, s)
						if h == Rendezvous && !synced { // its "ready" goes before: the latency, and 4 B over the NIC
							c.want += map[int]units.Duration{2: 1000 * ns, 6: 1900 * ns, 8: 5000*ns + 160}[c.dst]
						}
						if !c.inline {
							c.want += 11_000 * ns
						} else if h == Rendezvous && synced && c.dst == 8 {
							c.want = 0 // posted, and nobody waits for it in this step
						}
						if res.Time != c.want {
							t.Errorf("links %t, NICs %t, %s, synced %t, to rank %d: %s, want %s", links, nic, h, synced, c.dst, res.Time, c.want)
						}
					}
				}
			}
		}
	}
}
