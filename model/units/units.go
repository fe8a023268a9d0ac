// Package units holds the quantities of hcclsim, all integers, and their text forms.
package units

// Bytes is an amount of data.
type Bytes int64

// Rate is a bandwidth in bytes per second, one direction.
type Rate int64

// Duration is a span of simulated time in picoseconds.
type Duration int64

const (
	Picosecond  Duration = 1
	Nanosecond           = 1000 * Picosecond
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
)
