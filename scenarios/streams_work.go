package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/model"
	"hcclsim/model/records"
	"hcclsim/topologies/document"
)

// matcher puts together what belongs together: the operators of the members of a collective,
// and the two ends of a message.
type matcher struct {
	s     settled
	set   *streamSet
	work  model.Work
	calls map[callKey]*pending
	order []*pending
	// sources are the operators of the document, by stream of the work and operator.
	sources [][]*operator
}

// callKey names the n-th use of a communicator's group by a rank, or the n-th message of a
// pair of ranks.
type callKey struct {
	comm     string
	group    int
	from, to int32 // of a message; -1: of a collective
	n        int
}

// pending is a call of which some members are known.
type pending struct {
	first   *operator
	members []int32
	came    map[int32]bool
	sent    *operator // of a message
	got     *operator
	index   int // in the work's calls
	row     records.Row
}

// matchStreams makes the work of a set of streams, in which nothing is wrong but what it
// reports itself.
func (s settled) matchStreams(set *streamSet) *matcher {
	m := &matcher{s: s, set: set, calls: map[callKey]*pending{}}
	m.work = model.Work{Topology: s.topology, Settings: s.env.machine, Faults: s.faults, Jitter: s.jitter}
	uses := map[callKey]int{}
	for i := range set.streams {
		m.addStream(&set.streams[i], uses)
	}
	m.checkComplete()
	set.work, set.rows = m.work, m.rows()
	return m
}

// addStream adds a stream on each of its ranks.
func (m *matcher) addStream(st *stream, uses map[callKey]int) {
	for _, rank := range st.ranks {
		one := model.Stream{Name: st.name, Rank: int(rank), Priority: st.priority, Start: st.start}
		var sources []*operator
		for i := range st.operators {
			o := &st.operators[i]
			of := o.of
			if of.Kind == model.OpCall {
				of.Call = m.match(o, rank, uses).index
			}
			one.Operators = append(one.Operators, of)
			sources = append(sources, o)
		}
		m.sources = append(m.sources, sources)
		m.work.Streams = append(m.work.Streams, one)
	}
}

