package model

import (
	"fmt"

	"hcclsim/algorithms"
	"hcclsim/sim"
)

// network is the links between servers: the ports of the NICs, what is between them, and
// the stages behind them.
type network struct {
	nic            int32 // first of (NIC, port, direction); -1: none
	nics, ports    int32 // of a server, and of all servers together
	mesh           int32 // first of (server, server), of a full mesh
	leafUp         int32 // first of (leaf, spine), of a clos
	leafDown       int32 // first of (spine, leaf), of a clos
	leaves         int32
	fetch0, store0 int32 // first link of each kind, one per NIC; -1: none
	stageClass     cause // of both
	netClass       uint8
}

// addNetwork lays the network out.
func (f *fabric) addNetwork() {
	n, nic := &f.top.Network, &f.top.NPU.NIC
	f.nic, f.mesh, f.leafUp, f.leafDown, f.fetch0, f.store0 = -1, -1, -1, -1, -1, -1
	if n.Connect == NetworkNone {
		return
	}
	servers, share := int32(f.top.Servers), int32(max(nic.NPUs, 1))
	f.nics = (f.npus + share - 1) / share
	f.ports = f.nics * servers * int32(nic.Ports)
	f.netClass = f.class(n.Class)
	f.nic = f.add(2*f.ports, nic.Bandwidth)
	switch n.Connect {
	case NetworkFullMesh:
		f.mesh = f.add(servers*servers, n.Bandwidth)
	case NetworkClos:
		f.leaves = (f.ports + int32(n.Radix) - 1) / int32(n.Radix)
		f.leafUp = f.add(f.leaves*int32(n.Spines), n.Bandwidth)
		f.leafDown = f.add(f.leaves*int32(n.Spines), n.Bandwidth)
	}
	if !nic.Staged {
		return
	}
	f.stageClass = wireClass0 + cause(f.class(StageClass))
	if nic.Fetch.Bandwidth > 0 {
		f.fetch0 = f.add(f.nics*servers, nic.Fetch.Bandwidth)
	}
	if nic.Store.Bandwidth > 0 {
		f.store0 = f.add(f.nics*servers, nic.Store.Bandwidth)
	}
}

// StageClass is the class of the links between a staged NIC and memory.
const StageClass = "pcie"

// nicOf is the NIC of a rank.
func (f *fabric) nicOf(rank int32) int32 {
	at := f.places[rank]
	return at.server*f.nics + at.npu/int32(max(f.top.NPU.NIC.NPUs, 1))
}

// networkRoute is the way between NPUs over the network. With several ports a pair of ranks
// keeps to one at each end, by the number of the other end's server.
func (f *fabric) networkRoute(src, dst int32, r *route) bool {
	n, nic := &f.top.Network, &f.top.NPU.NIC
	a, b := f.places[src], f.places[dst]
	ports := int32(nic.Ports)
	from, to := f.nicOf(src)*ports+b.server%ports, f.nicOf(dst)*ports+a.server%ports
	r.use(f.nic+from*2, sim.One)
	r.use(f.nic+to*2+1, sim.One)
	switch n.Connect {
	case NetworkSwitch:
	case NetworkRails:
		rails := int32(n.Rails)
		if a.npu%rails != b.npu%rails && !n.Spine {
			return false
		}
	case NetworkFullMesh:
		if a.server == b.server {
			return false
		}
		r.use(f.mesh+a.server*int32(f.top.Servers)+b.server, sim.One)
	case NetworkClos:
		if !f.closRoute(from, to, r) {
			return false
		}
	default:
		return false
	}
	r.latency, r.limit = sim.Time(n.Latency), 0
	r.class = f.netClass
	if r.drive = nic.Drive; r.drive == algorithms.LinkDefault {
		r.drive = algorithms.Write
	}
	r.rdma = true
	r.port = from
	return !f.crossesCut(r)
}

// closRoute adds the links between the leaves of two ports: by the spine that the queue
// pair's hash says, or the next to which no link is cut.
func (f *fabric) closRoute(from, to int32, r *route) bool {
	n := &f.top.Network
	radix, spines := int32(n.Radix), int32(n.Spines)
	a, b := from/radix, to/radix
	if a == b {
		return true
	}
	first := int32(ecmp(n.Seed, from, to, r.number) % uint64(spines))
	for i := range spines {
		spine := (first + i) % spines
		up, down := f.leafUp+a*spines+spine, f.leafDown+spine*f.leaves+b
		if f.cut == nil || !f.cut[up] && !f.cut[down] {
			r.use(up, sim.One)
			r.use(down, sim.One)
			return true
		}
	}
	return false
}

// ecmp is the hash of a flow's ports and queue pair, as switches hash addresses and the UDP
// source port, which a queue pair keeps.
func ecmp(seed int64, from, to int32, number uint16) uint64 {
	return mix(mix(mix(uint64(seed))^uint64(from)<<32^uint64(to)) ^ uint64(number))
}

// nicName names a NIC by its NPU, or the NPUs that share it.
func (f *fabric) nicName(nic int32) string {
	share := int32(max(f.top.NPU.NIC.NPUs, 1))
	server, first := nic/f.nics, nic%f.nics*share
	if share == 1 {
		return fmt.Sprintf("s%dn%d", server, first)
	}
	return fmt.Sprintf("s%dn%d-%d", server, first, min(first+share, f.npus)-1)
}

// networkLinkName names a link of the network; "" if it is none.
func (f *fabric) networkLinkName(link int32) string {
	within := func(first, n int32) bool { return first >= 0 && link >= first && link < first+n }
	class, servers, spines := "", int32(f.top.Servers), int32(f.top.Network.Spines)
	if f.nic >= 0 {
		class = f.classes[f.netClass]
	}
	switch {
	case within(f.nic, 2*f.ports):
		i := link - f.nic
		ports := int32(f.top.NPU.NIC.Ports)
		name := class + " " + f.nicName(i/2/ports)
		if ports > 1 {
			name += fmt.Sprintf("p%d", i/2%ports)
		}
		return name + " " + [2]string{"out", "in"}[i%2]
	case within(f.mesh, servers*servers):
		i := link - f.mesh
		return fmt.Sprintf("%s s%d>s%d", class, i/servers, i%servers)
	case within(f.leafUp, f.leaves*spines):
		i := link - f.leafUp
		return fmt.Sprintf("%s leaf%d>spine%d", class, i/spines, i%spines)
	case within(f.leafDown, f.leaves*spines):
		i := link - f.leafDown
		return fmt.Sprintf("%s spine%d>leaf%d", class, i/f.leaves, i%f.leaves)
	case within(f.fetch0, f.nics*servers):
		return "fetch " + f.nicName(link-f.fetch0)
	case within(f.store0, f.nics*servers):
		return "store " + f.nicName(link-f.store0)
	}
	return ""
}
