package model

import (
	"fmt"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// fabric is a topology laid out as directed links with numbers. Links of one kind lie
// together, so that a route is arithmetic and no table of pairs is kept.
type fabric struct {
	top      *Topology
	ranks    int32
	npus     int32   // per server
	places   []place // of the ranks
	podSpans bool    // an entry of links joins servers
	perPod   int32   // servers
	capacity []sim.Rate
	classes  []string // of links inside servers, in file order, then the network's

	memory, limitRemote, limitReduce int32 // first link of each kind, one per rank; -1: none
	nic                              int32 // first of (NIC, port, direction); -1: none
	nics, ports                      int32 // of a server, and of all servers together
	fetch0, store0                   int32 // first link of each kind, one per NIC; -1: none
	stageClass                       cause // of both
	entries                          []entry
	netClass                         uint8
}

// place is where a rank sits: its server, and the number of its NPU there.
type place struct{ server, npu int32 }

// entry is one element of server.links, laid out for every server.
type entry struct {
	*Link
	class     uint8
	drive     algorithms.Drive // Write or Read
	first     int32            // link number of server 0
	perServer int32
	group     []int32 // of each local NPU; -1: not in this entry
	index     []int32 // in the group
	port      []int32 // first link of each local NPU, from the server's first
	size      []int32 // of each group
	start     []int32 // first link of each group, from the server's first
	pairs     map[int64]int32
	factor    [3]sim.Factor // by algorithms.Drive
	single    [3]sim.Rate   // the same; 0: no limit
}

// route is a way from one rank to another.
type route struct {
	uses    [8]sim.Use // links, without memory and limits
	n       int
	limit   sim.Rate // of one transfer; 0: none but the links'
	latency sim.Time
	class   uint8
	drive   algorithms.Drive
	rdma    bool
	port    int32 // request processor at the source, of an RDMA route
}

func (r *route) use(link int32, f sim.Factor) {
	r.uses[r.n] = sim.Use{Link: link, Factor: f}
	r.n++
}

func newFabric(t *Topology) (*fabric, error) {
	f := &fabric{top: t, npus: int32(t.Server.NPUs), ranks: int32(t.Size()), perPod: int32(t.Servers / max(t.Pods, 1))}
	for s, n := range t.Groups() {
		for i := range n {
			f.places = append(f.places, place{int32(s), int32(i)})
		}
	}
	f.memory = f.perRank(t.NPU.Memory.Bandwidth)
	f.limitRemote = f.perRank(t.NPU.Limits.Remote)
	f.limitReduce = f.perRank(t.NPU.Limits.Reduce)
	for i := range t.Server.Links {
		if err := f.addEntry(&t.Server.Links[i]); err != nil {
			return nil, err
		}
	}
	f.addNICs()
	if len(f.classes) > maxClasses {
		return nil, fmt.Errorf("topology %s has %d link classes, expected at most %d", t.Name, len(f.classes), maxClasses)
	}
	return f, nil
}

// add appends n links of the same bandwidth and returns the first.
func (f *fabric) add(n int32, bandwidth units.Rate) int32 {
	first := int32(len(f.capacity))
	for range n {
		f.capacity = append(f.capacity, sim.PerSecond(int64(bandwidth)))
	}
	return first
}

func (f *fabric) perRank(bandwidth units.Rate) int32 {
	if bandwidth == 0 {
		return -1
	}
	return f.add(f.ranks, bandwidth)
}

func (f *fabric) class(name string) uint8 {
	for i, c := range f.classes {
		if c == name {
			return uint8(i)
		}
	}
	f.classes = append(f.classes, name)
	return uint8(len(f.classes) - 1)
}

// addEntry lays out one entry of server.links. Within a server the links of a group lie
// together: a full mesh of g has g*g (source, destination), a ring 2g (to the next, to the
// one before), ports 2g (out, in), then a switch its uplink (up, down), a pair two.
func (f *fabric) addEntry(l *Link) error {
	e := entry{Link: l, class: f.class(l.Class), group: make([]int32, f.npus), index: make([]int32, f.npus), port: make([]int32, f.npus)}
	for i := range e.group {
		e.group[i] = -1
	}
	if e.drive = l.Drive; e.drive == algorithms.LinkDefault {
		e.drive = algorithms.Write
	}
	if l.Connect == Pairs {
		e.pairs = make(map[int64]int32)
	}
	wide := max(l.Bandwidth.Read, l.Bandwidth.Write)
	// A transfer that may use the link at a lower rate only takes more than its bytes of it.
	e.factor = [3]sim.Factor{sim.One, sim.Ratio(int64(wide), int64(l.Bandwidth.Write)), sim.Ratio(int64(wide), int64(l.Bandwidth.Read))}
	e.single = [3]sim.Rate{0, sim.PerSecond(int64(l.Single.Write)), sim.PerSecond(int64(l.Single.Read))}
	f.podSpans = f.podSpans || l.Pod.Spans
	var uplinks []int32
	for g, members := range l.Groups {
		size := int32(len(members))
		e.size = append(e.size, size)
		e.start = append(e.start, e.perServer)
		switch l.Connect {
		case FullMesh:
			e.perServer += size * size
		case Crossbar, RingOf:
			e.perServer += 2 * size
		case Switch:
			e.perServer += 2*size + 2
			uplinks = append(uplinks, e.perServer-2)
		case Pairs:
			a, b := int64(members[0]), int64(members[1])
			e.pairs[a*int64(f.npus)+b] = e.perServer
			e.pairs[b*int64(f.npus)+a] = e.perServer + 1
			e.perServer += 2
			continue
		default:
			return fmt.Errorf("links of class %s: connect %q is not modelled", l.Class, l.Connect)
		}
		for i, n := range members {
			if e.group[n] >= 0 {
				return fmt.Errorf("links of class %s: NPU %d is in two groups of one entry", l.Class, n)
			}
			e.group[n], e.index[n] = int32(g), int32(i)
			e.port[n] = e.start[g] + 2*int32(i)
			if l.Connect == FullMesh {
				e.port[n] = e.start[g] + size*int32(i)
			}
		}
	}
	e.first = f.add(e.perServer*int32(f.top.Servers), wide)
	if l.Uplink.Bandwidth > 0 {
		for s := range int32(f.top.Servers) {
			for _, u := range uplinks {
				at := e.first + s*e.perServer + u
				f.capacity[at] = sim.PerSecond(int64(l.Uplink.Bandwidth))
				f.capacity[at+1] = f.capacity[at]
			}
		}
	}
	f.entries = append(f.entries, e)
	return nil
}

// route finds the way from src to dst; false where there is none. drive is the program's
// wish; the link's own holds where the program has none.
func (f *fabric) route(src, dst int32, drive algorithms.Drive, r *route) bool {
	r.n, r.latency, r.rdma = 0, 0, false
	a, b := f.places[src], f.places[dst]
	if a.server != b.server {
		return f.podRoute(a, b, drive, r) || f.networkRoute(src, dst, r)
	}
	for i := range f.entries {
		if f.entries[i].take(a, b, f.npus, drive, r) {
			return true
		}
	}
	return false
}

// podRoute is the way between NPUs of different servers over links that span their
// super-pod.
func (f *fabric) podRoute(a, b place, drive algorithms.Drive, r *route) bool {
	if !f.podSpans || a.server/f.perPod != b.server/f.perPod {
		return false
	}
	for i := range f.entries {
		e := &f.entries[i]
		if !e.Pod.Spans || !e.take(a, b, f.npus, drive, r) {
			continue
		}
		r.latency += sim.Time(e.Pod.Write)
		if r.drive == algorithms.Read {
			r.latency += sim.Time(e.Pod.Read - e.Pod.Write)
		}
		return true
	}
	return false
}

// take routes over the entry, if it joins the two NPUs.
func (e *entry) take(a, b place, npus int32, drive algorithms.Drive, r *route) bool {
	if r.drive = drive; drive == algorithms.LinkDefault {
		r.drive = e.drive
	}
	if !e.route(a, b, npus, r) {
		return false
	}
	r.latency += sim.Time(e.Latency)
	r.limit, r.class = e.single[r.drive], e.class
	return true
}

// route adds the links from NPU a to b, if the entry joins them: NPUs of one server, or of
// two servers of a pod that the entry spans.
func (e *entry) route(at, to place, npus int32, r *route) bool {
	w := e.factor[r.drive]
	a, b, base := at.npu, to.npu, e.first+at.server*e.perServer
	if e.Connect == Pairs {
		link, ok := e.pairs[int64(a)*int64(npus)+int64(b)]
		if ok {
			r.use(base+link, w)
		}
		return ok
	}
	g, h := e.group[a], e.group[b]
	if g < 0 || h < 0 || g != h && e.Connect != Switch {
		return false
	}
	from, in := base+e.port[a], e.first+to.server*e.perServer+e.port[b]+1
	switch e.Connect {
	case FullMesh:
		r.use(from+e.index[b], w)
	case Crossbar:
		r.use(from, w)
		r.use(in, w)
	case RingOf:
		i, j, size := e.index[a], e.index[b], e.size[g]
		switch {
		case (i+1)%size == j:
			r.use(from, w)
		case (j+1)%size == i:
			r.use(from+1, w)
		default:
			return false
		}
	case Switch:
		r.use(from, w)
		if g != h {
			if e.Uplink.Bandwidth == 0 {
				return false
			}
			r.use(base+e.start[g]+2*e.size[g], sim.One)
			r.use(base+e.start[h]+2*e.size[h]+1, sim.One)
			r.latency += sim.Time(e.Uplink.Latency)
		}
		r.use(in, w)
	}
	return true
}

// networkRoute is the way between NPUs of different servers. With several ports a pair of
// ranks keeps to one at each end, by the number of the other end's server.
func (f *fabric) networkRoute(src, dst int32, r *route) bool {
	n := &f.top.Network
	a, b := f.places[src], f.places[dst]
	switch n.Connect {
	case NetworkSwitch:
	case NetworkRails:
		rails := int32(n.Rails)
		if a.npu%rails != b.npu%rails && !n.Spine {
			return false
		}
	default:
		return false
	}
	nic := &f.top.NPU.NIC
	ports := int32(nic.Ports)
	out, in := b.server%ports, a.server%ports
	from, to := f.nicOf(src), f.nicOf(dst)
	r.use(f.nic+(from*ports+out)*2, sim.One)
	r.use(f.nic+(to*ports+in)*2+1, sim.One)
	r.latency, r.limit = sim.Time(n.Latency), 0
	r.class = f.netClass
	if r.drive = nic.Drive; r.drive == algorithms.LinkDefault {
		r.drive = algorithms.Write
	}
	r.rdma = true
	r.port = from*ports + out
	return true
}

// addNICs lays out the ports of the NICs and their stages.
func (f *fabric) addNICs() {
	nic := &f.top.NPU.NIC
	f.nic, f.fetch0, f.store0 = -1, -1, -1
	if f.top.Network.Connect == NetworkNone {
		return
	}
	share := int32(max(nic.NPUs, 1))
	f.nics = (f.npus + share - 1) / share
	f.ports = f.nics * int32(f.top.Servers) * int32(nic.Ports)
	f.netClass = f.class(f.top.Network.Class)
	f.nic = f.add(2*f.ports, nic.Bandwidth)
	if !nic.Staged {
		return
	}
	f.stageClass = wireClass0 + cause(f.class("pcie"))
	if nic.Fetch.Bandwidth > 0 {
		f.fetch0 = f.add(f.nics*int32(f.top.Servers), nic.Fetch.Bandwidth)
	}
	if nic.Store.Bandwidth > 0 {
		f.store0 = f.add(f.nics*int32(f.top.Servers), nic.Store.Bandwidth)
	}
}

// nicOf is the NIC of a rank.
func (f *fabric) nicOf(rank int32) int32 {
	at := f.places[rank]
	return at.server*f.nics + at.npu/int32(max(f.top.NPU.NIC.NPUs, 1))
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

// linkName names a link for people.
func (f *fabric) linkName(link int32) string {
	at := func(i int32) string { return fmt.Sprintf("s%dn%d", f.places[i].server, f.places[i].npu) }
	dir := [2]string{"out", "in"}
	switch {
	case f.memory >= 0 && link >= f.memory && link < f.memory+f.ranks:
		return "memory " + at(link-f.memory)
	case f.limitRemote >= 0 && link >= f.limitRemote && link < f.limitRemote+f.ranks:
		return "limit remote " + at(link-f.limitRemote)
	case f.limitReduce >= 0 && link >= f.limitReduce && link < f.limitReduce+f.ranks:
		return "limit reduce " + at(link-f.limitReduce)
	case f.fetch0 >= 0 && link >= f.fetch0 && link < f.fetch0+f.nics*int32(f.top.Servers):
		return "fetch " + f.nicName(link-f.fetch0)
	case f.store0 >= 0 && link >= f.store0 && link < f.store0+f.nics*int32(f.top.Servers):
		return "store " + f.nicName(link-f.store0)
	case f.nic >= 0 && link >= f.nic && link < f.nic+2*f.ports:
		i := link - f.nic
		ports := int32(f.top.NPU.NIC.Ports)
		name := f.classes[f.netClass] + " " + f.nicName(i/2/ports)
		if ports > 1 {
			name += fmt.Sprintf("p%d", i/2%ports)
		}
		return name + " " + dir[i%2]
	}
	for i := range f.entries {
		e := &f.entries[i]
		if n := link - e.first; n >= 0 && n < e.perServer*int32(f.top.Servers) {
			return e.linkName(n/e.perServer, n%e.perServer)
		}
	}
	return fmt.Sprintf("link %d", link)
}

func (e *entry) linkName(server, n int32) string {
	g := len(e.start) - 1
	for e.start[g] > n {
		g--
	}
	n -= e.start[g]
	members, size := e.Groups[g], e.size[g]
	name := func(a, b int) string { return fmt.Sprintf("%s s%dn%d>n%d", e.Class, server, a, b) }
	switch {
	case e.Connect == FullMesh:
		return name(members[n/size], members[n%size])
	case e.Connect == Pairs:
		return name(members[n], members[1-n])
	case e.Connect == RingOf:
		i := n / 2
		j := (i + 1 + size - 2*(n%2)) % size
		return name(members[i], members[j])
	case n >= 2*size:
		return fmt.Sprintf("%s s%d uplink%d %s", e.Class, server, g, [2]string{"up", "down"}[n%2])
	}
	return fmt.Sprintf("%s s%dn%d %s", e.Class, server, members[n/2], [2]string{"out", "in"}[n%2])
}
