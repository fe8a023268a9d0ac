package model

import (
	"slices"

	"hcclsim/algorithms"
	"hcclsim/sim"
)

type laneState uint8

const (
	laneRuns         laneState = iota // between steps, or on the running list
	laneWaitsAfter                    // for a step of another lane of its rank
	laneInStep                        // at a step; its halves or its task are under way
	laneWaitsMessage                  // in a Notify_Wait
	laneDone
)

// never is before any task has ended.
const never sim.Time = -1

// Halves of a step that are not finished yet, of a lane under the ideal recipe.
const (
	halfSend uint8 = 1 << iota
	halfRecv
)

// lane is one sequence of steps of one rank: where it is and how it got there.
type lane struct {
	rank     int32
	local    int32 // the rank's number in the communicator
	index    int32 // lane number within the rank
	call     int32 // none: it is a stream's own
	stream   int32 // whose operator it carries out; none: a host's
	round    *round
	k, steps int32
	iter     int32
	state    laneState
	pending  uint8 // ideal: halves under way
	bytes    int64 // of the step's message out

	waiters, nextWaiter int32 // list of lanes that wait for a step of this one
	inbox               int32 // list of messages that came before they were waited for

	step algorithms.Step
	path path // critical path up to the lane's last event

	// Of the rendezvous and RDMA recipes, see recipe.go and task.go.
	roles   roles
	move    move // that is under way
	task    task
	ended   sim.Time // of the last task that it or a lane it joined has executed; or never
	waits   signal   // what a laneWaitsMessage waits for
	since   sim.Time
	issued  sim.Time // when its latest task has been issued; see issue.go
	perTask sim.Time // what issuing a task takes

	priority uint8
	aiv      bool // its tasks are carried out by AI cores
	host     bool // it is a host's

	posting list // requests of the current RDMASend that are not posted yet
}

// from is the partner's step that a message of the given kind comes from.
func (l *lane) from(s signal) algorithms.Ref {
	if s == signalReadyToWrite || s == signalDone {
		return l.step.Send.Peer
	}
	return l.step.Recv.Peer
}

// proceed lets all lanes that can go on do so.
func (m *machine) proceed() {
	for i := 0; i < len(m.running); i++ {
		if l := m.running[i]; m.lanes[l].call == none {
			m.streamGoesOn(m.lanes[l].stream)
		} else {
			m.next(l)
		}
	}
	m.running = m.running[:0]
}

// next takes a lane to its next step, over idle ones, as far as it can go at once.
func (m *machine) next(i int32) {
	l := &m.lanes[i]
	for {
		if l.k == l.steps {
			m.laneEnds(l)
			return
		}
		m.fetch(l)
		if a := l.step.After; a.Rank >= 0 {
			on := i - l.index + a.Lane
			other := &m.lanes[on]
			if other.iter == l.iter && other.k <= a.Step {
				l.state = laneWaitsAfter
				l.nextWaiter, other.waiters = other.waiters, i
				return
			}
		}
		if !m.enter(i) {
			return
		}
		m.stepEnds(i)
	}
}

// enter begins the lane's step; true when it is finished at once.
func (m *machine) enter(i int32) bool {
	l := &m.lanes[i]
	l.state = laneInStep
	if l.step.Send.Peer.Rank < 0 && l.step.Recv.Peer.Rank < 0 && !l.step.Marker && !m.joins(l) {
		return true
	}
	if m.ideal {
		return m.enterIdeal(i)
	}
	return m.enterRecipe(i)
}

// stepEnds counts the step as finished and wakes the lanes that wait for it. The lane's
// path is that of whatever finished the step, and goes on to them.
func (m *machine) stepEnds(i int32) {
	l := &m.lanes[i]
	l.state = laneRuns
	l.k++
	woken := len(m.running)
	for w, at := l.waiters, &l.waiters; w != none; {
		other := &m.lanes[w]
		following := other.nextWaiter
		if other.step.After.Step < l.k {
			*at = following
			other.state = laneRuns
			other.path = l.path
			other.ended = max(other.ended, l.ended)
			m.running = append(m.running, w)
		} else {
			at = &other.nextWaiter
		}
		w = following
	}
	slices.Reverse(m.running[woken:]) // the list has the latest waiter first
}

// goOn ends the lane's step and puts the lane on the running list, ahead of the lanes that
// its step lets go: what it joins next then finds it waiting last, as in the recorded run.
func (m *machine) goOn(i int32) {
	m.running = append(m.running, i)
	m.stepEnds(i)
}

// laneEnds ends the lane's round. When it is the rank's last lane, the rank goes on with
// the next round, or has done its part of the call.
func (m *machine) laneEnds(l *lane) {
	l.state = laneDone
	c := &m.calls[l.call]
	c.left[l.local]--
	if c.left[l.local] == 0 {
		m.roundEnds(c, l.local, l.iter, l.path, l.ended)
	}
}

// at says whether the lane is in the step that a reference names.
func (l *lane) at(step, iter int32) bool {
	return l.state >= laneInStep && l.state != laneDone && l.k == step && l.iter == iter
}

// fetch asks the schedule for the lane's step. It names ranks of the communicator, the
// lane those of the machine.
func (m *machine) fetch(l *lane) {
	l.step = l.round.program.Step(int(l.local), int(l.index), int(l.k))
	if l.round.renumbered {
		c := m.calls[l.call].comm
		l.step.Send.Peer.Rank = c.place(l.step.Send.Peer.Rank)
		l.step.Recv.Peer.Rank = c.place(l.step.Recv.Peer.Rank)
	}
}

// peer is the number of the lane that a reference in lane l's step names.
func (m *machine) peer(l *lane, r algorithms.Ref) int32 {
	rank := r.Rank
	if l.round.renumbered {
		rank = m.calls[l.call].comm.local(rank)
	}
	return m.calls[l.call].base[rank] + r.Lane
}

// stepAt is the step that a reference in lane l's step names, in the communicator's ranks.
func (m *machine) stepAt(l *lane, r algorithms.Ref) algorithms.Step {
	return l.round.program.Step(int(m.calls[l.call].comm.local(r.Rank)), int(r.Lane), int(r.Step))
}

// layout is that of what lane l carries out.
func (m *machine) layout(l *lane) algorithms.Layout { return l.round.Layout }

// number is the lane's own.
func (m *machine) number(l *lane) int32 {
	if l.call == none {
		return l.stream
	}
	return m.calls[l.call].base[l.local] + l.index
}
