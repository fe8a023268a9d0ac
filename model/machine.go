package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// Kinds of events. The argument is named behind each.
const (
	onFlow           uint32 = iota // flow: its last byte has left
	onReady                        // lane: the gap before its task is over
	onLaunched                     // lane: the scheduler has launched its task
	onSetUp                        // lane: its DMA engine is set up
	onTaskEnd                      // lane: its task is over
	onDelivered                    // first transfer of a chain: their last bytes have arrived
	onReduced                      // first transfer of a chain: the reductions of what they brought are over
	onIssued                       // request: the processor is through with it
	onFetch                        // request: the overhead of fetching it is over; then, in the order of stages
	onWire                         // request: that of sending it
	onStore                        // request: that of storing it
	onLanded                       // request: its last byte has arrived
	onAsked                        // request that reads: it has reached the source
	onRequestReduced               // request: its reduction is over
	onArrive                       // message: a notify has arrived
	onStream                       // lane: it goes on after waiting to be issued, or for its stream's start
	onKernel                       // lane: the time of its kernel is over
)

// machine is one run: the parts of every NPU, and the lanes that walk through the
// schedule. It is the handler of the engine's events.
type machine struct {
	*fabric
	engine         sim.Engine
	flows          *sim.Flows
	ideal          bool
	onLinks, onNIC bool // reductions are done on the way, over links and over RDMA
	trace          func(Task)
	keeps          bool // the history of paths
	history        []happening
	ctx            context.Context

	calls      []call
	streams    []stream
	spans      []span
	spanOf     [][]int32 // by stream and operator
	events     map[eventKey]*event
	stragglers []Straggler
	noise      noise

	lanes   []lane
	blocks  map[int32][]int32 // free blocks of lanes by their number: the first lane of each
	serial  int32             // rounds that have begun, of all calls
	running []int32           // lanes that can go on at this instant, first in first out

	way       route // of the transfer that is being started
	transfers slab[transfer]

	deliveries, reductions chain // of the latest event of each kind

	messages slab[message]
	requests slab[request]
	pairs    map[pairKey]int32
	queues   []queuePair
	settings Settings

	scheduler, dma, cores, unit, processor []sim.Server
	keeper                                 []sim.Server // of each port, where requests keep it

	finished int32 // streams
	end      path  // critical path up to the last stream's end
	endAt    sim.Time

	err    error // of a pair without a route
	count  counts
	tasks  []int64                             // by rank
	volume [int(wireClass0) + maxClasses]int64 // bytes carried, by wire cause
}

type counts struct{ messages, requests, tasks int64 }

func newMachine(ctx context.Context, w *Work, o Options) (*machine, error) {
	f, err := w.fabric()
	if err != nil {
		return nil, err
	}
	npu := &w.Topology.NPU
	m := &machine{
		fabric: f, trace: o.Trace, keeps: o.Path, ctx: ctx,
		ideal:      npu.Handshake == Ideal,
		onLinks:    npu.Reduce.Inline,
		onNIC:      npu.NIC.Inline,
		stragglers: w.Faults.Stragglers,
		settings:   w.Settings,
		noise:      newNoise(w, f.size),
		events:     make(map[eventKey]*event),
		blocks:     make(map[int32][]int32),
		pairs:      make(map[pairKey]int32),
		deliveries: chain{last: none}, reductions: chain{last: none},
	}
	comms := map[*int32]*communicator{} // calls of one communicator share its members
	for i := range w.Calls {
		c, err := newCall(w, i, f)
		if err != nil {
			return nil, err
		}
		var key *int32
		if len(w.Calls[i].Members) > 0 {
			key = &w.Calls[i].Members[0]
		}
		if known := comms[key]; known != nil && len(known.members) == len(c.comm.members) {
			c.comm = known
		} else {
			comms[key] = c.comm
		}
		c.connections = connectionsOf(w, i)
		m.calls = append(m.calls, c)
	}
	m.flows = sim.NewFlows(&m.engine, onFlow, f.capacity)
	m.tasks = make([]int64, f.size)
	m.scheduler = servers(f.size, 1)
	m.dma = servers(f.size, int32(npu.DMA.Engines))
	m.cores = servers(f.ranks, int32(npu.Cores))
	m.unit = servers(f.size, 1)
	m.processor = servers(f.ports, 1)
	m.keeper = servers(f.ports, 1)
	m.addStreams(w)
	m.planIssue()
	return m, nil
}

// inline says whether what lane l's schedule sends from rank src to dst is reduced on the
// way. AI cores that move data always do, nothing that goes to a host is.
func (m *machine) inline(l *lane, src, dst int32) bool {
	if src >= m.ranks || dst >= m.ranks {
		return false
	}
	return l.aiv || m.onLinks && m.onNIC || m.onLinks != m.onNIC && m.inlineThere(src, dst)
}

// inlineThere is inline where it depends on the way.
func (m *machine) inlineThere(src, dst int32) bool {
	var r route
	m.mustRoute(src, dst, algorithms.LinkDefault, &r)
	return r.rdma && m.onNIC || !r.rdma && m.onLinks
}

