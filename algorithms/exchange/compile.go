package exchange

import (
	"fmt"

	"hcclsim/algorithms"
)

// A runtime of the format copies what is sent into a buffer of the connection, so that a
// thread block that sends goes on before its peer receives. Here a message takes both
// ranks. The manners are three ways to make of a file a program that does not stop where
// the file does not; the first that works is taken.
type manner uint8

const (
	// blocking: a thread block goes on when its message has arrived. If it sends and
	// receives, which neighbours in a ring do at once, what it sends goes into a lane of its
	// own, and holds up only steps that come later in the file and overwrite what is sent.
	blocking manner = iota
	// detached: what is sent goes into a lane of its own everywhere.
	detached
	// buffered: the same, and what would hold up others is copied into the library's buffer
	// first, and sent from there. Nothing waits for what is sent.
	buffered
)

var manners = []manner{blocking, detached, buffered}

// compile makes the programs of the algorithm.
func (p *parser) compile() {
	for i, made := range [...]bool{p.a.OutOfPlace, p.a.InPlace} {
		if made && len(p.list) == 0 {
			p.a.places[i] = p.translate(newNumbering(p.a.Collective, p.a.Ranks, p.a.ChunksPerLoop, i == 1))
		}
	}
}

// translate makes the program for one kind of buffers; nil where there is a deadlock,
// which it notes.
func (p *parser) translate(n numbering) *table {
	for _, m := range manners {
		c := newCompiler(p.a, n, m)
		t := c.table()
		stuck, err := (&replay{program: t}).run()
		switch {
		case err != nil:
			p.add(0, "%v", err)
			return nil
		case len(stuck) == 0:
			return t
		case m == buffered:
			p.deadlock(c, stuck)
		}
	}
	return nil
}

// deadlock notes instructions that wait for each other.
func (p *parser) deadlock(c *compiler, stuck []algorithms.Ref) {
	var text string
	last := place{block: -1}
	gpu := int32(-1)
	for _, r := range append(stuck, stuck[0]) {
		at := c.origin[r.Rank][r.Lane][r.Step]
		if at == last && r.Rank == gpu {
			continue // another step of the same instruction
		}
		if text != "" {
			text += " waits for "
		}
		text += fmt.Sprintf("gpu %d tb %d step %d", r.Rank, at.block, at.step)
		last, gpu = at, r.Rank
	}
	first := c.origin[stuck[0].Rank][stuck[0].Lane][stuck[0].Step]
	p.add(p.a.gpus[stuck[0].Rank].instruction(first).at, "deadlock: %s", text)
}

func (g *gpu) instruction(at place) *instruction { return &g.blocks[at.block].steps[at.step] }

// compiler makes a table of a file.
type compiler struct {
	a *Algorithm
	n numbering
	m manner

	lanes  [][][]algorithms.Step
	origin [][][]place // by step of the program: the instruction that it is of
	refs   [][][]ends  // by instruction
	rank   int
	gpu    *gpu
	size   []map[place]int // by gpu and first of several instructions: they are one message
	holds  *holds
	later  []later
	rest   int // of the file's own scratch: how far it is taken
	most   int // of all ranks
}

// ends are the steps of an instruction that others refer to.
type ends struct {
	sends, receives algorithms.Ref
	over            algorithms.Ref // who waits for the instruction waits for this step
}

// later is a step that comes after an instruction which may not have been translated yet.
type later struct {
	step  algorithms.Ref
	after place
	sent  bool // after what the instruction sends
}

func newCompiler(a *Algorithm, n numbering, m manner) *compiler {
	c := &compiler{a: a, n: n, m: m}
	c.lanes, c.origin, c.refs = make([][][]algorithms.Step, a.Ranks), make([][][]place, a.Ranks), make([][][]ends, a.Ranks)
	c.group()
	return c
}

