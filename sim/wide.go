package sim

import (
	"math"
	"math/bits"
)

// wide is an unsigned integer of 128 bits.
type wide struct{ hi, lo uint64 }

func product(a, b uint64) (w wide) {
	w.hi, w.lo = bits.Mul64(a, b)
	return w
}

func (w wide) plus(v wide) wide {
	lo, carry := bits.Add64(w.lo, v.lo, 0)
	hi, _ := bits.Add64(w.hi, v.hi, carry)
	return wide{hi, lo}
}

// minus is w-v, or zero if v is larger.
func (w wide) minus(v wide) wide {
	lo, borrow := bits.Sub64(w.lo, v.lo, 0)
	hi, borrow := bits.Sub64(w.hi, v.hi, borrow)
	if borrow != 0 {
		return wide{}
	}
	return wide{hi, lo}
}

func (w wide) less(v wide) bool {
	return w.hi < v.hi || w.hi == v.hi && w.lo < v.lo
}

// over is w/d rounded down, at most MaxInt64.
func (w wide) over(d uint64) uint64 {
	if w.hi >= d {
		return math.MaxInt64
	}
	q, _ := bits.Div64(w.hi, w.lo, d)
	return min(q, math.MaxInt64)
}

// overUp is w/d rounded up, at most MaxInt64.
func (w wide) overUp(d uint64) uint64 {
	return w.plus(wide{lo: d - 1}).over(d)
}

// exceeds tells whether w*a > v*b, in 192 bits.
func exceeds(w wide, a uint64, v wide, b uint64) bool {
	wl, vl := product(w.lo, a), product(v.lo, b)
	wh, vh := product(w.hi, a).plus(wide{lo: wl.hi}), product(v.hi, b).plus(wide{lo: vl.hi})
	return vh.less(wh) || vh == wh && vl.lo < wl.lo
}
