package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// hold is the hold model of event queues: every event handled schedules another.
type hold struct {
	Engine
	after []Time // increments, a power of two of them
	left  int
}

func (h *hold) Handle(e Event) {
	if h.left == 0 {
		h.Stop()
		return
	}
	h.left--
	h.Schedule(e.At+h.after[h.left&(len(h.after)-1)], 0, 0)
}

func (h *hold) Settle() {}

func newHold(tied bool, size, events int) *hold {
	r := rand.New(rand.NewPCG(1, 2))
	h := &hold{after: make([]Time, 1<<16), left: events}
	for i := range h.after {
		h.after[i] = 1 + Time(r.ExpFloat64()*float64(Microsecond))
		if tied {
			h.after[i] = (1 + Time(r.IntN(8))) * Microsecond
		}
	}
	for i := range size {
		h.Schedule(h.after[i&(len(h.after)-1)], 0, 0)
	}
	return h
}

// ns/op is the time of one event: schedule, pop and handle.
func BenchmarkHold(b *testing.B) {
	for _, tied := range []bool{false, true} {
		for _, size := range []int{100, 10_000, 1_000_000} {
			b.Run(fmt.Sprintf("tied=%v/waiting=%d", tied, size), func(b *testing.B) {
				h := newHold(tied, size, b.N+3*size)
				h.left = 3 * size // a warm queue
				h.Run(h)
				h.left, h.stopped = b.N, false
				b.ReportAllocs()
				b.ResetTimer()
				h.Run(h)
			})
		}
	}
	b.Run("waves/waiting=1024", func(b *testing.B) { // bulk-synchronous: all at one time
		h := newHold(false, 0, b.N)
		h.after = []Time{Microsecond}
		for range 1024 {
			h.Schedule(Microsecond, 0, 0)
		}
		b.ReportAllocs()
		b.ResetTimer()
		h.Run(h)
	})
}

// steps is a handler that starts a batch of flows, waits until all have finished and
// starts the next.
type steps struct {
	Engine
	flows   *Flows
	uses    [][]Use
	bytes   func(flow int) int64
	pending int
	left    int
}

func (s *steps) Handle(e Event) {
	if e.Kind == finishFlow {
		if _, _, ok := s.flows.Finished(e.Arg); !ok {
			return
		}
		if s.pending--; s.pending > 0 {
			return
		}
	}
	if s.left <= 0 {
		return
	}
	for i := range s.uses {
		s.flows.Start(s.bytes(i), s.uses[i], 1, 0, int32(i))
	}
	s.pending = len(s.uses)
	s.left -= len(s.uses)
}

func (s *steps) Settle() { s.flows.Settle() }

// advance runs batches of at least so many flows in all.
func (s *steps) advance(flows int) {
	s.left = flows
	s.Schedule(s.Now(), startFlow, 0)
	s.Run(s)
}

func newSteps(links int, pairs [][2]int32) *steps {
	s := &steps{bytes: func(int) int64 { return 1 << 20 }}
	s.flows = NewFlows(&s.Engine, finishFlow, crossbar(links/2))
	for _, p := range pairs {
		s.uses = append(s.uses, []Use{{p[0], One}, {p[1], One}})
	}
	return s
}

// ring is the links of one step of a ring: out of a rank, into the next.
func ring(ranks int) (pairs [][2]int32) {
	for r := range ranks {
		pairs = append(pairs, [2]int32{int32(2 * r), int32(2*((r+1)%ranks) + 1)})
	}
	return pairs
}

// mesh is every rank to every other.
func mesh(ranks int) (pairs [][2]int32) {
	for a := range ranks {
		for b := range ranks {
			if a != b {
				pairs = append(pairs, [2]int32{int32(2 * a), int32(2*b + 1)})
			}
		}
	}
	return pairs
}

func random(ranks, flows int) (pairs [][2]int32) {
	r := rand.New(rand.NewPCG(3, 4))
	for range flows {
		a := r.IntN(ranks)
		pairs = append(pairs, [2]int32{int32(2 * a), int32(2*((a+1+r.IntN(ranks-1))%ranks) + 1)})
	}
	return pairs
}

// ns/op is the time of one flow, from start to finish with its events.
func BenchmarkFlows(b *testing.B) {
	for _, c := range []struct {
		name  string
		ranks int
		pairs [][2]int32
	}{
		{"alone", 2, ring(2)[:1]},
		{"ring step of 1024", 1024, ring(1024)},
		{"ring step of 4096", 4096, ring(4096)},
		{"coupled 64 (incast)", 65, mesh(65)[:64]},
		{"coupled 56 (mesh of 8)", 8, mesh(8)},
		{"coupled 64 (random pairs)", 16, random(16, 64)},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := newSteps(2*c.ranks, c.pairs)
			s.advance(1)
			b.ReportAllocs()
			b.ResetTimer()
			s.advance(b.N)
		})
	}
	b.Run("coupled 64 (random pairs and sizes)", func(b *testing.B) {
		s := newSteps(32, random(16, 64))
		r := rand.New(rand.NewPCG(5, 6))
		s.bytes = func(int) int64 { return 1 + r.Int64N(1<<20) }
		s.advance(100_000)
		b.ReportAllocs()
		b.ResetTimer()
		s.advance(b.N)
	})
}

// The plain heap for comparison.
func BenchmarkHoldPlainHeap(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("waiting=%d", size), func(b *testing.B) {
			h, after := plainHeap{}, newHold(false, 0, 0).after
			for i := range size {
				h.push(Event{At: after[i]})
			}
			for i := range b.N {
				e, _ := h.pop()
				h.push(Event{At: e.At + after[i&(len(after)-1)]})
			}
		})
	}
}
