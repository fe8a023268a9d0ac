package model

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// stream is a Stream under way. A lane of its own carries out its kernels, copies and
// events and holds its path; its calls have lanes that begin and end with it.
type stream struct {
	*Stream
	rank, lane int32
	k          int32 // operator
	priority   uint8
	issued     []sim.Time      // when each operator has been issued; nil: at once
	span       int32           // of the operators of one name under way, which follow each other; none
	since      sim.Time        // the first one's beginning
	before     causes          // the path at that time
	base       piece           // what came before, if the stream has come back to the span
	pieces     map[int32]piece // of spans that it comes back to, so far
}

// piece is a stream's share of a span that it leaves and comes back to.
type piece struct {
	causes
	began, ended sim.Time
}

// span is an operator under way, over all ranks.
type span struct {
	name       string
	kind       OperatorKind
	call       int
	start, end sim.Time // start never: not yet
	returns    bool     // streams leave it and come back
	critical   causes
}

// event is what a rank's stream records.
type event struct {
	path    path
	at      sim.Time // never: not yet
	waiters []int32  // streams
}

// addStreams makes streams, their lanes and what they refer to.
func (m *machine) addStreams(w *Work) {
	names := map[string]int32{}
	m.streams = make([]stream, len(w.Streams))
	var same []int32 // spans of the operators of the stream before
	for i := range w.Streams {
		d := &w.Streams[i]
		m.streams[i] = stream{Stream: d, rank: int32(d.Rank), lane: int32(i), priority: d.Priority, span: none}
		m.lanes = append(m.lanes, lane{
			rank: int32(d.Rank), call: none, stream: int32(i), priority: d.Priority, state: laneRuns,
			waiters: none, nextWaiter: none, inbox: none, ended: never,
		})
		if i > 0 && len(d.Operators) > 0 && len(w.Streams[i-1].Operators) == len(d.Operators) && &w.Streams[i-1].Operators[0] == &d.Operators[0] {
			m.spanOf = append(m.spanOf, same)
			continue
		}
		same = make([]int32, len(d.Operators))
		for k := range d.Operators {
			n := m.spanNamed(names, &d.Operators[k])
			if n != none && k > 0 && same[k-1] != n && slices.Contains(same[:k], n) {
				m.spans[n].returns = true
			}
			same[k] = n
		}
		m.spanOf = append(m.spanOf, same)
	}
}

// spanNamed is the span of an operator; none if it has none.
func (m *machine) spanNamed(names map[string]int32, o *Operator) int32 {
	if o.Name == "" || o.Kind == OpRecord || o.Kind == OpWait {
		return none
	}
	i, ok := names[o.Name]
	if !ok {
		i = int32(len(m.spans))
		names[o.Name] = i
		m.spans = append(m.spans, span{name: o.Name, kind: o.Kind, call: o.Call, start: never})
	}
	return i
}

// startStreams lets every stream begin: at once, or as its offset or its rank's lateness
// has it.
func (m *machine) startStreams() {
	for i := range m.streams {
		s := &m.streams[i]
		at := sim.Time(s.Start) + m.late(s.rank)
		if at == 0 {
			m.running = append(m.running, s.lane)
			continue
		}
		m.lanes[s.lane].path.causes[causeLate] = at
		m.engine.Schedule(at, onStream, s.lane)
	}
}

// streamGoesOn takes a stream to its next operator, as far as it can go at once.
func (m *machine) streamGoesOn(i int32) {
	s := &m.streams[i]
	for {
		l := &m.lanes[s.lane]
		now := m.engine.Now()
		if int(s.k) == len(s.Operators) {
			l.state = laneDone
			m.note(&l.path, l, happening{name: "Stream", peer: l.rank})
			m.finished++
			m.end, m.endAt = l.path, now // the last stream's remain
			return
		}
		if s.issued != nil && s.issued[s.k] > now {
			l.path.causes[causeHost] += s.issued[s.k] - now
			m.engine.Schedule(s.issued[s.k], onStream, s.lane)
			return
		}
		if n := m.spanOf[s.lane][s.k]; n != none && n != s.span {
			s.span, s.since, s.before = n, now, l.path.causes
			s.base = piece{began: now, ended: now}
			if p, back := s.pieces[n]; back {
				s.base = p
			}
		}
		if !m.operate(s) {
			return
		}
		m.operatorEnds(s)
	}
}

