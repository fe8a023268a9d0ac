package proof

import (
	"fmt"
	"slices"
)

// touch is an access of a message to a cell.
type touch struct {
	message int32
	kind    kind
}

// access is a touch before it is sorted by cell.
type access struct {
	cell int32
	touch
}

type kind uint8

const (
	read kind = iota
	write
	add // a reduction: adds commute with each other, with nothing else
)

var kindNames = [...]string{"reads", "writes", "adds to"}

// conflict is a pair of accesses to one cell of which the first must be known to be over
// when the second begins.
type conflict struct {
	cell          int32
	first, second touch
	open          bool // the main lanes do not decide it
}

// races proves that no two accesses race. Most conflicts are decided by the lanes alone
// (sameLane), in schedules of many messages most others by the main lanes (checkMain), the
// rest by checkReach.
type races struct {
	g         *graph
	ordered   bool         // reductions must be ordered with each other, too
	accesses  []access     // in the order of the messages
	first     []int32      // by cell: its first touch; the last: the number of touches
	touches   []touch      // by cell, in the order of the messages
	former    []touch      // of a cell: the group before the latest; only the last of a lane
	group     []touch      // the latest group
	moved     []int32      // the messages in the order of the graph
	turn      []int32      // by message: its place in moved
	conflicts []conflict   // those that are still to be proved
	byBlock   [][]conflict // the same, see checkReach

	// The graph without the nodes that add nothing: those with one predecessor at which
	// no bit begins. It is numbered in its order.
	place []int32 // by node of the whole graph
	begin []int32
	preds []int32
	seeds []seed // by place

	claims []claim  // see checkMain
	joins  []int32  // by step, see meet
	known  []int32  // by place, see sweep
	reach  []uint64 // by place, see checkReach
}

// check collects all conflicts and proves them ordered.
func (r *races) check(g *graph, ordered bool) error {
	r.g, r.ordered = g, ordered
	r.collect()
	r.clash()
	if len(r.conflicts) == 0 {
		return nil
	}
	r.contract()
	// It takes a pass a rank, checkReach a pass a block of messages.
	if len(r.moved) > blockMessages*g.ranks {
		r.checkMain()
	}
	return r.checkReach()
}

// clash lists the conflicts that need a proof. Accesses of a cell that follow each other
// and commute are a group. An access has to come behind those of the group before its own;
// that it comes behind all earlier ones follows.
func (r *races) clash() {
	r.conflicts = r.conflicts[:0]
	for cell := range len(r.first) - 1 {
		r.former, r.group = r.former[:0], r.group[:0]
		for _, t := range r.touches[r.first[cell]:r.first[cell+1]] {
			if len(r.group) > 0 && !r.commute(r.group[0].kind, t.kind) {
				r.former, r.group = r.group, r.former[:0]
			}
			if r.join(t) {
				continue
			}
			for _, first := range r.former {
				if !r.sameLane(first, t) {
					r.conflicts = append(r.conflicts, conflict{cell: int32(cell), first: first, second: t})
				}
			}
		}
	}
}

// join adds an access to the group, in the place of one that is known to come before it if
// there is one: what comes behind this access comes behind that one too, and this one
// behind all that it does.
func (r *races) join(t touch) (behind bool) {
	for i, member := range r.group {
		if r.sameLane(member, t) {
			r.group[i] = t
			return true
		}
	}
	r.group = append(r.group, t)
	return false
}

// commute says whether the order of two accesses does not matter.
func (r *races) commute(first, second kind) bool {
	return first == second && (first == read || first == add && !r.ordered)
}

// collect lists the accesses of every cell in the order of the messages.
func (r *races) collect() {
	cells := r.g.cells.count()
	r.first = zeros(r.first, cells+1)
	r.accesses, r.moved = r.accesses[:0], r.moved[:0]
	r.turn = fill(r.turn, len(r.g.messages))
	for _, v := range r.g.order {
		m := v - r.g.node(0)
		if m < 0 {
			continue
		}
		r.turn[m] = int32(len(r.moved))
		r.moved = append(r.moved, m)
		from, to := r.g.messages[m].from, r.g.messages[m].to
		as := write
		if r.g.steps[to].Reduce {
			as = add
		}
		r.access(m, r.g.halves.sent(from), read)
		r.access(m, r.g.halves.received(to), as)
	}
	r.sort()
}

func (r *races) access(m int32, cells []int32, k kind) {
	for _, cell := range cells {
		if cell >= 0 {
			r.accesses = append(r.accesses, access{cell, touch{m, k}})
			r.first[cell]++
		}
	}
}

// sort sorts the accesses by cell and keeps their order in each. It turns the numbers of
// accesses into where those of the cell end, and, filling in from behind, begin.
func (r *races) sort() {
	end := int32(0)
	for cell := range r.first {
		end += r.first[cell]
		r.first[cell] = end
	}
	n := len(r.accesses)
	r.touches = slices.Grow(r.touches[:0], n)[:n]
	for i := n - 1; i >= 0; i-- {
		a := &r.accesses[i]
		r.first[a.cell]--
		r.touches[r.first[a.cell]] = a.touch
	}
}

// sameLane is a quick proof: both accesses belong to steps of one lane of the cell's
// rank, in order, and each waits for its step.
func (r *races) sameLane(first, second touch) bool {
	a, ok := r.local(first)
	b, also := r.local(second)
	return ok && also && r.g.refs[a].Lane == r.g.refs[b].Lane && a < b
}

// local is the step of the cell's own rank that an access belongs to, if the step and
// the message wait for each other.
func (r *races) local(t touch) (step int32, ok bool) {
	m := r.g.messages[t.message]
	step = m.to
	if t.kind == read {
		step = m.from
	}
	return step, r.g.drives(t.message, step)
}

func (r *races) failure(k conflict) error {
	return fmt.Errorf("race on %s: %s %s it and %s %s it in no order", r.g.cellName(int(k.cell)),
		r.who(k.first), kindNames[k.first.kind], r.who(k.second), kindNames[k.second.kind])
}

func (r *races) who(t touch) string {
	m := r.g.messages[t.message]
	if t.kind == read {
		return r.g.name(m.from)
	}
	return r.g.name(m.to)
}
