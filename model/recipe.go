package model

import "hcclsim/algorithms"

// The rendezvous recipes, over DMA engines and over RDMA. Whatever a step's halves are,
// its lane makes these moves in this order and leaves out what does not apply: it records
// first and waits afterwards, for the other order deadlocks a ring.
type move uint8

const (
	recordJoin         move = iota // a lane that the step comes after has finished: it says so
	waitJoin                       // and the lane has heard of it
	recordReadyToWrite             // the sender will write: tell it
	recordReadyToRead              // the receiver will read: tell it
	recordNotify                   // a pure signal
	waitReadyToWrite
	write
	recordData
	waitReadyToRead
	read
	waitRead // over RDMA the data come later
	recordDone
	waitNotify
	waitData
	acknowledge
	waitDone
	reduceArrived
	stepOver
)

// roles is what a lane does in its step.
type roles struct {
	joins      bool // comes after a step of another lane, which costs notifies
	local      bool // a copy inside the NPU
	writes     bool // sends, with its own engine or NIC
	isRead     bool // sends, the receiver's engine moves the data
	isWritten  bool // receives, the sender moves the data
	reads      bool // receives, with its own engine
	notifies   bool
	isNotified bool
	synced     bool
	combines   bool // what it receives is reduced after its arrival
	reduces    bool // it has to do so itself; else each request is reduced as it lands
	rdmaOut    bool // the way to where it sends crosses the network
	rdmaIn     bool // so does the way from where it receives
	finack     bool // what is written is acknowledged
	reduced    bool // what it writes is to be reduced
}

// enterRecipe begins a step; true when it is over at once.
func (m *machine) enterRecipe(i int32) bool {
	l := &m.lanes[i]
	l.roles = m.stepRoles(l)
	l.move = recordJoin
	if l.perTask > 0 {
		l.issued = m.issuedBefore(l)
	}
	return m.moveOn(i)
}

// stepRoles finds the lane's part in its step. A message without bytes has none.
func (m *machine) stepRoles(l *lane) (r roles) {
	s := &l.step
	l.bytes = 0
	r.joins = m.joins(l)
	if s.Marker {
		l.bytes = markerBytes
		r.local = true
		return r
	}
	if s.Send.Peer.Rank == l.rank {
		l.bytes, _ = algorithms.Message(m.layout(l), s.Send.Buf, s.Send.Set)
		r.local = l.bytes > 0
		return r
	}
	r.synced, r.finack = s.Synced, m.top.NPU.NIC.Finack
	var way route
	if s.Send.Peer.Rank >= 0 {
		m.mustRoute(l.rank, s.Send.Peer.Rank, s.Drive, &way)
		r.rdmaOut = way.rdma
		r.notifies = s.Send.Set.Count == 0
		l.bytes, _ = algorithms.Message(m.layout(l), s.Send.Buf, s.Send.Set)
		r.writes = l.bytes > 0 && way.drive == algorithms.Write
		r.isRead = l.bytes > 0 && !r.writes
		r.reduced = r.writes && m.reduces(l, s.Send.Peer)
	}
	if s.Recv.Peer.Rank >= 0 {
		m.mustRoute(s.Recv.Peer.Rank, l.rank, s.Drive, &way)
		r.rdmaIn = way.rdma
		r.isNotified = s.Recv.Set.Count == 0
		n, _ := algorithms.Message(m.layout(l), s.Recv.Buf, s.Recv.Set)
		r.isWritten = n > 0 && way.drive == algorithms.Write
		r.reads = n > 0 && !r.isWritten
		r.combines = n > 0 && s.Reduce && !m.inline(l, s.Recv.Peer.Rank, l.rank)
		r.reduces = r.combines && !(way.rdma && m.top.NPU.NIC.GrainRequest)
	}
	return r
}

// joins says whether the lane's step comes after one of another lane, and that costs
// notifies.
func (m *machine) joins(l *lane) bool {
	a := l.step.After
	return m.top.NPU.SyncNotify && !m.ideal && !l.aiv && a.Rank >= 0 && a.Lane != l.index
}

// moveOn makes the lane's moves from l.move on until one takes time; true when the step
// is over.
func (m *machine) moveOn(i int32) bool {
	l := &m.lanes[i]
	for ; l.move < stepOver; l.move++ {
		if !m.makeMove(i, l) {
			return false
		}
	}
	return true
}

