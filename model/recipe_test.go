package model

import (
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

const ns = units.Nanosecond

// taskMachine is two NPUs on a 20 GB/s link with every task cost set.
func taskMachine() Topology {
	return Topology{
		Name: "tasks", Servers: 1,
		Server: Server{NPUs: 2, Links: []Link{{
			Class: "wire", Connect: FullMesh, Groups: [][]int{{0, 1}},
			Bandwidth: Bandwidth{20e9, 20e9}, Latency: 500 * ns,
		}}},
		NPU: NPU{
			Handshake: Rendezvous,
			Scheduler: Scheduler{Launch: Launch{Record: 350 * ns, Wait: 750 * ns, Copy: 330 * ns, Send: 330 * ns, Kernel: 400 * ns}, Gap: 700 * ns},
			Notify:    Notify{Record: 720 * ns, Wait: 20 * ns},
			DMA:       DMA{Engines: 4, Setup: 600 * ns},
			Reduce:    ReduceUnit{Bandwidth: 100e9, Setup: 1000 * ns},
		},
	}
}

// rdmaMachine is the same NPUs in two servers, one 25 GB/s NIC each.
func rdmaMachine() Topology {
	t := taskMachine()
	t.Servers, t.Server = 2, Server{NPUs: 1}
	t.Network = Network{Class: "roce", Connect: NetworkSwitch, Latency: 1500 * ns}
	t.NPU.NIC = NIC{Ports: 1, Bandwidth: 25e9, Request: WorkRequest{Post: 7000 * ns, Issue: 140 * ns}}
	return t
}

// Each time is the sum of the row of tasks, worked out by hand in the comment.
func TestRecipes(t *testing.T) {
	// Record: launch 0.35, 0.72, latency 0.5 -> arrives 1.57; wait 0.02 -> 1.59.
	// Copy: gap 0.7, launch 0.33, set-up 0.6, 1 MB at 20 GB/s 50, latency 0.5 -> 53.72.
	// Record: gap 0.7, launch 0.35, 0.72 -> 55.49. Wait: 0.02 -> 55.51.
	const copied, told = 55_490_000, 55_510_000
	// Reduce: gap 0.7, launch 0.4, set-up 1, 1 MB at 100 GB/s 10.
	const reduced = told + 12_100_000
	// RDMASend of 4 B: launch 0.33, post 7, issue 0.14, 160 ps, latency 1.5 -> 8.97016;
	// wait 0.02; RDMASend: gap 0.7, launch 0.33, post 7 -> 17.02016; issue 0.14, 1 MB at
	// 25 GB/s 40, latency 1.5 -> 58.66016; wait 0.02.
	const posted, landed = 17_020_160, 58_680_160

	read := func(from, to *algorithms.Step) { from.Drive, to.Drive = algorithms.Read, algorithms.Read }
	reduce := func(_, to *algorithms.Step) { to.Reduce = true }
	inline := taskMachine()
	inline.NPU.Reduce.Inline = true
	// The vectors divide the later of the two ends. The launch of the Wait for "ready" is
	// hidden: 0.75 is before 1.57, or 8.97.
	//
	// Written: launch 0.35 + (0.7 + 0.33) + (0.7 + 0.35), notify 0.72 + 0.02 + 0.72 + 0.02,
	// latency of the ready and of the copy.
	written := []Part{{"launch", 2430 * ns}, {"notify", 1480 * ns}, {"setup", 600 * ns}, {"latency", 1000 * ns}, {"wire:wire", 50_000 * ns}}
	// The same, and the latency of the done.
	isRead := []Part{{"launch", 2430 * ns}, {"notify", 1480 * ns}, {"setup", 600 * ns}, {"latency", 1500 * ns}, {"wire:wire", 50_000 * ns}}
	// The same as written, and for the Reduce launch 0.7 + 0.4, set-up 1, reduction 10.
	isReduced := []Part{{"launch", 3530 * ns}, {"notify", 1480 * ns}, {"setup", 1600 * ns}, {"latency", 1000 * ns}, {"reduce", 10_000 * ns}, {"wire:wire", 50_000 * ns}}
	// Launch 0.33 + (0.7 + 0.33), notify 0.02 twice, post and issue 7.14 twice, latency 1.5
	// twice, wire 4 B and 1 MB.
	sent := []Part{{"launch", 1360 * ns}, {"notify", 40 * ns}, {"post", 14_280 * ns}, {"latency", 3000 * ns}, {"wire:roce", 40_000_160}}
	sentAndReduced := []Part{{"launch", 2460 * ns}, {"notify", 40 * ns}, {"setup", 1000 * ns}, {"post", 14_280 * ns}, {"latency", 3000 * ns}, {"reduce", 10_000 * ns}, {"wire:roce", 40_000_160}}
	for _, c := range []struct {
		name     string
		top      Topology
		change   func(from, to *algorithms.Step)
		src, dst sim.Time
		causes   []Part
	}{
		{"write", taskMachine(), nil, copied, told, written},
		{"read", taskMachine(), read, told + 500_000, copied, isRead}, // the done goes back: latency 0.5
		{"write and reduce", taskMachine(), reduce, copied, reduced, isReduced},
		{"write and reduce inline", inline, reduce, copied, told, written},
		{"rdma", rdmaMachine(), nil, posted, landed, sent},
		{"rdma never reads", rdmaMachine(), read, posted, landed, sent},
		{"rdma and reduce", rdmaMachine(), reduce, posted, landed + 12_100_000, sentAndReduced},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(2, megabyte)
			from, to := s.send(0, 1, 0)
			if c.change != nil {
				c.change(from, to)
			}
			res, ends := play(t, c.top, s)
			near(t, "sender", ends[0][0], c.src, 0)
			near(t, "receiver", ends[1][0], c.dst, 0)
			spent(t, res, c.causes...)
		})
	}
}

