package model

import (
	"hcclsim/algorithms"
	"hcclsim/sim"
)

// Stages of a request. On the direct path there is one, the wire. On the staged path the
// NIC first fetches the data over its PCIe, and at the other side stores them over that
// one's. A stage works on one request of a queue pair at a time, in order, and begins when
// the former has finished that request; requests in different stages overlap.

type stage uint8

const (
	stageFetch stage = iota
	stageWire
	stageStore
	stages
)

// queuePair keeps the requests from one rank to another in order: in each stage one is
// under way, the others wait.
type queuePair struct {
	number  uint16 // among those of its ranks
	busy    [stages]bool
	waiting [stages]list
}

// pairKey tells queue pairs apart.
type pairKey struct {
	connections int32 // of the call
	src, dst    int32
	number      uint16
}

func (m *machine) queuePair(connections, src, dst int32, number uint16) int32 {
	key := pairKey{connections, src, dst, number}
	i, ok := m.pairs[key]
	if !ok {
		i = int32(len(m.queues))
		m.queues = append(m.queues, queuePair{number: number})
		m.pairs[key] = i
	}
	return i
}

func (m *machine) firstStage() stage {
	if m.top.NPU.NIC.Staged {
		return stageFetch
	}
	return stageWire
}

// enterStage lets a request enter a stage, or wait for the one before it.
func (m *machine) enterStage(i int32, s stage) {
	r := &m.requests.items[i]
	q := &m.queues[r.pair]
	if q.busy[s] {
		r.since = m.engine.Now()
		m.push(&q.waiting[s], i)
		return
	}
	q.busy[s] = true
	m.startStage(i, s)
}

// startStage starts a stage's work on a request, with its overhead.
func (m *machine) startStage(i int32, s stage) {
	overhead := m.overhead(s)
	if overhead == 0 {
		m.stageBegins(i, s)
		return
	}
	r := &m.requests.items[i]
	overhead = m.vary(r.src, overhead)
	r.path.causes[causeSetup] += overhead
	m.engine.Schedule(m.engine.Now()+overhead, onFetch+uint32(s), i)
}

// overhead is what a stage takes for each request besides its bytes.
func (m *machine) overhead(s stage) sim.Time {
	nic := &m.top.NPU.NIC
	switch {
	case !nic.Staged:
		return 0
	case s == stageFetch:
		return sim.Time(nic.Fetch.Overhead)
	case s == stageWire:
		return sim.Time(nic.WireOverhead)
	}
	return sim.Time(nic.Store.Overhead)
}

// stageBegins moves the bytes of a request, on the wire when the port is its own.
func (m *machine) stageBegins(i int32, s stage) {
	r := &m.requests.items[i]
	r.since = m.engine.Now()
	switch {
	case s != stageWire:
		m.stageFlow(i, s)
	case !m.top.NPU.NIC.ByRequest || m.keeper[m.outPort(r)].Acquire(i, 1, r.priority):
		m.wireFlow(i)
	}
}

// outPort is the port at the source of the data.
func (m *machine) outPort(r *request) int32 {
	var way route
	m.mustRoute(r.src, r.dst, algorithms.Write, &way)
	return way.port
}

// stageFlow moves a request between memory and NIC.
func (m *machine) stageFlow(i int32, s stage) {
	r := &m.requests.items[i]
	var way route
	if s == stageFetch {
		if m.fetch0 >= 0 {
			way.use(m.fetch0+m.nicOf(r.src), sim.One)
		}
		m.memoryUse(&way, r.src, 1)
	} else {
		if m.store0 >= 0 {
			way.use(m.store0+m.nicOf(r.dst), sim.One)
		}
		m.memoryUse(&way, r.dst, crossings(r.inline))
	}
	m.volume[m.stageClass] += r.bytes
	m.flows.Start(r.bytes, way.uses[:way.n], 1, 0, m.flowOf(i, s))
}

