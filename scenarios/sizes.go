package scenarios

import (
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// Bounds of one entry: the number of its sizes, and the largest.
const (
	maxSizes = 10_000
	maxSize  = units.Bytes(256 << 40)
)

// decodeSizes reads a list of sizes, or {from, to} with a factor or a step. Sizes rise and
// are whole elements.
func decodeSizes(v document.Value, t dtype) []units.Bytes {
	if n := v.Node(); n != nil && n.Kind == document.Mapping {
		return decodeRange(v, t)
	}
	var sizes []units.Bytes
	for _, e := range v.OneOrMore() {
		s := decodeSize(e, t)
		if s == 0 {
			continue
		}
		if last := len(sizes) - 1; last >= 0 && s <= sizes[last] {
			if s == sizes[last] {
				e.Errorf("size %v occurs twice", s)
			} else {
				e.Errorf("size %v comes after %v: sizes must rise", s, sizes[last])
			}
			continue
		}
		sizes = append(sizes, s)
	}
	switch n := v.Node(); {
	case n == nil || n.Kind != document.List:
	case len(n.Items) == 0:
		v.Errorf("is empty, expected sizes such as [8KiB, 1MiB] or {from: 8KiB, to: 1GiB, factor: 2}")
	case len(n.Items) > maxSizes:
		v.Errorf("holds more than %d sizes", maxSizes)
	}
	return sizes
}

// decodeSize reads one size; 0 if something is wrong with it, which is reported.
func decodeSize(v document.Value, t dtype) units.Bytes {
	return wholeSize(v, v.Bytes(0, document.Positive), t)
}

// wholeSize is a size if it is of whole elements and not too large; else 0.
func wholeSize(v document.Value, s units.Bytes, t dtype) units.Bytes {
	switch {
	case s > maxSize:
		v.Errorf("size %v is above the largest, %v", s, maxSize)
		return 0
	case s%t.size != 0:
		v.Errorf("size %v is not a whole number of %s elements of %d bytes", s, t.name, t.size)
		return 0
	}
	return s
}

func decodeRange(v document.Value, t dtype) []units.Bytes {
	from := decodeSize(v.Key("from").Require(), t)
	to := v.Key("to").Bytes(0, document.Required, document.Positive)
	if to > maxSize {
		v.Key("to").Errorf("size %v is above the largest, %v", to, maxSize)
		to = 0
	}
	factor, step := v.Key("factor"), v.Key("step")
	times := int64(factor.Int(1, document.Range(2, 1<<30)))
	plus := decodeSize(step, t)
	if factor.Present() == step.Present() {
		v.Errorf("needs either a factor or a step")
		return nil
	}
	if from == 0 || to == 0 || times == 1 && plus == 0 {
		return nil // reported
	}
	if from > to {
		v.Key("from").Errorf("begins at %v, above its end, %v", from, to)
		return nil
	}
	var sizes []units.Bytes
	for s := from; ; s = units.Bytes(int64(s)*times) + plus {
		if sizes = append(sizes, s); len(sizes) > maxSizes {
			v.Errorf("gives more than %d sizes", maxSizes)
			return nil
		}
		if int64(s) > (int64(to)-int64(plus))/times { // the next one is beyond the end
			return sizes
		}
	}
}
