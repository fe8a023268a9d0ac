package exchange

// check checks what elements say of each other, and ties the ends of messages together.
func (p *parser) check() {
	p.checkGPUs()
	for id := range p.a.gpus {
		if p.full() {
			return
		}
		g := &p.a.gpus[id]
		g.findTells()
		for b := range g.blocks {
			p.checkBlock(id, b)
			for k := range g.blocks[b].steps {
				p.checkPlaces(g, &g.blocks[b].steps[k])
				p.checkAfter(g, place{b, k})
			}
		}
	}
	if len(p.list) > 0 {
		return
	}
	p.tie()
	for id := range p.a.gpus {
		p.arrange(id)
	}
	if p.a.OutOfPlace {
		p.keepInput()
	}
}

// checkGPUs makes sure that there are all.
func (p *parser) checkGPUs() {
	missing, first := 0, 0
	for id := range p.a.gpus {
		if p.a.gpus[id].at < 0 {
			if missing++; missing == 1 {
				first = id
			}
		}
	}
	switch {
	case missing == 1:
		p.add(len(p.text), "gpu %d is missing: expected gpus 0 to %d", first, p.a.Ranks-1)
	case missing > 1:
		p.add(len(p.text), "%d gpus are missing, the first is gpu %d: expected gpus 0 to %d", missing, first, p.a.Ranks-1)
	}
}

// checkBlock makes sure that a thread block has the peers that its instructions need.
func (p *parser) checkBlock(id, b int) {
	blk := &p.a.gpus[id].blocks[b]
	if blk.send == id || blk.recv == id {
		p.add(blk.at, "tb %d of gpu %d has its own gpu for a peer: expected another one, or -1", b, id)
	}
	for k := range blk.steps {
		i := &blk.steps[k]
		if kinds[i.kind].sends && blk.send < 0 {
			p.add(i.at, `step %d is %v, which sends, but its tb has send="-1": expected a peer`, k, i.kind)
		}
		if kinds[i.kind].receives && blk.recv < 0 {
			p.add(i.at, `step %d is %v, which receives, but its tb has recv="-1": expected a peer`, k, i.kind)
		}
	}
}

// checkPlaces makes sure that the chunks of an instruction exist.
func (p *parser) checkPlaces(g *gpu, i *instruction) {
	has := kinds[i.kind]
	if i.kind == nop {
		return
	}
	if i.count == 0 {
		p.add(i.at, `%v has cnt="0": expected at least 1`, i.kind)
	}
	within := func(what string, c chunk) {
		if last := c.offset + i.count - 1; c.offset < 0 || last >= g.chunks[c.buffer] {
			p.add(i.at, "%s names chunks %d to %d of %v, of which the gpu has %d (%v_chunks)", what, c.offset, last, c.buffer, g.chunks[c.buffer], c.buffer)
		} else if n := p.numbering(); !n.named(c, i.count) {
			p.add(i.at, "%s names chunks %d to %d of o, parts of several blocks of %d chunks: expected chunks of one block, or whole blocks", what, c.offset, last, n.perBlock())
		}
	}
	if has.src {
		within("src", i.src)
	}
	if has.dst {
		within("dst", i.dst)
	}
	apart := max(i.src.offset-i.dst.offset, i.dst.offset-i.src.offset)
	if has.src && has.dst && i.src.buffer == i.dst.buffer && apart < i.count && (apart > 0 || i.kind == localReduce) {
		p.add(i.at, "src and dst of %v overlap: expected different chunks", i.kind)
	}
}

// checkAfter makes sure that what an instruction waits for exists and ends, and finds when.
// A thread block tells others of the latest instruction with hasdep that it has executed:
// who waits for another one waits for the next such one.
func (p *parser) checkAfter(g *gpu, at place) {
	i := &g.blocks[at.block].steps[at.step]
	a := &i.after
	switch {
	case a.block < 0:
		return
	case a.step < 0:
		p.add(i.at, "waits for tb %d (depid) but for no step of it (deps): expected a step", a.block)
		return
	case a.block >= len(g.blocks):
		p.add(i.at, "waits for tb %d, which the gpu does not have: expected 0 to %d", a.block, len(g.blocks)-1)
		return
	case a.step >= len(g.blocks[a.block].steps):
		p.add(i.at, "waits for step %d of tb %d, which has %d steps", a.step, a.block, len(g.blocks[a.block].steps))
		return
	case a.block == at.block && a.step >= at.step:
		p.add(i.at, "waits for step %d of its own tb, which is not before it", a.step)
		return
	}
	if told := g.blocks[a.block].tells[a.step]; told >= 0 {
		a.step = told
		return
	}
	p.add(i.at, `waits for step %d of tb %d, which tells nobody: expected hasdep="1" there or behind it`, a.step, a.block)
}

// findTells finds, for every instruction, the next one with hasdep.
func (g *gpu) findTells() {
	for b := range g.blocks {
		blk := &g.blocks[b]
		blk.tells = make([]int, len(blk.steps))
		next := -1
		for k := len(blk.steps) - 1; k >= 0; k-- {
			if blk.steps[k].notifies {
				next = k
			}
			blk.tells[k] = next
		}
	}
}

// arrange puts the instructions of a gpu in an order in which nobody waits for a later
// one: its thread blocks in turn, each as far as it can go.
func (p *parser) arrange(id int) {
	g := &p.a.gpus[id]
	done := make([]int, len(g.blocks))
	waiting := make([][]int, len(g.blocks)) // for a thread block to go on
	var ready []int
	for b := range g.blocks {
		ready = append(ready, b)
	}
	for len(ready) > 0 {
		b := ready[0]
		ready = ready[1:]
		before := done[b]
		for done[b] < len(g.blocks[b].steps) {
			if a := g.blocks[b].steps[done[b]].after; a.block >= 0 && done[a.block] <= a.step {
				waiting[a.block] = append(waiting[a.block], b)
				break
			}
			g.order = append(g.order, place{b, done[b]})
			done[b]++
		}
		if done[b] > before {
			ready = append(ready, waiting[b]...)
			waiting[b] = nil
		}
	}
	for b := range g.blocks {
		if k := done[b]; k < len(g.blocks[b].steps) {
			i := g.blocks[b].steps[k]
			line := p.line(g.blocks[i.after.block].steps[i.after.step].at)
			p.add(i.at, "deadlock: step %d of tb %d waits for step %d of tb %d (line %d), which waits for it", k, b, i.after.step, i.after.block, line)
			return
		}
	}
}

// keepInput makes sure that nothing is written to the input of an algorithm that is for
// buffers out of place.
func (p *parser) keepInput() {
	for _, g := range p.a.gpus {
		for _, blk := range g.blocks {
			for _, i := range blk.steps {
				if kinds[i.kind].dst && i.dst.buffer == input {
					p.add(i.at, "%v writes to buffer i, the input: expected o or s, as the algorithm is for buffers out of place too", i.kind)
				}
			}
		}
	}
}
