package algorithms

// Holdings says how far every rank has come with every slice: of how many ranks' inputs a
// rank's piece is made, in whichever of the user's buffers has most of them; 0: nothing.
// at[0] is before the first message, at[k+1] after round k: at[k][rank][slice].
func Holdings(s *Schedule, rounds []Round) (at [][][]int) {
	h := newHoldings(s)
	for _, round := range rounds {
		h.move(round.Copies)
		at = append(at, h.most())
		h.move(round.Messages)
	}
	return append(at, h.most())
}

// holdings is how many inputs are in a slice, by buffer and rank.
type holdings struct {
	s  *Schedule
	in [Scratch + 1][][]int
}

func newHoldings(s *Schedule) *holdings {
	h := &holdings{s: s}
	for b := range h.in {
		for range s.Ranks() {
			h.in[b] = append(h.in[b], make([]int, s.Slices(Buffer(b))))
		}
	}
	input := In
	if s.Request.InPlace {
		input = Data
	}
	for rank, slices := range h.in[input] {
		for slice := range slices {
			if s.Brings(rank, slice) {
				slices[slice] = 1
			}
		}
	}
	return h
}

// move carries out transfers that do not depend on each other unless in this order.
func (h *holdings) move(transfers []Transfer) {
	for _, t := range transfers {
		from, to := h.in[t.Send.Buf][t.From], h.in[t.Recv.Buf][t.To]
		for j := range t.Send.Set.Len() {
			n, slice := from[t.Send.Set.Slice(j)], t.Recv.Set.Slice(j)
			if t.Reduce {
				n += to[slice]
			}
			to[slice] = n
		}
	}
}

// most is a copy of what the user's buffers hold.
func (h *holdings) most() [][]int {
	var ranks [][]int
	for rank := range h.s.Ranks() {
		best := make([]int, h.s.Slices(Data))
		for slice := range best {
			best[slice] = max(h.in[Data][rank][slice], h.in[In][rank][slice], h.in[Out][rank][slice])
		}
		ranks = append(ranks, best)
	}
	return ranks
}
