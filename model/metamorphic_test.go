package model

import (
	"context"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// Relations that hold between runs, whatever the times are.

// cluster is servers of four NPUs with every part of the machine set.
func cluster(serverCount int) Topology {
	t := taskMachine()
	t.Name, t.Servers = "cluster", serverCount
	t.Server = Server{NPUs: 4, Links: []Link{{
		Class: "hccs", Connect: FullMesh, Groups: [][]int{{0, 1, 2, 3}},
		Bandwidth: Bandwidth{Read: 28e9, Write: 20e9}, Latency: 500 * ns,
	}}}
	t.Server.Host = Host{Class: "pcie", Bandwidth: Bandwidth{Read: 24e9, Write: 27e9}, Latency: 1500 * ns, Memory: 200e9, Reduce: 10e9, NIC: 12e9}
	t.Network = Network{Class: "roce", Connect: NetworkSwitch, Latency: 1500 * ns}
	t.NPU.DMA = DMA{Engines: 2, Setup: 600 * ns, Local: 600e9, Remote: 26e9, Reduce: 16e9}
	t.NPU.Limits = Limits{Remote: 50e9, Reduce: 40e9}
	t.NPU.Memory = Memory{Bandwidth: 100e9}
	t.NPU.NIC = NIC{Ports: 1, Bandwidth: 25e9, MTU: 4096, Header: 82, Request: WorkRequest{Post: 7000 * ns, Issue: 140 * ns, Header: 16, Max: 2 << 30}}
	return t
}

func simulated(t *testing.T, p Point) Result {
	t.Helper()
	res, err := Simulate(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sum units.Duration
	for _, part := range res.Critical {
		sum += part.Time
	}
	if sum != res.Time {
		t.Errorf("the critical path adds up to %s, the time is %s", sum, res.Time)
	}
	return res
}

// twice returns the machine with every rate doubled and every time halved.
func twice(t Topology) Topology {
	links := append([]Link(nil), t.Server.Links...)
	for i := range links {
		l := &links[i]
		l.Bandwidth.Read *= 2
		l.Bandwidth.Write *= 2
		l.Latency /= 2
	}
	t.Server.Links = links
	t.Network.Latency /= 2
	n, h := &t.NPU, &t.Server.Host
	for _, d := range []*units.Duration{&h.Latency, &n.Scheduler.Gap, &n.Scheduler.Launch.Record, &n.Scheduler.Launch.Wait,
		&n.Scheduler.Launch.Copy, &n.Scheduler.Launch.Send, &n.Scheduler.Launch.Kernel, &n.Notify.Record, &n.Notify.Wait,
		&n.DMA.Setup, &n.Reduce.Setup, &n.NIC.Request.Post, &n.NIC.Request.Issue} {
		*d /= 2
	}
	for _, r := range []*units.Rate{&h.Bandwidth.Read, &h.Bandwidth.Write, &h.Memory, &h.Reduce, &h.NIC, &n.DMA.Local, &n.DMA.Remote, &n.DMA.Reduce, &n.Limits.Remote, &n.Limits.Reduce,
		&n.Memory.Bandwidth, &n.Reduce.Bandwidth, &n.NIC.Bandwidth} {
		*r *= 2
	}
	return t
}

func TestTwiceAsFastTakesHalfTheTime(t *testing.T) {
	points(t, cluster(2), func(t *testing.T, p Point) {
		slow := simulated(t, p)
		p.Topology = twice(p.Topology)
		fast := simulated(t, p)
		// Each rounding is at most a picosecond; there are fewer of them than tasks.
		if d := slow.Time - 2*fast.Time; d < -units.Duration(slow.Tasks) || d > units.Duration(slow.Tasks) {
			t.Errorf("takes %d ps, twice as fast %d ps", slow.Time, fast.Time)
		}
	})
}

func TestUnusedLinkChangesNothing(t *testing.T) {
	points(t, cluster(2), func(t *testing.T, p Point) {
		before := simulated(t, p)
		links := append([]Link(nil), p.Topology.Server.Links...)
		p.Topology.Server.Links = append(links, Link{
			Class: "spare", Connect: Crossbar, Groups: [][]int{{0, 1, 2, 3}}, Bandwidth: Bandwidth{1e9, 1e9}, Latency: 1,
		})
		if after := simulated(t, p); after.Time != before.Time || after.Events != before.Events {
			t.Errorf("took %s and %d events, with an unused link %s and %d", before.Time, before.Events, after.Time, after.Events)
		}
	})
}

func TestRootOfASymmetricMachineDoesNotMatter(t *testing.T) {
	top := hockneyMachine(8, FullMesh)
	points(t, top, func(t *testing.T, p Point) {
		if p.Blocks == nil {
			p.Bytes = 3_200_000 // whole slices: which is the last must not matter
		}
		if strings.HasPrefix(p.Algorithm, "multi-ring") {
			// Four rings, each in an order of its own, bring a rank four slices at one
			// instant: which is reduced first is a tie, and falls by rank numbers.
			p.Topology.NPU.Reduce = ReduceUnit{}
		}
		first := simulated(t, p)
		if p.Root = 5; !p.Collective.Rooted() {
			p.Root = 0
		}
		if other := simulated(t, p); other.Time != first.Time {
			t.Errorf("root 0 takes %s, root %d %s", first.Time, p.Root, other.Time)
		}
	})
}

func TestEveryPartCanOnlyCost(t *testing.T) {
	points(t, cluster(2), func(t *testing.T, p Point) {
		with := simulated(t, p)
		p.Topology.NPU.Memory.Bandwidth = 0
		p.Topology.NPU.Limits = Limits{}
		if without := simulated(t, p); without.Time > with.Time {
			t.Errorf("takes %s, without limits and memory %s", with.Time, without.Time)
		}
	})
}

// A run reaches a steady state in which nothing is allocated: 36 more iterations, of
// a hundred steps and more each, allocate no more but for the event queue, whose buckets for later
// times are made when the clock gets there.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	tops := []Topology{cluster(2), hockneyMachine(8, Crossbar)}
	for _, top := range tops {
		points(t, top, func(t *testing.T, p Point) {
			if !algorithms.Flat(p.Algorithm) && p.Algorithm != "mesh+ring" {
				return // its parts are there
			}
			allocs := func(iterations int) float64 {
				p.Iterations = iterations
				return testing.AllocsPerRun(1, func() { simulated(t, p) })
			}
			if few, many := allocs(4), allocs(40); many > few+32 {
				t.Errorf("4 iterations allocate %.0f times, 40 iterations %.0f", few, many)
			}
		})
	}
}

func TestIterationsFollowEachOther(t *testing.T) {
	p := Point{Topology: hockneyMachine(4, Crossbar), Collective: algorithms.AllReduce, Algorithm: "ring", Bytes: 4000, Elem: 4, InPlace: true}
	one := simulated(t, p)
	p.Iterations = 7
	seven := simulated(t, p)
	if seven.Time != one.Time || seven.Messages != one.Messages {
		t.Errorf("one takes %s and %d messages, the mean of seven %s and %d", one.Time, one.Messages, seven.Time, seven.Messages)
	}
}

// Degenerate collectives: nothing to send costs nothing, and slices without bytes send
// neither data nor notifies.
func TestDegenerateCollectives(t *testing.T) {
	points(t, cluster(2), func(t *testing.T, p Point) {
		blocked := p.Blocks != nil
		if p.Bytes = 0; blocked {
			p.Blocks = func(int, int) int64 { return 0 }
		}
		if res := simulated(t, p); res.Time != 0 || res.Tasks != 0 {
			t.Errorf("zero bytes take %s and %d tasks", res.Time, res.Tasks)
		}
		if p.Bytes = 4; blocked {
			p.Blocks = func(from, to int) int64 { return int64(4 * max(0, 1-max(from, 7-to))) } // 0 to 7
		}
		if p.Collective.Rooted() {
			p.Root = 3
		}
		if res := simulated(t, p); res.Time <= 0 {
			t.Errorf("one element takes %s", res.Time)
		}
	})
	points(t, hockneyMachine(1, Crossbar), func(t *testing.T, p Point) {
		if res := simulated(t, p); res.Time != 0 {
			t.Errorf("one rank in place takes %s", res.Time)
		}
	})
	one := taskMachine()
	one.Server = Server{NPUs: 1}
	points(t, one, func(t *testing.T, p Point) {
		if p.InPlace = false; p.Blocks != nil {
			p.Blocks, p.Bytes = func(int, int) int64 { return 3_000_004 }, 3_000_004
		}
		p.Topology.NPU.DMA.Local = 100e9
		// One local copy: launch 0.33 us, set-up 0.6 us, 3,000,004 B at 100 GB/s.
		if res := simulated(t, p); res.Time != 930_000+30_000_040 || res.Tasks != 1 {
			t.Errorf("one rank out of place takes %s and %d tasks", res.Time, res.Tasks)
		}
	})
}

func TestPairWithoutRoute(t *testing.T) {
	top := hockneyMachine(4, RingOf)
	p := Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: "mesh", Bytes: 4000, Elem: 4, InPlace: true}
	const want = "topology crossbar has no link from rank 0 (server 0, NPU 0) to rank 2 (server 0, NPU 2)"
	if err := Check(p); err == nil || err.Error() != want {
		t.Errorf("Check says %v, want %s", err, want)
	}
	if _, err := Simulate(context.Background(), p, Options{}); err == nil || err.Error() != want {
		t.Errorf("Simulate says %v, want %s", err, want)
	}
	p.Algorithm = "ring"
	if err := Check(p); err != nil {
		t.Errorf("ring on a ring: %v", err)
	}
}
