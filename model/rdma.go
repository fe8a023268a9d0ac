package model

import (
	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// RDMA: how a message becomes work requests, and how they are posted and issued. stages.go
// has their way to the other side.

// doorbell is how many work requests one doorbell posts at most (HCCL's list of work
// requests).
const doorbell = 10

// request is one RDMA work request on its way: posted by a lane, issued by the port's
// request processor, then through the stages of its queue pair.
type request struct {
	path     path
	src, dst int32 // ranks between which the data go
	from     int32 // lane that has posted it
	pair     int32 // queue pair
	port     int32 // whose processor issues it
	next     int32 // in a list
	message  int32 // that is complete when all of its requests are; none
	bytes    int64 // payload
	since    sim.Time
	latency  sim.Time // of the network, one way
	class    cause    // of the network
	priority uint8    // of the stream that has posted it
	inline   bool     // reduced on the way
	reduces  bool     // reduced when it has landed, by itself
	read     bool     // posted by the receiver: it has to reach the source first
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

// newRequest adds a request from src to dst over a queue pair to those that the lane's
// task will post. m.way is the route.
func (m *machine) newRequest(l *lane, src, dst int32, number uint16, bytes int64) *request {
	i := m.requests.get()
	r := &m.requests.items[i]
	*r = request{
		src: src, dst: dst, from: m.number(l), pair: m.queuePair(m.calls[l.call].connections, src, dst, number), port: m.way.port,
		message: none, bytes: bytes, priority: l.priority, latency: m.way.latency, class: wireClass0 + cause(m.way.class),
	}
	m.push(&l.posting, i)
	m.count.requests++
	return r
}

// sendNotify records over the network: one request of four bytes.
func (m *machine) sendNotify(i int32, t task) bool {
	const notifyBytes = 4
	l := &m.lanes[i]
	t.kind, t.bytes = taskSend, notifyBytes
	msg := m.newMessage(l, t.peer, t.signal)
	m.messages.items[msg].pending = 1
	m.mustRoute(l.rank, t.peer.Rank, algorithms.LinkDefault, &m.way)
	m.newRequest(l, l.rank, t.peer.Rank, 0, notifyBytes).message = msg
	return m.begin(i, t)
}

// sendData sends the step's message. The notify rides behind it.
func (m *machine) sendData(i int32) bool {
	l := &m.lanes[i]
	to := l.step.Send.Peer
	msg := none
	if m.tellsData(l) {
		msg = m.newMessage(l, to, signalData)
	}
	there := m.stepAt(l, to).Recv
	m.cut(l, l.rank, to.Rank, l.step.Send, there, msg, l.roles.reduced)
	return m.begin(i, task{kind: taskSend, signal: signalData, peer: to, bytes: l.bytes, wire: wireClass0 + cause(m.way.class)})
}

// readData fetches the step's message from its source, with requests of the receiver.
func (m *machine) readData(i int32) bool {
	l := &m.lanes[i]
	from := l.step.Recv.Peer
	own := algorithms.Ref{Rank: l.rank, Lane: l.index, Step: l.k}
	msg := m.newMessage(l, own, signalData)
	there := m.stepAt(l, from).Send
	n, _ := algorithms.Message(m.layout(l), l.step.Recv.Buf, l.step.Recv.Set)
	m.cut(l, from.Rank, l.rank, there, l.step.Recv, msg, l.step.Reduce)
	return m.begin(i, task{kind: taskSend, signal: signalData, peer: from, bytes: n, wire: wireClass0 + cause(m.way.class)})
}

// cut makes the requests of a message: for every piece that lies together at both ends, its
// parts for the queue pairs, and for every part requests that are not too large.
func (m *machine) cut(l *lane, src, dst int32, from, to algorithms.Half, msg int32, combines bool) {
	m.mustRoute(src, dst, algorithms.LinkDefault, &m.way)
	reads := l.rank == dst
	if reads { // its own port's processor issues them
		var back route
		m.mustRoute(dst, src, algorithms.LinkDefault, &back)
		m.way.port = back.port
	}
	algorithms.Pieces(m.layout(l), from, to, func(_, n int64) bool {
		parts := m.settings.parts(n)
		for q := range parts {
			for part := partOf(n, parts, q); part > 0; {
				bytes := min(part, m.largestRequest(part))
				r := m.newRequest(l, src, dst, uint16(q), bytes)
				r.read = reads
				r.inline = combines && m.onNIC
				r.reduces = combines && !m.onNIC && m.top.NPU.NIC.GrainRequest
				if r.message = msg; msg != none {
					m.messages.items[msg].pending++
				}
				part -= bytes
			}
		}
		return true
	})
	m.count.messages++
}

// largestRequest is the most that one request of a part carries.
func (m *machine) largestRequest(part int64) int64 {
	for _, most := range [2]int64{int64(m.settings.Split), int64(m.top.NPU.NIC.Request.Max)} {
		if most > 0 {
			part = min(part, most)
		}
	}
	return part
}

// MultiQP is HCCL_MULTI_QP_THRESHOLD where it is not set (HCCL's documentation).
const MultiQP units.Bytes = 512 << 10

// parts is into how many parts for different queue pairs a message of n bytes is cut: for
// all of them if each gets the threshold at least, else for so many that none gets more.
func (s *Settings) parts(n int64) int64 {
	pairs, threshold := int64(max(s.QueuePairs, 1)), int64(s.MultiQP)
	if threshold == 0 {
		threshold = int64(MultiQP)
	}
	if n >= pairs*threshold {
		return pairs
	}
	return max(1, (n+threshold-1)/threshold)
}

// partOf is the size of part q of n bytes: whole units of 128 B (HCCL's alignment of
// slices), the tail on the last.
func partOf(n, parts, q int64) int64 {
	size := n / parts / roundAlign * roundAlign
	if q == parts-1 {
		return n - size*q
	}
	return size
}

// posted rings the doorbell of a queue pair: its next requests, ten at most, go to the
// port's processor. True when none is left to post.
func (m *machine) posted(lane int32) bool {
	l := &m.lanes[lane]
	pair := none
	for range doorbell {
		if l.posting.head == 0 || pair != none && m.requests.items[l.posting.head-1].pair != pair {
			break
		}
		i, _ := m.pop(&l.posting)
		r := &m.requests.items[i]
		pair = r.pair
		r.path, r.since = l.path, m.engine.Now()
		if m.processor[r.port].Acquire(i, 1, r.priority) {
			m.issue(i)
		}
	}
	return l.posting.head == 0
}

// issue holds the processor for a request.
func (m *machine) issue(i int32) {
	r := &m.requests.items[i]
	took := m.vary(r.src, sim.Time(m.top.NPU.NIC.Request.Issue))
	r.path.causes[causeEngine] += m.engine.Now() - r.since
	r.path.causes[causePost] += took
	if took == 0 {
		m.issued(i)
		return
	}
	m.engine.Schedule(m.engine.Now()+took, onIssued, i)
}

// issued is the event of the processor being through with a request: the next one's turn.
// One that reads reaches the source first.
func (m *machine) issued(i int32) {
	r := &m.requests.items[i]
	p := &m.processor[r.port]
	p.Release(1)
	if r.read && r.latency > 0 {
		r.path.causes[causeLatency] += r.latency
		m.engine.Schedule(m.engine.Now()+r.latency, onAsked, i)
	} else {
		m.enterStage(i, m.firstStage())
	}
	if job, ok := p.Next(); ok {
		m.issue(job)
	}
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

// landed is a request's arrival, or the end of its own reduction. The message that it is
// part of is complete with the last one, whose path goes on.
func (m *machine) landed(i int32) {
	r := &m.requests.items[i]
	if r.message != none {
		msg := &m.messages.items[r.message]
		if msg.pending--; msg.pending == 0 {
			m.note(&r.path, &m.lanes[r.from], happening{name: "Request", peer: r.dst, bytes: r.bytes, class: r.class})
			msg.path = r.path
			m.arrives(r.message)
		}
	}
	m.requests.put(i)
}
