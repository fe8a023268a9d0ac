package sim

import "math"

// Time is a point in simulated time, or a span of it, in picoseconds.
type Time int64

const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond

	// Never is later than anything that happens: the clock reaches 106 days.
	Never Time = math.MaxInt64
)
