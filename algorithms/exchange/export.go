package exchange

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
)

// export collects the thread blocks of a schedule while it is replayed.
type export struct {
	s    *algorithms.Schedule
	n    numbering
	gpus []exported
	most int // the highest channel

	taken    map[[2]int32]int          // by pair of ranks: how many channels
	channels map[[2]algorithms.Ref]int // by pair of lanes
	blocks   map[link]int              // thread blocks
	behind   map[algorithms.Ref]clock  // by step that others come after: what is over then
}

// exported is a gpu under construction.
type exported struct {
	gpu
	known   []clock   // by thread block: what is over when its next step begins
	clocks  [][]clock // by thread block and step: the same behind the step
	lanes   []progress
	touched map[cell]*touches
}

// clock is how many steps are over of every thread block of a gpu; none of those beyond
// its length.
type clock []int32

func (c clock) of(block int) int32 {
	if block < len(c) {
		return c[block]
	}
	return 0
}

// and is the clock when two are reached.
func (c clock) and(o clock) clock {
	for len(c) < len(o) {
		c = append(c, 0)
	}
	for b, n := range o {
		c[b] = max(c[b], n)
	}
	return c
}

// progress is what is over when a lane's step begins, and when it ends.
type progress struct{ begun, over clock }

// touches are the steps that have last written a cell, and read it since.
type touches struct {
	written place
	read    []place
}

func newExport(s *algorithms.Schedule) *export {
	chunks := s.Slices(algorithms.Data)
	if s.Request.Collective == algorithms.AlltoAll {
		chunks /= s.Ranks()
	}
	e := &export{
		s: s, n: newNumbering(s.Request.Collective, s.Ranks(), chunks, s.Request.InPlace),
		gpus:     make([]exported, s.Ranks()),
		taken:    make(map[[2]int32]int),
		channels: make(map[[2]algorithms.Ref]int),
		blocks:   make(map[link]int),
		behind:   make(map[algorithms.Ref]clock),
	}
	for rank := range e.gpus {
		g := &e.gpus[rank]
		g.lanes = make([]progress, s.Lanes(rank))
		g.touched = make(map[cell]*touches)
		g.chunks = [buffers]int{input: e.n.chunks(input), output: e.n.chunks(output)}
		for lane := range g.lanes {
			for k := range s.Steps(rank, lane) {
				if after := s.Step(rank, lane, k).After; after.Rank >= 0 {
					e.behind[after] = nil
				}
			}
		}
	}
	return e
}

// run replays the schedule.
func (e *export) run() error {
	r := &replay{program: e.s, begins: e.begins, moves: e.moves, ends: e.ends}
	stuck, err := r.run()
	if err != nil {
		return err
	}
	if len(stuck) > 0 {
		var names []string
		for _, at := range append(stuck, stuck[0]) {
			names = append(names, name(at))
		}
		return fmt.Errorf("it stops where every message takes both its ranks: %s", strings.Join(names, " waits for "))
	}
	return nil
}

func (e *export) lane(at algorithms.Ref) *progress { return &e.gpus[at.Rank].lanes[at.Lane] }

func (e *export) begins(at algorithms.Ref, st *algorithms.Step) {
	l := e.lane(at)
	l.begun = l.begun.and(e.behind[st.After])
	l.over = slices.Clone(l.begun)
}

func (e *export) ends(at algorithms.Ref) {
	l := e.lane(at)
	l.begun, l.over = l.over, nil
	if _, wanted := e.behind[at]; wanted {
		e.behind[at] = slices.Clone(l.begun)
	}
}

// moves writes a message, or a local copy, into the thread blocks of its ends.
func (e *export) moves(from, to algorithms.Ref, send_, recv_ *algorithms.Step) {
	pieces := e.pieces(from, to, send_.Send, recv_.Recv)
	if from == to {
		e.put(from, e.local(from), pieces, localCopy, recv_.Reduce)
		return
	}
	sender, receiver := e.connect(from, to)
	e.put(from, sender, pieces, send, false)
	e.put(to, receiver, pieces, recv, recv_.Reduce)
}

// piece is a run of chunks at both ends of a message.
type piece struct {
	src, dst chunk
	count    int
	from, to []cell // the same as slices
}

func (e *export) pieces(from, to algorithms.Ref, send, recv algorithms.Half) []piece {
	var list []piece
	for j := range send.Set.Len() {
		a, b := send.Set.Slice(j), recv.Set.Slice(j)
		src, dst := e.n.chunk(int(from.Rank), send.Buf, a), e.n.chunk(int(to.Rank), recv.Buf, b)
		if n := len(list); n == 0 || src != list[n-1].src.plus(list[n-1].count) || dst != list[n-1].dst.plus(list[n-1].count) {
			list = append(list, piece{src: src, dst: dst})
		}
		p := &list[len(list)-1]
		p.count++
		p.from, p.to = append(p.from, cell{send.Buf, a}), append(p.to, cell{recv.Buf, b})
	}
	return list
}

func (c chunk) plus(n int) chunk { return chunk{c.buffer, c.offset + n} }

