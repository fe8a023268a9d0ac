package model

import (
	"hcclsim/algorithms"
	"hcclsim/sim"
)

// doorbell is how many work requests one doorbell posts at most (HCCL's list of work
// requests).
const doorbell = 10

// request is one RDMA work request on its way: posted by a lane, issued by the port's
// request processor, then on the wire in the order of its queue pair.
type request struct {
	path     path
	src, dst int32    // ranks
	pair     int32    // queue pair
	next     int32    // in a list
	message  int32    // the notify that rides behind it; none
	bytes    int64    // payload
	since    sim.Time // it waits for the processor, then: its flow has started
	inline   bool     // reduced on the way
}

// list is a first-in-first-out list of requests; the zero value is empty. Numbers are
// kept one higher.
type list struct{ head, tail int32 }

func (m *machine) push(l *list, i int32) {
	m.requests.items[i].next = none
	if l.head == 0 {
		l.head = i + 1
	} else {
		m.requests.items[l.tail-1].next = i
	}
	l.tail = i + 1
}

func (m *machine) pop(l *list) (int32, bool) {
	if l.head == 0 {
		return none, false
	}
	i := l.head - 1
	l.head = m.requests.items[i].next + 1
	return i, true
}

// queuePair keeps the requests from one rank to another in order: one is on the wire, the
// others wait.
type queuePair struct {
	busy    bool
	waiting list
}

func (m *machine) queuePair(src, dst int32) int32 {
	key := uint64(src)<<32 | uint64(dst)
	i, ok := m.pairs[key]
	if !ok {
		i = int32(len(m.queues))
		m.queues = append(m.queues, queuePair{})
		m.pairs[key] = i
	}
	return i
}

// newRequest adds a request to those that the lane's task will post.
func (m *machine) newRequest(l *lane, to int32, bytes int64, message int32) {
	i := m.requests.get()
	m.requests.items[i] = request{src: l.rank, dst: to, pair: m.queuePair(l.rank, to), bytes: bytes, message: message}
	m.push(&l.posting, i)
	m.count.requests++
}

// sendNotify records over the network: one request of four bytes.
func (m *machine) sendNotify(i int32, t task) bool {
	const notifyBytes = 4
	l := &m.lanes[i]
	t.kind, t.bytes = taskSend, notifyBytes
	m.newRequest(l, t.peer.Rank, notifyBytes, m.newMessage(l, t.peer, t.signal))
	return m.begin(i, t)
}

// sendData sends the step's message: a request for every piece of it, none larger than
// the largest request. The notify rides behind the last.
func (m *machine) sendData(i int32) bool {
	l := &m.lanes[i]
	to := l.step.Send.Peer
	largest := int64(m.top.NPU.NIC.Request.Max)
	if largest == 0 {
		largest = l.bytes
	}
	last := none
	there := m.stepAt(l, to).Recv
	algorithms.Pieces(m.layout(l), l.step.Send, there, func(_, n int64) bool {
		for ; n > 0; n -= min(n, largest) {
			m.newRequest(l, to.Rank, min(n, largest), none)
			last = l.posting.tail - 1
			m.requests.items[last].inline = l.roles.reduced && m.onNIC
		}
		return true
	})
	if m.tellsData(l) {
		m.requests.items[last].message = m.newMessage(l, to, signalData)
	}
	m.count.messages++
	var r route
	m.mustRoute(l.rank, to.Rank, algorithms.LinkDefault, &r)
	return m.begin(i, task{kind: taskSend, signal: signalData, peer: to, bytes: l.bytes, wire: wireClass0 + cause(r.class)})
}

// posted rings the doorbell: the next ten requests go to the port's processor. True when
// none is left to post.
func (m *machine) posted(lane int32) bool {
	l := &m.lanes[lane]
	for range doorbell {
		i, ok := m.pop(&l.posting)
		if !ok {
			break
		}
		r := &m.requests.items[i]
		r.path, r.since = l.path, m.engine.Now()
		if m.processorOf(r).Acquire(i, 1, 0) {
			m.issue(i)
		}
	}
	return l.posting.head == 0
}

func (m *machine) processorOf(r *request) *sim.Server {
	var way route
	m.mustRoute(r.src, r.dst, algorithms.Write, &way)
	return &m.processor[way.port]
}

// issue holds the processor for a request.
func (m *machine) issue(i int32) {
	r := &m.requests.items[i]
	took := sim.Time(m.top.NPU.NIC.Request.Issue)
	r.path.causes[causeEngine] += m.engine.Now() - r.since
	r.path.causes[causePost] += took
	if took == 0 {
		m.issued(i)
		return
	}
	m.engine.Schedule(m.engine.Now()+took, onIssued, i)
}

// issued is the event of the processor being through with a request: the next one's turn,
// and this one goes on the wire unless an earlier one of its queue pair is there.
func (m *machine) issued(i int32) {
	r := &m.requests.items[i]
	p := m.processorOf(r)
	p.Release(1)
	q := &m.queues[r.pair]
	if q.busy {
		m.push(&q.waiting, i)
	} else {
		q.busy = true
		m.requestFlows(i)
	}
	if job, ok := p.Next(); ok {
		m.issue(job)
	}
}

// requestFlows puts a request on the wire. The flow counts wire bytes; memory carries the
// payload only.
func (m *machine) requestFlows(i int32) {
	r := &m.requests.items[i]
	r.since = m.engine.Now()
	var way route
	m.mustRoute(r.src, r.dst, algorithms.Write, &way)
	wire := m.wireBytes(r.bytes)
	if m.memory >= 0 {
		payload := sim.Ratio(r.bytes, wire)
		way.use(m.memory+r.src, payload)
		way.use(m.memory+r.dst, crossings(r.inline)*payload)
	}
	m.volume[wireClass0+cause(way.class)] += r.bytes
	m.flows.Start(wire, way.uses[:way.n], 1, 0, ^i)
}

// wireBytes is what a request occupies on the wire: its payload, a header for each packet
// and one of its own.
func (m *machine) wireBytes(n int64) int64 {
	nic := &m.top.NPU.NIC
	packets := int64(1)
	if nic.MTU > 0 {
		packets = max(1, (n+int64(nic.MTU)-1)/int64(nic.MTU))
	}
	return n + packets*int64(nic.Header) + int64(nic.Request.Header)
}

// requestLeft is the last byte of a request leaving. The next one of its queue pair
// follows: it has waited for this one, so this one's path is its own.
func (m *machine) requestLeft(i int32, alone sim.Time) {
	r := &m.requests.items[i]
	var way route
	m.mustRoute(r.src, r.dst, algorithms.Write, &way)
	r.path.flow(wireClass0+cause(way.class), alone, m.engine.Now()-r.since)
	q := &m.queues[r.pair]
	if next, ok := m.pop(&q.waiting); ok {
		m.requests.items[next].path = r.path
		m.requestFlows(next)
	} else {
		q.busy = false
	}
	r.path.causes[causeLatency] += way.latency
	if way.latency == 0 {
		m.landed(i)
		return
	}
	m.engine.Schedule(m.engine.Now()+way.latency, onLanded, i)
}

// landed is the event of a request's arrival; the notify behind it tells the receiver.
func (m *machine) landed(i int32) {
	r := &m.requests.items[i]
	if r.message != none {
		m.messages.items[r.message].path = r.path
		m.arrives(r.message)
	}
	m.requests.put(i)
}
