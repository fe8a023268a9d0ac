package algorithms

import (
	"math"
	"math/bits"
)

// Levels are the costs of a step between ranks of one server, between servers (of one
// super-pod, where there are several), and between super-pods.
type Levels struct{ Inside, Between, Pods Hockney }

// Everywhere is a machine whose ranks are all equally far from each other.
func Everywhere(h Hockney) Levels { return Levels{h, h, h} }

// of is the cost of a step of a level of a mix: 0 inside servers, 1 between them, 2 between
// super-pods.
func (l *Levels) of(level int) Hockney {
	return [...]Hockney{l.Inside, l.Between, l.Pods}[level]
}

// Cost is the closed form of a schedule under Hockney's model, in picoseconds, evaluated
// on the actual slices. It is exact, not a bound: every n bytes take the time of n bytes
// rounded up to a picosecond; but NHR's Broadcast may lose the roundings of its messages.
// A flat algorithm is taken to be as slow everywhere as between servers or super-pods.
// Local copies and signals are free. ok is false where no closed form exists: see Estimate.
func Cost(algorithm string, r Request, l Levels) (ps int64, ok bool, err error) {
	ps, ok, err = predict(algorithm, r, l)
	if !ok {
		ps = 0
	}
	return ps, ok, err
}

// Estimate predicts the time of a schedule under Hockney's model, in picoseconds: Cost
// where there is a closed form; with double-tree the estimate by which its segment is
// chosen; with NHR and NB the time of slices that are all as large as the first ones; of
// unequal blocks, or of rooted slices of which some are shorter, that of the largest.
func Estimate(algorithm string, r Request, l Levels) (ps int64, err error) {
	ps, _, err = predict(algorithm, r, l)
	return ps, err
}

// predict adds up the phases. exact is false where one of them has no closed form.
func predict(algorithm string, r Request, l Levels) (ps int64, exact bool, err error) {
	s, err := New(algorithm, r)
	if err != nil {
		return 0, false, err
	}
	// Of unequal blocks those of group 0 need not be the largest.
	exact = r.Collective != AlltoAllV || Flat(algorithm)
	program, ok := s.Program.(*sequence)
	if !ok { // of links that the levels do not tell
		return math.MaxInt64, false, nil
	}
	for i := range program.phases {
		ph := &program.phases[i]
		// Group 0 has the largest slices, and all groups run at once.
		size := func(q int) int64 {
			n, _ := Message(s.Layout, ph.from, Set{First: int32(q), Count: 1, Stride: 1, Mod: int32(q) + 1, Width: int32(ph.width)})
			return n
		}
		sizes := size
		if ph.ranked && ph.plane.root > 0 {
			// The parts know what to do with slices that become shorter, counted from the root.
			sizes = func(q int) int64 { return size((q + ph.plane.root) % ph.plane.size) }
			exact = exact && size(ph.plane.size-1) == size(0)
		}
		if m, chunk := ph.part.(meshChunkPart); chunk && ph.base != [2]term{} {
			exact = exact && size(0) == size(m.n-2) // of uneven chunks group 0 need not be the slowest
		}
		part, ok := costOf(ph, l, sizes)
		ps += part
		exact = exact && ok
	}
	return ps, exact, nil
}

// costOf asks a part that works on two levels at once for both.
func costOf(ph *phase, l Levels, sizes func(int) int64) (ps int64, exact bool) {
	if p, both := ph.part.(pipelinePart); both && l.Inside != l.Between {
		return p.levels(l, sizes)
	}
	return ph.part.cost(l.of(ph.costs), sizes)
}

// step is the time of one message of n bytes; without bytes there is no message.
func (h Hockney) step(n int64, reduce bool) int64 {
	if n == 0 {
		return 0
	}
	ps := h.Alpha + Duration(n, h.Bandwidth)
	if reduce {
		ps += h.reduce(n)
	}
	return ps
}

// reduce is the time to reduce n bytes.
func (h Hockney) reduce(n int64) int64 { return Duration(n, h.Reduce) }

// atOnce is the time of k messages of n bytes that begin together at one rank.
func (h Hockney) atOnce(k, n int64) int64 {
	if !h.PairLinks {
		n *= k
	}
	return h.step(n, false)
}

// Duration is the time of n bytes at a rate in bytes per second, in picoseconds rounded
// up; rate 0 takes no time. What is beyond the range of the result is its largest value.
func Duration(n, rate int64) int64 {
	if rate == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), 1e12)
	lo, carry := bits.Add64(lo, uint64(rate-1), 0)
	if hi += carry; hi >= uint64(rate) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(rate))
	return int64(min(q, math.MaxInt64))
}
