package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/algorithms/choose"
	"hcclsim/model/units"
)

// names are all algorithms that the entry names.
func (e entry) names() []string {
	var names []string
	for _, name := range slices.Concat(e.algorithms, e.candidates) {
		names = append(names, algorithms.Canonical(name))
	}
	return names
}

// asks says whether a chooser is asked: best looks what auto would run.
func (e entry) asks() bool {
	return slices.Contains(e.algorithms, auto) || slices.Contains(e.algorithms, best) && len(e.candidates) == 0
}

// tabled says whether the user's thresholds or ranges decide all sizes.
func (e entry) tabled(s choose.Settings) bool {
	thresholds := s.RingThreshold != nil || s.TreeThreshold != nil
	if thresholds && (algorithms.Offers("ring", e.collective) || algorithms.Offers(doubleTree, e.collective)) {
		return true
	}
	return !slices.ContainsFunc(e.amounts(), func(size units.Bytes) bool {
		return !slices.ContainsFunc(e.ranges, func(r choose.Range) bool {
			return r.Min <= int64(size) && (r.Max < 0 || int64(size) <= r.Max)
		})
	})
}

// amounts are the sizes, also where a matrix says them.
func (e entry) amounts() []units.Bytes {
	if len(e.matrix) == 0 {
		return e.sizes
	}
	_, largest := matrixBlocks(e.matrix)
	return []units.Bytes{largest}
}

// idle warns of keys that do nothing for this collective and these algorithms.
func (e entry) idle() (warnings []Warning) {
	warn := func(key, why string) {
		if k := e.at.Key(key); k.Present() {
			warnings = append(warnings, noEffect(k, "here: "+why))
		}
	}
	uses := func(part string) bool {
		return slices.ContainsFunc(e.names(), func(name string) bool {
			return name == auto || name == best || slices.Contains(strings.Split(name, "+"), part)
		})
	}
	if e.collective != "" && !e.collective.Rooted() {
		warn("root", string(e.collective)+" has no root")
	}
	if e.collective != "" && !e.collective.Reduces() {
		warn("op", string(e.collective)+" reduces nothing")
	}
	if e.collective != "" && e.collective != algorithms.AlltoAllV {
		warn("skew", "only alltoallv has blocks of different sizes")
	}
	if !uses(doubleTree) {
		warn("segment", "only double-tree cuts its messages into segments")
	}
	if !uses("pipeline") {
		warn("depth", "only pipeline passes data through buffers in turn")
	}
	if !slices.Contains(e.algorithms, auto) {
		warn("ranges", "only the algorithm auto looks sizes up")
	}
	if !slices.Contains(e.algorithms, best) {
		warn("candidates", "only the algorithm best has candidates")
	}
	return slices.Concat(warnings, e.clamped(), e.outside())
}

// clamped warns of a segment that gives more of them than there can be.
func (e entry) clamped() []Warning {
	if e.segment == 0 || !slices.Contains(e.names(), doubleTree) {
		return nil
	}
	which := sizesThat(e.amounts(), func(size units.Bytes) bool { return (size+1)/2 > algorithms.MaxSegments*e.segment })
	if which == "" {
		return nil
	}
	segment := e.at.Key("segment")
	return []Warning{{segment.Node().Position(), fmt.Sprintf("%s is too small for %s: a tree has at most %d segments, which are larger then", segment.Path(), which, algorithms.MaxSegments)}}
}

// outside warns of sizes for which a runtime would not select a file.
func (e entry) outside() (warnings []Warning) {
	for _, f := range e.files {
		which := sizesThat(e.amounts(), func(size units.Bytes) bool {
			return int64(size) < f.MinBytes || f.MaxBytes > 0 && int64(size) > f.MaxBytes
		})
		if which == "" {
			continue
		}
		limits := fmt.Sprintf("at least %v (minBytes)", units.Bytes(f.MinBytes))
		if f.MaxBytes > 0 {
			limits = fmt.Sprintf("%v to %v (minBytes, maxBytes)", units.Bytes(f.MinBytes), units.Bytes(f.MaxBytes))
		}
		warnings = append(warnings, Warning{e.at.Key("algorithms").Node().Position(), fmt.Sprintf("%s is for %s: a runtime would not select it for %s", f.File.Name, limits, which)})
	}
	return warnings
}

// sizesThat names the sizes that a condition holds for; "" if there is none.
func sizesThat(sizes []units.Bytes, holds func(units.Bytes) bool) string {
	var which []units.Bytes
	for _, size := range sizes {
		if holds(size) {
			which = append(which, size)
		}
	}
	switch n := len(which); n {
	case 0:
		return ""
	case 1:
		return which[0].String()
	default:
		return fmt.Sprintf("%d sizes from %v to %v", n, which[0], which[n-1])
	}
}
