package sim

import "fmt"

// Event is something due at a time. What Kind and Arg mean is the handler's business;
// Arg is typically an index into a slab of the handler.
type Event struct {
	At   Time
	Kind uint32
	Arg  int32
}

// Handler is what an Engine drives.
type Handler interface {
	// Handle handles one event; the engine's clock shows its time.
	Handle(Event)
	// Settle is called when no event is left at this instant, before the clock moves and
	// before the run ends. It may schedule events, at this instant too; after those have
	// been handled it is called again.
	Settle()
}

// Engine is the clock and its queue of events. The zero value is an engine at time zero
// with an empty queue.
type Engine struct {
	queue      queue // its last is the clock
	peak       int
	handled    int64
	overflowed bool
	stopped    bool
}

// Now is the current simulated time.
func (e *Engine) Now() Time { return e.queue.last }

// Events is the number of events handled so far.
func (e *Engine) Events() int64 { return e.handled }

// PeakQueue is the largest number of events that have been waiting at once.
func (e *Engine) PeakQueue() int { return e.peak }

// Schedule adds an event. Events of the same time are handled in the order in which they
// were scheduled. A time that has grown beyond what Time can hold ends the run, see
// Overflowed. Schedule panics if at lies in the past, which is an error of the program.
func (e *Engine) Schedule(at Time, kind uint32, arg int32) {
	if at < e.queue.last {
		if at < 0 {
			e.overflowed, e.stopped = true, true
			return
		}
		panic(fmt.Sprintf("sim: event scheduled at %d ps when it is %d ps", at, e.queue.last))
	}
	e.queue.push(Event{at, kind, arg})
	e.peak = max(e.peak, e.queue.size)
}

// Overflowed says whether an event was to lie beyond Never, which ended the run.
func (e *Engine) Overflowed() bool { return e.overflowed }

// Stop ends the run after the event that is being handled. It is final.
func (e *Engine) Stop() { e.stopped = true }

// Run handles events until the queue is empty and Settle has added nothing, or Stop is
// called.
func (e *Engine) Run(h Handler) {
	for !e.stopped {
		if event, ok := e.queue.pop(); ok {
			e.handled++
			h.Handle(event)
			continue
		}
		h.Settle()
		if !e.stopped && !e.queue.due() && !e.queue.advance() {
			return
		}
	}
}