// table translates all gpus, and ties the ends of messages together.
func (c *compiler) table() *table {
	for rank := range c.a.gpus {
		c.translateGPU(rank)
	}
	for rank := range c.a.gpus {
		for b, blk := range c.a.gpus[rank].blocks {
			for k, i := range blk.steps {
				if !kinds[i.kind].sends {
					continue
				}
				// Of several that are one message each says the same.
				from, to := c.refs[rank][b][k].sends, c.refs[i.peerSend.gpu][i.peerSend.block][i.peerSend.step].receives
				c.step(from).Send.Peer, c.step(to).Recv.Peer = to, from
			}
		}
	}
	return &table{numbering: c.n, scratch: c.most, lanes: c.lanes}
}

func (c *compiler) step(r algorithms.Ref) *algorithms.Step {
	return &c.lanes[r.Rank][r.Lane][r.Step]
}

func (c *compiler) translateGPU(rank int) {
	c.rank, c.gpu, c.later = rank, &c.a.gpus[rank], c.later[:0]
	c.rest = 0
	c.refs[rank] = make([][]ends, len(c.gpu.blocks))
	for b, blk := range c.gpu.blocks {
		c.refs[rank][b] = make([]ends, len(blk.steps))
		for _, i := range blk.steps {
			if kinds[i.kind].src && i.src.buffer == scratch {
				c.rest = max(c.rest, i.src.offset+i.count)
			}
			if kinds[i.kind].dst && i.dst.buffer == scratch {
				c.rest = max(c.rest, i.dst.offset+i.count)
			}
		}
	}
	c.holds = newHolds(c)
	for b := range c.gpu.blocks {
		c.translateBlock(b)
	}
	for _, l := range c.later {
		e := c.refs[rank][l.after.block][l.after.step]
		c.step(l.step).After = e.over
		if l.sent {
			c.step(l.step).After = e.sends
		}
	}
	c.most = max(c.most, c.rest)
}

// detaches says whether what a thread block sends goes into a lane of its own.
func (c *compiler) detaches(b *block) bool {
	sends := b.next(0, false) < len(b.steps)
	return sends && (c.m > blocking || b.next(0, true) < len(b.steps))
}

// translator puts the steps of one thread block into lanes.
type translator struct {
	*compiler
	at        place
	main, out int            // lanes: of everything, and of what is sent
	after     algorithms.Ref // the last step of the main lane
	sent      algorithms.Ref // what the lane of what is sent has waited for
	waits     []later        // of the instruction, for its first step
}

func (c *compiler) translateBlock(b int) {
	t := &translator{compiler: c, after: algorithms.None, sent: algorithms.None}
	t.main = t.lane()
	t.out = t.main
	if c.detaches(&c.gpu.blocks[b]) {
		t.out = t.lane()
	}
	steps, refs := c.gpu.blocks[b].steps, c.refs[c.rank][b]
	for k := 0; k < len(steps); {
		t.at = place{b, k}
		n := max(c.size[c.rank][t.at], 1)
		t.instructions(steps[k : k+n])
		refs[k].over = t.after
		for last := k + n; k < last; k++ {
			refs[k] = refs[last-n]
		}
	}
}

func (c *compiler) lane() int {
	c.lanes[c.rank] = append(c.lanes[c.rank], nil)
	c.origin[c.rank] = append(c.origin[c.rank], nil)
	return len(c.lanes[c.rank]) - 1
}

