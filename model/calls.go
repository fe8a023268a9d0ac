package model

import (
	"fmt"
	"slices"

	"hcclsim/algorithms"
	"hcclsim/sim"
)

// communicator numbers some ranks of the machine anew.
type communicator struct {
	members []int32 // ranks of the machine in ascending order, hosts last; nil: all of it
}

// local is the number of a machine's rank in the communicator.
func (c *communicator) local(rank int32) int32 {
	if c.members == nil || rank < 0 {
		return rank
	}
	i, _ := slices.BinarySearch(c.members, rank)
	return int32(i)
}

// place is the machine's number of a rank of the communicator.
func (c *communicator) place(rank int32) int32 {
	if c.members == nil || rank < 0 {
		return rank
	}
	return c.members[rank]
}

// round is one schedule of a call: all of it, or what fits into HCCL's buffer.
type round struct {
	*algorithms.Schedule
	program    algorithms.Program // the schedule's, one step nearer
	full       bool               // no slice of the layout is empty
	renumbered bool               // ranks of the communicator are not those of the machine
}

// call is a Call made ready, and then under way. Its lanes exist from its first member's
// arrival to its last one's end.
type call struct {
	index        int32 // in machine.calls
	name         string
	comm         *communicator
	communicator string   // its name; empty: comm itself
	connections  int32    // the first call whose connections it uses too
	rounds       []*round // of one iteration
	iterations   int32
	expansion    Expansion
	members      int32 // that come by streams; ranks of the schedule beyond are hosts

	began  sim.Time // its first member came; never: none has yet
	serial int32    // number of its first round among all rounds of the run
	base   []int32  // first lane of each rank
	left   []int32  // lanes of each rank that have not finished their round
	open   int32    // ranks that have not finished the call
	came   []arrival
	size   int32 // lanes of all ranks
}

// arrival is a member's beginning of a call.
type arrival struct {
	path   path     // of its stream
	at     sim.Time // never: it has not come
	stream int32
	issue  issue
}

// total is the number of rounds of all iterations.
func (c *call) total() int32 { return c.iterations * int32(len(c.rounds)) }

// round is the schedule of a round by its serial number.
func (c *call) round(serial int32) *round {
	return c.rounds[int(serial-c.serial)%len(c.rounds)]
}

// lanes is the number of lanes of a rank: the most that a round has.
func (c *call) lanes(rank int) int32 {
	n := 0
	for i, r := range c.rounds {
		if i == 0 || r != c.rounds[i-1] {
			n = max(n, r.Lanes(rank))
		}
	}
	return int32(n)
}

// newCall makes a call of a work ready.
func newCall(w *Work, i int, f *fabric) (call, error) {
	d := &w.Calls[i]
	p := d.Point
	members := d.Members
	if members == nil {
		p.Topology = w.Topology
	} else {
		p.Topology = w.Topology.Part(members)
	}
	p.Settings = w.Settings
	schedules, err := p.Rounds()
	if err != nil {
		return call{}, err
	}
	c := call{index: int32(i), name: p.Algorithm, communicator: w.Calls[i].Communicator, comm: &communicator{members}, iterations: int32(max(p.Iterations, 1)), began: never}
	for j, s := range schedules {
		if j > 0 && s == schedules[j-1] {
			c.rounds = append(c.rounds, c.rounds[j-1])
			continue
		}
		c.rounds = append(c.rounds, &round{Schedule: s, program: s.Program, full: noneEmpty(s), renumbered: members != nil})
	}
	c.members = int32(p.Topology.Size())
	if schedules[0].Hosts() > 0 && !w.Topology.HasHost() {
		return call{}, fmt.Errorf("%s passes data through hosts, of which topology %s says nothing (server.host)", p.Algorithm, w.Topology.Name)
	}
	c.expansion, _ = p.Expands()
	if ranks := int32(schedules[0].Ranks()); members != nil && ranks > c.members { // hosts
		c.comm.members = slices.Clone(members)
		for _, r := range members {
			if h := f.hostOf(r); !slices.Contains(c.comm.members, h) {
				c.comm.members = append(c.comm.members, h)
			}
		}
	}
	return c, nil
}

