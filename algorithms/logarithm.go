package algorithms

import "math/bits"

// What HCCL's schedules of ⌈log2 n⌉ steps share, NHR and NB. When they deal slices out,
// the distance d of step k is 2^k, and an index passes on, to the index at distance d, the
// slices whose owners are an odd multiple of d away from it.

// doublings is ⌈log2 n⌉.
func doublings(n int) int { return bits.Len(uint(n - 1)) }

// dealt is how many of n slices an index passes on at distance d if it has all those
// whose owners are up to n-1-gone away.
func dealt(n, d, gone int) int { return max(n-1-gone+d, 0) / (2 * d) }

// path is the time of the messages that follow each other, step by step, in a part
// without queues: along(k) is what that of step k carries. No message of step k has more
// than most(k) slices. Where that many of the largest slices would take as long as the
// path, the path is the longest there is (exact); else the time of such slices is returned,
// which is a bound.
func (h Hockney) path(steps int, reduce bool, sizes func(int) int64, most func(k int) int, along func(k int) Set) (ps int64, exact bool) {
	var bound int64
	for k := range steps {
		set := along(k)
		ps += h.step(sum(sizes, set), reduce)
		bound += h.step(sum(sizes, Set{Count: int32(most(k)), Stride: 1, Mod: int32(most(k)), Width: 1}), reduce)
	}
	return bound, ps == bound
}

// scatter is the time of index 0 to send along(k) in every step k, when all others have
// what they send from it: in the first step nobody else sends, and in the others nobody
// sends more than most(k) slices. See path.
func (h Hockney) scatter(steps int, sizes func(int) int64, most func(k int) int, along func(k int) Set) (ps int64, exact bool) {
	if sizes(1) == 0 {
		return 0, true // index 0 keeps all there is
	}
	first := h.step(sum(sizes, along(0)), false)
	ps, exact = h.path(steps-1, false, sizes, func(k int) int { return most(k + 1) }, func(k int) Set { return along(k + 1) })
	return first + ps, exact
}

// sum is the size of a message.
func sum(sizes func(int) int64, s Set) (bytes int64) {
	for j := range s.Len() {
		bytes += sizes(s.Slice(j))
	}
	return bytes
}
