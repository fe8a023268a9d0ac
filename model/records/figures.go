package records

import (
	"fmt"
	"math/bits"
	"strings"

	"hcclsim/model/units"
)

// AlgBW is the algorithm bandwidth S/time in GB/s (10^9 byte/s); 0 for a time of zero.
func (r Row) AlgBW() float64 {
	if r.Time <= 0 {
		return 0
	}
	// bytes/ps is 10^12 byte/s. One product and one quotient: nothing that a
	// processor could fuse, so the digits are the same everywhere.
	return float64(r.Bytes) * 1000 / float64(r.Time)
}

// BusBW is the bus bandwidth in GB/s: AlgBW times the factor by which nccl-tests makes
// collectives comparable with the speed of a link (doc/PERFORMANCE.md there). It is 0
// with fewer than two ranks.
func (r Row) BusBW() float64 {
	n := float64(r.Ranks)
	if r.Ranks < 2 {
		return 0
	}
	switch r.Collective {
	case "allreduce":
		return r.AlgBW() * (2 * (n - 1)) / n
	case "allgather", "reducescatter", "alltoall", "alltoallv", "gather", "scatter":
		return r.AlgBW() * (n - 1) / n
	}
	return r.AlgBW() // broadcast, reduce, sendrecv, barrier
}

// Serial and Ideal bound a training step from above and below: nothing hidden, and all that
// can be.
func (r Row) Serial() units.Duration { return r.Compute + r.Communication }
func (r Row) Ideal() units.Duration  { return max(r.Compute, r.Communication) }

// Overlap is the share of the communication that computing hides, 0 to 1; 0 without any.
func (r Row) Overlap() float64 {
	if r.Communication <= 0 || r.Exposed >= r.Communication {
		return 0
	}
	return float64(r.Communication-r.Exposed) / float64(r.Communication)
}

// Bound names the largest cause of Critical and its share of Time in whole percent,
// e.g. "wire hccs 83%"; the first of equal ones. It is empty when no cause took time.
func (r Row) Bound() string {
	var largest Part
	for _, p := range r.Critical {
		if p.Time > largest.Time {
			largest = p
		}
	}
	if largest.Time <= 0 || r.Time <= 0 {
		return ""
	}
	cause := strings.Replace(largest.Cause, ":", " ", 1)
	return fmt.Sprintf("%s %d%%", cause, percent(uint64(largest.Time), uint64(r.Time)))
}

// percent is 100*part/whole rounded to the nearest, halves up, without overflow.
func percent(part, whole uint64) uint64 {
	if part > whole {
		part = whole
	}
	high, low := bits.Mul64(part, 100)
	low, carry := bits.Add64(low, whole/2, 0)
	quotient, _ := bits.Div64(high+carry, low, whole)
	return quotient
}

// Check makes sure that Critical adds up to Time exactly and holds nothing negative.
func Check(r Row) error {
	rest := r.Time
	for _, p := range r.Critical {
		if p.Time < 0 {
			return fmt.Errorf("%s %s of %d bytes: %s took %s us of the critical path",
				r.Collective, r.Algorithm, r.Bytes, p.Cause, micros(p.Time))
		}
		rest -= p.Time
	}
	if rest != 0 {
		return fmt.Errorf("%s %s of %d bytes: the critical path explains %s of %s us",
			r.Collective, r.Algorithm, r.Bytes, micros(r.Time-rest), micros(r.Time))
	}
	return nil
}
