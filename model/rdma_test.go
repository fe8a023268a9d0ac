package model

import (
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// What a request puts on the wire, and what is counted of it. The wire of 25 GB/s moves a
// byte in 40 ps. On rdmaMachine everything but the two wires takes 18.68 us: the 58.68016
// of TestRecipes without the 160 ps of the ready and the 40 us of the data.
func TestWireBytesOfRequests(t *testing.T) {
	const tasks = 18_680_000
	for _, c := range []struct {
		name        string
		nic         NIC
		ready, data sim.Time // wire bytes
		requests    int64
	}{
		{"nothing around the data", NIC{}, 4, 1_000_000, 2},
		{"one packet without an MTU", NIC{Header: 100}, 4 + 100, 1_000_000 + 100, 2},
		{"header of a request", NIC{Request: WorkRequest{Header: 40}}, 4 + 40, 1_000_000 + 40, 2},
		{"MTU alone costs nothing", NIC{MTU: 1000}, 4, 1_000_000, 2},
		{"1,000 packets", NIC{MTU: 1000, Header: 100, Request: WorkRequest{Header: 40}}, 4 + 140, 1_000_000 + 1000*100 + 40, 2},
		{"1,001 full packets and one of 1 B", NIC{MTU: 999, Header: 100}, 4 + 100, 1_000_000 + 1002*100, 2},
		// 400,000, 400,000 and 200,000 B: 401, 401 and 201 packets.
		{"three requests", NIC{MTU: 999, Header: 100, Request: WorkRequest{Header: 40, Max: 400_000}}, 4 + 140, 1_000_000 + 1003*100 + 3*40, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := rdmaMachine()
			nic := &top.NPU.NIC
			nic.MTU, nic.Header = c.nic.MTU, c.nic.Header
			nic.Request.Header, nic.Request.Max = c.nic.Request.Header, c.nic.Request.Max
			top.NPU.DMA.Remote, top.NPU.Limits.Remote = 1e9, 1e9 // of engines: they do not act here
			s := newScript(2, megabyte)
			s.send(0, 1, 0)
			res, _ := play(t, top, s)
			near(t, "end", sim.Time(res.Time), tasks+40*(c.ready+c.data), 0)
			if got, want := cause2time(res, "wire:roce"), units.Duration(40*(c.ready+c.data)); got != want {
				t.Errorf("wire time %s, want %s", got, want)
			}
			if res.Requests != c.requests {
				t.Errorf("%d requests, want %d", res.Requests, c.requests)
			}
			// Volumes count payload: the data and the four bytes of the ready.
			if want := []Volume{{"roce", 1_000_004}}; !slices.Equal(res.Volumes, want) {
				t.Errorf("volumes %v, want %v", res.Volumes, want)
			}
		})
	}
}

// 50 requests of 20,000 B that cost the port's processor 1 us each, while the wire takes
// 0.8: the processor is the slowest stage.
//
// Ready: launch 0.33, issue 1, 160 ps, latency 1.5 -> 2.83016. Wait 0.02; RDMASend: gap
// 0.7, launch 0.33 -> 3.88016, when all 50 are posted. The last is issued 50 us later, at
// 53.88016; wire 0.8, latency 1.5, Wait 0.02 -> 56.20016. It has waited for 49 others.
func TestRequestProcessorIsOne(t *testing.T) {
	top := rdmaMachine()
	top.NPU.NIC.Request = WorkRequest{Issue: 1000 * ns, Max: 20_000}
	s := newScript(2, megabyte)
	s.send(0, 1, 0)
	res, ends := play(t, top, s)
	near(t, "sender", ends[0][0], 3_880_160, 0)
	near(t, "receiver", ends[1][0], 56_200_160, 0)
	if res.Requests != 51 {
		t.Errorf("%d requests, want 51: ready, and 50 for the data", res.Requests)
	}
	spent(t, res, Part{"launch", 1360 * ns}, Part{"notify", 40 * ns}, Part{"post", 2000 * ns}, Part{"latency", 3000 * ns},
		Part{"engine", 49_000 * ns}, Part{"wire:roce", 800_160})

	// One request: 3.88016 + issue 1 + wire 40 + 1.52.
	top.NPU.NIC.Request.Max = 0
	s = newScript(2, megabyte)
	s.send(0, 1, 0)
	res, _ = play(t, top, s)
	near(t, "uncut", sim.Time(res.Time), 46_400_160, 0)
}