// instructions translates one, or several that are one message: what comes in and what is
// local goes into the main lane, and what is sent behind it.
func (t *translator) instructions(list []instruction) {
	i := &list[0]
	t.waits = t.waits[:0]
	if i.after.block >= 0 {
		t.waits = append(t.waits, later{after: i.after})
	}
	for k := range list {
		for _, s := range t.holds.waits[place{t.at.block, t.at.step + k}] {
			t.waits = append(t.waits, later{after: s, sent: true})
		}
	}
	src, dst := t.half(i.src, i.count), t.half(i.dst, i.count)
	if len(list) > 1 {
		src, _ = t.set(t.rank, list, false)
		dst, _ = t.set(t.rank, list, true)
	}
	switch i.kind {
	case nop:
		t.put(algorithms.Idle)
	case send:
		t.send(src)
	case recv:
		t.receive(dst, false)
	case recvCopySend:
		t.receive(dst, false)
		t.send(dst)
	case recvReduceSend:
		// The sum is kept nowhere: it passes through a place of its own.
		own := t.own(i.count)
		t.copy(src, own, false)
		t.receive(own, true)
		t.send(own)
	case recvReduceCopy, recvReduceCopySend:
		if i.src != i.dst {
			t.copy(src, dst, false)
		}
		t.receive(dst, true)
		if i.kind == recvReduceCopySend {
			t.send(dst)
		}
	case localCopy:
		if i.src == i.dst {
			t.put(algorithms.Idle)
			return
		}
		t.copy(src, dst, false)
	case localReduce:
		t.copy(src, dst, true)
	}
}

// half is count chunks as slices; the peer is not known yet.
func (t *translator) half(c chunk, count int) algorithms.Half {
	b, set := t.n.set(t.rank, c, count)
	return algorithms.Half{Buf: b, Set: set}
}

// own is a place in scratch that nobody else uses.
func (t *translator) own(count int) algorithms.Half {
	first := t.rest
	t.rest += count
	return algorithms.Half{Buf: algorithms.Scratch, Set: run(first, count)}
}

// put appends a step to the main lane. What the instruction waits for comes first: a step
// waits for one thing, so that idle steps wait for the others.
func (t *translator) put(st algorithms.Step) algorithms.Ref {
	st.After = algorithms.None
	for len(t.waits) > 1 {
		t.waits[0].step = t.append(t.main, algorithms.Idle)
		t.later = append(t.later, t.waits[0])
		t.waits = t.waits[1:]
	}
	t.after = t.append(t.main, st)
	for _, w := range t.waits {
		w.step = t.after
		t.later = append(t.later, w)
	}
	t.waits = t.waits[:0]
	return t.after
}

func (t *translator) append(lane int, st algorithms.Step) algorithms.Ref {
	steps, origin := &t.lanes[t.rank][lane], &t.origin[t.rank][lane]
	r := algorithms.Ref{Rank: int32(t.rank), Lane: int32(lane), Step: int32(len(*steps))}
	*steps, *origin = append(*steps, st), append(*origin, t.at)
	return r
}

func (t *translator) receive(into algorithms.Half, reduce bool) {
	into.Peer = algorithms.Ref{} // until it is known
	t.refs[t.rank][t.at.block][t.at.step].receives = t.put(algorithms.Step{Send: algorithms.Half{Peer: algorithms.None}, Recv: into, Reduce: reduce})
}

func (t *translator) copy(from, to algorithms.Half, reduce bool) {
	r := t.put(algorithms.Step{Send: from, Recv: to, Reduce: reduce})
	st := t.step(r)
	st.Send.Peer, st.Recv.Peer = r, r
}

// send appends what is sent: to the main lane, or to the lane of what is sent, where it
// comes after all that the main lane has so far.
func (t *translator) send(from algorithms.Half) {
	end := &t.refs[t.rank][t.at.block][t.at.step].sends
	if t.m == buffered && t.holds.held[t.at] {
		own := t.own(from.Set.Len())
		t.copy(from, own, false)
		from = own
	}
	st := algorithms.Step{Send: from, Recv: algorithms.Half{Peer: algorithms.None}}
	if t.out == t.main {
		*end = t.put(st)
		return
	}
	if len(t.waits) > 0 {
		t.put(algorithms.Idle)
	}
	st.After = algorithms.None
	if t.after != t.sent {
		st.After, t.sent = t.after, t.after
	}
	*end = t.append(t.out, st)
}
