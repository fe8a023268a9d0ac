package exchange

import (
	"fmt"
	"slices"
)

// connection is what messages of a pair of gpus go through, in order.
type connection struct{ from, to, channel int }

func (c connection) String() string {
	return fmt.Sprintf("gpu %d to gpu %d on channel %d", c.from, c.to, c.channel)
}

// tie finds the two ends of every message: on a connection the first instruction that
// sends and the first that receives, and so on.
func (p *parser) tie() {
	receivers := make(map[connection]int) // thread blocks
	for id := range p.a.gpus {
		for b, blk := range p.a.gpus[id].blocks {
			if blk.recv < 0 || blk.next(0, true) == len(blk.steps) {
				continue
			}
			c := connection{blk.recv, id, blk.channel}
			if other, taken := receivers[c]; taken {
				p.add(blk.at, "tb %d receives from %v, as tb %d does: their order is not defined", b, c, other)
			}
			receivers[c] = b
		}
	}
	if len(p.list) > 0 {
		return
	}
	senders := make(map[connection]int)
	for id := range p.a.gpus {
		for b, blk := range p.a.gpus[id].blocks {
			if blk.send < 0 || blk.next(0, false) == len(blk.steps) {
				continue
			}
			c := connection{id, blk.send, blk.channel}
			if other, taken := senders[c]; taken {
				p.add(blk.at, "tb %d sends from %v, as tb %d does: their order is not defined", b, c, other)
				continue
			}
			senders[c] = b
			to, ok := receivers[c]
			if !ok {
				to = -1
			}
			p.tieBlocks(c, b, to)
		}
	}
	for id := range p.a.gpus {
		for b, blk := range p.a.gpus[id].blocks {
			for k, i := range blk.steps {
				if kinds[i.kind].receives && i.peerRecv.block < 0 {
					p.add(i.at, "step %d of tb %d receives from %v, which sends nothing for it", k, b, connection{blk.recv, id, blk.channel})
				}
			}
		}
	}
}

// next is the first instruction, from one on, that receives, or sends; behind the last if
// there is none.
func (b *block) next(k int, receives bool) int {
	for k < len(b.steps) {
		if has := kinds[b.steps[k].kind]; receives && has.receives || !receives && has.sends {
			break
		}
		k++
	}
	return k
}

// tieBlocks ties what thread block b sends over a connection to what another receives;
// other < 0: nobody does.
func (p *parser) tieBlocks(c connection, b, other int) {
	from := &p.a.gpus[c.from].blocks[b]
	to := &block{}
	if other >= 0 {
		to = &p.a.gpus[c.to].blocks[other]
	}
	j := -1
	for k := from.next(0, false); k < len(from.steps); k = from.next(k+1, false) {
		j = to.next(j+1, true)
		i := &from.steps[k]
		if j == len(to.steps) {
			p.add(i.at, "step %d of tb %d sends from %v, which does not receive it%s", k, b, c, p.neighbour(c))
			return
		}
		end := &to.steps[j]
		if i.count != end.count {
			p.add(i.at, "step %d of tb %d sends %d chunks from %v: line %d receives %d", k, b, i.count, c, p.line(end.at), end.count)
		}
		i.peerSend = partner{c.to, place{other, j}}
		end.peerRecv = partner{c.from, place{b, k}}
	}
}

// neighbour explains the mistake of a ring whose ranks receive from the neighbour that they
// send to: the other end of the connection sends nothing back.
func (p *parser) neighbour(c connection) string {
	connects := func(gpu int, receives bool, peer int) bool {
		return slices.ContainsFunc(p.a.gpus[gpu].blocks, func(b block) bool {
			end := b.send
			if receives {
				end = b.recv
			}
			return end == peer && b.next(0, receives) < len(b.steps)
		})
	}
	if !connects(c.from, true, c.to) || connects(c.to, false, c.from) {
		return ""
	}
	return fmt.Sprintf(" (gpu %d sends to gpu %d and receives from it too: in a ring a gpu that sends to one neighbour must receive from the other)", c.from, c.to)
}
