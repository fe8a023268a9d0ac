package algorithms

import "math/bits"

// The nodes of a tree stand at positions 1 to n in order (left subtree, node, right
// subtree), so that leaves are at odd and inner nodes at even positions. In the second
// tree odd and even change places: positions are mirrored where n is even, and moved on
// by one where n is odd. So no node is an inner node of both trees.

// positionOf is the position of node x, 1 to n, in a tree; nodeAt is its inverse.
func positionOf(x, tree, n int) int {
	switch {
	case tree == 0:
		return x
	case n%2 == 0:
		return n + 1 - x
	}
	return x%n + 1
}

func nodeAt(position, tree, n int) int {
	switch {
	case tree == 0:
		return position
	case n%2 == 0:
		return n + 1 - position
	}
	return (position+n-2)%n + 1
}

// rootPosition is the position of the root: the largest power of two.
func rootPosition(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

// inOrder are the positions of the relatives of position x; 0: there is no such relative.
// In a complete tree a node x whose lowest bit is b has the children x-b/2 and x+b/2.
// Nodes beyond n are left out; their left children take their places.
func inOrder(x, n int) family {
	var f family
	if x != rootPosition(n) {
		f.parent = above(x)
		for f.parent > n {
			f.parent = above(f.parent)
		}
	}
	half := (x & -x) / 2
	if half == 0 {
		return f
	}
	f.left, f.right = x-half, x+half
	for f.right > n {
		if half /= 2; half == 0 {
			f.right = 0
			break
		}
		f.right -= half
	}
	return f
}

// above is the parent of position x in a tree without end.
func above(x int) int {
	low := x & -x
	return x&^low | low<<1
}

// depthOf is the number of edges from the root of a tree of n nodes to its deepest leaf.
// Positions left of the root form a complete tree.
func depthOf(n int) int { return bits.Len(uint(n)) - 1 }
