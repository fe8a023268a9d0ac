package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
	"hcclsim/algorithms/proof"
	"hcclsim/scenarios"
	"hcclsim/topologies/document"
)

// readAlgorithms reads those of the names that are files, and returns the others.
func readAlgorithms(names []string) (files []*exchange.Algorithm, others []string, err error) {
	var errs []error
	for i, name := range names {
		switch {
		case !scenarios.IsFile(name):
			others = append(others, name)
		case slices.Contains(names[:i], name):
			return nil, nil, usagef("--algorithms: %s is named twice", name)
		default:
			a, err := readAlgorithm(name)
			files, errs = append(files, a), append(errs, err)
		}
	}
	return files, others, document.Join(errs...)
}

// verifyFile proves the algorithm of a file for its number of ranks: in place and out of
// place, as the file says, and in sizes of elementsOf. A rooted one is proved for the roots
// that it is right for, which are one at least. With data, numbers are moved too, in every
// size with every reduction, of types that take turns.
func verifyFile(ctx context.Context, a *exchange.Algorithm, data bool) proof.Row {
	row := proof.Row{Algorithm: a.File, Collective: a.Collective, Ranks: a.Ranks}
	for _, inPlace := range []bool{false, true} {
		if inPlace && !a.InPlace || !inPlace && !a.OutOfPlace {
			continue
		}
		roots, err := rootsOf(ctx, a, inPlace)
		if err != nil {
			row.Err = err
			return row
		}
		for _, root := range roots {
			for turn, elements := range elementsOf(a) {
				if row.Err = ctx.Err(); row.Err != nil {
					return row
				}
				f := fileTrial{a, inPlace, root, elements}
				n, err := f.prove(data, turn)
				if row.Err = err; err != nil {
					return row
				}
				row.Count.Add(n)
			}
		}
	}
	return row
}

// elementsOf are numbers of elements to try: that cut evenly, which must be possible, with
// a rest of one, with the largest rest, a single one, and none.
func elementsOf(a *exchange.Algorithm) []int64 {
	chunks, one := int64(a.ChunksPerLoop), int64(1)
	if a.Collective == algorithms.AlltoAll {
		one = int64(a.Ranks) // one in each block
	}
	return slices.Compact([]int64{32 * chunks, 32*chunks + one, 33*chunks - one, one, 0})
}

// rootsOf are the ranks that the file is right for as roots; 0 where there is no root.
func rootsOf(ctx context.Context, a *exchange.Algorithm, inPlace bool) ([]int, error) {
	if !a.Collective.Rooted() {
		return []int{0}, nil
	}
	var roots []int
	var errs []error
	for root := range a.Ranks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, err := fileTrial{a, inPlace, root, elementsOf(a)[0]}.prove(false, 0)
		if err == nil {
			roots = append(roots, root)
		}
		errs = append(errs, err)
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("no rank can be the root, beginning with 0: %w", errs[0])
	}
	return roots, nil
}

// fileTrial is one request to a file.
type fileTrial struct {
	*exchange.Algorithm
	inPlace  bool
	root     int
	elements int64
}

// dataTypes are the types of numbers that are moved.
var dataTypes = []struct {
	bytes int64
	move  func(*algorithms.Schedule, proof.Op) error
}{{1, proof.Data[int8]}, {4, proof.Data[int32]}, {8, proof.Data[int64]}, {4, proof.Data[float32]}}

// prove proves a trial. A file that can only be cut evenly refuses other sizes; nothing is
// proved of these.
func (f fileTrial) prove(data bool, turn int) (proof.Count, error) {
	s, err := f.schedule(4)
	if err != nil && f.elements%int64(f.ChunksPerLoop) != 0 {
		return proof.Count{}, nil
	}
	if err != nil {
		return proof.Count{}, err
	}
	n, err := proof.Check(s)
	if err != nil || !data {
		return n, f.placed(err)
	}
	ops := proof.Ops()
	if !f.Collective.Reduces() {
		ops = ops[:1]
	}
	for i, op := range ops {
		numbers := dataTypes[(i+turn)%len(dataTypes)]
		if s, err = f.schedule(numbers.bytes); err != nil {
			return n, err
		}
		if err := numbers.move(s, op); err != nil {
			return n, f.placed(err)
		}
	}
	return n, nil
}

func (f fileTrial) schedule(elem int64) (*algorithms.Schedule, error) {
	return f.Schedule(algorithms.Request{
		Collective: f.Collective, Groups: []int{f.Ranks}, Root: f.root, Elem: elem,
		Bytes: f.elements * elem, InPlace: f.inPlace,
	})
}

// placed says which trial an error is of.
func (f fileTrial) placed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (root %d, %d elements, in place %t)", err, f.root, f.elements, f.inPlace)
}

// verifyFiles proves files one after the other.
func verifyFiles(ctx context.Context, files []*exchange.Algorithm, data bool, report func(proof.Row)) (total proof.Count, err error) {
	var errs []error
	for _, a := range files {
		row := verifyFile(ctx, a, data)
		report(row)
		total.Add(row.Count)
		errs = append(errs, row.Err)
	}
	return total, errors.Join(errs...)
}
