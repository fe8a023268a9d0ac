package model

import (
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// What crosses an NPU's memory how often. Links are twice as fast as memory, and nothing
// but bytes takes time, so that every time is that of 1 MB at 10 GB/s, 100 us, times the
// crossings of the memory that is crossed most.

// memoryMachine is three NPUs with links of 20 GB/s and a memory of 10 GB/s.
func memoryMachine(h Handshake, inline bool) Topology {
	t := crossbar(3)
	t.Server.Links[0].Connect = FullMesh
	t.Server.Links[0].Bandwidth, t.Server.Links[0].Latency = Bandwidth{20e9, 20e9}, 0
	t.NPU = NPU{Handshake: h, Memory: Memory{10e9}, Reduce: ReduceUnit{Inline: inline}, NIC: NIC{Inline: inline}}
	return t
}

// rdmaMemoryMachine is the same with the NPUs in servers of their own. A packet of 1,000 B
// has a header of as many, so that 1 MB occupies 2 MB of a port of 80 GB/s: 25 us.
func rdmaMemoryMachine(_ Handshake, inline bool) Topology {
	t := memoryMachine(Rendezvous, inline)
	t.Servers, t.Server = 3, Server{NPUs: 1}
	t.Network = Network{Class: "roce", Connect: NetworkSwitch}
	t.NPU.NIC = NIC{Ports: 1, Bandwidth: 80e9, MTU: 1000, Header: 1000, Inline: inline}
	return t
}

func TestCrossingsOfMemory(t *testing.T) {
	type pair struct {
		src, dst int
		reduce   bool
	}
	for _, machine := range []struct {
		name  string
		of    func(h Handshake, inline bool) Topology
		h     Handshake
		drive algorithms.Drive
		ready sim.Time // when one "ready" arrives: 4 B and the header of a packet over RDMA
	}{
		{"ideal", memoryMachine, Ideal, algorithms.Write, 0},
		{"written", memoryMachine, Rendezvous, algorithms.Write, 0},
		{"read", memoryMachine, Rendezvous, algorithms.Read, 0},
		{"rdma", rdmaMemoryMachine, Rendezvous, algorithms.Write, 12_550}, // 1,004 B at 80 GB/s
	} {
		for _, c := range []struct {
			name   string
			inline bool
			pairs  []pair
			want   sim.Time
			shared sim.Time // readies that share a port
		}{
			{"one message", true, []pair{{0, 1, false}}, 100 * sim.Microsecond, 1},
			{"out to two: the source twice", true, []pair{{0, 1, false}, {0, 2, false}}, 200 * sim.Microsecond, 2},
			{"in from two: the destination twice", true, []pair{{1, 0, false}, {2, 0, false}}, 200 * sim.Microsecond, 2},
			{"through: in once, out once", true, []pair{{0, 1, false}, {1, 2, false}}, 200 * sim.Microsecond, 1},
			{"reduced inline: read and written", true, []pair{{0, 1, true}}, 200 * sim.Microsecond, 1},
			// At 10/3 GB/s each.
			{"in from two, one reduced inline", true, []pair{{1, 0, true}, {2, 0, false}}, 300 * sim.Microsecond, 2},
			{"in from two, both reduced inline", true, []pair{{1, 0, true}, {2, 0, true}}, 400 * sim.Microsecond, 2},
			// The unit's bandwidth is without limit, and is its own.
			{"reduced by the unit", false, []pair{{0, 1, true}}, 100 * sim.Microsecond, 1},
		} {
			t.Run(machine.name+"/"+c.name, func(t *testing.T) {
				s := newScript(3, megabyte)
				for _, p := range c.pairs {
					from, to := s.send(p.src, p.dst, 0)
					from.Drive, to.Drive, to.Reduce = machine.drive, machine.drive, p.reduce
				}
				res, _ := play(t, machine.of(machine.h, c.inline), s)
				// A rate of 10/3 GB/s is rounded down and takes a picosecond more.
				near(t, "end", sim.Time(res.Time), c.want+machine.ready*c.shared, 1)
			})
		}
	}
}

// A copy inside an NPU reads and writes its memory, with a reduction it reads both.
func TestLocalCopyCrossesMemory(t *testing.T) {
	for _, h := range []Handshake{Ideal, Rendezvous} {
		for _, c := range []struct {
			name   string
			reduce bool
			local  units.Rate // dma.local
			copies int
			want   sim.Time
		}{
			{"copied", false, 0, 1, 200 * sim.Microsecond},
			{"reduced", true, 0, 1, 300 * sim.Microsecond},
			{"two at once", false, 0, 2, 400 * sim.Microsecond},
			{"slower than memory", false, 4e9, 1, 250 * sim.Microsecond},
			{"faster than memory", false, 6e9, 1, 200 * sim.Microsecond},
		} {
			t.Run(string(h)+"/"+c.name, func(t *testing.T) {
				top := memoryMachine(h, true)
				top.NPU.DMA.Local = c.local
				s := newScript(3, megabyte)
				for range c.copies {
					s.local(0, 0).Reduce = c.reduce
				}
				res, _ := play(t, top, s)
				near(t, "end", sim.Time(res.Time), c.want, 1)
				if want := units.Bytes(c.copies * megabyte); len(res.Volumes) != 1 || res.Volumes[0] != (Volume{"local", want}) {
					t.Errorf("volumes %v, want local %d", res.Volumes, want)
				}
			})
		}
	}
}