// connectionsOf is the first call that has the same connections: HCCL makes them once for each
// communicator, operation and algorithm.
func connectionsOf(w *Work, i int) int32 {
	of := &w.Calls[i]
	return int32(slices.IndexFunc(w.Calls, func(c Call) bool {
		return c.Point.Collective == of.Point.Collective && c.Point.Algorithm == of.Point.Algorithm && slices.Equal(c.Members, of.Members)
	}))
}

// activate gives a call its lanes.
func (m *machine) activate(i int32) {
	c := &m.calls[i]
	c.began = m.engine.Now()
	c.serial = m.serial
	m.serial += c.total()
	ranks := c.rounds[0].Ranks()
	c.base, c.left, c.came = make([]int32, ranks), make([]int32, ranks), make([]arrival, c.members)
	c.open, c.size = int32(ranks), 0
	for r := range ranks {
		c.base[r] = c.size
		c.size += c.lanes(r)
	}
	for r := range c.came {
		c.came[r].at = never
	}
	first := m.block(c.size)
	for r := range ranks {
		c.base[r] += first
		rank := c.comm.place(int32(r))
		end := first + c.size
		if r+1 < ranks {
			end = first + c.base[r+1]
		}
		for l := c.base[r]; l < end; l++ {
			m.lanes[l] = lane{
				rank: rank, local: int32(r), index: l - c.base[r], call: i, stream: none, state: laneDone,
				host: rank >= m.ranks, iter: c.serial, waiters: none, nextWaiter: none, inbox: none, ended: never,
			}
		}
	}
}

// block returns the first of so many lanes that follow each other, which a call that is
// over had before if there is one.
func (m *machine) block(n int32) int32 {
	if free := m.blocks[n]; len(free) > 0 {
		m.blocks[n] = free[:len(free)-1]
		return free[len(free)-1]
	}
	first := int32(len(m.lanes))
	m.lanes = slices.Grow(m.lanes, int(n))[:first+n]
	return first
}

// retire gives the lanes of a call back.
func (m *machine) retire(c *call) {
	if c.size > 0 {
		m.blocks[c.size] = append(m.blocks[c.size], c.base[0])
	}
	c.base, c.left, c.came = nil, nil, nil
}

// startRound lets the lanes of a rank of a call begin a round with the path given.
func (m *machine) startRound(c *call, local, serial int32, p path, ended sim.Time) {
	r := c.round(serial)
	n := int32(r.Lanes(int(local)))
	c.left[local] = n
	var of *arrival
	at := m.engine.Now()
	if local < c.members {
		of = &c.came[local]
		at = m.issueRound(c, local, of, serial)
		p.causes[causeHost] += at - m.engine.Now()
	}
	for i := range n {
		l := &m.lanes[c.base[local]+i]
		l.round, l.iter, l.k, l.steps = r, serial, 0, int32(r.Steps(int(local), int(i)))
		l.state, l.path, l.ended = laneRuns, p, ended
		if of != nil {
			s := &m.streams[of.stream]
			l.stream, l.priority, l.aiv, l.perTask = of.stream, s.priority, c.expansion == ExpandAIV, of.issue.per
		}
		if at == m.engine.Now() {
			m.running = append(m.running, c.base[local]+i)
		} else {
			m.engine.Schedule(at, onStream, c.base[local]+i)
		}
	}
	if n == 0 {
		m.roundEnds(c, local, serial, p, ended)
	}
}

// roundEnds is the end of a rank's last lane in a round.
func (m *machine) roundEnds(c *call, local, serial int32, p path, ended sim.Time) {
	if serial+1 < c.serial+c.total() {
		m.startRound(c, local, serial+1, p, ended)
		return
	}
	c.open--
	if local < c.members {
		m.callEnds(c, local, p, ended)
	}
	if c.open == 0 {
		m.retire(c)
	}
}

// describe names the call in errors.
func (c *call) describe() string {
	s := c.rounds[0]
	return fmt.Sprintf("%s by %s", s.Request.Collective, s.Algorithm)
}
