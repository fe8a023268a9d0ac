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
// sender.
func decodeMatrix(v document.Value, t dtype) [][]int64 {
	rows := v.List()
	if len(rows) > maxMatrix {
		v.Errorf("has more than %d rows", maxMatrix)
		return nil
	}
	var matrix [][]int64
	for _, row := range rows {
		var sizes []int64
		for _, e := range row.List() {
			size := e.Bytes(0)
			if size%t.size != 0 {
				e.Errorf("size %v is not a whole number of %s elements of %d bytes", size, t.name, t.size)
			}
			sizes = append(sizes, int64(size))
		}
		if len(sizes) != len(rows) {
			row.Errorf("has %d sizes, expected %d: one for each rank", len(sizes), len(rows))
			return nil
		}
		matrix = append(matrix, sizes)
	}
	return matrix
}

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
