package exchange

import (
	"sort"

	"hcclsim/algorithms"
)

// group finds steps that are one message in several runs of chunks: neighbours in the
// thread blocks at both ends, of which only the first waits for anything and only the last
// is waited for, so that nobody can tell when the others are over. Their number is noted at
// the first of them, at both ends. A message is a set; what no set names stays apart.
func (c *compiler) group() {
	c.size = make([]map[place]int, c.a.Ranks)
	for rank := range c.size {
		c.size[rank] = make(map[place]int)
	}
	if c.m == buffered {
		return // where each is copied by itself
	}
	for rank := range c.a.gpus {
		for b := range c.a.gpus[rank].blocks {
			steps := c.a.gpus[rank].blocks[b].steps
			for k := 0; k < len(steps); {
				n := c.message(rank, place{b, k})
				if n > 1 {
					c.size[rank][place{b, k}] = n
				}
				if n > 1 && steps[k].kind == send {
					c.size[steps[k].peerSend.gpu][steps[k].peerSend.place] = n
				}
				k += n
			}
		}
	}
}

// message is how many instructions of a gpu, from one on that sends or copies inside the
// gpu, are one message.
func (c *compiler) message(rank int, at place) int {
	steps := c.a.gpus[rank].blocks[at.block].steps[at.step:]
	peer := partner{rank, at} // whose steps receive
	switch steps[0].kind {
	case send:
		peer = steps[0].peerSend
	case localCopy, localReduce:
	default:
		return 1
	}
	ends := c.a.gpus[peer.gpu].blocks[peer.block].steps[peer.step:]
	n := 1
	for n < len(steps) && n < len(ends) && follows(&steps[n-1], &steps[n]) && follows(&ends[n-1], &ends[n]) {
		if steps[n].src == steps[n-1].src.plus(steps[n-1].count) && ends[n].dst == ends[n-1].dst.plus(ends[n-1].count) {
			break // in one message the two would be one step
		}
		n++
	}
	named := func(n int) bool {
		src, from := c.set(rank, steps[:n], false)
		dst, to := c.set(peer.gpu, ends[:n], true)
		// Inside a buffer the one might copy what the other has written.
		return from && to && (n == 1 || steps[0].kind == send || src.Buf != dst.Buf)
	}
	if named(n) {
		return n
	}
	return sort.Search(n, func(i int) bool { return !named(i + 1) })
}

// follows says whether the second of two neighbours can be of the same message.
func follows(a, b *instruction) bool {
	whole := b.kind != recvReduceCopy || a.src == a.dst && b.src == b.dst
	return whole && a.kind == b.kind && !a.notifies && b.after.block < 0 &&
		a.src.buffer == b.src.buffer && a.dst.buffer == b.dst.buffer
}

// set names the slices of a gpu that some steps take, or put something into.
func (c *compiler) set(rank int, steps []instruction, dst bool) (algorithms.Half, bool) {
	var h algorithms.Half
	var list []int
	for i := range steps {
		at := steps[i].src
		if dst {
			at = steps[i].dst
		}
		b, set := c.n.set(rank, at, steps[i].count)
		if len(steps) == 1 {
			return algorithms.Half{Buf: b, Set: set}, true
		}
		h.Buf = b
		for j := range set.Len() {
			list = append(list, set.Slice(j))
		}
	}
	set, ok := setOf(list)
	h.Set = set
	return h, ok
}

// setOf is the set that names slices in this order, if there is one and it names none twice:
// blocks as wide as the first run, at even distances, which may wrap around.
func setOf(list []int) (algorithms.Set, bool) {
	width := 1
	for width < len(list) && list[width] == list[width-1]+1 {
		width++
	}
	if len(list)%width != 0 {
		width = 1
	}
	count, low, high := len(list)/width, list[0], list[0]
	for i, s := range list {
		if i%width > 0 && s != list[i-1]+1 {
			return algorithms.Set{}, false
		}
		if i > 0 && s == list[0] {
			return algorithms.Set{}, false // twice: what is at even distances comes round to the first
		}
		low, high = min(low, s), max(high, s)
	}
	stride, round := 0, high-low+1 // slices from one block to the next, and until they wrap
	if count > 1 {
		stride = list[width] - list[0]
	}
	for i := 2; i < count; i++ {
		if d := list[i*width] - list[(i-1)*width] - stride; d != 0 {
			round = max(d, -d)
			break
		}
	}
	if stride%width != 0 || round%width != 0 || high-low >= round {
		return algorithms.Set{}, false
	}
	s := algorithms.Set{First: int32((list[0] - low) / width), Count: int32(count), Stride: int32(stride / width), Mod: int32(round / width), Base: int32(low), Width: int32(width)}
	for i, slice := range list {
		if s.Slice(i) != slice {
			return algorithms.Set{}, false
		}
	}
	return s, true
}
