package proof

import "slices"

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

// checkReach decides the conflicts, exactly. Whether one node comes before another is
// computed for a block of messages at a time: each message of the block has two bits,
// that it has moved (its node) and that the receiver has taken it in (the end of the
// receiver's step when it reduces, which may be later), and the bits spread along the
// edges in the order of the graph.
func (r *races) checkReach() error {
	if len(r.conflicts) == 0 {
		return nil
	}
	n := len(r.seeds) * blockWords
	r.reach = slices.Grow(r.reach[:0], n)[:n]
	for block, conflicts := range r.blocks() {
		if len(conflicts) == 0 {
			continue
		}
		from := int32(block * blockMessages)
		first := r.spread(from, r.last(conflicts))
		for _, k := range conflicts {
			if !r.inOrder(k, from, first) {
				return r.failure(k)
			}
		}
	}
	return nil
}

// blocks sorts the conflicts by the block of the first access.
func (r *races) blocks() [][]conflict {
	n := (len(r.moved) + blockMessages - 1) / blockMessages
	for len(r.byBlock) < n {
		r.byBlock = append(r.byBlock, nil)
	}
	blocks := r.byBlock[:n]
	for i := range blocks {
		blocks[i] = blocks[i][:0]
	}
	for _, k := range r.conflicts {
		at := &blocks[r.turn[k.first.message]/blockMessages]
		*at = append(*at, k)
	}
	return blocks
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

// last is the last place at which a conflict is decided.
func (r *races) last(conflicts []conflict) int32 {
	last := int32(0)
	for _, k := range conflicts {
		last = max(last, r.place[r.g.node(k.second.message)])
	}
	return last
}

// spread computes which nodes, up to the last that matters, come after each of a block of
// messages. It returns the place of the first node that can.
func (r *races) spread(from, last int32) (first int32) {
	to := min(from+blockMessages, int32(len(r.moved)))
	first = r.place[r.g.node(r.moved[from])]
	for _, m := range r.moved[from:to] {
		if to := r.g.messages[m].to; r.g.steps[to].Reduce {
			// The passive end of a synced message may come before it in the order.
			first = min(first, r.place[end(to)])
		}
	}
	for at := first; at <= last; at++ {
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