// operate begins the stream's operator; true when it is over at once.
func (m *machine) operate(s *stream) bool {
	o, i := &s.Operators[s.k], s.lane
	m.spanBegins(m.spanOf[i][s.k])
	l := &m.lanes[i]
	l.state = laneInStep
	switch o.Kind {
	case OpKernel:
		return m.perform(i, task{kind: taskKernel, wire: wireLocal, bytes: int64(o.Bytes)})
	case OpRecord:
		return m.perform(i, task{kind: taskRecord, signal: signalEvent, wire: wireLocal})
	case OpWait:
		return m.perform(i, task{kind: taskWait, signal: signalEvent, wire: wireLocal})
	case OpCopyHost:
		return m.copyHost(i, o)
	}
	return m.join(s, o)
}

// perform carries out a task of a stream's own lane: under the ideal handshake and in AI
// cores only its body costs.
func (m *machine) perform(i int32, t task) bool {
	if m.ideal {
		m.lanes[i].task = t
		return m.body(i)
	}
	return m.begin(i, t)
}

// join lets the stream's rank take part in a call.
func (m *machine) join(s *stream, o *Operator) bool {
	c := &m.calls[o.Call]
	if c.began == never {
		m.activate(int32(o.Call))
		m.arrive(c, s)
		m.startHosts(c, s)
	} else {
		m.arrive(c, s)
	}
	if c.expansion == ExpandAIV {
		if !m.cores[s.rank].Acquire(s.lane, m.aivCores(), s.priority) {
			m.lanes[s.lane].task = task{kind: taskHold}
			return false
		}
	}
	m.takePart(s)
	return false
}

// startHosts lets the hosts of a call begin when its first member, which s is of, has come.
func (m *machine) startHosts(c *call, s *stream) {
	first := c.comm.local(s.rank)
	p := path{origin: first, last: c.came[first].path.last}
	m.note(&p, &m.lanes[s.lane], happening{again: true})
	for r := c.members; r < int32(c.rounds[0].Ranks()); r++ {
		m.startRound(c, r, c.serial, p, never)
	}
}

func (m *machine) arrive(c *call, s *stream) {
	l := &m.lanes[s.lane]
	m.note(&l.path, l, happening{name: "Stream", peer: l.rank})
	c.came[c.comm.local(s.rank)] = arrival{path: m.lanes[s.lane].path, at: m.engine.Now(), stream: s.lane}
}

// takePart starts the lanes of the stream's rank in its call. Their path begins when the
// call's first member came.
func (m *machine) takePart(s *stream) {
	c := &m.calls[s.Operators[s.k].Call]
	local := c.comm.local(s.rank)
	a := &c.came[local]
	l := &m.lanes[s.lane]
	p := path{origin: local, last: a.path.last}
	p.causes[causeLate] = a.at - c.began
	m.note(&p, l, happening{again: true})
	p.causes[causeEngine] = m.engine.Now() - a.at
	m.startRound(c, local, c.serial, p, l.ended)
}

// callEnds is the end of a member's part in a call. The path of its stream goes on from
// where the call's path began: with the stream of the member that it goes back to.
func (m *machine) callEnds(c *call, local int32, p path, ended sim.Time) {
	from := &c.came[p.origin]
	s := &m.streams[c.came[local].stream]
	if n := m.spanOf[s.lane][s.k]; n != none {
		m.spanEnds(&m.spans[n], &p.causes, c.began)
	}
	l := &m.lanes[s.lane]
	late := from.at - c.began
	p.causes[causeLate] -= late
	for i := range p.causes {
		p.causes[i] += from.path.causes[i]
	}
	p.origin = 0
	m.note(&p, l, happening{again: true})
	l.path, l.ended = p, ended
	if c.expansion == ExpandAIV {
		m.cores[s.rank].Release(m.aivCores())
		m.grant(&m.cores[s.rank])
	}
	s.k++
	s.span = none
	l.state = laneRuns
	m.running = append(m.running, s.lane)
}

// operatorEnds is the end of an operator that the stream's own lane has carried out.
func (m *machine) operatorEnds(s *stream) {
	l := &m.lanes[s.lane]
	if n := m.spanOf[s.lane][s.k]; n != none {
		own := l.path.causes
		for i := range own {
			own[i] += s.base.causes[i] - s.before[i]
		}
		own[causeLate] += s.since - s.base.ended // between its parts
		if m.spans[n].returns {
			if s.pieces == nil {
				s.pieces = map[int32]piece{}
			}
			s.pieces[n] = piece{own, s.base.began, m.engine.Now()}
		}
		m.spanEnds(&m.spans[n], &own, s.base.began)
	}
	s.k++
	l.state = laneRuns
}

