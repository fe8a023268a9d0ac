package model

import (
	"hcclsim/algorithms"
	"hcclsim/sim"
)

// signal is what a notify tells.
type signal uint8

const (
	signalReadyToWrite signal = iota // the receiver is ready: the sender may write
	signalReadyToRead                // the source is ready: the receiver may read
	signalData                       // the data have been written
	signalDone                       // the data have been read
	signalNotify                     // a pure signal of the schedule
	signalJoin                       // another lane of the rank has finished a step
	signalEvent                      // an event of the rank's streams
)

var signalNames = [...]string{"ready to write", "ready to read", "data", "done", "a notify", "another lane", "an event"}

// message is a notify on its way to a lane, or in its inbox: for which step it is, and
// the critical path up to its arrival.
type message struct {
	path       path
	lane       int32
	step, iter int32
	next       int32 // in the inbox
	pending    int32 // requests that it rides behind
	signal     signal
}

// newMessage makes the notify of lane l for its partner's step.
func (m *machine) newMessage(l *lane, to algorithms.Ref, s signal) int32 {
	i := m.messages.get()
	m.messages.items[i] = message{lane: m.peer(l, to), step: to.Step, iter: l.iter, signal: s, next: none}
	return i
}

// post lets a notify arrive after a delay that is already in its path.
func (m *machine) post(i int32, delay sim.Time) {
	if delay == 0 {
		m.arrives(i)
		return
	}
	m.engine.Schedule(m.engine.Now()+delay, onArrive, i)
}

// arrives is the event of a notify's arrival: the lane that waits for it goes on, else it
// is kept.
func (m *machine) arrives(i int32) {
	msg := &m.messages.items[i]
	l := &m.lanes[msg.lane]
	if l.state == laneWaitsMessage && l.waits == msg.signal && l.k == msg.step && l.iter == msg.iter {
		lane := msg.lane
		l.state = laneInStep
		l.path = msg.path
		m.messages.put(i)
		m.waited(lane)
		return
	}
	msg.next, l.inbox = l.inbox, i
}

// keep puts a notify into a lane's inbox.
func (m *machine) keep(lane, step, iter int32, s signal, path *path) {
	i := m.messages.get()
	m.messages.items[i] = message{path: *path, lane: lane, step: step, iter: iter, signal: s, next: m.lanes[lane].inbox}
	m.lanes[lane].inbox = i
}

// take removes the notify of a kind for the lane's step from its inbox, if it is there. An
// event stays.
func (m *machine) take(l *lane, s signal) bool {
	switch s {
	case signalJoin:
		return true
	case signalEvent:
		e := m.event(l)
		if e.at == never {
			e.waiters = append(e.waiters, m.streams[l.stream].lane)
		}
		return e.at != never
	}
	for at := &l.inbox; *at != none; at = &m.messages.items[*at].next {
		i := *at
		msg := &m.messages.items[i]
		if msg.signal == s && msg.step == l.k && msg.iter == l.iter {
			*at = msg.next
			m.messages.put(i)
			return true
		}
	}
	return false
}
