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
}

// races proves that no two accesses race. Whether one node comes before another is
// computed for a block of messages at a time: each message of the block has two bits,
// that it has moved (its node) and that the receiver has taken it in (the end of the
// receiver's step when it reduces, which may be later), and the bits spread along the
// edges in the order of the graph.
type races struct {
	g         *graph
	ordered   bool         // reductions must be ordered with each other, too
	accesses  []access     // in the order of the messages
	first     []int32      // by cell: its first touch; the last: the number of touches
	touches   []touch      // by cell, in the order of the messages
	moved     []int32      // the messages in the order of the graph
	turn      []int32      // by message: its place in moved
	conflicts [][]conflict // by block of the first access

	// The graph without the nodes that add nothing: those with one predecessor at which
	// no bit begins. It is numbered in its order.
	place []int32 // by node of the whole graph
	begin []int32
	preds []int32
	seeds []seed // by place
	reach []uint64
}

// seed is what begins at a node: bits of the message of a turn; turn -1: nothing.
type seed struct {
	turn int32
	bits uint64
}

const (
	moved = 1 // the bits of a message
	taken = 2

	blockWords    = 16
	blockMessages = blockWords * 64 / 2
)

// check collects all conflicts and proves them ordered.
func (r *races) check(g *graph, ordered bool) error {
	r.g, r.ordered = g, ordered
	r.collect()
	if !r.clash() {
		return nil
	}
	r.contract()
	for block, conflicts := range r.conflicts {
		if len(conflicts) == 0 {
			continue
		}
		from := int32(block * blockMessages)
		first := r.spread(from)
		for _, k := range conflicts {
			if !r.inOrder(k, from, first) {
				return r.failure(k)
			}
		}
	}
	return nil
}

// clash lists the conflicts that need a proof, and says whether there are any.
func (r *races) clash() bool {
	blocks := (len(r.moved) + blockMessages - 1) / blockMessages
	for len(r.conflicts) < blocks {
		r.conflicts = append(r.conflicts, nil)
	}
	r.conflicts = r.conflicts[:blocks]
	for i := range r.conflicts {
		r.conflicts[i] = r.conflicts[i][:0]
	}
	any := false
	for cell := range len(r.first) - 1 {
		ts := r.touches[r.first[cell]:r.first[cell+1]]
		for j, second := range ts {
			for _, first := range ts[:j] {
				if r.commute(first.kind, second.kind) || r.sameLane(first, second) {
					continue
				}
				block := r.turn[first.message] / blockMessages
				r.conflicts[block] = append(r.conflicts[block], conflict{int32(cell), first, second})
				any = true
			}
		}
	}
	return any
}

// commute says whether the order of two accesses does not matter.
func (r *races) commute(first, second kind) bool {
	return first == second && (first == read || first == add && !r.ordered)
}

// contract numbers the nodes that count.
func (r *races) contract() {
	g := r.g
	r.begin, r.preds, r.seeds = r.begin[:0], r.preds[:0], r.seeds[:0]
	r.place = fill(r.place, len(g.order))
	for _, v := range g.order {
		preds, seed := g.preds[g.begin[v]:g.begin[v+1]], r.seed(v)
		if len(preds) == 1 && seed.turn < 0 {
			r.place[v] = r.place[preds[0]]
			continue
		}
		r.place[v] = int32(len(r.seeds))
		r.seeds = append(r.seeds, seed)
		r.begin = append(r.begin, int32(len(r.preds)))
		for _, p := range preds {
			r.preds = append(r.preds, r.place[p])
		}
	}
	r.begin = append(r.begin, int32(len(r.preds)))
	n := len(r.seeds) * blockWords
	r.reach = slices.Grow(r.reach[:0], n)[:n]
}

// seed is what begins at node v.
func (r *races) seed(v int32) seed {
	g := r.g
	if m := v - g.node(0); m >= 0 {
		if g.steps[g.messages[m].to].Reduce {
			return seed{r.turn[m], moved}
		}
		return seed{r.turn[m], moved | taken}
	}
	if v%2 == 1 && g.steps[v/2].Reduce && g.recvs[v/2] >= 0 {
		return seed{r.turn[g.recvs[v/2]], taken}
	}
	return seed{turn: -1}
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
		r.access(m, from, &r.g.steps[from].Send, read)
		r.access(m, to, &r.g.steps[to].Recv, as)
	}
	r.sort()
}

func (r *races) access(m, step int32, h *algorithms.Half, k kind) {
	rank := r.g.refs[step].Rank
	for j := range h.Set.Len() {
		slice := h.Set.Slice(j)
		if _, bytes := r.g.s.Layout.Span(h.Buf, slice); bytes == 0 {
			continue
		}
		cell := r.g.cells.cell(rank, h.Buf, slice)
		r.accesses = append(r.accesses, access{int32(cell), touch{m, k}})
		r.first[cell]++
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

// spread computes which nodes come after each of a block of messages. It returns the
// place of the first node that can.
func (r *races) spread(from int32) (first int32) {
	to := min(from+blockMessages, int32(len(r.moved)))
	first = r.place[r.g.node(r.moved[from])]
	for _, m := range r.moved[from:to] {
		if to := r.g.messages[m].to; r.g.steps[to].Reduce {
			// The passive end of a synced message may come before it in the order.
			first = min(first, r.place[end(to)])
		}
	}
	for at := first; at < int32(len(r.seeds)); at++ {
		bits := r.reach[at*blockWords:][:blockWords]
		clear(bits)
		for _, p := range r.preds[r.begin[at]:r.begin[at+1]] {
			if p < first {
				continue
			}
			before := r.reach[p*blockWords:][:blockWords]
			for w := range bits {
				bits[w] |= before[w]
			}
		}
		if s := r.seeds[at]; s.turn >= from && s.turn < to {
			bits[(s.turn-from)/32] |= s.bits << ((s.turn - from) % 32 * 2)
		}
	}
	return first
}

// inOrder says whether the first access of a conflict is over before the second.
func (r *races) inOrder(k conflict, from, first int32) bool {
	place := r.place[r.g.node(k.second.message)]
	if place < first {
		return false
	}
	m := r.turn[k.first.message] - from
	bits := r.reach[place*blockWords+m/32] >> (m % 32 * 2) & (moved | taken)
	if k.first.kind == read {
		return bits&moved != 0
	}
	return bits == moved|taken
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
