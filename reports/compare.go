package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"hcclsim/model/records"
	"hcclsim/model/records/measured"
	"hcclsim/model/units"
)

// Pair is one thing that two sides have timed.
type Pair struct {
	Row  records.Row // what it is; its time is that of one of the sides
	A, B units.Duration
}

// Ratio is B over A.
func (p Pair) Ratio() float64 { return float64(p.B) / float64(p.A) }

// Comparison is what two sides have both, and how many of each have no counterpart.
type Comparison struct {
	Pairs        []Pair
	OnlyA, OnlyB int
}

// Geomean is the geometric mean of the ratios, and Error the largest deviation of a ratio from
// one: 0.1 where the slower side takes 10 % longer.
func (c Comparison) Geomean() float64 {
	var sum float64
	for _, p := range c.Pairs {
		sum += math.Log(p.Ratio())
	}
	return math.Exp(sum / float64(max(len(c.Pairs), 1)))
}

func (c Comparison) Error() (worst float64) {
	for _, p := range c.Pairs {
		worst = max(worst, deviation(p.Ratio()))
	}
	return worst
}

// deviation is by how much the slower of two takes longer.
func deviation(ratio float64) float64 { return max(ratio, 1/ratio) - 1 }

// CompareRows puts the rows of two result sets together that are of the same point. Topology and
// scenario may differ: they are what is compared.
func CompareRows(a, b []records.Row) (c Comparison) {
	key := func(r records.Row) string {
		return fmt.Sprintf("%q %q %q %d %d %d %q %q %d %t %d %q %q %q", r.Collective, r.Requested, r.DType, r.Servers, r.Ranks, r.Bytes, r.Op, r.Shape, r.Root, r.InPlace, r.Iterations, r.Run, r.Operator, r.Settings())
	}
	others := map[string]records.Row{}
	for _, r := range b {
		if _, twice := others[key(r)]; !twice {
			others[key(r)] = r
		}
	}
	c.OnlyB = len(others)
	for _, r := range a {
		o, ok := others[key(r)]
		if !ok || r.Time <= 0 || o.Time <= 0 {
			c.OnlyA++
			continue
		}
		delete(others, key(r))
		c.OnlyB--
		c.Pairs = append(c.Pairs, Pair{r, r.Time, o.Time})
	}
	return c
}

// CompareMeasured puts measurements and the rows together that are of the same collective, size,
// ranks and servers, in place or not, and by the algorithm that was measured, as far as that is known. A is
// measured, B simulated. Several rows may be beside one measurement.
func CompareMeasured(points []measured.Point, rows []records.Row) (c Comparison) {
	used := make([]bool, len(rows))
	for _, p := range points {
		found := false
		for i, r := range rows {
			if r.Time <= 0 || !isMeasured(p, r) {
				continue
			}
			found, used[i] = true, true
			c.Pairs = append(c.Pairs, Pair{r, p.Time, r.Time})
		}
		if !found {
			c.OnlyA++
		}
	}
	for _, u := range used {
		if !u {
			c.OnlyB++
		}
	}
	return c
}

func isMeasured(p measured.Point, r records.Row) bool {
	same := func(known, of int) bool { return known == 0 || known == of }
	return (!p.Placed || p.InPlace == r.InPlace) && (p.Collective == "" || p.Collective == r.Collective) && p.Bytes == r.Bytes && same(p.Ranks, r.Ranks) && same(p.Servers, r.Servers) &&
		(p.Algorithm == "" || strings.EqualFold(p.Algorithm, r.Algorithm) || strings.EqualFold(p.Algorithm, r.Requested))
}

// Turned has the sides the other way round.
func (c Comparison) Turned() Comparison {
	turned := Comparison{OnlyA: c.OnlyB, OnlyB: c.OnlyA}
	for _, p := range c.Pairs {
		turned.Pairs = append(turned.Pairs, Pair{p.Row, p.B, p.A})
	}
	return turned
}

// WriteComparison writes a line for each pair, marked where the ratio is outside the tolerance
// (0.05 is 5 %), and the geometric mean.
func WriteComparison(w io.Writer, c Comparison, tolerance float64) error {
	var out bytes.Buffer
	columns := []column{{title: "what"}, {title: "size", right: true}, {title: "algorithm"}, {title: "machine"}, {title: "A us", right: true}, {title: "B us", right: true}, {title: "B/A", right: true}, {title: ""}}
	outside := 0
	for _, p := range c.Pairs {
		mark := ""
		if deviation(p.Ratio()) > tolerance {
			mark = "outside"
			outside++
		}
		for i, cell := range []string{whatCompared(p.Row), sizeText(p.Row.Bytes), cmp.Or(p.Row.Requested, "-"), machineCompared(p.Row), timeText(p.A), timeText(p.B), fmt.Sprintf("%.3f", p.Ratio()), mark} {
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	writeColumns(&out, columns)
	fmt.Fprintf(&out, "geomean of B/A %.3f over %s, %d outside %s, at most %s apart\n", c.Geomean(), counted(int64(len(c.Pairs)), "pair"), outside, percentText(tolerance), percentText(c.Error()))
	if c.OnlyA+c.OnlyB > 0 {
		fmt.Fprintf(&out, "without a counterpart: %d of A, %d of B\n", c.OnlyA, c.OnlyB)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func whatCompared(r records.Row) string {
	if r.Run == "" {
		return r.Collective
	}
	return r.Run + "/" + cmp.Or(r.Operator, "whole")
}

func machineCompared(r records.Row) string {
	r.Topology = ""
	text := r.Machine()
	if s := r.Settings(); s != "" {
		text += ", " + s
	}
	return text
}
