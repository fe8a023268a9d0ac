package scenarios

import (
	"context"
	"fmt"
	"sync"

	"hcclsim/model"
	"hcclsim/model/records"
)

// Outcome is a finished point.
type Outcome struct {
	Row       records.Row
	Operators []records.Row // of streams, which Row is the whole of
	Events    int64         // simulated, over all iterations
	PeakQueue int           // most events that waited at once
}

// Options of a run that do not change its results.
type Options struct {
	Jobs int // points simulated at once; less than 1 means 1
	// Deliver receives the outcomes in the order of the plan. Its error stops the run.
	Deliver func(Outcome) error
	// Finished, when not nil, is told of each point as it ends, in any order.
	Finished func(Point)
}

// Run simulates the plan's points. It stops at the first point of the plan that fails,
// with an error that names it, after delivering those before. When ctx is cancelled it
// delivers all points that are finished, still in the plan's order, and returns ctx's error.
func (p *Plan) Run(ctx context.Context, o Options) error {
	return p.run(ctx, o, model.Simulate)
}

// simulator has the signature of model.Simulate.
type simulator func(context.Context, model.Point, model.Options) (model.Result, error)

// finished is a point that a worker is done with.
type finished struct {
	index   int
	outcome Outcome
	err     error
}

func (p *Plan) run(ctx context.Context, o Options, simulate simulator) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	next, done := make(chan int), make(chan finished)
	var workers sync.WaitGroup
	for range max(1, min(o.Jobs, len(p.Points))) {
		workers.Go(func() {
			for i := range next {
				outcome, err := p.Points[i].simulate(working, simulate)
				done <- finished{i, outcome, err}
			}
		})
	}
	go func() {
		defer close(done)
		defer workers.Wait()
		defer close(next)
		for i := range p.Points {
			select {
			case next <- i:
			case <-working.Done():
				return
			}
		}
	}()
	return p.collect(ctx, o, done, stop)
}

// collect puts outcomes back into the order of the plan and delivers them. Points are
// begun in that order, so the first failure is the same whatever the number of jobs.
func (p *Plan) collect(ctx context.Context, o Options, done <-chan finished, stop func()) error {
	waiting := make([]*finished, len(p.Points))
	at := 0
	var failure error
	for f := range done {
		waiting[f.index] = &f
		if f.err == nil && o.Finished != nil {
			o.Finished(p.Points[f.index])
		}
		// What fails after ctx has ended was told to: it is not a failure.
		for failure == nil && at < len(waiting) && waiting[at] != nil && (waiting[at].err == nil || ctx.Err() == nil) {
			if failure = p.deliver(waiting[at], o); failure != nil {
				stop()
			}
			waiting[at] = nil
			at++
		}
	}
	if failure != nil || at == len(waiting) {
		return failure
	}
	for _, f := range waiting[at:] {
		if f != nil && f.err == nil {
			if err := p.deliver(f, o); err != nil {
				return err
			}
		}
	}
	return context.Cause(ctx)
}

func (p *Plan) deliver(f *finished, o Options) error {
	if f.err != nil {
		return fmt.Errorf("%s: %w", p.Points[f.index], f.err)
	}
	return o.Deliver(f.outcome)
}
