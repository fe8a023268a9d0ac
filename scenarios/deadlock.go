package scenarios

import (
	"fmt"
	"slices"

	"hcclsim/model"
)

// dryRun is streams without times: how far each comes whatever the machine. Who waits then
// waits for ever. What AI cores hold up only a run can tell.
type dryRun struct {
	m        *matcher
	next     []int             // operator of each stream
	records  map[eventOf]int   // the stream that records an event
	done     map[eventOf]bool  // events that have been recorded
	waiting  map[eventOf][]int // streams
	came     [][]int           // streams that have come to each call
	callers  []map[int32]int   // stream of each member of each call
	advances []int             // streams that may go on
}

// checkDeadlocks reports streams that wait for each other, or for themselves, at the places
// where they do. Who only waits for those is not named.
func (m *matcher) checkDeadlocks() {
	d := newDryRun(m)
	d.run()
	var stuck onRanks
	why := map[*operator]string{}
	for s := range d.next {
		if d.ended(s) || !d.inCycle(s) {
			continue
		}
		o := d.at(s)
		if why[o] == "" {
			why[o] = d.why(s)
		}
		stuck.add(o, int32(m.work.Streams[s].Rank))
	}
	stuck.report(func(o *operator, ranks string, _ int32) { o.at.Errorf("deadlock on %s: %s", ranks, why[o]) })
}

func newDryRun(m *matcher) *dryRun {
	d := &dryRun{
		m: m, next: make([]int, len(m.work.Streams)),
		records: map[eventOf]int{}, done: map[eventOf]bool{}, waiting: map[eventOf][]int{},
		came: make([][]int, len(m.order)), callers: make([]map[int32]int, len(m.order)),
	}
	for i, s := range m.work.Streams {
		for _, of := range s.Operators {
			switch of.Kind {
			case model.OpRecord:
				d.records[eventOf{int32(s.Rank), of.Event}] = i
			case model.OpCall:
				if d.callers[of.Call] == nil {
					d.callers[of.Call] = map[int32]int{}
				}
				d.callers[of.Call][int32(s.Rank)] = i
			}
		}
		d.advances = append(d.advances, i)
	}
	return d
}

func (d *dryRun) run() {
	for len(d.advances) > 0 {
		s := d.advances[len(d.advances)-1]
		d.advances = d.advances[:len(d.advances)-1]
		for !d.ended(s) && d.passes(s) {
			d.next[s]++
		}
	}
}

func (d *dryRun) ended(s int) bool { return d.next[s] == len(d.m.work.Streams[s].Operators) }

// passes says whether a stream gets past its operator; if not, it is called again when that
// may have changed.
func (d *dryRun) passes(s int) bool {
	stream := &d.m.work.Streams[s]
	of := &stream.Operators[d.next[s]]
	e := eventOf{int32(stream.Rank), of.Event}
	switch of.Kind {
	case model.OpRecord:
		d.done[e] = true
		d.advances = append(d.advances, d.waiting[e]...)
		d.waiting[e] = nil
	case model.OpWait:
		if !d.done[e] {
			d.waiting[e] = append(d.waiting[e], s)
		}
		return d.done[e]
	case model.OpCall:
		return d.meets(s, of.Call)
	}
	return true
}

// meets says whether all members of a call have come. Where one rank is the root of many, some
// may be through before the last comes, so that nobody is taken to wait.
func (d *dryRun) meets(s, call int) bool {
	p := d.m.order[call]
	if p.first.entry.collective.Rooted() && len(p.members) > 2 {
		return true
	}
	if !slices.Contains(d.came[call], s) {
		d.came[call] = append(d.came[call], s)
		if len(d.came[call]) == len(p.members) {
			d.advances = append(d.advances, d.came[call]...)
		}
	}
	return len(d.came[call]) == len(p.members)
}

// blocker is a stream that the stream waits for, and the rank of a call that it is of.
func (d *dryRun) blocker(s int) (other int, rank int32) {
	stream := &d.m.work.Streams[s]
	of := &stream.Operators[d.next[s]]
	if of.Kind == model.OpWait {
		return d.records[eventOf{int32(stream.Rank), of.Event}], int32(stream.Rank)
	}
	for _, r := range d.m.order[of.Call].members {
		if c := d.callers[of.Call][r]; !slices.Contains(d.came[of.Call], c) {
			return c, r
		}
	}
	return s, int32(stream.Rank)
}

// inCycle says whether a stream waits for one that waits for it in the end.
func (d *dryRun) inCycle(s int) bool {
	seen := map[int]bool{}
	for at := s; !seen[at]; {
		seen[at] = true
		if at, _ = d.blocker(at); at == s {
			return true
		}
	}
	return false
}

// at is the operator at which a stream stands.
func (d *dryRun) at(s int) *operator { return d.m.sources[s][d.next[s]] }

func (d *dryRun) why(s int) string {
	o := d.at(s)
	other, rank := d.blocker(s)
	if o.kind != opWait {
		return fmt.Sprintf("rank %d comes only after %s, which never ends", rank, d.at(other).place())
	}
	for _, later := range d.m.sources[other] {
		if later.kind != opRecord || later.of.Event != o.of.Event {
			continue
		}
		if other == s {
			return fmt.Sprintf("event %s is recorded only at %s, further down in the same stream", o.name, later.place())
		}
		return fmt.Sprintf("event %s is recorded only at %s, behind %s, which never ends", o.name, later.place(), d.at(other).place())
	}
	return ""
}

func (o *operator) place() string { return o.at.Node().Position() }
