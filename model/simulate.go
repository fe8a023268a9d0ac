package model

import (
	"context"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// Point is one run with everything explicit.
type Point struct {
	Topology   Topology
	Settings   Settings
	Faults     Faults
	Jitter     Jitter
	Collective algorithms.Collective
	Algorithm  string
	Bytes      units.Bytes // S of nccl-tests: the largest buffer of one rank
	Elem       units.Bytes // bytes of one element
	Root       int         // of rooted collectives
	InPlace    bool
	Iterations int         // back to back; 0 means 1
	Segment    units.Bytes // of double-tree; 0: chosen from the cost model
	Depth      int         // buffers of pipeline; 0: HCCL's
	// Blocks gives the bytes that a rank sends to another in AlltoAllV; see
	// algorithms.Request.
	Blocks func(from, to int) int64
	// Make makes the schedule of a program that is in no catalogue; nil: algorithms.New
	// does, of Algorithm.
	Make func(algorithms.Request) (*algorithms.Schedule, error)
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
	// Path asks for the critical path piece by piece, Result.Path. It takes memory for every
	// task of the run.
	Path bool
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
	Rounds    int         // of the collective of a point; 0: one
	Buffer    units.Bytes // what HCCL's buffers take of each NPU's memory, for all communicators
	Streams   int         // the most that one rank has
	Contexts  int64       // the most tasks of one rank
	Volumes   []Volume
	Busiest   []Utilisation // the three busiest links
	Ranks     int
	Spans     []Span  // the operators of streams, in the order of their first appearance
	Path      []Piece // of the whole run, if it was asked for
	Events    int64   // of the whole run
	PeakQueue int
}

// Check builds the point's schedule and makes sure that every pair of ranks that it
// uses has a route. It runs nothing.
func Check(p Point) error { return CheckWork(p.Work()) }

// CheckWork is Check for everything that a work calls.
func CheckWork(w Work) error {
	f, err := w.fabric()
	if err != nil {
		return err
	}
	for i := range w.Calls {
		c, err := newCall(&w, i, f)
		if err != nil {
			return err
		}
		for j, r := range c.rounds {
			if j > 0 && r == c.rounds[j-1] {
				continue
			}
			if err := f.checkRoutes(r.Schedule, c.comm); err != nil {
				return err
			}
		}
	}
	return nil
}

// fabric lays the work's machine out, as its faults leave it.
func (w *Work) fabric() (*fabric, error) {
	f, err := newFabric(&w.Topology)
	if err != nil {
		return nil, err
	}
	return f, f.damage(w.Faults.Links)
}

// Simulate runs the point. A run that cannot finish is an error that names the
// operations still waiting; a cancelled one is the context's error.
func Simulate(ctx context.Context, p Point, o Options) (Result, error) {
	if p.Bytes == 0 {
		return Result{Ranks: p.Topology.Size()}, nil
	}
	return simulate(ctx, p.Work(), o, int64(max(p.Iterations, 1)))
}

// SimulateWork runs streams. Its Result counts the whole run.
func SimulateWork(ctx context.Context, w Work, o Options) (Result, error) {
	return simulate(ctx, w, o, 1)
}

func simulate(ctx context.Context, w Work, o Options, iterations int64) (Result, error) {
	m, err := newMachine(ctx, &w, o)
	if err != nil {
		return Result{}, err
	}
	if err := m.run(); err != nil {
		return Result{}, err
	}
	return m.result(iterations)
}

// Work is the point as streams: one on each rank, which takes part in its collective.
func (p *Point) Work() Work {
	w := Work{Topology: p.Topology, Settings: p.Settings, Faults: p.Faults, Jitter: p.Jitter, Calls: []Call{{Point: *p}}}
	ops := []Operator{{Kind: OpCall}}
	w.Streams = make([]Stream, p.Topology.Size())
	for r := range w.Streams {
		w.Streams[r] = Stream{Name: "main", Rank: r, Operators: ops}
	}
	return w
}

// Expands is who carries the tasks of the point's collective. AI cores reach no further
// than links; where the ranks are joined by a network the collective falls back to what
// the topology says, or the host thread.
func (p *Point) Expands() (e Expansion, fell bool) {
	own := p.Topology.NPU.Expansion
	if e = p.Settings.Expansion; e == "" {
		e = own
	}
	links := p.Topology.Servers == 1 && !p.Topology.needsNetwork() || p.Topology.podLink() != nil && p.Topology.Pods <= 1
	if e == ExpandAIV && !links {
		fell = true
		if e = own; e == ExpandAIV {
			e = ExpandHost
		}
	}
	if e == "" {
		e = ExpandHost
	}
	return e, fell
}

// nbAlign is what HCCL's NB rounds the slices of an AllReduce up to, bytes.
const nbAlign = 128 << 10

// Schedule asks for the program that the point names, of all of its bytes.
func (p *Point) Schedule() (*algorithms.Schedule, error) { return p.schedule(p.Request()) }

// Request is what the point asks of an algorithm.
func (p *Point) Request() algorithms.Request {
	t := &p.Topology
	r := algorithms.Request{
		Collective: p.Collective, Groups: t.Groups(), Pods: t.Pods, Root: p.Root,
		Bytes: int64(p.Bytes), Elem: int64(p.Elem), Align: int64(t.NPU.SliceAlign), Blocks: p.Blocks,
		InPlace: p.InPlace, Copies: t.NPU.Copies, Marker: t.NPU.Marker,
		Segment: int64(p.Segment), Depth: p.Depth, Hockney: t.Hockney(),
	}
	if t.Product != "" {
		r.NBAlign = nbAlign
	}
	r.OutsideIn = t.Product == "a3"
	return r
}
