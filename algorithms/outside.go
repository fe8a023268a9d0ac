package algorithms

// outsideIn is the numbering of slices where AllGather begins between super-pods and ends
// inside servers. What a rank has then gathered at a level are slices of ranks that are far
// apart; numbered so that the outermost coordinate of their owners varies fastest, they
// follow each other, as the sets of a part must. In memory they lie where the collective
// wants them, in many runs.
type outsideIn struct {
	levels []level
	pieces int // slices of a rank
}

// owner is the rank whose own a slice is.
func (o *outsideIn) owner(slice int) (rank int) {
	place := slice / o.pieces
	for i := len(o.levels) - 1; i >= 0; i-- {
		rank += place % o.levels[i].size * o.levels[i].stride
		place /= o.levels[i].size
	}
	return rank
}

// place is where the slices of a rank are among those of all: owner backwards.
func (o *outsideIn) place(rank int) (place int) {
	for _, l := range o.levels {
		place = place*l.size + rank/l.stride%l.size
	}
	return place
}

// own is the set of a rank's slices, as one of all ranks.
func (o *outsideIn) own(rank int) Set {
	last := o.levels[len(o.levels)-1]
	return slice(o.place(rank), last.stride*last.size)
}

// outsideCuts is its layout.
type outsideCuts struct {
	*cuts
	*outsideIn
}

// Span implements Layout.
func (o outsideCuts) Span(b Buffer, slice int) (offset, bytes int64) {
	return o.cuts.Span(b, o.owner(slice)*o.pieces+slice%o.pieces)
}
