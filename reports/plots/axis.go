package plots

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"hcclsim/model/units"
)

// Room for the ticks of the horizontal axes of a figure, and the gap between two labels.
const (
	room vg.Length = 460
	gap  vg.Length = 7
)

// normalize is where x lies on the axis, from 0 to 1.
func (a axis) normalize(x float64) float64 {
	if a.log {
		return plot.LogScale{}.Normalize(a.min, a.max, x)
	}
	return plot.LinearScale{}.Normalize(a.min, a.max, x)
}

// fits says whether no two labels come closer than the gap when the axis is so long.
func (a axis) fits(length vg.Length) bool {
	style := text(tickSize, ink, false)
	end := vg.Length(math.Inf(-1))
	for _, t := range a.ticks {
		if t.Label == "" {
			continue
		}
		at, half := vg.Length(a.normalize(t.Value))*length, style.Width(t.Label)/2
		if at-half < end+gap {
			return false
		}
		end = at + half
	}
	return true
}

// logRange spreads an axis beyond its data by a part of their range.
func logRange(a axis, low, high, part float64) axis {
	a.log = true
	if low == high {
		low, high = low/2, high*2
	}
	margin := math.Pow(high/low, part)
	a.min, a.max = low/margin, high*margin
	return a
}

// sizeAxis has a tick at each power of two and labels at as many as there is room for:
// at all, or at every second, fifth or tenth, so that 1K, 1M and 1G are among them. The
// smallest and the largest size have theirs too where there is room.
func sizeAxis(low, high float64) axis {
	a := logRange(axis{label: "message size"}, low, high, 0.025)
	for _, stride := range []int{1, 2, 5, 10, 20} {
		a.ticks = nil
		for e := int(math.Ceil(math.Log2(a.min))); math.Exp2(float64(e)) <= a.max; e++ {
			t := plot.Tick{Value: math.Exp2(float64(e))}
			if e%stride == 0 {
				t.Label = units.Bytes(t.Value).Short()
			}
			a.ticks = append(a.ticks, t)
		}
		if a.fits(room) {
			break
		}
	}
	for i := range a.ticks {
		if t := &a.ticks[i]; t.Label == "" && (t.Value == low || t.Value == high) {
			t.Label = units.Bytes(t.Value).Short()
			if !a.fits(room) {
				t.Label = ""
			}
		}
	}
	return a
}

// timeAxis is logarithmic, in us; its labels carry their units. Over less than 0.75
// decades its ticks are evenly spaced; over less than two they are 1, 2 and 5; then powers
// of ten, and every second of those over more than seven decades.
func timeAxis(low, high float64) axis {
	a := logRange(axis{label: "time"}, low, high, 0.04)
	decades := math.Log10(a.max / a.min)
	if decades < 0.75 {
		step := niceStep(a.max-a.min, 5)
		for i := math.Ceil(a.min / step); i*step <= a.max; i++ {
			a.ticks = append(a.ticks, plot.Tick{Value: i * step, Label: timeLabel(i * step)})
		}
		return a
	}
	for e := int(math.Floor(math.Log10(a.min))); math.Pow10(e) <= a.max; e++ {
		for digit := 1; digit <= 9; digit++ {
			t := plot.Tick{Value: float64(digit) * math.Pow10(e)}
			if t.Value < a.min || t.Value > a.max {
				continue
			}
			if digit == 1 && (decades < 7 || e%2 == 0) || decades < 2 && (digit == 2 || digit == 5) {
				t.Label = timeLabel(t.Value)
			}
			a.ticks = append(a.ticks, t)
		}
	}
	return a
}

// timeLabel writes a round number of us in the largest unit of which there is at least one.
func timeLabel(us float64) string {
	for _, unit := range []struct {
		us   float64
		name string
	}{{1e6, "s"}, {1e3, "ms"}, {1, "µs"}, {1e-3, "ns"}} {
		if us >= unit.us*0.999999 {
			return strconv.FormatFloat(us/unit.us, 'g', 6, 64) + " " + unit.name
		}
	}
	return strconv.FormatFloat(us*1e6, 'g', 6, 64) + " ps"
}

// niceStep is 1, 2 or 5 times a power of ten, so that a range has at most count steps.
func niceStep(length float64, count int) float64 {
	power := math.Pow10(int(math.Floor(math.Log10(length / float64(count)))))
	for _, factor := range []float64{1, 2, 5} {
		if length <= power*factor*float64(count) {
			return power * factor
		}
	}
	return power * 10
}

// zeroAxis is linear from zero to the next tick above the highest value.
func zeroAxis(label string, high float64) axis {
	if high <= 0 {
		high = 1
	}
	step := niceStep(high, 6)
	a := axis{label: label}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for i := 0; ; i++ {
		a.max = float64(i) * step
		a.ticks = append(a.ticks, plot.Tick{Value: a.max, Label: strconv.FormatFloat(a.max, 'f', decimals, 64)})
		if a.max >= high*1.02 {
			return a
		}
	}
}

// ratioAxis is logarithmic from just below one.
func ratioAxis(high float64) axis {
	high = math.Pow(max(high, 1.5), 1.05)
	a := axis{label: "time / fastest time", log: true, min: math.Pow(high, -0.03), max: high}
	steps := []float64{1, 1.1, 1.2, 1.3, 1.4, 1.5}
	switch {
	case high > 200:
		steps = []float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6}
	case high > 15:
		steps = []float64{1, 2, 5, 10, 20, 50, 100, 200}
	case high > 4:
		steps = []float64{1, 1.5, 2, 3, 5, 7, 10, 15}
	case high > 1.6:
		steps = []float64{1, 1.2, 1.5, 2, 2.5, 3, 4}
	}
	for _, s := range steps {
		if s <= high {
			a.ticks = append(a.ticks, plot.Tick{Value: s, Label: fmt.Sprintf("%gx", s)})
		}
	}
	return a
}

// valueAxis has a tick for each value: at its place on a logarithmic axis when all are
// quantities, otherwise one after the other. Labels that find no room are left out evenly.
// The positions of the values are returned too.
func valueAxis(values []string, counts bool, length vg.Length) (axis, []float64) {
	var at []float64
	for i, v := range values {
		x := float64(i + 1)
		if n, ok := quantityOf(v); counts && ok {
			x = n
		}
		at = append(at, x)
	}
	a := axis{min: 0.7, max: float64(len(values)) + 0.3}
	if counts {
		a = logRange(a, at[0], at[len(at)-1], 0.06)
	}
	for stride := 1; stride <= len(values); stride++ {
		a.ticks = nil
		for i, v := range values {
			t := plot.Tick{Value: at[i]}
			if (len(values)-1-i)%stride == 0 { // the largest is always labelled
				t.Label = v
			}
			a.ticks = append(a.ticks, t)
		}
		if a.fits(length) {
			break
		}
	}
	for i, v := range values { // and where there is room between them
		if t := &a.ticks[i]; t.Label == "" {
			if t.Label = v; !a.fits(length) {
				t.Label = ""
			}
		}
	}
	return a, at
}
