package model

import (
	"cmp"
	"slices"

	"hcclsim/model/units"
	"hcclsim/sim"
)

// Issuing: a task cannot start before it has been issued. The host thread of a rank issues
// the operators of its streams in program order and never waits for the device; what a
// collective costs it depends on the expansion mode. The tasks of a collective are issued
// step by step, in each step lane by lane.

// issue is how the tasks of a member of a call are issued.
type issue struct {
	host   sim.Time // the host thread is through with starting the current iteration
	cycle  sim.Time // from one iteration to the next on the host thread
	start  sim.Time // from here on the tasks of the round are issued, `per` each
	per    sim.Time
	total  int32     // tasks of the round
	before [][]int32 // by lane and step, the tasks of the round issued before it
	of     *round
}

// planIssue finds when the host threads issue the operators. They take the streams of a
// rank in turn: the first operator of each, then the second, and so on.
func (m *machine) planIssue() {
	if m.top.NPU.Host == (HostThread{}) {
		return
	}
	byRank := make([][]int32, m.ranks)
	for i := range m.streams {
		r := m.streams[i].rank
		byRank[r] = append(byRank[r], int32(i))
	}
	for _, streams := range byRank {
		m.planRank(streams)
	}
}

func (m *machine) planRank(streams []int32) {
	type turn struct{ k, stream int32 }
	var turns []turn
	for _, i := range streams {
		s := &m.streams[i]
		s.issued = make([]sim.Time, len(s.Operators))
		for k := range s.Operators {
			turns = append(turns, turn{int32(k), i})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.k, b.k) })
	var at sim.Time
	for _, t := range turns {
		s := &m.streams[t.stream]
		o := &s.Operators[t.k]
		if o.Kind != OpCall {
			if !m.ideal { // which knows no tasks
				at += sim.Time(m.top.NPU.Host.Host.Task)
			}
			s.issued[t.k] = at
			continue
		}
		c := &m.calls[o.Call]
		start := sim.Time(m.top.NPU.Host.of(c.expansion).Collective)
		s.issued[t.k] = at + start
		at += sim.Time(c.iterations) * m.cycle(c, c.comm.local(s.rank))
	}
}

// cycle is how long the host thread of a member is busy with one iteration of a call.
func (m *machine) cycle(c *call, local int32) sim.Time {
	cost := m.top.NPU.Host.of(c.expansion)
	took := sim.Time(cost.Collective)
	if c.expansion != ExpandHost || cost.Task == 0 || m.ideal {
		return took
	}
	for _, r := range c.rounds {
		_, total := m.tasksBefore(c, local, r)
		took += sim.Time(total) * sim.Time(cost.Task)
	}
	return took
}

// issueRound says when a member may begin a round, and prepares for issuing its tasks.
func (m *machine) issueRound(c *call, local int32, a *arrival, serial int32) sim.Time {
	s, now := &m.streams[a.stream], m.engine.Now()
	if s.issued == nil {
		return now
	}
	is := &a.issue
	if n := serial - c.serial; n%int32(len(c.rounds)) > 0 {
		is.start += sim.Time(is.total) * is.per
	} else {
		if is.host += is.cycle; n == 0 {
			is.host, is.cycle = s.issued[s.k], m.cycle(c, local)
			is.per = sim.Time(m.top.NPU.Host.of(c.expansion).Task)
		}
		if is.start = is.host; c.expansion != ExpandHost {
			is.start = max(is.host, now) // the device begins to issue when it begins the collective
		}
	}
	if r := c.round(serial); is.per > 0 && !m.ideal && is.of != r {
		is.of = r
		is.before, is.total = m.tasksBefore(c, local, r)
	}
	return max(now, is.host)
}

// issuedBefore is when the task before the first of the lane's step has been issued.
func (m *machine) issuedBefore(l *lane) sim.Time {
	is := &m.calls[l.call].came[l.local].issue
	return is.start + sim.Time(is.before[l.index][l.k])*is.per
}

// tasksBefore counts the tasks of a round that are issued before each step of each lane.
func (m *machine) tasksBefore(c *call, local int32, r *round) (before [][]int32, total int32) {
	l := lane{rank: c.comm.place(local), local: local, call: c.index, round: r}
	steps := 0
	before = make([][]int32, r.Lanes(int(local)))
	for i := range before {
		before[i] = make([]int32, r.Steps(int(local), i))
		steps = max(steps, len(before[i]))
	}
	for k := range steps {
		for i := range before {
			if k >= len(before[i]) {
				continue
			}
			before[i][k] = total
			l.index, l.k = int32(i), int32(k)
			m.fetch(&l)
			roles := m.stepRoles(&l)
			total += roles.tasks()
		}
	}
	return before, total
}

// late is how long after the others a rank starts.
func (m *machine) late(rank int32) sim.Time {
	var t units.Duration
	for _, s := range m.stragglers {
		if int32(s.Rank) == rank {
			t += s.Late
		}
	}
	return sim.Time(t)
}
