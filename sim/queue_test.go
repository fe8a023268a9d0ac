package sim

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// plainHeap is a binary heap of events with a sequence number that keeps equal times in
// order: what the queue is held against.
type plainHeap struct {
	events []numbered
	pushed uint64
}

type numbered struct {
	Event
	number uint64
}

func (h *plainHeap) before(i, j int) bool {
	a, b := &h.events[i], &h.events[j]
	return a.At < b.At || a.At == b.At && a.number < b.number
}

func (h *plainHeap) swap(i, j int) { h.events[i], h.events[j] = h.events[j], h.events[i] }

func (h *plainHeap) push(e Event) {
	h.events = append(h.events, numbered{e, h.pushed})
	h.pushed++
	for i := len(h.events) - 1; i > 0 && h.before(i, (i-1)/2); i = (i - 1) / 2 {
		h.swap(i, (i-1)/2)
	}
}

func (h *plainHeap) pop() (Event, bool) {
	if len(h.events) == 0 {
		return Event{}, false
	}
	first, last := h.events[0].Event, len(h.events)-1
	h.swap(0, last)
	h.events = h.events[:last]
	for i := 0; 2*i+1 < last; {
		child := 2*i + 1
		if child+1 < last && h.before(child+1, child) {
			child++
		}
		if h.before(i, child) {
			break
		}
		h.swap(i, child)
		i = child
	}
	return first, true
}

// next pops the earliest event, whatever its time.
func (q *queue) next() (Event, bool) {
	if !q.due() && !q.advance() {
		return Event{}, false
	}
	return q.pop()
}

// pair pushes to and pops from both queues.
type pair struct {
	t      *testing.T
	quick  queue
	plain  plainHeap
	events int32
}

func (p *pair) push(after Time) {
	at := p.quick.last + after
	if at < p.quick.last {
		at = Never
	}
	e := Event{at, 0, p.events}
	p.events++
	p.quick.push(e)
	p.plain.push(e)
}

func (p *pair) pop() bool {
	p.t.Helper()
	got, ok := p.quick.next()
	want, more := p.plain.pop()
	if got != want || ok != more {
		p.t.Fatalf("popped %v %v, want %v %v", got, ok, want, more)
	}
	if p.quick.size != len(p.plain.events) {
		p.t.Fatalf("%d events wait, want %d", p.quick.size, len(p.plain.events))
	}
	return ok
}

func (p *pair) drain() {
	p.t.Helper()
	for p.pop() {
	}
}

func TestQueueAgainstHeap(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := pair{t: t}
		spread, pushes := r.IntN(63), 1+r.IntN(8)
		for range 2000 {
			if r.IntN(8) < pushes {
				p.push(Time(r.Int64N(1<<spread + 1)))
			} else {
				p.pop()
			}
		}
		p.drain()
	}
}

// FuzzQueue reads pushes and pops from bytes: a byte of 64 to 255 pushes with an
// increment of that many bits at most, whose lowest byte is the next one.
func FuzzQueue(f *testing.F) {
	f.Add([]byte{70, 5, 70, 5, 70, 9, 0, 200, 1, 0, 64, 0, 0, 0})
	f.Add(binary.LittleEndian.AppendUint64(nil, 0xfeff_00fe_01ff_40ff))
	f.Fuzz(func(t *testing.T, script []byte) {
		p := pair{t: t}
		for i := 0; i < len(script); i++ {
			if script[i] < 64 || i+1 == len(script) {
				p.pop()
				continue
			}
			p.push(Time(uint64(script[i+1]) << (script[i] % 57) >> 1))
			i++
		}
		p.drain()
	})
}

// The memory of the queue follows the events that wait, not the buckets they have been in.
func TestQueueKeepsNoMemoryInBuckets(t *testing.T) {
	const waiting = 1000
	p := pair{t: t}
	r := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		p.push(Time(r.Int64N(1 << (1 + r.IntN(50)))))
		if p.quick.size > waiting {
			p.pop()
		}
	}
	p.drain()
	chunks := 0
	for c := p.quick.free; c != nil; c = c.next {
		chunks++
	}
	// At worst every bucket in use has a chunk that is nearly empty.
	if most := waiting/chunkSize + buckets; chunks > most {
		t.Errorf("%d chunks for %d events, want at most %d", chunks, waiting, most)
	}
}
