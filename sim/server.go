package sim

import "fmt"

// Server is a number of identical units and the line of jobs that wait for some. A job
// takes its units together or not at all and keeps them until it releases them; nothing
// is interrupted. The line is ordered by priority (the lowest number first), then by
// arrival, and strict: while the first job waits, those behind it wait too, even if their
// units are free.
//
// A server is passive: it schedules nothing. The zero value has units without limit.
type Server struct {
	units, busy int32
	arrivals    uint64
	line        []waiter // a binary heap by turn
}

type waiter struct {
	turn       uint64 // priority, then arrival: the lowest is first
	job, units int32
}

// NewServer returns an idle server; units 0 means without limit.
func NewServer(units int32) Server { return Server{units: units} }

// Acquire asks for units for a job. True: it has them. False: it waits in line, until
// Next returns it. It panics if the server has not so many units, since the job would
// wait forever.
func (s *Server) Acquire(job, units int32, priority uint8) bool {
	if units < 0 || s.units > 0 && units > s.units {
		panic(fmt.Sprintf("sim: job %d asks for %d of %d units", job, units, s.units))
	}
	turn := uint64(priority)<<56 | s.arrivals
	if s.fits(units) && (len(s.line) == 0 || turn < s.line[0].turn) {
		s.busy += units
		return true
	}
	s.arrivals++
	s.enqueue(waiter{turn, job, units})
	return false
}

// Release gives units back. The caller then calls Next until it returns none.
func (s *Server) Release(units int32) {
	if units < 0 || units > s.busy {
		panic(fmt.Sprintf("sim: %d units released, %d are busy", units, s.busy))
	}
	s.busy -= units
}

// Next grants the first waiting job its units if they are free.
func (s *Server) Next() (job int32, ok bool) {
	if len(s.line) == 0 || !s.fits(s.line[0].units) {
		return 0, false
	}
	first := s.line[0]
	s.dequeue()
	s.busy += first.units
	return first.job, true
}

// Waiting is the length of the line.
func (s *Server) Waiting() int { return len(s.line) }

// Busy is the number of units taken.
func (s *Server) Busy() int32 { return s.busy }

func (s *Server) fits(units int32) bool { return s.units == 0 || units <= s.units-s.busy }

func (s *Server) enqueue(w waiter) {
	s.line = append(s.line, w)
	i := len(s.line) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if s.line[parent].turn < w.turn {
			break
		}
		s.line[i] = s.line[parent]
		i = parent
	}
	s.line[i] = w
}

// dequeue removes the first waiter.
func (s *Server) dequeue() {
	last := len(s.line) - 1
	w := s.line[last]
	s.line = s.line[:last]
	if last == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && s.line[child+1].turn < s.line[child].turn {
			child++
		}
		if w.turn < s.line[child].turn {
			break
		}
		s.line[i] = s.line[child]
		i = child
	}
	s.line[i] = w
}
