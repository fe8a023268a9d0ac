package model

import (
	"context"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// Point is one run with everything explicit.
type Point struct {
	Topology   Topology
	Collective algorithms.Collective
	Algorithm  string
	Bytes      units.Bytes // S of nccl-tests: the largest buffer of one rank
	Elem       units.Bytes // bytes of one element
	Root       int         // of rooted collectives
	InPlace    bool
	Iterations int         // back to back; 0 means 1
	Segment    units.Bytes // of double-tree; 0: chosen from the cost model
}

// Task is one task of a run, named as HCCL's profiler names it.
type Task struct {
	Rank, Lane int
	Name       string // Notify_Record, Notify_Wait, Memcpy, Reduce_Inline, RDMASend, Reduce
	Start, End units.Duration
	Peer       int // the other rank; the own rank for local tasks
	Bytes      units.Bytes
	Class      string // link class, "local" for tasks inside the NPU
}

// Options of a run that do not change its result.
type Options struct {
	// Trace, when not nil, is called for every task as it ends.
	Trace func(Task)
}

// Part is a share of something by name, in a fixed order.
type Part struct {
	Name string
	Time units.Duration
}

// Volume is the bytes carried by one link class.
type Volume struct {
	Class string
	Bytes units.Bytes
}

// Utilisation is how busy one link was: wire bytes over capacity times the run's time.
type Utilisation struct {
	Link  string // e.g. "roce s0n3 out"
	Share float64
}

// Result is what one run says.
type Result struct {
	Time units.Duration // of one iteration
	// Critical divides Time without remainder along the critical path: launch, notify,
	// setup, post, latency, wire:<class>, sharing, engine, reduce. Only causes that occur.
	Critical  []Part
	Messages  int64 // per run of one iteration
	Requests  int64 // RDMA work requests
	Tasks     int64
	Volumes   []Volume
	Busiest   []Utilisation // the three busiest links
	Ranks     int
	Events    int64 // of the whole run
	PeakQueue int
}

// Check builds the point's schedule and makes sure that every pair of ranks that it
// uses has a route. It runs nothing.
func Check(p Point) error {
	s, err := p.Schedule()
	if err != nil {
		return err
	}
	f, err := newFabric(&p.Topology)
	if err != nil {
		return err
	}
	return f.checkRoutes(s)
}

// Simulate runs the point. A run that cannot finish is an error that names the
// operations still waiting; a cancelled one is the context's error.
func Simulate(ctx context.Context, p Point, o Options) (Result, error) {
	if p.Bytes == 0 {
		return Result{Ranks: p.Topology.Servers * p.Topology.Server.NPUs}, nil
	}
	s, err := p.Schedule()
	if err != nil {
		return Result{}, err
	}
	m, err := newMachine(ctx, p, s, o)
	if err != nil {
		return Result{}, err
	}
	if err := m.run(); err != nil {
		return Result{}, err
	}
	return m.result()
}

// Schedule asks for the program that the point names.
func (p *Point) Schedule() (*algorithms.Schedule, error) {
	t := &p.Topology
	groups := make([]int, t.Servers)
	for i := range groups {
		groups[i] = t.Server.NPUs
	}
	return algorithms.New(p.Algorithm, algorithms.Request{
		Collective: p.Collective, Groups: groups, Root: p.Root,
		Bytes: int64(p.Bytes), Elem: int64(p.Elem), Align: int64(t.NPU.SliceAlign),
		InPlace: p.InPlace, Copies: t.NPU.Copies, Marker: t.NPU.Marker,
		Segment: int64(p.Segment), Hockney: t.Hockney(),
	})
}

// Hockney sums the topology up as one alpha, beta and gamma of a step: that of the
// network where there are several servers, else that of the first links. It only serves
// choices that have to be made before a run, such as the segment of double-tree.
func (t *Topology) Hockney() algorithms.Hockney {
	n := &t.NPU
	h := algorithms.Hockney{}
	if !n.Reduce.Inline {
		h.Reduce = int64(n.Reduce.Bandwidth)
	}
	notified := func(latency, record, move units.Duration) int64 {
		if n.Handshake == Ideal {
			return int64(latency)
		}
		return int64(2*latency + 2*record + 2*n.Notify.Wait + move + 5*n.Scheduler.Gap +
			2*n.Scheduler.Launch.Wait)
	}
	if t.Servers > 1 && t.Network.Connect != NetworkNone {
		h.Alpha = notified(t.Network.Latency, n.NIC.Request.Post/2, n.NIC.Request.Post+n.NIC.Request.Issue)
		h.Bandwidth = int64(n.NIC.Bandwidth)
		return h
	}
	if len(t.Server.Links) > 0 {
		l := &t.Server.Links[0]
		h.Alpha = notified(l.Latency, n.Notify.Record+n.Scheduler.Launch.Record, n.DMA.Setup+n.Scheduler.Launch.Copy)
		h.Bandwidth = int64(min(l.Bandwidth.Read, l.Bandwidth.Write))
		h.PairLinks = l.Connect == FullMesh || l.Connect == Pairs
	}
	return h
}
