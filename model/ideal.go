package model

import (
	"hcclsim/algorithms"
	"hcclsim/sim"
)

// The ideal recipe: a transfer starts when both ranks have reached the step, with no
// tasks around it. The sender's half ends at delivery, the receiver's after the
// reduction; a pure signal ends when both have reached it.

// transfer is data in motion from one lane to another.
type transfer struct {
	from, to int32 // lanes
	toStep   int32 // the receiver's step
	toIter   int32
	start    sim.Time // of its flow; then of waiting for the reduce unit
	bytes    int64
	latency  sim.Time
	wire     cause
	kernel   bool  // what a kernel of lane `from` moves through memory, see kernel.go
	copy     bool  // made by a DMA engine for lane `from`, see task.go; else ideal
	ends     uint8 // ideal: halves that end with it
	reduce   bool  // ideal: the receiver reduces it after delivery
	next     int32 // in a chain
	path     path
}

// chain is the transfers of one event: what the ranks of a collective do, they do at the
// same instants, and one event for all of it is cheaper than one for each.
type chain struct {
	due  sim.Time
	last int32 // transfer; none: not open
}

// chain lets transfer i wait for an instant: in the latest event of its kind if that is
// for the same instant, else in a new one.
func (m *machine) chain(c *chain, due sim.Time, kind uint32, i int32) {
	m.transfers.items[i].next = none
	if c.last != none && c.due == due {
		m.transfers.items[c.last].next = i
	} else {
		m.engine.Schedule(due, kind, i)
	}
	c.due, c.last = due, i
}

// follow carries out the event of a chain.
func (m *machine) follow(c *chain, first int32, handle func(int32)) {
	if c.due == m.engine.Now() {
		c.last = none
	}
	for i := first; i != none; {
		next := m.transfers.items[i].next
		handle(i)
		m.proceed()
		i = next
	}
}

// enterIdeal begins a step; true when it is over at once.
func (m *machine) enterIdeal(i int32) bool {
	l := &m.lanes[i]
	s := &l.step
	if s.Marker {
		return true
	}
	if s.Send.Peer.Rank == l.rank {
		return m.localIdeal(i)
	}
	l.pending = m.idealHalves(l)
	if l.pending&halfSend != 0 {
		m.idealSend(i)
	}
	if l.pending&halfRecv != 0 {
		m.idealRecv(i)
	}
	return l.pending == 0
}

// idealHalves says which halves of the lane's step take part. A message without bytes is
// none; of a synced one only the half that drives it, unless the receiver has to reduce.
func (m *machine) idealHalves(l *lane) (halves uint8) {
	s := &l.step
	read := s.Drive == algorithms.Read
	l.bytes = 0
	if s.Send.Peer.Rank >= 0 {
		l.bytes, _ = algorithms.Message(m.layout(l), s.Send.Buf, s.Send.Set)
		if s.Send.Set.Count == 0 || l.bytes > 0 && !(s.Synced && read) {
			halves |= halfSend
		}
	}
	if s.Recv.Peer.Rank >= 0 {
		if s.Recv.Set.Count == 0 {
			return halves | halfRecv
		}
		if (!s.Synced || read || s.Reduce && !m.inline(l, s.Recv.Peer.Rank, l.rank)) && m.carries(l, &s.Recv) {
			halves |= halfRecv
		}
	}
	return halves
}

// carries says whether a half that names slices has bytes.
func (m *machine) carries(l *lane, h *algorithms.Half) bool {
	if l.round.full {
		return true
	}
	n, _ := algorithms.Message(m.layout(l), h.Buf, h.Set)
	return n > 0
}

func (m *machine) idealSend(i int32) {
	l := &m.lanes[i]
	s := &l.step
	to := m.peer(l, s.Send.Peer)
	other := &m.lanes[to]
	switch {
	case s.Send.Set.Count > 0 && s.Synced:
		ends, combines := halfSend, m.reduces(l, s.Send.Peer)
		if combines && !m.inline(l, l.rank, s.Send.Peer.Rank) {
			ends |= halfRecv
		}
		m.startIdeal(i, to, s.Send.Peer.Step, l.iter, l.bytes, &l.path, ends, combines)
	case !other.at(s.Send.Peer.Step, l.iter):
	case s.Send.Set.Count == 0:
		l.pending &^= halfSend
		m.halfEnds(to, halfRecv, &l.path)
	default:
		m.startIdeal(i, to, other.k, l.iter, l.bytes, &l.path, halfSend|halfRecv, other.step.Reduce)
	}
}