// wireFlow puts a request on the wire. The flow counts wire bytes; on the direct path
// memory carries the payload only.
func (m *machine) wireFlow(i int32) {
	r := &m.requests.items[i]
	r.path.causes[causeEngine] += m.engine.Now() - r.since
	r.since = m.engine.Now()
	way := route{number: m.queues[r.pair].number}
	m.mustRoute(r.src, r.dst, algorithms.Write, &way)
	wire := m.wireBytes(r.bytes)
	if m.memory >= 0 && !m.top.NPU.NIC.Staged {
		payload := sim.Ratio(r.bytes, wire)
		way.use(m.memory+r.src, payload)
		way.use(m.memory+r.dst, crossings(r.inline)*payload)
	}
	m.volume[r.class] += r.bytes
	m.flows.Start(wire, way.uses[:way.n], 1, 0, m.flowOf(i, stageWire))
}

// flowOf is the owner of a request's flow in a stage; transfers own theirs by numbers from
// zero up.
func (m *machine) flowOf(i int32, s stage) int32 { return ^(i*int32(stages) + int32(s)) }

// requestFlowEnds is the last byte of a request leaving a stage. The next one of its queue
// pair follows: it has waited for this one, so this one's path is its own, unless another
// call has posted it, whose paths begin elsewhere.
func (m *machine) requestFlowEnds(owner int32, alone sim.Time) {
	i, s := ^owner/int32(stages), stage(^owner%int32(stages))
	r := &m.requests.items[i]
	class := r.class
	if s != stageWire {
		class = m.stageClass
	}
	r.path.flow(class, alone, m.engine.Now()-r.since)
	byRequest := s == stageWire && m.top.NPU.NIC.ByRequest
	if byRequest {
		m.keeper[m.outPort(r)].Release(1)
	}
	q := &m.queues[r.pair]
	if next, ok := m.pop(&q.waiting[s]); ok {
		if n := &m.requests.items[next]; m.lanes[n.from].call == m.lanes[r.from].call {
			n.path = r.path
		} else {
			n.path.causes[causeEngine] += m.engine.Now() - n.since
		}
		m.startStage(next, s)
	} else {
		q.busy[s] = false
	}
	if byRequest { // the pair's next request asks before the port is given away
		if job, ok := m.keeper[m.outPort(r)].Next(); ok {
			m.wireFlow(job)
		}
	}
	m.leaveStage(i, s)
}

// leaveStage sends a request on its way after a stage.
func (m *machine) leaveStage(i int32, s stage) {
	r := &m.requests.items[i]
	switch {
	case s == stageFetch:
		m.enterStage(i, stageWire)
	case s == stageStore || r.latency == 0:
		m.arrived(i, s)
	default:
		r.path.causes[causeLatency] += r.latency
		m.engine.Schedule(m.engine.Now()+r.latency, onLanded, i)
	}
}

// arrived is a request at the other side's NIC, or in its memory.
func (m *machine) arrived(i int32, s stage) {
	r := &m.requests.items[i]
	switch {
	case s == stageWire && m.top.NPU.NIC.Staged:
		m.enterStage(i, stageStore)
	case r.reduces:
		r.since = m.engine.Now()
		if u, n, p := m.reducer(r.dst, r.priority); u.Acquire(^i, n, p) {
			m.reduceRequest(i)
		}
	default:
		m.landed(i)
	}
}

// reduceRequest reduces what a request has brought.
func (m *machine) reduceRequest(i int32) {
	r := &m.requests.items[i]
	took := m.took(r.dst, m.reduceTime(r.dst, r.bytes))
	m.spendReduction(&r.path, r.dst, r.since, took)
	m.engine.Schedule(m.engine.Now()+took, onRequestReduced, i)
}

// requestReduced is the event of that reduction's end.
func (m *machine) requestReduced(i int32) {
	m.releaseReducer(m.requests.items[i].dst)
	m.landed(i)
}
