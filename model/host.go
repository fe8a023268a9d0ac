package model

import (
	"fmt"

	"hcclsim/algorithms"
	"hcclsim/sim"
)

// Hosts: the CPUs of the servers and their memory. They are places of the machine beyond its
// ranks. Copies between an NPU and its host are made by the NPU's engines, whichever way they
// go; what a host does itself costs its reductions, and an overhead for each notify.

// hosts is the links of hosts; first numbers are -1 where there is none.
type hosts struct {
	hostMemory int32 // first of (server)
	hostLink   int32 // first of (rank, to the host or from it)
	hostNIC    int32 // first of (server, out or in)
	hostClass  uint8
	through    *entry // the switches that links to hosts go through, with their uplinks; nil: links of their own
}

// addHosts lays out hosts behind all ranks.
func (f *fabric) addHosts() {
	f.hostMemory, f.hostLink, f.hostNIC = -1, -1, -1
	f.size = f.ranks
	if !f.top.HasHost() {
		return
	}
	h, servers := &f.top.Server.Host, int32(f.top.Servers)
	for s := range servers {
		f.places = append(f.places, place{s, -1})
	}
	f.size += servers
	f.hostClass = f.class(h.Class)
	if h.Memory > 0 {
		f.hostMemory = f.add(servers, h.Memory)
	}
	if h.NIC > 0 {
		f.hostNIC = f.add(2*servers, h.NIC)
	}
	if h.Bandwidth.Write == 0 {
		for i := range f.entries {
			if e := &f.entries[i]; e.Class == h.Class && e.Connect == Switch {
				f.through = e
			}
		}
		return
	}
	f.hostLink = f.add(2*f.ranks, h.Bandwidth.Write)
	for r := range f.ranks {
		f.capacity[f.hostLink+2*r+1] = sim.PerSecond(int64(h.Bandwidth.Read))
	}
}

// hostOf is the place of a rank's host.
func (f *fabric) hostOf(rank int32) int32 { return f.ranks + f.places[rank].server }

// isHost says whether a place is a host.
func (f *fabric) isHost(at int32) bool { return at >= f.ranks }

// hostRoute is the way between an NPU and its host, or between two hosts over the network.
func (f *fabric) hostRoute(src, dst int32, r *route) bool {
	h := &f.top.Server.Host
	a, b := f.places[src], f.places[dst]
	r.limit, r.latency, r.class, r.drive = 0, sim.Time(h.Latency), f.hostClass, algorithms.Write
	switch {
	case f.isHost(src) && f.isHost(dst):
		if f.hostNIC < 0 || f.top.Network.Connect == NetworkNone {
			return false
		}
		r.use(f.hostNIC+2*a.server, sim.One)
		r.use(f.hostNIC+2*b.server+1, sim.One)
		r.latency, r.class = sim.Time(f.top.Network.Latency), f.netClass
		return !f.crossesCut(r)
	case a.server != b.server:
		return false
	}
	npu, down := src, int32(0)
	if f.isHost(src) {
		npu, down = dst, 1
		r.drive = algorithms.Read
	}
	if f.through != nil {
		return f.through.hostRoute(f.places[npu], down, r) && !f.crossesCut(r)
	}
	r.use(f.hostLink+2*npu+down, sim.One)
	return !f.crossesCut(r)
}

// hostRoute is the way through an NPU's port of a switch and the switch's uplink: to the
// host, or from it.
func (e *entry) hostRoute(npu place, down int32, r *route) bool {
	g := e.group[npu.npu]
	if g < 0 || e.Uplink.Bandwidth == 0 {
		return false
	}
	base := e.first + npu.server*e.perServer
	r.use(base+e.port[npu.npu]+down, e.factor[r.drive])
	r.use(base+e.start[g]+2*e.size[g]+down, sim.One)
	return true
}

// hostLinkName names a link of a host; "" if it is none.
func (f *fabric) hostLinkName(link int32) string {
	servers := int32(f.top.Servers)
	within := func(first, n int32) bool { return first >= 0 && link >= first && link < first+n }
	switch {
	case within(f.hostMemory, servers):
		return fmt.Sprintf("host memory s%d", link-f.hostMemory)
	case within(f.hostNIC, 2*servers):
		i := link - f.hostNIC
		return fmt.Sprintf("%s s%dhost %s", f.classes[f.netClass], i/2, [2]string{"out", "in"}[i%2])
	case within(f.hostLink, 2*f.ranks):
		i := link - f.hostLink
		at := f.places[i/2]
		return fmt.Sprintf([2]string{"%s s%dn%d>host", "%s s%dhost>n%d"}[i%2], f.classes[f.hostClass], at.server, at.npu)
	}
	return ""
}