func (m *machine) idealRecv(i int32) {
	l := &m.lanes[i]
	s := &l.step
	from := m.peer(l, s.Recv.Peer)
	other := &m.lanes[from]
	switch {
	case s.Recv.Set.Count > 0 && s.Synced && s.Drive == algorithms.Read:
		n, _ := algorithms.Message(m.layout(l), s.Recv.Buf, s.Recv.Set)
		m.startIdeal(from, i, l.k, l.iter, n, &l.path, halfRecv, s.Reduce)
	case s.Recv.Set.Count > 0 && s.Synced: // the data may be here already
		if m.take(l, signalData) {
			n, _ := algorithms.Message(m.layout(l), s.Recv.Buf, s.Recv.Set)
			if m.reduceTime(l.rank, n) == 0 {
				l.pending &^= halfRecv
				return
			}
			t := m.transfers.get()
			m.transfers.items[t] = transfer{path: l.path, from: from, to: i, bytes: n}
			m.reduce(t)
		}
	case !other.at(s.Recv.Peer.Step, l.iter):
	case s.Recv.Set.Count == 0:
		l.pending &^= halfRecv
		m.halfEnds(from, halfSend, &l.path)
	default:
		m.startIdeal(from, i, l.k, l.iter, other.bytes, &l.path, halfSend|halfRecv, s.Reduce)
	}
}

// reduces says whether the receiver at a step of the lane's schedule reduces what it gets.
func (m *machine) reduces(l *lane, r algorithms.Ref) bool {
	return m.stepAt(l, r).Reduce
}

func (m *machine) startIdeal(from, to, step, iter int32, bytes int64, path *path, ends uint8, combines bool) {
	src, dst := m.lanes[from].rank, m.lanes[to].rank
	r := &m.way
	m.mustRoute(src, dst, m.lanes[from].step.Drive, r)
	i := m.transfers.get()
	t := &m.transfers.items[i]
	t.path = *path
	t.from, t.to, t.toStep, t.toIter = from, to, step, iter
	t.bytes, t.latency, t.wire = bytes, r.latency, wireClass0+cause(r.class)
	inline := combines && m.inline(&m.lanes[from], src, dst)
	t.ends, t.reduce, t.copy, t.kernel = ends, combines && !inline, false, false
	m.memoryUse(r, src, 1)
	m.memoryUse(r, dst, crossings(inline))
	m.count.messages++
	m.startFlow(t, i, r, r.limit)
}

// localIdeal begins a copy inside an NPU.
func (m *machine) localIdeal(i int32) bool {
	l := &m.lanes[i]
	l.bytes, _ = algorithms.Message(m.layout(l), l.step.Send.Buf, l.step.Send.Set)
	if l.bytes == 0 {
		return true
	}
	n := m.transfers.get()
	if l.host && l.step.Reduce { // the CPU adds up what lies in its memory
		l.pending = halfRecv
		m.transfers.items[n] = transfer{path: l.path, from: i, to: i, toStep: l.k, toIter: l.iter, bytes: l.bytes, wire: wireLocal, reduce: true}
		m.reduce(n)
		return l.pending == 0
	}
	l.pending = halfSend
	t := &m.transfers.items[n]
	*t = transfer{path: l.path, from: i, to: i, bytes: l.bytes, wire: wireLocal, ends: halfSend}
	var r route
	m.memoryUse(&r, l.rank, localCrossings(&l.step))
	m.startFlow(t, n, &r, sim.PerSecond(int64(m.top.NPU.DMA.Local)))
	return false
}

// localCrossings is how often a copy inside an NPU crosses its memory: read and written;
// with a reduction the destination is read too.
func localCrossings(s *algorithms.Step) sim.Factor {
	if s.Reduce {
		return 3
	}
	return 2
}

// crossings is how often arriving data cross the receiver's memory: written, and read
// before if they are reduced on the way.
func crossings(inline bool) sim.Factor {
	if inline {
		return 2
	}
	return 1
}

// memoryUse adds the memory of a rank to a route, crossed a number of times.
func (m *machine) memoryUse(r *route, rank int32, times sim.Factor) {
	switch {
	case rank >= m.ranks && m.hostMemory >= 0:
		r.use(m.hostMemory+rank-m.ranks, times*sim.One)
	case rank < m.ranks && m.memory >= 0:
		r.use(m.memory+rank, times*sim.One)
	}
}

// startFlow puts the bytes of transfer i on their way.
func (m *machine) startFlow(t *transfer, i int32, r *route, limit sim.Rate) {
	t.start = m.engine.Now()
	m.volume[t.wire] += t.bytes
	m.flows.Start(t.bytes, r.uses[:r.n], 1, limit, i)
}

