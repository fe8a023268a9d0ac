package sim

import (
	"fmt"
	"reflect"
	"testing"
)

// script is a handler that notes what happens and answers with what it is told to.
type script struct {
	Engine
	log     []string
	handle  func(Event)
	settles func(call int)
	calls   int
}

func (s *script) Handle(e Event) {
	s.log = append(s.log, fmt.Sprintf("%d:%d", s.Now(), e.Arg))
	if s.handle != nil {
		s.handle(e)
	}
}

func (s *script) Settle() {
	s.log = append(s.log, fmt.Sprintf("%d:settle", s.Now()))
	s.calls++
	if s.settles != nil {
		s.settles(s.calls)
	}
}

func (s *script) expect(t *testing.T, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(s.log, want) {
		t.Errorf("got  %v\nwant %v", s.log, want)
	}
}

func TestEqualTimesRunInTheOrderScheduled(t *testing.T) {
	var s script
	for i, at := range []Time{20, 10, 20, 10, 20} {
		s.Schedule(at, 0, int32(i))
	}
	s.handle = func(e Event) {
		if e.Arg == 1 {
			s.Schedule(20, 0, 5)
			s.Schedule(10, 0, 6)
		}
	}
	s.Run(&s)
	s.expect(t, "0:settle", "10:1", "10:3", "10:6", "10:settle", "20:0", "20:2", "20:4", "20:5", "20:settle")
	if s.Events() != 7 || s.PeakQueue() != 6 {
		t.Errorf("%d events, peak %d; want 7 and 6", s.Events(), s.PeakQueue())
	}
}

// Settle comes before the clock moves and before the run ends; what it schedules at the
// same instant is handled, and settled, at that instant.
func TestSettle(t *testing.T) {
	var s script
	s.Schedule(10, 0, 0)
	s.settles = func(call int) {
		switch call {
		case 2:
			s.Schedule(10, 0, 1)
			s.Schedule(15, 0, 2)
		case 4: // the queue is dry
			s.Schedule(30, 0, 3)
		}
	}
	s.Run(&s)
	s.expect(t, "0:settle", "10:0", "10:settle", "10:1", "10:settle", "15:2", "15:settle", "30:3", "30:settle")
}

func TestRunOfNothingSettlesOnce(t *testing.T) {
	var s script
	s.Run(&s)
	s.expect(t, "0:settle")
}

func TestStop(t *testing.T) {
	t.Run("in Handle", func(t *testing.T) {
		var s script
		s.Schedule(1, 0, 0)
		s.Schedule(1, 0, 1)
		s.handle = func(Event) { s.Stop() }
		s.Run(&s)
		s.expect(t, "0:settle", "1:0")
	})
	t.Run("in Settle, the clock stands still", func(t *testing.T) {
		var s script
		s.Schedule(1, 0, 0)
		s.settles = func(int) { s.Stop() }
		s.Run(&s)
		s.expect(t, "0:settle")
		if s.Now() != 0 {
			t.Errorf("the clock moved to %d", s.Now())
		}
	})
}

func TestTimesAsFarAsNever(t *testing.T) {
	var s script
	s.Schedule(Never, 0, 1)
	s.Schedule(Never-1, 0, 0)
	s.Run(&s)
	s.expect(t, "0:settle", fmt.Sprintf("%d:0", Never-1), fmt.Sprintf("%d:settle", Never-1),
		fmt.Sprintf("%d:1", Never), fmt.Sprintf("%d:settle", Never))
}

func TestSchedulingThePastPanics(t *testing.T) {
	var s script
	s.Schedule(10, 0, 0)
	s.handle = func(Event) {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		s.Schedule(9, 0, 0)
	}
	s.Run(&s)
}

// Once the queue has had as many events as it will have, events allocate nothing.
func TestEventsDoNotAllocate(t *testing.T) {
	for _, tied := range []bool{false, true} {
		h := newHold(tied, 1000, 100_000)
		h.Run(h)
		allocs := testing.AllocsPerRun(10, func() {
			h.left, h.stopped = 10_000, false
			h.Run(h)
		})
		if allocs != 0 {
			t.Errorf("tied %v: %v allocations in 10,000 events", tied, allocs)
		}
	}
}