// noneEmpty says whether every slice that the schedule can name has bytes. Of many slices,
// such as those of an AlltoAll, it does not look at all: to ask for the size of each message
// costs less.
func noneEmpty(s *algorithms.Schedule) bool {
	const many = 1 << 14
	for b := algorithms.Data; b <= algorithms.Scratch; b++ {
		if s.Slices(b) > many {
			return false
		}
		for i := range s.Slices(b) {
			if _, n := s.Layout.Span(b, i); n == 0 {
				return false
			}
		}
	}
	return true
}

func servers(n, units int32) []sim.Server {
	list := make([]sim.Server, n)
	for i := range list {
		list[i] = sim.NewServer(units)
	}
	return list
}

// run lets every stream start and handles events until nothing happens any more.
func (m *machine) run() error {
	m.startStreams()
	m.proceed()
	m.engine.Run(m)
	if m.err != nil {
		return m.err
	}
	if m.engine.Overflowed() {
		return errors.New("the run takes longer than 106 days of simulated time")
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if err := m.flows.CheckCapacity(m.engine.Now()); err != nil {
		return err
	}
	if int(m.finished) < len(m.streams) {
		return m.stuck()
	}
	return nil
}

// Handle carries out one event.
func (m *machine) Handle(e sim.Event) {
	switch e.Kind {
	case onFlow:
		m.flowEnds(e.Arg)
	case onDelivered:
		m.follow(&m.deliveries, e.Arg, m.delivered)
	case onReduced:
		m.follow(&m.reductions, e.Arg, m.reduced)
	case onReady:
		m.launch(e.Arg)
	case onLaunched:
		m.launched(e.Arg)
	case onSetUp:
		m.copyFlows(e.Arg)
	case onTaskEnd:
		m.taskEnds(e.Arg)
	case onIssued:
		m.issued(e.Arg)
	case onFetch, onWire, onStore:
		m.stageBegins(e.Arg, stage(e.Kind-onFetch))
	case onLanded:
		m.arrived(e.Arg, stageWire)
	case onAsked:
		m.enterStage(e.Arg, m.firstStage())
	case onRequestReduced:
		m.requestReduced(e.Arg)
	case onArrive:
		m.arrives(e.Arg)
	case onStream:
		m.running = append(m.running, e.Arg)
	case onKernel:
		m.kernelTimed(e.Arg)
	}
	m.proceed()
	if m.engine.Events()&0xfff == 0 && m.ctx.Err() != nil {
		m.engine.Stop()
	}
}

// Settle solves the flows once for all changes of an instant.
func (m *machine) Settle() { m.flows.Settle() }

// mustRoute finds a way that Check has found before.
func (m *machine) mustRoute(src, dst int32, drive algorithms.Drive, r *route) {
	if !m.route(src, dst, drive, r) && m.err == nil {
		m.err = noRoute(m.fabric, src, dst)
		m.engine.Stop()
	}
}

// stuck is the error of a run that dried up: a deadlock. It names what waits; ranks on which
// the same waits for the same are one line.
func (m *machine) stuck() error {
	var lines []string
	ranks := map[string][]int32{}
	add := func(rank int32, text string) {
		if ranks[text] == nil {
			lines = append(lines, text)
		}
		ranks[text] = append(ranks[text], rank)
	}
	what := "the streams"
	for i := range m.streams {
		if text := m.blocked(&m.streams[i]); text != "" && len(m.calls) != 1 {
			add(m.streams[i].rank, text)
		}
	}
	for i := range m.lanes {
		l := &m.lanes[i]
		if l.call == none || l.state == laneDone {
			continue
		}
		what = m.calls[l.call].describe()
		add(l.rank, fmt.Sprintf("lane %d step %d %s", l.index, l.k, m.waitsFor(l)))
	}
	const most = 8
	var said []string
	for _, text := range lines[:min(most, len(lines))] {
		said = append(said, RanksText(ranks[text])+" "+text)
	}
	if n := len(lines) - most; n > 0 {
		said = append(said, fmt.Sprintf("and %d more", n))
	}
	return fmt.Errorf("deadlock: the run of %s cannot go on at %s: %s", what,
		units.Duration(m.engine.Now()), strings.Join(said, "; "))
}

func (m *machine) waitsFor(l *lane) string {
	switch {
	case l.state == laneWaitsAfter:
		return fmt.Sprintf("waits for its lane %d to finish step %d", l.step.After.Lane, l.step.After.Step)
	case l.state == laneWaitsMessage:
		return fmt.Sprintf("waits for %s from rank %d", signalNames[l.waits], l.from(l.waits).Rank)
	case l.pending != 0:
		peer := l.step.Send.Peer
		if l.pending&halfSend == 0 {
			peer = l.step.Recv.Peer
		}
		return fmt.Sprintf("waits for rank %d lane %d step %d", peer.Rank, peer.Lane, peer.Step)
	}
	return "has not finished its task"
}

// slab holds values of one kind by number and reuses the numbers.
type slab[T any] struct {
	items []T
	free  []int32
}

const none int32 = -1

// get returns the number of a value that its user sets in full.
func (s *slab[T]) get() int32 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i
	}
	var zero T
	s.items = append(s.items, zero)
	return int32(len(s.items) - 1)
}

func (s *slab[T]) put(i int32) { s.free = append(s.free, i) }
