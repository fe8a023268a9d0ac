package proof

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

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
// place and out of place; flat ones over all ranks, mixes of two levels in divisions into
// servers, equal ones and, where the algorithm takes them, unequal ones, of three levels in
// divisions into super-pods; numbers of ranks that an algorithm is not made for are passed
// over. Up to fewRanks ranks both roots, 0 and another, local copies of all kinds, and
// messages with fewer elements than ranks are tried. With data each schedule also moves
// real numbers; reductions and types of numbers take turns.
//
// report, which may be nil, is called for every algorithm, collective and number of ranks
// in turn; as many goroutines work as there are processors. The count is of all schedules
// that were proved; the error joins the faults of all rows, or is the context's.
func Verify(ctx context.Context, names []string, ranks []int, data bool, report func(Row)) (Count, error) {
	families, err := familiesOf(names, len(ranks))
	faults := []error{err}
	var workers sync.WaitGroup
	defer workers.Wait()
	next := atomic.Int32{}
	for range min(runtime.GOMAXPROCS(0), len(families)) {
		workers.Go(func() {
			v := verifier{data: data}
			for i := next.Add(1) - 1; int(i) < len(families); i = next.Add(1) - 1 {
				v.rows(ctx, families[i], ranks)
			}
		})
	}
	var total Count
	for _, f := range families {
		for row := range f.rows {
			if err := ctx.Err(); err != nil {
				return total, errors.Join(append(faults, err)...)
			}
			total.Add(row.Count)
			if row.Err != nil {
				faults = append(faults, row.Err)
			}
			if report != nil {
				report(row)
			}
		}
		faults = append(faults, f.fault)
	}
	return total, errors.Join(append(faults, ctx.Err())...)
}

// familiesOf lists the collectives that algorithms offer, with room for some rows each. The
// error tells of names that offer none.
func familiesOf(names []string, rows int) ([]*family, error) {
	var list []*family
	var faults []error
	for _, name := range names {
		before := len(list)
		for _, c := range algorithms.Collectives() {
			if algorithms.Offers(name, c) {
				list = append(list, &family{name: name, collective: c, rows: make(chan Row, rows)})
			}
		}
		if len(list) == before {
			_, err := algorithms.New(name, algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{2}})
			faults = append(faults, err)
		}
	}
	return list, errors.Join(faults...)
}

type verifier struct {
	prover Prover
	data   bool
}

// rows proves the rows of a family, until the context is done.
func (v *verifier) rows(ctx context.Context, f *family, ranks []int) {
	defer close(f.rows)
	proved, refused := false, error(nil)
	for _, p := range ranks {
		if ctx.Err() != nil {
			return
		}
		var row Row
		row, refused = v.row(f, p)
		if row.Err != nil || row.Count.Schedules > 0 {
			proved = true
			f.rows <- row
		}
	}
	if !proved {
		f.fault = nothing(f, refused)
	}
}

// row proves one row, up to its first fault. Nothing is proved of servers that an
// algorithm refuses because of their shape; the last refusal is returned.
func (v *verifier) row(f *family, p int) (row Row, refused error) {
	row = Row{Algorithm: f.name, Collective: f.collective, Ranks: p}
	for t := range f.trials(p) {
		n, err := v.prove(f.name, t)
		if shape := (*algorithms.ShapeError)(nil); errors.As(err, &shape) {
			refused = err
			continue
		}
		if err != nil {
			r := t.request
			row.Err = fmt.Errorf("%w (servers of %v, super-pods %d, root %d, %d bytes, in place %t, copies %d)",
				err, r.Groups, max(r.Pods, 1), r.Root, r.Bytes, r.InPlace, r.Copies)
			return row, refused
		}
		row.Count.Add(n)
	}
	return row, refused
}

// prove proves a trial.
func (v *verifier) prove(name string, t trial) (Count, error) {
	s, err := algorithms.New(name, t.request)
	if err != nil {
		return Count{}, err
	}
	n, err := v.prover.Check(s)
	if err != nil || !v.data {
		return n, err
	}
	if err := t.numbers.move(&v.prover.graph, t.op); err != nil {
		return Count{}, fmt.Errorf("%s %s of %d ranks, %s of %s: %w", s.Algorithm, s.Request.Collective, s.Ranks(), t.op, t.numbers.name, err)
	}
	return n, nil
}

// nothing says that none of the numbers of ranks that were asked for can be proved.
func nothing(f *family, refused error) error {
	if refused != nil {
		return fmt.Errorf("nothing to prove: %w", refused)
	}
	return fmt.Errorf("nothing to prove of %s %s: the ranks cannot be divided into servers", f.name, f.collective)
}
