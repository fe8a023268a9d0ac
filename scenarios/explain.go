package scenarios

import (
	"context"
	"fmt"

	"hcclsim/model"
	"hcclsim/model/records"
)

// Select returns the points that a condition such as requested=ring,bytes=1GiB picks, all if
// it is empty. Its columns are those of assertions.
func (p *Plan) Select(where string) ([]Point, error) {
	if where == "" {
		return p.Points, nil
	}
	a, err := parseAssertion("time("+where+") >= 0us", p.Swept)
	if err != nil {
		return nil, fmt.Errorf("--where %s: %w", where, err)
	}
	var points []Point
	for _, point := range p.Points {
		if len(a.left.term.selected([]records.Row{point.Row}, p.Swept)) > 0 {
			points = append(points, point)
		}
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("--where %s: no point matches; the scenario has %d", where, len(p.Points))
	}
	return points, nil
}

// Explain runs a point and returns its row with the critical path step by step, and the
// rows of operators of streams. Of repeated runs it is the first.
func (p Point) Explain(ctx context.Context) (Outcome, []records.Step, error) {
	p.Repeat = 0
	if len(p.Candidates) > 0 {
		fastest, err := p.simulate(ctx, model.Simulate)
		if err != nil {
			return Outcome{}, nil, err
		}
		p.Point.Algorithm, p.Row, p.Candidates = fastest.Row.Algorithm, fastest.Row, nil
		p.Row.Critical, p.Row.Volumes, p.Row.Busiest = nil, nil, nil
	}
	var steps []records.Step
	o, err := p.simulate(ctx, func(ctx context.Context, point model.Point, options model.Options) (model.Result, error) {
		options.Path = true
		result, err := model.Simulate(ctx, point, options)
		steps = stepsOf(result)
		return result, err
	})
	if p.Streams != nil && err == nil {
		result, err := model.SimulateWork(ctx, *p.Streams, model.Options{Path: true})
		return o, stepsOf(result), err
	}
	return o, steps, err
}

func stepsOf(result model.Result) []records.Step {
	steps := make([]records.Step, len(result.Path))
	for i, p := range result.Path {
		steps[i] = records.Step{
			Start: p.Start, End: p.End, Rank: p.Rank, Peer: p.Peer, Lane: p.Lane, Step: p.Step,
			Name: p.Name, Operator: p.Operator, Bytes: p.Bytes, Class: p.Class,
		}
		for _, part := range p.Critical {
			steps[i].Critical = append(steps[i].Critical, records.Part{Cause: part.Name, Time: part.Time})
		}
	}
	return steps
}