// match finds the call that a rank's operator takes part in.
func (m *matcher) match(o *operator, rank int32, uses map[callKey]int) *pending {
	comm := m.s.communicators[o.comm]
	group, _ := comm.group(rank)
	members := comm.groups[group]
	key := callKey{o.comm, group, -1, -1, 0}
	if o.kind == opSend || o.kind == opRecv {
		peer := members[o.peer]
		if key.from, key.to = rank, peer; o.kind == opRecv {
			key.from, key.to = peer, rank
		}
		members = []int32{min(rank, peer), max(rank, peer)}
	}
	count := key
	count.n = int(rank)<<1 | b2i(o.kind == opRecv) // uses are counted by rank, and end
	uses[count]++
	key.n = uses[count]
	p := m.calls[key]
	if p == nil {
		p = &pending{first: o, members: members, came: map[int32]bool{}, index: len(m.order)}
		m.calls[key] = p
		m.order = append(m.order, p)
		m.addCall(p, key)
	} else if p.first != o {
		m.agree(p, o)
	}
	p.came[rank] = true
	switch o.kind {
	case opSend:
		p.sent = o
	case opRecv:
		p.got = o
	}
	return p
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// agree compares an operator with the first of its call.
func (m *matcher) agree(p *pending, o *operator) {
	a, b := &p.first.entry, &o.entry
	differ := ""
	switch {
	case a.sizes[0] != b.sizes[0]:
		differ = fmt.Sprintf("%v, not %v", b.sizes[0], a.sizes[0])
	case a.collective != b.collective, a.algorithms[0] != b.algorithms[0]:
		differ = fmt.Sprintf("%s by %s, not %s by %s", b.collective, b.algorithms[0], a.collective, a.algorithms[0])
	case a.root != b.root:
		differ = fmt.Sprintf("root %d, not %d", b.root, a.root)
	case a.dtype != b.dtype, a.op != b.op, a.inPlace != b.inPlace:
		differ = "another dtype, op or in_place"
	}
	if differ != "" {
		o.at.Errorf("is %s, as at %s with which it meets on communicator %s", differ, p.first.at.Node().Position(), o.comm)
	}
}

// addCall makes the call of a first member.
func (m *matcher) addCall(p *pending, key callKey) {
	o := p.first
	t := m.s.topology
	members := p.members
	if len(members) == t.Size() {
		members = nil
	} else {
		t = t.Part(members)
	}
	e := o.entry
	if key.from >= 0 && key.from > key.to {
		e.root = 1
	}
	if e.root >= len(p.members) {
		o.at.Key("root").Errorf("rank %d does not exist: the communicator has %d", e.root, len(p.members))
		e.root = 0
	}
	point := e.points(t, m.s.env.machine, e.algorithms[0])[0]
	if e.algorithms[0] == auto {
		settings := m.s.env.settings
		if _, err := e.choose(&point, settings); err != nil {
			o.at.Errorf("%v", err)
		}
	}
	if _, err := point.Schedule(); err != nil && e.sizes[0] > 0 {
		o.at.Errorf("%v", err)
	}
	m.work.Calls = append(m.work.Calls, model.Call{Point: point.Point, Members: members, Communicator: fmt.Sprintf("%s/%d", key.comm, key.group)})
	p.row = point.Row
}

// checkComplete reports members and ends that are missing, and names messages.
func (m *matcher) checkComplete() {
	for _, p := range m.order {
		o := p.first
		if o.kind != opSend && o.kind != opRecv {
			for _, r := range p.members {
				if !p.came[r] {
					o.at.Errorf("rank %d does not take part, but is in the group of communicator %s", r, o.comm)
					break
				}
			}
			continue
		}
		switch a, b := p.members[0], p.members[1]; {
		case p.got == nil:
			o.at.Errorf("nobody receives it: of ranks %d and %d only the sender takes part", a, b)
		case p.sent == nil:
			o.at.Errorf("nobody sends it: of ranks %d and %d only the receiver takes part", a, b)
		}
	}
	m.nameMessages()
}

// nameMessages gives the ends of a message that have no name that of the other end, or one
// of their own.
func (m *matcher) nameMessages() {
	for i := range m.work.Streams {
		for k := range m.work.Streams[i].Operators {
			of := &m.work.Streams[i].Operators[k]
			if of.Kind != model.OpCall || of.Name != "" {
				continue
			}
			p := m.order[of.Call]
			for _, end := range []*operator{p.sent, p.got} {
				if end != nil && end.name != "" {
					of.Name = end.name
				}
			}
			if of.Name == "" {
				from, to := p.members[0], p.members[1]
				if m.work.Calls[of.Call].Point.Root == 1 {
					from, to = to, from
				}
				of.Name = fmt.Sprintf("message-%d-%d", from, to)
			}
		}
	}
}

// rows are what the rows of operators say besides their times, by name. Their ranks are
// those that have a kernel or copy, or the largest group that meets in a collective.
func (m *matcher) rows() map[string]records.Row {
	rows := map[string]records.Row{}
	latest := map[string]int{} // stream that has counted its rank
	for i, s := range m.work.Streams {
		for _, of := range s.Operators {
			if of.Kind == model.OpRecord || of.Kind == model.OpWait {
				continue
			}
			row, known := rows[of.Name]
			if !known {
				row = m.rowOf(of)
				row.Ranks = 0
				latest[of.Name] = -1
			}
			switch {
			case of.Kind == model.OpCall:
				row.Ranks = max(row.Ranks, len(m.order[of.Call].members))
			case latest[of.Name] != i:
				row.Ranks++
				latest[of.Name] = i
			}
			rows[of.Name] = row
		}
	}
	return rows
}

func (m *matcher) rowOf(of model.Operator) records.Row {
	switch of.Kind {
	case model.OpKernel:
		return records.Row{Collective: opKernel, Bytes: of.Bytes, Iterations: 1}
	case model.OpCopyHost:
		return records.Row{Collective: opCopyHost, Bytes: of.Bytes, Iterations: 1}
	}
	p := m.order[of.Call]
	row := p.row
	if p.sent != nil || p.got != nil {
		row.Collective, row.Requested, row.Algorithm = opSend, "", ""
	}
	return row
}

// inversions warns of ranks that compute at a higher priority than they communicate, and of
// priorities that the product does not have.
func (set *streamSet) inversions(t model.Topology) (warnings []Warning) {
	whatIf := slices.IndexFunc(set.streams, func(st stream) bool { return st.set })
	if whatIf >= 0 && t.NPU.Streams.Priorities == 1 {
		at := set.streams[whatIf].at.Key("priority")
		warnings = append(warnings, Warning{at.Node().Position(), fmt.Sprintf("the priorities of %s are a what-if: %s runs all streams at one priority", set.name, t.Name)})
	}
	for i := range set.streams {
		st := &set.streams[i]
		var above []string
		for j := range set.streams {
			other := &set.streams[j]
			if i != j && meet(st.ranks, other.ranks) && st.communicates() && other.computes() && st.priority > other.priority {
				above = append(above, fmt.Sprintf("%s, which computes at %d", other.name, other.priority))
			}
		}
		if len(above) > 0 {
			warnings = append(warnings, Warning{st.at.Node().Position(), fmt.Sprintf("priority inversion: stream %s communicates at priority %d, below %s", st.name, st.priority, strings.Join(above, ", and "))})
		}
	}
	return warnings
}

// addStreams appends the point of an entry of streams.
func (p *Plan) addStreams(s settled, set *streamSet, tree *document.Node, swept []records.Field) error {
	t := s.topology
	point := Point{Streams: &set.work, Operators: set.rows, Repeat: s.repeat}
	for _, call := range set.work.Calls {
		point.Work += Point{Point: call.Point, Repeat: s.repeat}.steps()
	}
	point.Point.Topology, point.Point.Jitter = t, s.jitter
	point.Row = records.Row{
		Scenario: p.Name, Topology: t.Name, Collective: "streams", Servers: t.Servers, Ranks: t.Size(), Shape: shape(t),
		Faults: wrong(s.faults, s.jitter), Iterations: 1, Swept: swept, Run: set.name,
	}
	for _, w := range set.inversions(t) {
		p.warn(w)
	}
	if set.step {
		point.Alone, point.Row.Collective, point.Row.Compute = alone(set.work), "training-step", computes(set.work)
	}
	if err := model.CheckWork(set.work); err != nil {
		return document.Fault(s.blamed(err, tree, set.at.Node()).Origin, "%v", err)
	}
	p.Points = append(p.Points, point)
	return nil
}
