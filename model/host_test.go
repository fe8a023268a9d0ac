package model

import (
	"context"
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// hosted is the crossbar of four NPUs a server with a host: links of 10 GB/s to it and 20
// from it, latency 2 us, reductions at 5 GB/s, a port of 8 GB/s.
func hosted(servers int) Topology {
	t := crossbar(4)
	t.Servers = servers
	t.Server.Host = Host{Class: "pcie", Bandwidth: Bandwidth{Read: 20e9, Write: 10e9}, Latency: 2000 * ns, Reduce: 5e9, NIC: 8e9}
	if servers > 1 {
		t.Network = Network{Class: "roce", Connect: NetworkSwitch, Latency: 3000 * ns}
		t.NPU.NIC = NIC{Ports: 1, Bandwidth: 25e9}
	}
	return t
}

func throughHost(t *testing.T, top Topology) Result {
	t.Helper()
	p := Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: "host", Bytes: megabyte, Elem: 4, InPlace: true}
	if err := Check(p); err != nil {
		t.Fatal(err)
	}
	res, err := Simulate(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// In one server: all copy 1 MB up at once, 2 + 100 us; the CPU adds three buffers to the
// first, 200 us each; all fetch, 2 + 50.
func TestThroughTheHost(t *testing.T) {
	res := throughHost(t, hosted(1))
	if want := 754 * us; res.Time != want {
		t.Errorf("%v, want %v", res.Time, want)
	}
	if want := []Volume{{"pcie", 8 * megabyte}}; !slices.Equal(res.Volumes, want) {
		t.Errorf("volumes %v, want %v", res.Volumes, want)
	}
	// With two servers the hosts exchange halves: 3 + 62.5 us and 100 of reduction, then
	// 3 + 62.5.
	res = throughHost(t, hosted(2))
	if want := 754*us + 231*us; res.Time != want {
		t.Errorf("two servers: %v, want %v", res.Time, want)
	}
	// The host's memory as the bottleneck: four copies of 10 GB/s share 20.
	top := hosted(1)
	top.Server.Host.Memory = 20e9
	res = throughHost(t, top)
	if want := (2+200)*us + 600*us + (2+200)*us; res.Time != want {
		t.Errorf("memory: %v, want %v", res.Time, want)
	}
}

// With tasks: the NPU waits until the host is ready (latency 2), copies with its own engine
// and tells the host; what the host does costs nothing but its reductions.
func TestThroughTheHostWithTasks(t *testing.T) {
	top := hosted(1)
	one := taskMachine()
	top.NPU = one.NPU
	res := throughHost(t, top)
	// Wait: ready at 2, 0.02 -> 2.02. Copy: gap 0.7, launch 0.33, set-up 0.6, 100, latency 2
	// -> 105.65; record: gap 0.7, launch 0.35, 0.72 -> 107.42. 600 us of reductions -> 707.42,
	// ready to read: latency 2 -> 709.42; the NPU's wait 0.02; copy: gap 0.7, launch 0.33,
	// set-up 0.6, 50, latency 2; record: gap 0.7, launch 0.35, 0.72.
	if want := units.Duration(107_420+600_000+2_020+53_630+1_770) * ns; res.Time != want {
		t.Errorf("%v, want %v", res.Time, want)
	}
}

// The way through a switch and its uplink, which its cards share.
func TestHostBehindASwitch(t *testing.T) {
	top := hosted(1)
	top.Server.Links = []Link{{Class: "pcie", Connect: Switch, Groups: [][]int{{0, 1}, {2, 3}}, Bandwidth: Bandwidth{10e9, 10e9}, Uplink: Uplink{Bandwidth: 10e9}}}
	top.Server.Host.Bandwidth = Bandwidth{}
	res := throughHost(t, top)
	if want := (2+200)*us + 600*us + (2+200)*us; res.Time != want {
		t.Errorf("%v, want %v", res.Time, want)
	}
	if res.Busiest[0].Link != "pcie s0 uplink0 up" {
		t.Errorf("the busiest link is %s", res.Busiest[0].Link)
	}
}

// Copies to and from the host beside each other: both directions at once.
func TestCopyHost(t *testing.T) {
	w := Work{Topology: hosted(1), Streams: []Stream{
		{Name: "up", Rank: 1, Operators: []Operator{{Name: "up", Kind: OpCopyHost, Bytes: megabyte, ToHost: true}}},
		{Name: "down", Rank: 1, Operators: []Operator{{Name: "down", Kind: OpCopyHost, Bytes: megabyte}}},
	}}
	res := runWork(t, w)
	spanAt(t, res, "up", 0, 102*us)
	spanAt(t, res, "down", 0, 52*us)
}

func TestNoHost(t *testing.T) {
	err := Check(Point{Topology: crossbar(2), Collective: algorithms.AllReduce, Algorithm: "host", Bytes: megabyte, Elem: 4, InPlace: true})
	if want := "host passes data through hosts, of which topology crossbar says nothing (server.host)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
