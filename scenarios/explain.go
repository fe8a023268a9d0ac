package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hcclsim/model"
	"hcclsim/model/records"
)

// Selected is what a condition picks: a point, or an operator of its streams.
type Selected struct {
	Point
	Operator string // empty: the point as a whole
}

// Select returns what a condition such as requested=ring,bytes=1GiB picks, all points if it is
// empty. Its columns are those of assertions. Where it picks a point as a whole, the point's
// operators are not picked besides.
func (p *Plan) Select(where string) ([]Selected, error) {
	t := &term{}
	if where != "" {
		a, err := parseAssertion("time("+where+") >= 0us", p.Swept)
		if err != nil {
			return nil, whereFault(where, err)
		}
		t = a.left.term
	}
	var picked []Selected
	for _, point := range p.Points {
		rows := []records.Row{point.Row}
		if len(t.selected(rows, p.Swept)) == 0 {
			rows = point.operatorRows()
		}
		for _, r := range t.selected(rows, p.Swept) {
			picked = append(picked, Selected{point, r.Operator})
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("--where %s: nothing matches among the %d points of the scenario", where, len(p.Points))
	}
	return picked, nil
}

// whereFault puts a fault of the assertion that --where is turned into back into its own text.
func whereFault(where string, err error) error {
	var fault *assertionError
	if !errors.As(err, &fault) {
		return fmt.Errorf("--where %s: %w", where, err)
	}
	reason := strings.Replace(fault.reason, `found ")"`, "found the end", 1)
	return fmt.Errorf("--where %s: %s (at character %d)", where, reason, max(0, fault.offset-len("time("))+1)
}

// operatorRows are the rows of a point's operators, without times, by name.
func (p Point) operatorRows() []records.Row {
	var rows []records.Row
	for _, name := range slices.Sorted(maps.Keys(p.Operators)) {
		rows = append(rows, p.operatorRow(name))
	}
	return rows
}

// Explain runs what was selected, of repeated runs the first, and runs it again for each of
// the things that could be better, jobs at once; none if that is 0.
func (s Selected) Explain(ctx context.Context, jobs int) (records.Explanation, error) {
	p := s.Point
	runs := p.Repeat
	p.Repeat = 0
	if len(p.Candidates) > 0 {
		fastest, err := p.simulate(ctx, model.Simulate)
		if err != nil {
			return records.Explanation{}, err
		}
		p.Point.Algorithm, p.Row, p.Candidates = fastest.Row.Algorithm, fastest.Row, nil
		p.Row.Critical, p.Row.Volumes, p.Row.Busiest = nil, nil, nil
	}
	var e records.Explanation
	o, err := p.simulate(ctx, func(ctx context.Context, point model.Point, options model.Options) (model.Result, error) {
		options.Path = true
		result, err := model.Simulate(ctx, point, options)
		e.Steps = stepsOf(result)
		return result, err
	})
	if p.Streams != nil && err == nil {
		var result model.Result
		result, err = model.SimulateWork(ctx, *p.Streams, model.Options{Path: true})
		e.Steps = stepsOf(result)
	}
	if err != nil {
		return records.Explanation{}, err
	}
	if e.Row = o.row(s.Operator); s.Operator != "" {
		e.Steps = nil
	} else {
		e.Operators = o.Operators
	}
	if runs > 1 {
		e.Row.Repeat = runs
	}
	if jobs > 0 {
		e.Changes, err = p.changes(ctx, o.Row, e.Row, jobs)
	}
	return e, err
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
