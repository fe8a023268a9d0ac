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
// than most(k) slices. Where that many of the largest slices would take as long, the path
// is the longest there is: exact. Else their time is returned, which is a bound.
func (h Hockney) path(steps int, reduce bool, sizes func(int) int64, most func(k int) int, along func(k int) Set) (ps int64, exact bool) {
	var bound int64
	for k := range steps {
		ps += h.step(sum(sizes, along(k)), reduce)
		bound += h.step(sum(sizes, firsts(most(k))), reduce)
	}
	return bound, ps == bound
}

// firsts is the set of the first n slices.
func firsts(n int) Set { return Set{Count: int32(n), Stride: 1, Mod: int32(n), Width: 1} }

// sum is the size of a message.
func sum(sizes func(int) int64, s Set) (bytes int64) {
	for j := range s.Len() {
		bytes += sizes(s.Slice(j))
	}
	return bytes
}