// flowEnds is the event of a flow's last byte leaving.
func (m *machine) flowEnds(id int32) {
	owner, alone, ok := m.flows.Finished(id)
	if !ok {
		return
	}
	if owner < 0 {
		m.requestFlowEnds(owner, alone)
		return
	}
	t := &m.transfers.items[owner]
	if t.kernel {
		i := t.from
		m.transfers.put(owner)
		m.kernelMoved(i, alone)
		return
	}
	t.path.flow(t.wire, alone, m.engine.Now()-t.start)
	t.path.causes[causeLatency] += t.latency
	if t.latency == 0 {
		m.delivered(owner)
		return
	}
	m.chain(&m.deliveries, m.engine.Now()+t.latency, onDelivered, owner)
}

// flow adds the time of a flow: what it would have taken alone is wire time, the rest is
// sharing.
func (c *causes) flow(wire cause, alone, took sim.Time) {
	c[wire] += alone
	c[causeSharing] += took - alone
}

// delivered is the event of a transfer's last byte arriving.
func (m *machine) delivered(i int32) {
	t := &m.transfers.items[i]
	if t.copy {
		m.copied(i)
		return
	}
	if m.keeps {
		m.note(&t.path, &m.lanes[t.to], happening{name: "Transfer", peer: m.lanes[t.from].rank, bytes: t.bytes, class: t.wire})
	}
	if t.ends&halfSend != 0 {
		m.halfEnds(t.from, halfSend, &t.path)
	}
	if t.ends&halfRecv == 0 {
		m.transfers.put(i)
		return
	}
	if !m.lanes[t.to].at(t.toStep, t.toIter) { // a synced step that the receiver has not reached
		m.keep(t.to, t.toStep, t.toIter, signalData, &t.path)
		m.transfers.put(i)
		return
	}
	if t.reduce {
		m.reduce(i)
		return
	}
	m.halfEnds(t.to, halfRecv, &t.path)
	m.transfers.put(i)
}

// reduce lets the receiver's reduce unit combine what transfer i has brought.
func (m *machine) reduce(i int32) {
	t := &m.transfers.items[i]
	if m.reduceTime(m.lanes[t.to].rank, t.bytes) == 0 {
		m.halfEnds(t.to, halfRecv, &t.path)
		m.transfers.put(i)
		return
	}
	t.start = m.engine.Now()
	l := &m.lanes[t.to]
	if s, n, p := m.reducer(l.rank, l.priority); s.Acquire(^i, n, p) {
		m.reduceStarts(i)
	}
}

// reduceTime is how long a rank, or a host, reduces so many bytes.
func (m *machine) reduceTime(rank int32, bytes int64) sim.Time {
	if rank >= m.ranks {
		return sim.Time(algorithms.Duration(bytes, int64(m.top.Server.Host.Reduce)))
	}
	u := &m.top.NPU.Reduce
	return sim.Time(u.Setup) + sim.Time(algorithms.Duration(bytes, int64(u.Bandwidth)))
}

func (m *machine) reduceStarts(i int32) {
	t := &m.transfers.items[i]
	took := m.took(m.lanes[t.to].rank, m.reduceTime(m.lanes[t.to].rank, t.bytes))
	m.spendReduction(&t.path, m.lanes[t.to].rank, t.start, took)
	m.chain(&m.reductions, m.engine.Now()+took, onReduced, i)
}

// spendReduction adds a rank's reduction, which starts now, to a path: the wait for the unit,
// which does others in the meantime, or for AI cores, and its own time with its set-up.
func (m *machine) spendReduction(p *path, rank int32, since, took sim.Time) {
	waiting, setup := causeReduce, min(took, sim.Time(m.top.NPU.Reduce.Setup))
	if m.reducesOnCores(rank) {
		waiting = causeEngine
	}
	p.causes[waiting] += m.engine.Now() - since
	p.causes[causeSetup] += setup
	p.causes[causeReduce] += took - setup
}

// reduced is the event of a reduction's end.
func (m *machine) reduced(i int32) {
	t := &m.transfers.items[i]
	l := &m.lanes[t.to]
	m.note(&t.path, l, happening{name: "Reduce", peer: l.rank, bytes: t.bytes, class: wireLocal})
	m.releaseReducer(l.rank)
	m.halfEnds(t.to, halfRecv, &t.path)
	m.transfers.put(i)
}

// halfEnds ends one half of a lane's step; the later half's path goes on.
func (m *machine) halfEnds(i int32, half uint8, path *path) {
	l := &m.lanes[i]
	l.pending &^= half
	if l.pending == 0 {
		l.path = *path
		m.goOn(i)
	}
}
