package algorithms

// localPart is one local copy: of everything, or of the index's own slice of n, or of a
// set; by all, by index 0 alone, or by all but it.
type localPart struct {
	n          int // slices; 1: everything
	rootOnly   bool
	exceptRoot bool
	set        func(i int) Set // nil: as n says
}

func (l localPart) lanes(int) int { return 1 }

func (l localPart) steps(i, _ int) int {
	if l.rootOnly && i != 0 || l.exceptRoot && i == 0 {
		return 0
	}
	return 1
}

func (l localPart) regular() bool { return !l.rootOnly && !l.exceptRoot }

func (l localPart) step(i, _, _ int) Step {
	half := Half{Peer: ref(i, 0, 0), Set: slice(i, l.n)}
	if l.set != nil {
		half.Set = l.set(i)
	}
	return Step{After: None, Send: half, Recv: half}
}

// cost: Hockney's model knows no local copies.
func (l localPart) cost(Hockney, func(int) int64) (int64, bool) { return 0, true }

// markerPart is the marker step with which HCCL's mesh begins and ends.
type markerPart struct{}

func (markerPart) lanes(int) int      { return 1 }
func (markerPart) steps(int, int) int { return 1 }

func (markerPart) regular() bool { return true }

func (markerPart) step(int, int, int) Step {
	st := Idle
	st.Marker = true
	return st
}

func (markerPart) cost(Hockney, func(int) int64) (int64, bool) { return 0, true }
