package units

import (
	"math"
	"strconv"
)

// String is the shortest exact text in binary or decimal units, e.g. 512KiB, 1MB or 82B.
func (b Bytes) String() string {
	best := ""
	for _, u := range sizes[:9] { // up to B
		text, ok := exact(int64(b), u, 3)
		if ok && (best == "" || len(text) < len(best)) {
			best = text
		}
	}
	return best
}

// String is exact in the largest decimal unit of which there is at least one: 20.9GB/s.
func (r Rate) String() string { return largest(int64(r), rates[:5]) }

// String is exact in the largest unit of which there is at least one: 1.5us. Zero is 0s.
func (d Duration) String() string {
	if d == 0 {
		return "0s"
	}
	return largest(int64(d), durations)
}

func largest(v int64, units []unit) string {
	for _, u := range units {
		if text, ok := exact(v, u, 12); ok {
			return text
		}
	}
	panic("the base unit shows every value")
}

// exact writes v in u if there is at least one of u and the fraction fits into the given
// number of digits. The base unit always fits.
func exact(v int64, u unit, places int) (string, bool) {
	sign, m := "", uint64(v)
	if v < 0 {
		sign, m = "-", -m
	}
	scale := uint64(u.scale)
	if m < scale && scale != 1 {
		return "", false
	}
	text := sign + strconv.FormatUint(m/scale, 10)
	rest := m % scale
	if rest == 0 {
		return text + u.suffix, true
	}
	fraction := make([]byte, 0, places)
	for rest != 0 && len(fraction) < places {
		rest *= 10 // below 2^40 * 10
		fraction = append(fraction, '0'+byte(rest/scale))
		rest %= scale
	}
	return text + "." + string(fraction) + u.suffix, rest == 0
}

// Short is the size for the tick of an axis or the cell of a table: 8K, 1M, 1.5G, in
// binary units to three digits. It reads well but need not be exact.
func (b Bytes) Short() string {
	for _, u := range sizes[9:] {
		x := float64(b) / float64(u.scale)
		switch abs := math.Abs(x); {
		case abs >= 100:
			return strconv.FormatFloat(x, 'f', 0, 64) + u.suffix
		case abs >= 1:
			return strconv.FormatFloat(x, 'g', 3, 64) + u.suffix
		}
	}
	return strconv.FormatInt(int64(b), 10)
}
