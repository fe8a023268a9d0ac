package proof

import (
	"fmt"
	"slices"

	"hcclsim/algorithms"
)

// touch is an access of a message to a cell.
type touch struct {
	message int32
	kind    kind
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
}

// races proves that no two accesses race. Whether one node comes before another is
// computed for a block of messages at a time: each message of the block has two bits,
// that it has moved (its node) and that the receiver has taken it in (the end of the
// receiver's step when it reduces, which may be later), and the bits spread along the
// edges in the order of the graph.
type races struct {
	g         *graph
	touches   [][]touch
	conflicts []conflict
	place     []int32  // by node: its place in the order
	reach     []uint64 // by place
}

const (
	blockWords    = 16
	blockMessages = blockWords * 64 / 2
)

// check collects all conflicts and proves them ordered.
func (r *races) check(g *graph, c *contents) error {
	r.g = g
	r.collect(c)
	r.conflicts = r.conflicts[:0]
	for cell, ts := range r.touches {
		for j, second := range ts {
			for _, first := range ts[:j] {
				if first.kind == read && second.kind == read || first.kind == add && second.kind == add {
					continue
				}
				if !r.sameLane(first, second) {
					r.conflicts = append(r.conflicts, conflict{int32(cell), first, second})
				}
			}
		}
	}
	if len(r.conflicts) == 0 {
		return nil
	}
	slices.SortFunc(r.conflicts, func(a, b conflict) int { return int(a.first.message - b.first.message) })
	r.place = append(r.place[:0], g.order...)
	for i, v := range g.order {
		r.place[v] = int32(i)
	}
	r.reach = slices.Grow(r.reach[:0], len(g.order)*blockWords)[:len(g.order)*blockWords]
	for rest := r.conflicts; len(rest) > 0; {
		from := rest[0].first.message
		n := 0
		for n < len(rest) && rest[n].first.message < from+blockMessages {
			n++
		}
		r.spread(from)
		for _, k := range rest[:n] {
			if !r.ordered(k, from) {
				return r.failure(k, c)
			}
		}
		rest = rest[n:]
	}
	return nil
}

// collect lists the accesses of every cell in the order of the messages.
func (r *races) collect(c *contents) {
	cells := len(c.origin)
	if cap(r.touches) < cells {
		r.touches = make([][]touch, cells)
	}
	r.touches = r.touches[:cells]
	for i := range r.touches {
		r.touches[i] = r.touches[i][:0]
	}
	for _, v := range r.g.order {
		m := v - r.g.node(0)
		if m < 0 {
			continue
		}
		from, to := r.g.messages[m].from, r.g.messages[m].to
		taken := write
		if r.g.steps[to].Reduce {
			taken = add
		}
		r.touch(c, m, from, r.g.steps[from].Send, read)
		r.touch(c, m, to, r.g.steps[to].Recv, taken)
	}
}

func (r *races) touch(c *contents, m, step int32, h algorithms.Half, k kind) {
	for j := range h.Set.Len() {
		slice := h.Set.Slice(j)
		if _, bytes := r.g.s.Layout.Span(h.Buf, slice); bytes == 0 {
			continue
		}
		cell := c.cell(r.g.refs[step].Rank, h.Buf, slice)
		r.touches[cell] = append(r.touches[cell], touch{m, k})
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

// spread computes which nodes come after each of the messages from one on.
func (r *races) spread(from int32) {
	g := r.g
	to := min(from+blockMessages, int32(len(g.messages)))
	for place, v := range g.order {
		bits := r.reach[place*blockWords : (place+1)*blockWords]
		clear(bits)
		for _, p := range g.preds[g.begin[v]:g.begin[v+1]] {
			before := r.reach[int(r.place[p])*blockWords:][:blockWords]
			for w := range bits {
				bits[w] |= before[w]
			}
		}
		r.seed(bits, v, from, to)
	}
}

// seed sets the bits that begin at node v.
func (r *races) seed(bits []uint64, v, from, to int32) {
	g := r.g
	m := v - g.node(0)
	moved := m >= from && m < to
	if moved {
		bits[(m-from)/32] |= 1 << ((m - from) % 32 * 2)
	}
	if m < 0 && v%2 == 1 {
		if m = g.recvs[v/2]; m < from || m >= to || !g.steps[v/2].Reduce {
			return
		}
		bits[(m-from)/32] |= 2 << ((m - from) % 32 * 2)
	} else if moved && !g.steps[g.messages[m].to].Reduce {
		bits[(m-from)/32] |= 2 << ((m - from) % 32 * 2)
	}
}

// ordered says whether the first access of a conflict is over before the second.
func (r *races) ordered(k conflict, from int32) bool {
	place := int(r.place[r.g.node(k.second.message)])
	m := k.first.message - from
	bits := r.reach[place*blockWords+int(m/32)] >> (m % 32 * 2) & 3
	if k.first.kind == read {
		return bits&1 != 0
	}
	return bits == 3
}

func (r *races) failure(k conflict, c *contents) error {
	slice := int(k.cell) % c.slices
	b := int(k.cell) / c.slices % buffers
	rank := int(k.cell) / c.slices / buffers
	return fmt.Errorf("race on slice %d of %s of rank %d: %s %s it and %s %s it in no order",
		slice, bufferNames[b], rank, r.who(k.first), kindNames[k.first.kind], r.who(k.second), kindNames[k.second.kind])
}

func (r *races) who(t touch) string {
	m := r.g.messages[t.message]
	if t.kind == read {
		return r.g.name(m.from)
	}
	return r.g.name(m.to)
}