// A message of two runs is two requests of one queue pair: the second is issued while the
// first is on the wire and follows it without a pause.
func TestRunsAreRequests(t *testing.T) {
	s := newScript(2, megabyte, 0, megabyte, 1, megabyte)
	from, to := s.send(0, 1, 0)
	from.Send.Set = algorithms.Set{First: 0, Count: 3, Stride: 2, Mod: 5, Width: 1}
	to.Recv.Set = from.Send.Set
	res, ends := play(t, rdmaMachine(), s)
	// Slices 0, 2 and 4: the empty slice 1 does not part 0 and 2, slice 3 parts 2 and 4.
	if res.Requests != 3 {
		t.Errorf("%d requests, want 3: ready, and two for the data", res.Requests)
	}
	near(t, "receiver", ends[1][0], 58_680_160+80_000_000, 2)
}

// Eleven requests need two doorbells, each of which costs a post.
func TestDoorbells(t *testing.T) {
	sizes := make([]int64, 22)
	for i := range sizes {
		sizes[i] = 1000
	}
	s := newScript(2, sizes...)
	from, to := s.send(0, 1, 0)
	from.Send.Set = algorithms.Set{First: 0, Count: 11, Stride: 2, Mod: 22, Width: 1}
	to.Recv.Set = from.Send.Set
	_, ends := play(t, rdmaMachine(), s)
	// The sender posts twice; the last request is issued after the second post.
	near(t, "sender", ends[0][0], 17_020_160+7_000_000, 1)
	near(t, "receiver", ends[1][0], 17_020_160+7_000_000+140_000+40_000+1_500_000+20_000, 1)
}