func (m *machine) spanBegins(n int32) {
	if n != none && m.spans[n].start == never {
		m.spans[n].start = m.engine.Now()
	}
}

// spanEnds keeps the path of the latest end; began is where it begins.
func (m *machine) spanEnds(s *span, path *causes, began sim.Time) {
	s.end, s.critical = m.engine.Now(), *path
	s.critical[causeLate] += began - s.start
}

// recordEvent lets an event happen, and the streams that wait for it go on.
func (m *machine) recordEvent(l *lane) {
	e := m.event(l)
	e.path, e.at = l.path, m.engine.Now()
	for _, w := range e.waiters {
		other := &m.lanes[w]
		other.path, other.state = e.path, laneInStep
		m.streams[w].span = none // from here on the path is another stream's
		m.waited(w)
	}
	e.waiters = nil
}

// event is what the operator of a stream's own lane records or waits for.
func (m *machine) event(l *lane) *event {
	s := &m.streams[l.stream]
	key := eventKey{s.rank, s.Operators[s.k].Event}
	e := m.events[key]
	if e == nil {
		e = &event{at: never}
		m.events[key] = e
	}
	return e
}

type eventKey struct {
	rank  int32
	event int
}

// copyHost copies between an NPU and its server's host.
func (m *machine) copyHost(i int32, o *Operator) bool {
	l := &m.lanes[i]
	t := task{kind: taskCopy, src: l.rank, dst: m.hostOf(l.rank), bytes: int64(o.Bytes)}
	l.step = algorithms.Step{Drive: algorithms.Write}
	if !o.ToHost {
		t.src, t.dst = t.dst, t.src
		l.step.Drive = algorithms.Read
	}
	m.count.messages++
	return m.perform(i, t)
}

// blocked says what a stream waits for; "" if nothing is wrong with it.
func (m *machine) blocked(s *stream) string {
	l := &m.lanes[s.lane]
	if l.state == laneDone {
		return ""
	}
	what := "stream " + s.Name
	o := &s.Operators[s.k]
	switch {
	case o.Kind == OpWait:
		return fmt.Sprintf("%s waits for event %s, which is not recorded", what, o.Name)
	case l.task.kind == taskHold || l.task.kind == taskKernel:
		return fmt.Sprintf("%s, %s waits for AI cores, of which %s", what, o.Name, m.holders(s.rank))
	case o.Kind == OpCall:
		c := &m.calls[o.Call]
		if missing := m.missing(c); missing != "" {
			return fmt.Sprintf("%s, %s waits for %s", what, o.Name, missing)
		}
	}
	return fmt.Sprintf("%s has not finished %s", what, o.Name)
}

// holders says who holds the AI cores of a rank.
func (m *machine) holders(rank int32) string {
	var names []string
	for i := range m.streams {
		s := &m.streams[i]
		if s.rank != rank || int(s.k) == len(s.Operators) || s.Operators[s.k].Kind != OpCall {
			continue
		}
		if c := &m.calls[s.Operators[s.k].Call]; c.expansion == ExpandAIV && m.lanes[s.lane].task.kind != taskHold {
			names = append(names, fmt.Sprintf("stream %s, %s holds %d", s.Name, s.Operators[s.k].Name, m.aivCores()))
		}
	}
	return strings.Join(names, ", ") + fmt.Sprintf(" of %d", m.top.NPU.Cores)
}

// missing names the members that have not come to a call; "" if all have.
func (m *machine) missing(c *call) string {
	var ranks []int32
	if c.came == nil {
		return ""
	}
	for r := range c.members {
		if c.came[r].at == never {
			ranks = append(ranks, c.comm.place(r))
		}
	}
	if len(ranks) == 0 {
		return ""
	}
	return RanksText(ranks) + " to come"
}

// spansDone are the operators as results.
func (m *machine) spansDone() []Span {
	var list []Span
	for i := range m.spans {
		s := &m.spans[i]
		if s.start == never {
			continue
		}
		list = append(list, Span{
			Name: s.name, Kind: s.kind, Call: s.call, Start: units.Duration(s.start), End: units.Duration(s.end),
			Critical: s.critical.parts(s.end-s.start, 1, m.classes),
		})
	}
	return list
}
