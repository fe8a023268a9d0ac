package model

import (
	"slices"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// Topology describes a machine: servers of NPUs, the links inside a server and the
// network between servers. It is plain data, made by package topologies from a document
// and already checked there. A quantity that is zero costs nothing and limits nothing.
type Topology struct {
	Name string
	// Product is the Ascend product that HCCL's rules are asked for: 910a, 910b or a3;
	// empty: none, and schedules are rounded as theory has them.
	Product string
	Servers int
	Pods    int   // super-pods, each of equally many servers that follow each other; 0: one
	Ranks   []int // how many NPUs of each server take part, from NPU 0 on; nil: all of them
	Server  Server
	Network Network
	NPU     NPU
}

// Groups is the number of ranks of each server. Rank numbers run through the servers in
// order.
func (t *Topology) Groups() []int {
	if t.Ranks != nil {
		return slices.Clone(t.Ranks)
	}
	groups := make([]int, t.Servers)
	for i := range groups {
		groups[i] = t.Server.NPUs
	}
	return groups
}

// Size is the number of ranks.
func (t *Topology) Size() int {
	if t.Ranks == nil {
		return t.Servers * t.Server.NPUs
	}
	n := 0
	for _, ranks := range t.Ranks {
		n += ranks
	}
	return n
}

// HasHost says whether NPUs can copy to their server's host.
func (t *Topology) HasHost() bool { return t.Server.Host.Class != "" }

// Server is what one server holds.
type Server struct {
	NPUs  int
	Links []Link // a route takes the first entry that joins two NPUs
	Host  Host
}

// Host is the CPU of a server and its memory, joined to every NPU.
type Host struct {
	Class     string    // of the links to NPUs; empty: there is no host
	Bandwidth Bandwidth // of the link to one NPU: Read is towards the NPU, Write towards the host
	Latency   units.Duration
	Memory    units.Rate     // of the host's memory; 0: no limit
	Reduce    units.Rate     // at which the CPU reduces; 0: for free
	Overhead  units.Duration // of each notify that the CPU sends or waits for: its software
	NIC       units.Rate     // of the host's port into the network, one direction; 0: it has none
}

// Connect is the shape in which a Link entry joins NPUs.
type Connect string

const (
	FullMesh Connect = "full-mesh" // a link of its own for every pair
	Crossbar Connect = "crossbar"  // one port per NPU into an ideal switch
	RingOf   Connect = "ring"      // each NPU to the next of the group, and the last to the first
	Pairs    Connect = "pairs"     // a link for each group of two
	Switch   Connect = "switch"    // a port per NPU into its group's switch, an uplink per group
)

// Link is one entry of links inside a server. Links are full duplex; bandwidth is that
// of one direction.
type Link struct {
	Class   string
	Connect Connect
	// Groups are local NPU numbers: the NPUs joined with each other. A switch entry also
	// joins its groups, through their uplinks. `npus: all` is one group of all.
	Groups    [][]int
	Bandwidth Bandwidth
	Single    Bandwidth      // what one transfer alone reaches at most; 0: the bandwidth
	Latency   units.Duration // of the whole route through this entry
	Uplink    Uplink         // of a switch entry
	Pod       PodLink        // of a crossbar entry
	Drive     algorithms.Drive
}

// slowest is what one transfer reaches whoever drives it.
func (l *Link) slowest() units.Rate {
	rate := min(l.Bandwidth.Read, l.Bandwidth.Write)
	for _, single := range []units.Rate{l.Single.Read, l.Single.Write} {
		if single > 0 {
			rate = min(rate, single)
		}
	}
	return rate
}

// joinsAll says whether the entry evidently joins every pair of the NPUs of a server.
func (l *Link) joinsAll(npus int) bool {
	switch l.Connect {
	case FullMesh, Crossbar:
		return len(l.Groups) == 1 && len(l.Groups[0]) == npus
	case Switch:
		joined := 0
		for _, g := range l.Groups {
			joined += len(g)
		}
		return joined == npus && (len(l.Groups) == 1 || l.Uplink.Bandwidth > 0)
	}
	return false
}

// needsNetwork says whether NPUs of one server may have to reach each other over the network.
func (t *Topology) needsNetwork() bool {
	return t.Network.Within && !slices.ContainsFunc(t.Server.Links, func(l Link) bool { return l.joinsAll(t.Server.NPUs) })
}

// Bandwidth of a link, bytes per second, by who drives the transfer. Read and Write are
// equal where the document gives one number.
type Bandwidth struct{ Read, Write units.Rate }

// Uplink joins a switch with the root of the server (the CPU).
type Uplink struct {
	Bandwidth units.Rate
	Latency   units.Duration // added once to a route that leaves its switch
}

// PodLink says whether a crossbar spans its super-pod: whether the ports of a group also
// reach those of the same group in the pod's other servers.
type PodLink struct {
	Spans       bool
	Read, Write units.Duration // added to the latency of a route that leaves its server
}

// NetworkConnect is the shape of the network between servers.
type NetworkConnect string

const (
	NetworkNone     NetworkConnect = ""
	NetworkSwitch   NetworkConnect = "switch"    // every NIC port on one ideal switch
	NetworkRails    NetworkConnect = "rails"     // NPU i of every server on rail i mod Rails
	NetworkFullMesh NetworkConnect = "full-mesh" // a link for each pair of servers
	NetworkClos     NetworkConnect = "clos"      // leaves and spines
)

// Network joins the servers.
type Network struct {
	Class   string
	Connect NetworkConnect
	Latency units.Duration // one way, port to port
	Rails   int            // number of rails; as many as NPUs of a server by default
	Spine   bool           // joins different rails
	// Bandwidth of a link of a full mesh, one direction, or of a link between a leaf and a
	// spine of a clos.
	Bandwidth units.Rate
	Radix     int   // NIC ports on each leaf of a clos
	Spines    int   // of a clos
	Seed      int64 // of the hash by which a queue pair chooses its spine
	Within    bool  // joins the NPUs of one server too, where no link does
}

// Handshake is the protocol around a transfer.
type Handshake string

const (
	Ideal      Handshake = "ideal"      // starts when both ranks have reached the step; no tasks
	Rendezvous Handshake = "rendezvous" // notify, copy, notify
)

// NPU is what every NPU is made of. See docs/model.md for what each part costs.
type NPU struct {
	Handshake  Handshake
	Host       HostThread
	Expansion  Expansion // empty: ExpandHost
	Scheduler  Scheduler
	Notify     Notify
	DMA        DMA
	Limits     Limits
	Memory     Memory
	Cores      int // AI cores; 0: as many as are needed
	AIV        AIV
	Reduce     ReduceUnit
	NIC        NIC
	Streams    StreamLevels
	Copies     algorithms.Copies
	Marker     bool
	SliceAlign units.Bytes
	SyncNotify bool // lanes of a rank that wait for each other do so by notifies; else for free
}

// StreamLevels are the priorities of streams that the product tells apart.
type StreamLevels struct {
	Priorities int // how many; 0: 8, as AscendCL counts them
	HCCL       int // that of streams which only communicate
}

// HostThread is how long the host thread is busy with issuing work, by expansion mode.
type HostThread struct{ Host, AICPU, AIV Issue }

// Issue is the cost of issuing a collective and, on top of it, each of its tasks. Under
// ExpandHost the host thread pays both; under the others it pays for the collective, and
// the device issues the tasks.
type Issue struct{ Collective, Task units.Duration }

// of is the cost in an expansion mode.
func (h *HostThread) of(e Expansion) Issue {
	switch e {
	case ExpandAICPU:
		return h.AICPU
	case ExpandAIV:
		return h.AIV
	}
	return h.Host
}

// AIV is how AI cores move data (ExpandAIV).
type AIV struct {
	Cores  int            // that a collective holds on each rank from start to end; 0: one
	Setup  units.Duration // per copy
	Notify units.Duration // writing a flag
	Copy   units.Rate     // cap of one copy over a link
	Reduce units.Rate     // cap of one copy that reduces
}

// Scheduler is the NPU's task scheduler: it hands ready tasks to the hardware, one at a time.
type Scheduler struct {
	Launch Launch
	Gap    units.Duration // from the end of a task until its successor is ready
}

// Launch is how long the scheduler is busy with one task of each kind.
type Launch struct{ Record, Wait, Copy, Send, Kernel units.Duration }

// Notify is the cost of the notify tasks.
type Notify struct{ Record, Wait units.Duration }

// DMA describes the copy engines (SDMA) of an NPU.
type DMA struct {
	Engines int            // 0: as many as are needed
	Setup   units.Duration // per task
	Local   units.Rate     // cap of one copy inside the NPU
	Remote  units.Rate     // cap of one copy over a link
	Reduce  units.Rate     // cap of one inline reduction
}

// Limits are shared by all transfers that one NPU drives at once.
type Limits struct{ Remote, Reduce units.Rate }

// Memory is the NPU's memory. A send crosses it once, a receive once, a receive with
// inline reduction twice, a local copy twice.
type Memory struct{ Bandwidth units.Rate }

// ReduceUnit does the reductions that are not done on the way.
type ReduceUnit struct {
	Bandwidth units.Rate // 1/gamma; 0: reductions are free
	Setup     units.Duration
	Inline    bool // DMA engines reduce on the way
	Cores     int  // AI cores that a reduction takes instead of the unit; 0: the unit
}

// NIC is the network interface of one NPU.
type NIC struct {
	Ports     int
	NPUs      int         // that share it, by their numbers in the server; 0: one
	Bandwidth units.Rate  // of one port, one direction
	MTU       units.Bytes // payload bytes of a packet
	Header    units.Bytes // wire bytes of a packet besides its payload
	Inline    bool        // what goes over RDMA is reduced on the way
	Request   WorkRequest
	Drive     algorithms.Drive // Write, or Read: the receiver's requests fetch the data
	// Staged: data reach the NIC by a stage of their own, Fetch, and leave it by another,
	// Store. Else a request is one flow from memory to memory.
	Staged       bool
	Fetch, Store Stage
	WireOverhead units.Duration // per request on the wire of a staged path, besides its bytes
	ByRequest    bool           // a port is kept for a request until its end; else requests share it as packets do
	GrainRequest bool           // a reduction that is not inline begins when its request has landed; else its message
	Finack       bool           // the receiver acknowledges every message, and the sender waits for it
}

// Stage is a part of the staged path.
type Stage struct {
	Bandwidth units.Rate     // shared by all that use the NIC; 0: no limit
	Overhead  units.Duration // per request
}

// WorkRequest is the cost of one RDMA work request.
type WorkRequest struct {
	Post   units.Duration // on the stream, per doorbell of up to ten requests
	Issue  units.Duration // on the port's request processor
	Header units.Bytes    // wire bytes of a request besides its packets
	Max    units.Bytes    // a request carries at most this; 0: no limit
}