// One engine for two copies: the second waits for it, and the time says so.
func TestEnginesAreTaken(t *testing.T) {
	top := taskMachine()
	top.NPU = NPU{Handshake: Rendezvous, DMA: DMA{Engines: 1}}
	top.Server.Links[0].Latency = 0
	s := newScript(2, megabyte)
	s.send(0, 1, 0)
	s.send(0, 1, 0)
	res, _ := play(t, top, s)
	near(t, "end", sim.Time(res.Time), 100*sim.Microsecond, 2)
	if got := cause2time(res, "engine"); got != 50*units.Microsecond {
		t.Errorf("waited %s for an engine, want 50us", got)
	}
	top.NPU.DMA.Engines = 2
	res, _ = play(t, top, s)
	near(t, "shared link", sim.Time(res.Time), 100*sim.Microsecond, 2)
	if got := cause2time(res, "sharing"); got != 50*units.Microsecond {
		t.Errorf("sharing cost %s, want 50us", got)
	}
}

func cause2time(r Result, name string) units.Duration {
	for _, p := range r.Critical {
		if p.Name == name {
			return p.Time
		}
	}
	return 0
}

// A schedule whose halves never meet is an error that names what waits.
func TestRunThatDriesUp(t *testing.T) {
	for _, top := range []Topology{taskMachine(), crossbar(2), rdmaMachine()} {
		s := newScript(2, megabyte)
		from, _ := s.send(0, 1, 0)
		s.steps[1][0][0].After = algorithms.Ref{Rank: 1, Lane: 0, Step: 0} // waits for itself
		_ = from
		m, err := machineOf(Point{Topology: top},
			&algorithms.Schedule{Program: s, Layout: s, Algorithm: "script"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = m.run()
		if err == nil || !strings.Contains(err.Error(), "rank 1 lane 0 step 0 waits for its lane 0 to finish step 0") ||
			!strings.Contains(err.Error(), "rank 0 lane 0 step 0 waits for") {
			t.Errorf("%s: error %v does not name what waits", top.Name, err)
		}
	}
}

// Two switches whose uplink is as fast as a port in the slower manner of driving: the
// uplink counts every byte once, so the port is what holds a write up.
func TestUplinkCountsBytesOnce(t *testing.T) {
	top := crossbar(4)
	top.Server.Links[0] = Link{
		Class: "pcie", Connect: Switch, Groups: [][]int{{0, 1}, {2, 3}},
		Bandwidth: Bandwidth{Read: 20e9, Write: 10e9}, Latency: 1000 * ns, Uplink: Uplink{Bandwidth: 10e9, Latency: 500 * ns},
	}
	s := newScript(4, megabyte)
	s.send(0, 1, 0)
	s.send(2, 3, 0)
	_, ends := play(t, top, s)
	near(t, "below one switch", ends[1][0], 101*sim.Microsecond, 1)
	s = newScript(4, megabyte)
	s.send(0, 2, 0)
	_, ends = play(t, top, s)
	near(t, "over the uplinks", ends[2][0], 101*sim.Microsecond+500*sim.Nanosecond, 1)
	s.send(1, 3, 0)
	_, ends = play(t, top, s)
	near(t, "two over one uplink", ends[2][0], 201*sim.Microsecond+500*sim.Nanosecond, 1)
}

// Two ports: partners in servers of different parity each have one to themselves, on the
// way out and on the way in.
func TestPortsAreSpreadOverServers(t *testing.T) {
	for _, c := range []struct {
		ports int
		want  sim.Time
	}{{1, 80 * sim.Microsecond}, {2, 40 * sim.Microsecond}} {
		top := rdmaMachine()
		top.Servers = 3
		top.Network.Latency = 0
		top.NPU = NPU{Handshake: Ideal, NIC: NIC{Ports: c.ports, Bandwidth: 25e9}}
		out, in := newScript(3, megabyte), newScript(3, megabyte)
		for other := 1; other < 3; other++ {
			out.send(0, other, 0)
			in.send(other, 0, 0)
		}
		res, _ := play(t, top, out)
		near(t, "out", sim.Time(res.Time), c.want, 0)
		res, _ = play(t, top, in)
		near(t, "in", sim.Time(res.Time), c.want, 0)
	}
}
