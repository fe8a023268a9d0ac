package algorithms

// doubleTreePart is two complementary binary trees, each carrying half of the data in
// pipelined segments: the scheme of Sanders, Speck and Träff ("Two-tree algorithms for
// full bandwidth broadcast, reduction and scan", 2009) that NCCL uses under the name Tree.
//
// AllReduce uses trees of all indices. Broadcast and Reduce use trees of all indices but
// the root, which stands above both: its two children are the roots of the trees.
type doubleTreePart struct {
	n        int // indices
	segs     int // segments of each tree; slice t*segs + s is segment s of tree t
	up, down bool
}

// Lanes of an index in each direction: one for its parent in each tree, one for each of
// its two children; an index has children in one tree only, the root of Broadcast and
// Reduce one in each. The lanes of the way down come after those of the way up. A lane
// goes through the segments in order; side by side the lanes are a pipeline.
const (
	toParent = 0 // + tree
	toChild  = 2 // + which child; + tree at the root of Broadcast and Reduce
	oneWay   = 4
	bothWays = 2 * oneWay
)

// top is 1 where index 0 stands above the trees instead of in them.
func (d doubleTreePart) top() int {
	if d.up && d.down {
		return 0
	}
	return 1
}

// family are the relatives of an index in a tree; -1: there is no such relative.
type family struct{ parent, left, right int }

// children is the number of children.
func (f family) children() int {
	switch {
	case f.left < 0:
		return 0
	case f.right < 0:
		return 1
	}
	return 2
}

func (d doubleTreePart) family(i, tree int) family {
	top := d.top()
	nodes := d.n - top
	if i < top {
		return family{parent: -1, left: nodeAt(rootPosition(nodes), tree, nodes), right: -1}
	}
	at := inOrder(positionOf(i-top+1, tree, nodes), nodes)
	f := family{parent: top - 1, left: -1, right: -1}
	if at.parent > 0 {
		f.parent = nodeAt(at.parent, tree, nodes) - 1 + top
	}
	if at.left > 0 {
		f.left = nodeAt(at.left, tree, nodes) - 1 + top
	}
	if at.right > 0 {
		f.right = nodeAt(at.right, tree, nodes) - 1 + top
	}
	return f
}

// child is the index that lane toChild+which exchanges with, and in which tree; -1: none.
func (d doubleTreePart) child(i, which int) (child, tree int) {
	if i < d.top() {
		return d.family(i, which).left, which
	}
	for tree := range 2 {
		if f := d.family(i, tree); f.left >= 0 {
			if which == 0 {
				return f.left, tree
			}
			return f.right, tree
		}
	}
	return -1, 0
}

// childLane is the lane of a parent's one way that serves its child i in a tree.
func (d doubleTreePart) childLane(parent, i, tree int) int {
	switch {
	case parent < d.top():
		return toChild + tree
	case d.family(parent, tree).left == i:
		return toChild
	}
	return toChild + 1
}

func (d doubleTreePart) lanes(int) int {
	if d.up && d.down {
		return bothWays
	}
	return oneWay
}

// downLane is the number of the first lane of the way down.
func (d doubleTreePart) downLane() int { return d.lanes(0) - oneWay }

// way tells the direction and the role of a lane.
func (d doubleTreePart) way(lane int) (down bool, role int) {
	return !d.up || lane >= oneWay, lane % oneWay
}

func (d doubleTreePart) steps(i, lane int) int {
	down, role := d.way(lane)
	if role < toChild {
		f := d.family(i, role)
		switch {
		case f.parent < 0:
			return 0
		case down:
			return d.segs
		}
		return d.segs * f.stepsOfSend()
	}
	child, tree := d.child(i, role-toChild)
	switch {
	case child < 0:
		return 0
	case down && d.turns(i, tree):
		return d.segs * d.family(i, tree).stepsOfSend()
	}
	return d.segs
}

// stepsOfSend is the number of steps to send on what the children have sent: a step waits
// for one other lane, so that with two children an idle step waits for the first.
func (f family) stepsOfSend() int { return max(1, f.children()) }

// turns says whether index i is where a tree's data turn from up to down.
func (d doubleTreePart) turns(i, tree int) bool {
	return d.up && d.down && d.family(i, tree).parent < 0
}

func (doubleTreePart) regular() bool { return false }

func (d doubleTreePart) step(i, lane, k int) Step {
	down, role := d.way(lane)
	if role < toChild {
		if down {
			return d.fromParent(i, role, k)
		}
		return d.sendUp(i, role, k)
	}
	child, tree := d.child(i, role-toChild)
	if down {
		return d.sendDown(i, child, tree, k)
	}
	st := Idle
	st.Reduce = true
	st.Recv = Half{Peer: ref(child, toParent+tree, lastOf(k, d.family(child, tree).stepsOfSend())), Set: d.segment(tree, k)}
	return st
}

// lastOf is the last of the steps that segment s takes when each takes n.
func lastOf(s, n int) int { return s*n + n - 1 }

// segment is the set of segment s of a tree.
func (d doubleTreePart) segment(tree, s int) Set { return slice(tree*d.segs+s, 2*d.segs) }

// afterChildren is the beginning of a step that passes on what the children sent up: it
// waits for one child. Of a segment's steps only the last sends.
func (d doubleTreePart) afterChildren(i, tree, k int) (st Step, s int, send bool) {
	st = Idle
	f := d.family(i, tree)
	n := f.stepsOfSend()
	s = k / n
	if f.children() > 0 {
		st.After = ref(i, toChild+k%n, s)
	}
	return st, s, k == lastOf(s, n)
}

func (d doubleTreePart) sendUp(i, tree, k int) Step {
	st, s, send := d.afterChildren(i, tree, k)
	if send {
		parent := d.family(i, tree).parent
		st.Send = Half{Peer: ref(parent, d.childLane(parent, i, tree), s), Set: d.segment(tree, s)}
	}
	return st
}

func (d doubleTreePart) fromParent(i, tree, k int) Step {
	st := Idle
	parent := d.family(i, tree).parent
	at := k
	if d.turns(parent, tree) {
		at = lastOf(k, d.family(parent, tree).stepsOfSend())
	}
	lane := d.downLane() + d.childLane(parent, i, tree)
	st.Recv = Half{Peer: ref(parent, lane, at), Set: d.segment(tree, k)}
	return st
}

func (d doubleTreePart) sendDown(i, child, tree, k int) Step {
	st, s, send := Idle, k, true
	switch {
	case d.turns(i, tree):
		st, s, send = d.afterChildren(i, tree, k)
	case i >= d.top():
		st.After = ref(i, d.downLane()+toParent+tree, s)
	}
	if send {
		st.Send = Half{Peer: ref(child, d.downLane()+toParent+tree, s), Set: d.segment(tree, s)}
	}
	return st
}
