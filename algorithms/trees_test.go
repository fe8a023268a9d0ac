package algorithms

import "testing"

// TestTreesAreComplementary: both trees reach every index, no index has children in both,
// and neither is deeper than the estimate says.
func TestTreesAreComplementary(t *testing.T) {
	for p := 2; p <= 130; p++ {
		for _, d := range []doubleTreePart{{n: p, segs: 1, up: true, down: true}, {n: p, segs: 1, down: true}} {
			parents := make([]int, p) // in how many trees an index has children
			for tree := range 2 {
				checkTree(t, d, tree, parents)
			}
			for i := d.top(); i < p; i++ {
				if parents[i] > 1 {
					t.Errorf("%+v: index %d has children in both trees", d, i)
				}
			}
		}
	}
}

// checkTree walks a tree from its root and counts parents.
func checkTree(t *testing.T, d doubleTreePart, tree int, parents []int) {
	root := 0
	for i := range d.n {
		if d.family(i, tree).parent < 0 {
			root = i
		}
	}
	seen, deepest := 0, 0
	var walk func(i, parent, depth int)
	walk = func(i, parent, depth int) {
		f := d.family(i, tree)
		if f.parent != parent {
			t.Fatalf("%+v tree %d: index %d is a child of %d but names %d as its parent", d, tree, i, parent, f.parent)
		}
		seen++
		deepest = max(deepest, depth)
		if f.children() > 0 {
			parents[i]++
		}
		for _, c := range []int{f.left, f.right} {
			if c >= 0 {
				walk(c, i, depth+1)
			}
		}
	}
	walk(root, -1, 0)
	if seen != d.n || deepest > depthOf(d.n-d.top())+d.top() {
		t.Errorf("%+v tree %d: %d indices within a depth of %d", d, tree, seen, deepest)
	}
}

// TestSegments: explicit sizes are kept up to the bound, the default is sane, and the
// chosen size has the lowest estimate of all.
func TestSegments(t *testing.T) {
	const p, bytes = 16, 64 << 20
	r := Request{Collective: AllReduce, Segment: 1 << 20}
	if got := segments(p, r, bytes); got != 32 {
		t.Errorf("32 MiB in segments of 1 MiB: %d segments", got)
	}
	r.Segment = 1
	if got := segments(p, r, bytes); got != MaxSegments {
		t.Errorf("segments of one byte: %d segments, want %d", got, MaxSegments)
	}
	r.Segment = 0
	if got := segments(p, r, bytes); got != 32<<20/plainSegment {
		t.Errorf("without a model: %d segments", got)
	}
	r.Hockney = Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 100e9}
	d := doubleTreePart{n: p, up: true, down: true}
	d.segs = segments(p, r, bytes)
	best := d.estimate(r.Hockney, bytes/2)
	for segs := 1; segs <= MaxSegments; segs *= 2 {
		d.segs = segs
		if other := d.estimate(r.Hockney, bytes/2); other < best {
			t.Errorf("%d segments take %d ps, the chosen ones %d", segs, other, best)
		}
	}
	if got := segments(p, r, 512); got != 1 {
		t.Errorf("512 bytes: %d segments", got)
	}
}

// TestDoubleTreePortLoad: nobody sends, or receives, more than twice the data in
// AllReduce and once in Broadcast and Reduce; and somebody has to.
func TestDoubleTreePortLoad(t *testing.T) {
	const bytes = 1 << 20
	for p := 3; p <= 33; p++ {
		for c, most := range map[Collective]int64{AllReduce: 2 * bytes, Broadcast: bytes, Reduce: bytes} {
			s := schedule(t, "double-tree", Request{Collective: c, Groups: []int{p}, Root: 1, Bytes: bytes, InPlace: true, Segment: 64 << 10})
			var busiest int64
			for rank := range p {
				var out, in int64
				for lane := range s.Lanes(rank) {
					for k := range s.Steps(rank, lane) {
						st := s.Step(rank, lane, k)
						n, _ := Message(s.Layout, Data, st.Send.Set)
						out += n
						n, _ = Message(s.Layout, Data, st.Recv.Set)
						in += n
					}
				}
				busiest = max(busiest, out, in)
			}
			if busiest > most || busiest < bytes {
				t.Errorf("%s of %d ranks: the busiest port carries %d bytes each way", c, p, busiest)
			}
		}
	}
}
