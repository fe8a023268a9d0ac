package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hcclsim/algorithms"
)

// Row reports what was proved of one algorithm's collective at one number of ranks.
type Row struct {
	Algorithm  string
	Collective algorithms.Collective
	Ranks      int
	Count      Count
	Err        error // the first fault
}

// Verify proves algorithms for numbers of ranks: every collective that they offer, in
// place and out of place, with roots 0 and another; mixes in every division into equal
// servers. Local copies of all kinds, and messages with fewer elements than ranks, are
// tried up to fewRanks ranks. With data each schedule also moves real numbers, of int32
// and float32. report, which may be nil, is called for every algorithm, collective and
// number of ranks in turn. The count is of all schedules that were proved; the error joins
// the faults of all rows, or is the context's.
func Verify(ctx context.Context, names []string, ranks []int, data bool, report func(Row)) (Count, error) {
	var v verifier
	var total Count
	var faults []error
	for _, name := range names {
		offered := false
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers(name, c) {
				continue
			}
			offered = true
			for _, p := range ranks {
				if err := ctx.Err(); err != nil {
					return total, errors.Join(append(faults, err)...)
				}
				row := v.row(name, c, p, data)
				total.Add(row.Count)
				if row.Err != nil {
					faults = append(faults, row.Err)
				}
				if report != nil {
					report(row)
				}
			}
		}
		if !offered {
			_, err := algorithms.New(name, algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{2}})
			faults = append(faults, err)
		}
	}
	return total, errors.Join(faults...)
}

// fewRanks is up to where all kinds of requests are tried. Beyond it only the number of
// partners grows; the shapes of local copies and of empty slices have all occurred.
const fewRanks = 16

// elem is that of int32 and float32.
const elem = 4

type verifier struct{ prover Prover }

// row proves one row, up to its first fault.
func (v *verifier) row(name string, c algorithms.Collective, p int, data bool) Row {
	row := Row{Algorithm: name, Collective: c, Ranks: p}
	for _, r := range requests(name, c, p) {
		s, err := algorithms.New(name, r)
		if err == nil {
			var n Count
			if n, err = v.prover.Check(s); err == nil {
				row.Count.Add(n)
			}
		}
		if err == nil && data {
			err = moveNumbers(s, Ops()[row.Count.Schedules%int64(len(Ops()))])
		}
		if err != nil {
			row.Err = fmt.Errorf("%w (servers of %d, root %d, %d bytes, in place %t, copies %d)", err, r.Groups[0], r.Root, r.Bytes, r.InPlace, r.Copies)
			return row
		}
	}
	return row
}

func moveNumbers(s *algorithms.Schedule, op Op) error {
	if err := Data[int32](s, op); err != nil {
		return err
	}
	return Data[float32](s, op)
}

// requests are the cases of one row.
func requests(name string, c algorithms.Collective, p int) []algorithms.Request {
	roots := []int{0}
	if c.Rooted() && p > 1 {
		roots = append(roots, p-1-p/3)
	}
	copies := []algorithms.Copies{algorithms.CopiesNone}
	// In slices of 128 bytes, to which HCCL's NHR aligns them, all are full but the last,
	// which is one element: an empty slice would prove nothing. Slices that are not aligned
	// are uneven too, of up to 32 elements (but 31 ranks divide evenly).
	sizes := []int64{128*int64(p) - 31*elem}
	if p <= fewRanks {
		copies = append(copies, algorithms.CopiesSlice, algorithms.CopiesFull)
		sizes = append(sizes, 0, elem)
	}
	var list []algorithms.Request
	for _, groups := range divisions(name, p) {
		for _, root := range roots {
			for _, bytes := range sizes {
				for _, copies := range copies {
					for _, inPlace := range []bool{true, false} {
						list = append(list, algorithms.Request{
							Collective: c, Groups: groups, Root: root, Bytes: bytes, Elem: elem,
							InPlace: inPlace, Copies: copies, Marker: inPlace,
							Segment: segment(bytes),
						})
					}
				}
			}
		}
	}
	return list
}

// segment cuts each half into about four, which is enough for a pipeline to run full:
// receive, pass on, and both ways at once.
func segment(bytes int64) int64 { return max(bytes/8, 1) }

// divisions are the ways to divide p ranks into equal servers; for a flat algorithm one.
// With one server, or one rank a server, a mix is a flat algorithm, which has rows of its
// own: that is tried up to fewRanks ranks, and where there is no other division.
func divisions(name string, p int) [][]int {
	if algorithms.Flat(name) {
		return [][]int{{p}}
	}
	var list [][]int
	for n := 1; n <= p; n++ {
		proper := n > 1 && n < p
		if p%n == 0 && (proper || p <= fewRanks || prime(p)) {
			list = append(list, slices.Repeat([]int{n}, p/n))
		}
	}
	return list
}

func prime(p int) bool {
	for d := 2; d*d <= p; d++ {
		if p%d == 0 {
			return false
		}
	}
	return p > 1
}
