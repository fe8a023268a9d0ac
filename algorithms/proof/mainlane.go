package proof

import (
	"cmp"
	"slices"
)

// claim is that a conflict's first access has ended by the end of a step: all claims of a
// conflict together are that it is over.
type claim struct{ step, conflict int32 }

// checkMain drops the conflicts that the main lanes order: the first access is over when a
// step of the main lane of a rank begins (meet), which is known to have begun before the
// second access (sweep). What it does not decide is left to checkReach.
func (r *races) checkMain() {
	r.meet()
	r.claims = r.claims[:0]
	for i, k := range r.conflicts {
		r.claim(int32(i), k.first)
	}
	slices.SortFunc(r.claims, func(a, b claim) int { return cmp.Compare(a.step, b.step) })
	for i := 0; i < len(r.claims); {
		rank := r.g.refs[r.claims[i].step].Rank
		r.sweep(int(rank))
		for ; i < len(r.claims) && r.g.refs[r.claims[i].step].Rank == rank; i++ {
			c := r.claims[i]
			if k := &r.conflicts[c.conflict]; r.known[r.place[r.g.node(k.second.message)]] < r.joins[c.step] {
				k.open = true
			}
		}
	}
	r.conflicts = slices.DeleteFunc(r.conflicts, func(k conflict) bool { return !k.open })
}

// claim adds the claims that an access is over: that its message has moved, and that a
// reduction has been done.
func (r *races) claim(conflict int32, t touch) {
	m := r.g.messages[t.message]
	end := m.from
	if r.g.drives(t.message, m.to) {
		end = m.to
	}
	r.claims = append(r.claims, claim{end, conflict})
	if end != m.to && t.kind == add {
		r.claims = append(r.claims, claim{m.to, conflict})
	}
}

// never is the number of a step that no main lane reaches.
const never = 1 << 30

// meet finds for every step the first step of its rank's main lane that begins after its
// end, as the rank's lanes have it.
func (r *races) meet() {
	g := r.g
	r.joins = slices.Grow(r.joins[:0], len(g.steps))[:len(g.steps)]
	for i := range r.joins {
		r.joins[i] = never
	}
	for _, v := range slices.Backward(g.order) {
		i := v / 2
		if v >= g.node(0) || v%2 == 1 {
			continue // only when its start is looked at is all that follows its end known
		}
		begins := r.joins[i]
		if g.refs[i].Lane == 0 {
			begins = g.refs[i].Step
		}
		if g.refs[i].Step > 0 {
			r.joins[i-1] = min(r.joins[i-1], begins)
		}
		if after, ok := g.id(g.steps[i].After); ok {
			r.joins[after] = min(r.joins[after], begins)
		}
	}
}

// sweep finds for every place the last step of a rank's main lane that has begun before
// it, or there; -1: none.
func (r *races) sweep(rank int) {
	g := r.g
	r.known = fill(r.known, len(r.seeds))
	lane, first := g.lanes[rank], len(r.seeds)
	for i := g.first[lane]; i < g.first[lane+1]; i++ {
		// A node that is left out of the places shares that of the one before it.
		if at := r.place[start(i)]; r.kept(start(i)) {
			r.known[at] = i - g.first[lane]
			first = min(first, int(at))
		}
	}
	for at := first; at < len(r.known); at++ {
		known := r.known[at]
		for _, p := range r.preds[r.begin[at]:r.begin[at+1]] {
			known = max(known, r.known[p])
		}
		r.known[at] = known
	}
}

// kept says whether a node has a place of its own.
func (r *races) kept(v int32) bool {
	return r.g.begin[v+1]-r.g.begin[v] != 1 || r.seed(v).turn >= 0
}