// A request reads from one place and writes to one: there are as many as pieces that lie
// together at both ends. Slices of 1,000 B, numbered in the order in which they lie.
func TestRequestsOfStrewnSlices(t *testing.T) {
	const most = 8
	set := func(first, count, stride int32) algorithms.Set {
		return algorithms.Set{First: first, Count: count, Stride: stride, Mod: most, Width: 1}
	}
	for _, c := range []struct {
		name     string
		from, to algorithms.Set
		requests int64
	}{
		{"together at both ends", set(0, 4, 1), set(0, 4, 1), 1},
		{"together, elsewhere", set(0, 4, 1), set(3, 4, 1), 1},
		{"strewn at both ends alike", set(0, 4, 2), set(0, 4, 2), 4},
		{"strewn at the receiver", set(0, 4, 1), set(1, 4, 2), 4},
		{"strewn at the sender", set(0, 4, 2), set(0, 4, 1), 4},
		{"downwards at both ends", set(3, 4, most-1), set(7, 4, most-1), 1},
		{"downwards at the receiver only", set(0, 4, 1), set(7, 4, most-1), 4},
		{"around the end at the sender", set(6, 4, 1), set(0, 4, 1), 2},
		{"around the end at different slices", set(6, 4, 1), set(5, 4, 1), 3},
		{"blocks of two beside slices", algorithms.Set{Count: 2, Stride: 2, Mod: 4, Width: 2}, set(0, 4, 1), 2},
	} {
		s := newScript(2, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000)
		from, to := s.send(0, 1, 0)
		from.Send.Set, to.Recv.Set = c.from, c.to
		res, _ := play(t, rdmaMachine(), s)
		if got := res.Requests - 1; got != c.requests { // without the ready
			t.Errorf("%s: %d requests, want %d", c.name, got, c.requests)
		}
		if want := []Volume{{"roce", 4_004}}; !slices.Equal(res.Volumes, want) {
			t.Errorf("%s: volumes %v, want %v", c.name, res.Volumes, want)
		}
	}
}

// Counts are those of one iteration: a ready and a message, the tasks RDMASend and Wait of
// each rank.
func TestCountsAreOfOneIteration(t *testing.T) {
	s := newScript(2, megabyte)
	s.send(0, 1, 0)
	for n := 1; n <= 3; n++ {
		res, _ := playPoint(t, Point{Topology: rdmaMachine(), Iterations: n}, s, Options{})
		if res.Messages != 1 || res.Requests != 2 || res.Tasks != 4 || !slices.Equal(res.Volumes, []Volume{{"roce", 1_000_004}}) {
			t.Errorf("%d iterations: %d messages, %d requests, %d tasks, %v, want 1, 2, 4 and 1000004 B",
				n, res.Messages, res.Requests, res.Tasks, res.Volumes)
		}
	}
}

// Two queue pairs of one port share its processor too; two ports have one each. Both
// signals are posted at 0, issued in 10 us one after the other, and are 160 ps on the wire.
func TestPortsHaveProcessorsOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		ports int
		last  sim.Time
	}{{1, 20_000_160}, {2, 10_000_160}} {
		top := rdmaMachine()
		top.Servers, top.Network.Latency = 3, 0
		top.NPU = NPU{Handshake: Rendezvous, NIC: NIC{Ports: c.ports, Bandwidth: 25e9, Request: WorkRequest{Issue: 10_000 * ns}}}
		s := newScript(3, 0)
		s.signal(0, 1)
		s.signal(0, 2)
		_, ends := play(t, top, s)
		near(t, "first", ends[1][0], 10_000_160, 0)
		near(t, "second", ends[2][0], c.last, 0)
	}
}

// Who is joined with whom between servers of four NPUs, by the rail of each NPU.
func TestRails(t *testing.T) {
	for _, c := range []struct {
		name  string
		net   Network
		joins func(a, b int) bool // NPUs of different servers
	}{
		{"as many rails as NPUs", Network{Connect: NetworkRails, Rails: 4}, func(a, b int) bool { return a == b }},
		{"two rails", Network{Connect: NetworkRails, Rails: 2}, func(a, b int) bool { return a%2 == b%2 }},
		{"three rails", Network{Connect: NetworkRails, Rails: 3}, func(a, b int) bool { return a%3 == b%3 }},
		{"one rail", Network{Connect: NetworkRails, Rails: 1}, func(int, int) bool { return true }},
		{"two rails and a spine", Network{Connect: NetworkRails, Rails: 2, Spine: true}, func(int, int) bool { return true }},
		{"a switch", Network{Connect: NetworkSwitch}, func(int, int) bool { return true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := cluster(3)
			c.net.Class, c.net.Latency = "roce", 1500*ns
			top.Network = c.net
			f, err := newFabric(&top)
			if err != nil {
				t.Fatal(err)
			}
			all := true
			for src := range 12 {
				for dst := range 12 {
					want := src/4 == dst/4 || c.joins(src%4, dst%4)
					all = all && want
					var r route
					if got := f.route(int32(src), int32(dst), algorithms.LinkDefault, &r); src != dst && got != want {
						t.Errorf("rank %d to rank %d: joined %t, want %t", src, dst, got, want)
					}
				}
			}
			// mesh needs every pair, and Check must say so before a run.
			p := Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: "mesh", Bytes: 4800, Elem: 4, InPlace: true}
			if err := Check(p); (err == nil) != all {
				t.Errorf("Check says %v of all pairs, all are joined: %t", err, all)
			}
			p.Algorithm = "ring+ring" // needs NPUs of the same number only
			if err := Check(p); err != nil {
				t.Errorf("Check says %v of ring+ring", err)
			}
		})
	}
}