// has says whether a lane with these roles makes a move.
func (r *roles) has(m move) bool {
	switch m {
	case recordJoin, waitJoin:
		return r.joins
	case recordReadyToWrite:
		return r.isWritten && !r.synced
	case recordReadyToRead:
		return r.isRead && !r.synced
	case recordNotify:
		return r.notifies
	case waitReadyToWrite:
		return r.writes && !r.synced
	case write:
		return r.local || r.writes
	case recordData: // over RDMA it rides behind the data
		return r.writes && !r.synced && !r.rdmaOut
	case waitReadyToRead, recordDone:
		return r.reads && !r.synced
	case read:
		return r.reads
	case waitRead:
		return r.reads && r.rdmaIn
	case waitNotify:
		return r.isNotified
	case waitData: // of a synced step there is no notify, but nothing to reduce before it is here
		return r.isWritten && (!r.synced || r.combines)
	case acknowledge:
		return r.isWritten && !r.synced && r.rdmaIn && r.finack
	case waitDone:
		return !r.synced && (r.isRead || r.writes && r.rdmaOut && r.finack)
	case reduceArrived:
		return r.reduces
	}
	return false
}

// tasks is the number of tasks that the moves of a lane with these roles are.
func (r *roles) tasks() (n int32) {
	for m := range stepOver {
		if r.has(m) && !(m == waitData && r.synced) {
			n++
		}
	}
	return n
}

// makeMove makes one move; true when it is over at once.
func (m *machine) makeMove(i int32, l *lane) bool {
	r, s := &l.roles, &l.step
	if !r.has(l.move) {
		return true
	}
	switch l.move {
	case recordJoin:
		return m.begin(i, task{kind: taskRecord, signal: signalJoin, wire: wireLocal})
	case waitJoin:
		return m.wait(i, signalJoin)
	case recordReadyToWrite:
		return m.record(i, s.Recv.Peer, signalReadyToWrite)
	case recordReadyToRead:
		return m.record(i, s.Send.Peer, signalReadyToRead)
	case recordNotify:
		return m.record(i, s.Send.Peer, signalNotify)
	case waitReadyToWrite:
		return m.wait(i, signalReadyToWrite)
	case write:
		switch {
		case r.local && l.host && s.Reduce: // the CPU adds up what lies in its memory
			return m.begin(i, task{kind: taskReduce, signal: signalJoin, bytes: l.bytes, wire: wireLocal})
		case r.local:
			return m.copyLocal(i)
		case r.rdmaOut:
			return m.sendData(i)
		}
		return m.copyRemote(i, l.rank, s.Send.Peer.Rank, l.bytes, r.reduced && (m.onLinks || l.aiv))
	case recordData:
		return m.record(i, s.Send.Peer, signalData)
	case waitReadyToRead:
		return m.wait(i, signalReadyToRead)
	case read:
		if r.rdmaIn {
			return m.readData(i)
		}
		n, _ := algorithms.Message(m.layout(l), s.Recv.Buf, s.Recv.Set)
		return m.copyRemote(i, s.Recv.Peer.Rank, l.rank, n, s.Reduce && (m.onLinks || l.aiv))
	case waitRead:
		return m.wait(i, signalData)
	case recordDone, acknowledge:
		return m.record(i, s.Recv.Peer, signalDone)
	case waitNotify:
		return m.wait(i, signalNotify)
	case waitData:
		if r.synced {
			return m.waitFree(i, signalData)
		}
		return m.wait(i, signalData)
	case waitDone:
		return m.wait(i, signalDone)
	}
	return m.reduceTask(i)
}

// resume goes on after the lane's task is over.
func (m *machine) resume(i int32) {
	if l := &m.lanes[i]; l.call == none {
		m.operatorEnds(&m.streams[l.stream])
		m.running = append(m.running, i)
		return
	}
	m.lanes[i].move++
	if m.moveOn(i) {
		m.goOn(i)
	}
}

// tellsData says whether the receiver of what lane l writes must learn of the arrival:
// always, but in a synced step only if it has to reduce.
func (m *machine) tellsData(l *lane) bool {
	return !l.roles.synced || l.roles.reduced && !m.inline(l, l.rank, l.step.Send.Peer.Rank)
}
