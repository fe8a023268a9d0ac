package scenarios

import (
	"math/bits"

	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// The sizes of AlltoAllV's blocks: a matrix, or a size with a skew.

// Bounds of AlltoAllV.
const (
	maxMatrix = 4096
	evenSkew  = 1000 // in thousandths
)

// decodeMatrix reads the bytes that every rank sends to every other, a list for each
// sender; none if something is wrong with a row.
func decodeMatrix(v document.Value, t dtype) [][]int64 {
	rows := v.List()
	switch {
	case len(rows) > maxMatrix:
		v.Errorf("has more than %d rows", maxMatrix)
		return nil
	case isList(v) && len(rows) == 0:
		v.Errorf("is empty, expected a list of sizes for each rank, such as [[0B, 4KiB], [4KiB, 0B]]")
	}
	var matrix [][]int64
	for _, row := range rows {
		if sizes, ok := decodeRow(row, len(rows), t); ok {
			matrix = append(matrix, sizes)
		}
	}
	if len(matrix) < len(rows) {
		return nil
	}
	return matrix
}

// decodeRow reads what one rank sends to each of so many.
func decodeRow(v document.Value, ranks int, t dtype) (sizes []int64, ok bool) {
	elements := v.List()
	if !isList(v) {
		return nil, false // which has been reported
	}
	if len(elements) != ranks {
		v.Errorf("has %d sizes, expected %d: one for each rank", len(elements), ranks)
		return nil, false
	}
	var sum units.Bytes // of at most maxMatrix times maxSize
	for _, e := range elements {
		size := wholeSize(e, e.Bytes(0), t)
		sizes, sum = append(sizes, int64(size)), sum+size
	}
	if sum > maxSize {
		v.Errorf("sends %v in all, above the largest size, %v", sum, maxSize)
	}
	return sizes, sum <= maxSize
}

func isList(v document.Value) bool { return v.Present() && v.Node().Kind == document.List }

// decodeSkew reads how much larger than the mean the largest block is, 1 to 2, in
// thousandths.
func decodeSkew(v document.Value) int64 {
	skew := v.Float(1)
	if skew < 1 || skew > 2 {
		v.Errorf("%v is not from 1 (all blocks equal) to 2 (none for the last rank)", skew)
		return evenSkew
	}
	return int64(skew*evenSkew + 0.5)
}

// matrixBlocks are blocks that are written out, and the largest sum that one rank sends.
func matrixBlocks(matrix [][]int64) (blocks func(from, to int) int64, largest units.Bytes) {
	for _, row := range matrix {
		var sum units.Bytes
		for _, n := range row {
			sum += units.Bytes(n)
		}
		largest = max(largest, sum)
	}
	return func(from, to int) int64 { return matrix[from][to] }, largest
}

// skewedBlocks deals size bytes of every rank out to all p ranks, in whole elements: to
// rank 0 skew/1000 times the mean, and less to each further rank, by equal steps.
func skewedBlocks(size, elem units.Bytes, p int, skew int64) func(from, to int) int64 {
	begin := make([]int64, p+1)
	weight := func(j int) uint64 { // times p-1
		return uint64(skew*int64(p-1) - 2*(skew-evenSkew)*int64(j))
	}
	var total, sum uint64
	for j := range p {
		total += weight(j)
	}
	for j := range p {
		if sum += weight(j); total > 0 {
			high, low := bits.Mul64(uint64(size/elem), sum)
			part, _ := bits.Div64(high, low, total)
			begin[j+1] = int64(part) * int64(elem)
		}
	}
	begin[p] = int64(size)
	return func(_, to int) int64 { return begin[to+1] - begin[to] }
}
