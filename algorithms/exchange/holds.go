package exchange

import (
	"slices"

	"hcclsim/algorithms"
)

// holds is what is sent in a lane of its own and overwritten by an instruction that comes
// later in the file.
type holds struct {
	waits map[place][]place // by instruction that overwrites: what has to be sent before
	held  map[place]bool    // what is overwritten
}

// cell is a slice of a rank.
type cell struct {
	buffer algorithms.Buffer
	slice  int
}

// newHolds finds them for the compiler's gpu.
func newHolds(c *compiler) *holds {
	h := &holds{waits: make(map[place][]place), held: make(map[place]bool)}
	blocks := len(c.gpu.blocks)
	w := &walk{compiler: c, holds: h, sent: make(map[cell][]place), detached: make([]bool, blocks), known: make([][]int, blocks), clocks: make([][][]int, blocks)}
	for b := range c.gpu.blocks {
		w.known[b] = make([]int, blocks)
		w.detached[b] = c.detaches(&c.gpu.blocks[b])
	}
	if slices.Contains(w.detached, true) {
		for _, at := range c.gpu.order {
			w.step(at)
		}
	}
	return h
}

// walk goes along the instructions of a gpu, and knows of each which others are over in
// the file when it begins: of every thread block a number of instructions.
type walk struct {
	*compiler
	holds    *holds
	detached []bool           // by thread block
	known    [][]int          // by thread block: what it knows of the others and itself
	clocks   [][][]int        // by instruction that others wait for: the same behind it
	sent     map[cell][]place // what has been sent from a cell
}

// step takes the next instruction.
func (w *walk) step(at place) {
	i, known := w.gpu.instruction(at), w.known[at.block]
	if a := i.after; a.block >= 0 {
		for b, n := range w.clocks[a.block][a.step] {
			known[b] = max(known[b], n)
		}
	}
	if kinds[i.kind].dst {
		w.overwrite(at, i)
	}
	if from, sends := i.source(); sends && w.detached[at.block] {
		w.cells(from, i.count, func(c cell) { w.sent[c] = append(w.sent[c], at) })
	}
	known[at.block] = at.step + 1
	var clock []int
	if i.notifies {
		clock = slices.Clone(known)
	}
	w.clocks[at.block] = append(w.clocks[at.block], clock)
}

// source is where what an instruction sends lies; a sum that is only passed on lies nowhere.
func (i *instruction) source() (from chunk, sends bool) {
	switch i.kind {
	case send:
		return i.src, true
	case recvCopySend, recvReduceCopySend:
		return i.dst, true
	}
	return chunk{}, false
}

// overwrite notes what was sent before from the cells that an instruction writes to. Of
// each thread block it waits for the latest, which comes behind the others.
func (w *walk) overwrite(at place, i *instruction) {
	var latest []place
	w.cells(i.dst, i.count, func(c cell) {
		for _, s := range w.sent[c] {
			if s.step >= w.known[at.block][s.block] {
				continue
			}
			w.holds.held[s] = true
			same := slices.IndexFunc(latest, func(l place) bool { return l.block == s.block })
			if same < 0 {
				latest = append(latest, s)
			} else {
				latest[same].step = max(latest[same].step, s.step)
			}
		}
	})
	if w.m != buffered && len(latest) > 0 {
		w.holds.waits[at] = latest
	}
}

func (w *walk) cells(c chunk, count int, yield func(cell)) {
	b, set := w.n.set(w.rank, c, count)
	for j := range set.Len() {
		yield(cell{b, set.Slice(j)})
	}
}
