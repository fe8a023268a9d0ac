package model

import "hcclsim/algorithms"

// The rendezvous recipes, over DMA engines and over RDMA. Whatever a step's halves are,
// its lane makes these moves in this order and leaves out what does not apply: it records
// first and waits afterwards, for the other order deadlocks a ring.
type move uint8

const (
	recordReadyToWrite move = iota // the sender will write: tell it
	recordReadyToRead              // the receiver will read: tell it
	recordNotify                   // a pure signal
	waitReadyToWrite
	write
	recordData
	waitReadyToRead
	read
	recordDone
	waitNotify
	waitData
	waitDone
	reduceArrived
	stepOver
)

// roles is what a lane does in its step.
type roles struct {
	local      bool // a copy inside the NPU
	writes     bool // sends, with its own engine or NIC
	isRead     bool // sends, the receiver's engine moves the data
	isWritten  bool // receives, the sender moves the data
	reads      bool // receives, with its own engine
	notifies   bool
	isNotified bool
	synced     bool
	reduces    bool // has to reduce what it received itself
	rdmaOut    bool // the way to where it sends crosses the network
	reduced    bool // what it writes is to be reduced
}

// enterRecipe begins a step; true when it is over at once.
func (m *machine) enterRecipe(i int32) bool {
	l := &m.lanes[i]
	l.roles = m.stepRoles(l)
	l.move = recordReadyToWrite
	return m.moveOn(i)
}

// stepRoles finds the lane's part in its step. A message without bytes has none.
func (m *machine) stepRoles(l *lane) (r roles) {
	s := &l.step
	l.bytes = 0
	if s.Marker {
		l.bytes = markerBytes
		return roles{local: true}
	}
	if s.Send.Peer.Rank == l.rank {
		l.bytes, _ = algorithms.Message(m.layout(l), s.Send.Buf, s.Send.Set)
		r.local = l.bytes > 0
		return r
	}
	r.synced = s.Synced
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
		r.isNotified = s.Recv.Set.Count == 0
		n, _ := algorithms.Message(m.layout(l), s.Recv.Buf, s.Recv.Set)
		r.isWritten = n > 0 && way.drive == algorithms.Write
		r.reads = n > 0 && !r.isWritten
		r.reduces = n > 0 && s.Reduce && !m.inline(s.Recv.Peer.Rank, l.rank)
	}
	return r
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

// makeMove makes one move; true when it is over at once.
func (m *machine) makeMove(i int32, l *lane) bool {
	r, s := &l.roles, &l.step
	switch l.move {
	case recordReadyToWrite:
		return !(r.isWritten && !r.synced) || m.record(i, s.Recv.Peer, signalReadyToWrite)
	case recordReadyToRead:
		return !(r.isRead && !r.synced) || m.record(i, s.Send.Peer, signalReadyToRead)
	case recordNotify:
		return !r.notifies || m.record(i, s.Send.Peer, signalNotify)
	case waitReadyToWrite:
		return !(r.writes && !r.synced) || m.wait(i, signalReadyToWrite)
	case write:
		switch {
		case r.local:
			return m.copyLocal(i)
		case r.writes && r.rdmaOut:
			return m.sendData(i)
		case r.writes:
			return m.copyRemote(i, l.rank, s.Send.Peer.Rank, l.bytes, r.reduced && m.onLinks)
		}
	case recordData: // over RDMA it rides behind the data
		return !(r.writes && !r.synced && !r.rdmaOut) || m.record(i, s.Send.Peer, signalData)
	case waitReadyToRead:
		return !(r.reads && !r.synced) || m.wait(i, signalReadyToRead)
	case read:
		if r.reads {
			n, _ := algorithms.Message(m.layout(l), s.Recv.Buf, s.Recv.Set)
			return m.copyRemote(i, s.Recv.Peer.Rank, l.rank, n, s.Reduce && m.onLinks)
		}
	case recordDone:
		return !(r.reads && !r.synced) || m.record(i, s.Recv.Peer, signalDone)
	case waitNotify:
		return !r.isNotified || m.wait(i, signalNotify)
	case waitData:
		switch {
		case r.isWritten && !r.synced:
			return m.wait(i, signalData)
		case r.isWritten && r.reduces: // no notify of its own, but nothing to reduce before it is here
			return m.waitFree(i, signalData)
		}
	case waitDone:
		return !(r.isRead && !r.synced) || m.wait(i, signalDone)
	case reduceArrived:
		return !r.reduces || m.reduceTask(i)
	}
	return true
}

// resume goes on after the lane's task is over.
func (m *machine) resume(i int32) {
	m.lanes[i].move++
	if m.moveOn(i) {
		m.goOn(i)
	}
}

// tellsData says whether the receiver of what lane l writes must learn of the arrival:
// always, but in a synced step only if it has to reduce.
func (m *machine) tellsData(l *lane) bool {
	return !l.roles.synced || l.roles.reduced && !m.inline(l.rank, l.step.Send.Peer.Rank)
}
