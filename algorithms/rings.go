package algorithms

// Several rings at once: each slice is cut into as many pieces as there are rings, and each
// ring carries one piece of every slice on a lane of its own.

// ringsPart runs a part of one lane, whose messages are single slices, once in every ring.
type ringsPart struct {
	one    part
	orders [][]int // of each ring: the indices one after the other
	places [][]int // of each ring: the place of each index
}

// newRings lays rings over the indices; all must contain all of them.
func newRings(one part, orders [][]int) *ringsPart {
	r := &ringsPart{one: one, orders: orders}
	for _, order := range orders {
		places := make([]int, len(order))
		for at, i := range order {
			places[i] = at
		}
		r.places = append(r.places, places)
	}
	return r
}

// ringOrders are the rings that an algorithm lays over n indices.
func ringOrders(name string, n int) [][]int {
	switch name {
	case "double-ring":
		return doubleRing(n)
	case "multi-ring":
		return multiRing[:]
	}
	return nil
}

// doubleRing is A3's: once around, and once the other way.
func doubleRing(n int) [][]int {
	forth, back := make([]int, n), make([]int, n)
	for i := range n {
		forth[i], back[i] = i, (n-i)%n
	}
	return [][]int{forth, back}
}

// multiRing are the four rings of HCCL for the eight NPUs of an Ascend 910A server, whose
// links they use evenly. Source: docs/algorithms.md.
var multiRing = [...][]int{
	{0, 1, 2, 6, 5, 4, 7, 3},
	{0, 3, 7, 4, 5, 6, 2, 1},
	{0, 2, 3, 1, 5, 7, 6, 4},
	{0, 4, 6, 7, 5, 1, 3, 2},
}

const multiRingRanks = 8

func (r *ringsPart) lanes(int) int         { return len(r.orders) }
func (r *ringsPart) steps(i, lane int) int { return r.one.steps(r.places[lane][i], 0) }

func (r *ringsPart) regular() bool { return r.one.regular() }

func (r *ringsPart) step(i, lane, k int) Step {
	st := r.one.step(r.places[lane][i], 0, k)
	r.turn(lane, &st.Send)
	r.turn(lane, &st.Recv)
	return st
}

// turn makes a half of a ring of one of the part.
func (r *ringsPart) turn(lane int, h *Half) {
	if h.Peer.Rank < 0 {
		return
	}
	order, rings := r.orders[lane], len(r.orders)
	h.Peer.Rank, h.Peer.Lane = int32(order[h.Peer.Rank]), int32(lane)
	h.Set = slice(order[h.Set.First]*rings+lane, len(order)*rings)
}

// cost: the rings turn at once and share a port where ranks have one only; then, and where
// they have links of their own, as all have on a mesh but a double ring of two, they keep
// step if all pieces are as large. Reductions share a unit, behind which the rings fall out
// of step.
func (r *ringsPart) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	rings, n := len(r.orders), len(r.orders[0])
	load := int64(rings)
	if h.PairLinks {
		load = 1
	}
	pieces := func(q int) int64 { return load * sizes(q*rings) }
	ps, exact = r.one.cost(h, pieces)
	free := h
	free.Reduce = 0
	unreduced, _ := r.one.cost(free, pieces)
	even := sizes(n*rings-1) == sizes(0)
	return ps, exact && even && ps == unreduced && (!h.PairLinks || n > 2)
}

// dealPart passes slices along the ring from index 0, that of the last index first; or
// (back) the same messages backwards, from receiver to sender: n-1 steps of one slice.
type dealPart struct {
	n    int
	back bool
}

func (d dealPart) lanes(int) int      { return 1 }
func (d dealPart) steps(int, int) int { return d.n - 1 }

func (dealPart) regular() bool { return true }

func (d dealPart) step(i, _, k int) Step {
	st := Idle
	at := k
	if d.back {
		at = d.n - 2 - k
	}
	// At step `at` of the way out the link from index i carries slice n-1-at+i.
	if out := d.n - 1 - at + i; out < d.n {
		st.Send = Half{Peer: ref(i+1, 0, k), Set: slice(out, d.n)}
	}
	if in := d.n - 2 - at + i; i > 0 && in < d.n {
		st.Recv = Half{Peer: ref(i-1, 0, k), Set: slice(in, d.n)}
	}
	if d.back {
		st.Send, st.Recv = st.Recv, st.Send
	}
	return st
}

// cost follows the first link, which is never idle, if no slice is larger than one before it.
func (d dealPart) cost(h Hockney, sizes func(int) int64) (ps int64, exact bool) {
	exact = true
	for q := 1; q < d.n; q++ {
		ps += h.step(sizes(q), false)
		exact = exact && (q == 1 || sizes(q) <= sizes(q-1))
	}
	return ps, exact
}
