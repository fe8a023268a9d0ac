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
	entries                          []entry
	network
	hosts
	size int32  // ranks, and hosts
	cut  []bool // links that no route takes; nil: none is
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
	number  uint16     // of the queue pair that takes it, which clos asks for
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
	f.addNetwork()
	f.addHosts()
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
	if src >= f.ranks || dst >= f.ranks {
		return f.hostRoute(src, dst, r)
	}
	a, b := f.places[src], f.places[dst]
	if a.server != b.server {
		return f.podRoute(a, b, drive, r) || f.networkRoute(src, dst, r)
	}
	for i := range f.entries {
		if f.entries[i].take(a, b, f.npus, drive, r) && !f.crossesCut(r) {
			return true
		}
		r.n, r.latency = 0, 0
	}
	return f.top.Network.Within && f.networkRoute(src, dst, r)
}

// crossesCut says whether a route takes a link that is cut.
func (f *fabric) crossesCut(r *route) bool {
	if f.cut == nil {
		return false
	}
	for _, u := range r.uses[:r.n] {
		if f.cut[u.Link] {
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
		if !e.Pod.Spans || !e.take(a, b, f.npus, drive, r) || f.crossesCut(r) {
			r.n, r.latency = 0, 0
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