// link is what a lane does with another one: send, receive, or, with itself, copy.
type link struct {
	own, peer algorithms.Ref
	kind      kind
}

// block gives the thread block of a link; a new one has the peers and the channel.
func (e *export) block(l link, sends, receives, channel int) int {
	b, known := e.blocks[l]
	if !known {
		g := &e.gpus[l.own.Rank]
		b = len(g.blocks)
		e.blocks[l] = b
		g.blocks = append(g.blocks, block{send: sends, recv: receives, channel: channel})
		g.clocks, g.known = append(g.clocks, nil), append(g.known, nil)
	}
	return b
}

// connect gives the thread blocks at both ends of two lanes. The lanes of a pair of ranks
// have channels of their own.
func (e *export) connect(from, to algorithms.Ref) (sender, receiver int) {
	from.Step, to.Step = 0, 0
	pair, lanes := [2]int32{from.Rank, to.Rank}, [2]algorithms.Ref{from, to}
	channel, known := e.channels[lanes]
	if !known {
		channel = e.taken[pair]
		e.channels[lanes] = channel
		e.taken[pair]++
		e.most = max(e.most, channel)
	}
	sender = e.block(link{from, to, send}, int(to.Rank), -1, channel)
	receiver = e.block(link{to, from, recv}, -1, int(from.Rank), channel)
	return sender, receiver
}

// local gives the thread block of a lane's local copies.
func (e *export) local(at algorithms.Ref) int {
	at.Step = 0
	return e.block(link{at, at, localCopy}, -1, -1, 0)
}

// put appends what a step does to a thread block.
func (e *export) put(at algorithms.Ref, b int, pieces []piece, k kind, reduce bool) {
	g, l := &e.gpus[at.Rank], e.lane(at)
	reads, writes := k == send || k == localCopy, k != send
	need := slices.Clone(l.begun)
	for i := range pieces {
		if reads {
			need = g.before(need, pieces[i].from, false)
		}
		if writes {
			need = g.before(need, pieces[i].to, true)
		}
	}
	for i := range pieces {
		p := &pieces[i]
		ins := instruction{kind: k, src: p.src, dst: p.dst, count: p.count, after: place{-1, -1}}
		switch {
		case reduce && k == localCopy:
			ins.kind = localReduce
		case reduce:
			ins.kind, ins.src = recvReduceCopy, p.dst
		}
		done := g.append(b, ins, need)
		need = nil
		for _, c := range p.from {
			if reads {
				g.touch(c).read = append(g.touch(c).read, done)
			}
		}
		for _, c := range p.to {
			if writes {
				g.touched[c] = &touches{written: done}
			}
		}
		g.use(ins)
		l.over = l.over.and(g.clocks[b][done.step])
	}
}

// use notes how much scratch an instruction takes.
func (g *exported) use(i instruction) {
	for _, c := range []chunk{i.src, i.dst} {
		if c.buffer == scratch {
			g.chunks[scratch] = max(g.chunks[scratch], c.offset+i.count)
		}
	}
}

func (g *exported) touch(c cell) *touches {
	t := g.touched[c]
	if t == nil {
		t = &touches{written: place{block: -1}}
		g.touched[c] = t
	}
	return t
}

// before adds to a clock what must be over before cells are written, or read.
func (g *exported) before(need clock, cells []cell, writes bool) clock {
	for _, c := range cells {
		t := g.touch(c)
		if t.written.block >= 0 {
			need = need.and(g.clocks[t.written.block][t.written.step])
		}
		if writes {
			for _, r := range t.read {
				need = need.and(g.clocks[r.block][r.step])
			}
		}
	}
	return need
}

// append appends an instruction to a thread block, behind nops that wait for all but the
// last of what it needs.
func (g *exported) append(b int, i instruction, need clock) place {
	steps := &g.blocks[b].steps
	waits := g.missing(b, g.known[b], need)
	for w, after := range waits {
		g.blocks[after.block].steps[after.step].notifies = true
		g.known[b] = g.known[b].and(g.clocks[after.block][after.step])
		if w == len(waits)-1 {
			i.after = after
			break
		}
		nowhere := chunk{input, -1}
		*steps = append(*steps, instruction{kind: nop, src: nowhere, dst: nowhere, after: after})
		g.clocks[b] = append(g.clocks[b], nil) // for which nobody waits
	}
	*steps = append(*steps, i)
	one := make(clock, b+1)
	one[b] = int32(len(*steps))
	g.known[b] = g.known[b].and(one)
	g.clocks[b] = append(g.clocks[b], slices.Clone(g.known[b]))
	return place{b, len(*steps) - 1}
}

// missing lists what a thread block has to wait for, beside what it knows, until all is
// over that it needs: what the others of the list do not wait for themselves.
func (g *exported) missing(b int, known, need clock) []place {
	var list []place
	for other := range need {
		if other != b && need.of(other) > known.of(other) {
			list = append(list, place{other, int(need.of(other)) - 1})
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(p place) bool {
		return slices.ContainsFunc(list, func(q place) bool {
			return q != p && g.clocks[q.block][q.step].of(p.block) > int32(p.step)
		})
	})
}
