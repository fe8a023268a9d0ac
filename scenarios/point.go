package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hcclsim/model"
	"hcclsim/model/records"
	"hcclsim/model/units"
)

// Point is one run of a plan: what to simulate, and all of its row but the results.
type Point struct {
	model.Point
	// Streams are what runs instead of one collective, and Operators the rows of their
	// operators by name, without their times; nil: the collective runs.
	Streams   *model.Work
	Operators map[string]records.Row
	Alone     *model.Work // of a training step, its collectives with nothing beside them
	Repeat    int         // runs with seeds that follow each other; 0: 1
	Row       records.Row
	// Known are the point's results, from an earlier run: it is not simulated again.
	Known []records.Row
	// Candidates are algorithms of which the fastest is wanted; none: Algorithm is.
	Candidates []string
	// LeftOut is how many more could run but are predicted to be hopeless.
	LeftOut int
	// Work is the number of steps that the schedule has over all ranks and iterations: a
	// measure of how long the simulation takes.
	Work int64
}

// String names the point in errors.
func (p Point) String() string {
	var b strings.Builder
	if p.Streams != nil {
		fmt.Fprintf(&b, "%s %s on %s, %d ranks", p.Row.Collective, p.Row.Run, p.Topology.Name, p.Row.Ranks)
	} else {
		fmt.Fprintf(&b, "%s %s %v on %s, %d ranks", p.Collective, p.Row.Requested, p.Bytes, p.Topology.Name, p.Row.Ranks)
	}
	for _, f := range p.Row.Swept {
		fmt.Fprintf(&b, ", %s=%s", f.Path, f.Value)
	}
	return b.String()
}

// Has says whether rows are the results of the point: its own, and those of its operators.
func (p Point) Has(rows []records.Row) bool {
	if len(rows) != 1+len(p.Operators) || !p.Row.Same(rows[0]) {
		return false
	}
	for _, r := range rows[1:] {
		if _, ok := p.Operators[r.Operator]; !ok || r.Run != p.Row.Run || !slices.Equal(r.Swept, p.Row.Swept) {
			return false
		}
	}
	return true
}

// Sized is the point with another size, of whole elements.
func (p Point) Sized(b units.Bytes) Point {
	p.Point.Bytes, p.Row.Bytes, p.Known = b, b, nil
	p.Work = p.steps()
	return p
}

// steps estimates the number of steps of the point's schedule, from those of rank 0.
func (p Point) steps() int64 {
	rounds, err := p.Rounds()
	if err != nil {
		return 0 // model.Check reports it
	}
	var steps int64
	for _, s := range rounds {
		for lane := range s.Lanes(0) {
			steps += int64(s.Steps(0, lane)) * int64(s.Ranks())
		}
	}
	return steps * int64(p.Iterations) * int64(max(p.Repeat, 1))
}

// simulate runs the point, or all of its candidates, and completes its row. A fault of the
// simulator itself is an error like any other, so that it cannot take the results of other
// points with it.
func (p Point) simulate(ctx context.Context, simulate simulator) (o Outcome, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("internal error: %v", fault)
		}
	}()
	if p.Known != nil {
		return Outcome{Row: p.Known[0], Operators: p.Known[1:]}, nil
	}
	if p.Streams != nil || len(p.Candidates) == 0 {
		result, err := p.repeated(ctx, simulate)
		o := p.outcome(result.Result)
		o.Row.Repeat, o.Row.Interval = result.runs, result.interval
		if p.Streams != nil && err == nil {
			o.Operators = p.streamRows(result)
		}
		if p.Alone != nil && err == nil {
			var sums model.Result
			sums, err = model.SimulateWork(ctx, *p.Alone, model.Options{})
			o.Row.Communication, o.Row.Exposed = sums.Time, max(0, o.Row.Time-o.Row.Compute)
		}
		return o, err
	}
	var fastest, second repeated
	var next string
	var events int64
	var peak int
	for i, name := range p.Candidates {
		candidate := p
		candidate.Point.Algorithm = name
		result, err := candidate.repeated(ctx, simulate)
		if err != nil {
			return Outcome{}, fmt.Errorf("%s: %w", name, err)
		}
		events, peak = events+result.Events, max(peak, result.PeakQueue)
		switch {
		case i == 0 || result.Time < fastest.Time:
			fastest, second = result, fastest
			p.Row.Algorithm, next = name, p.Row.Algorithm
		case i == 1 || result.Time < second.Time:
			second, next = result, name
		}
	}
	p.Row.SelectedBy = fmt.Sprintf("best: the fastest of %d simulated", len(p.Candidates))
	if p.LeftOut > 0 {
		p.Row.SelectedBy += fmt.Sprintf(", %d left out as hopeless", p.LeftOut)
	}
	if len(p.Candidates) > 1 {
		p.Row.SelectedBy += fmt.Sprintf(" (the next, %s, takes %.2fus)", next, float64(second.Time)/float64(units.Microsecond))
	}
	o = p.outcome(fastest.Result)
	o.Row.Repeat, o.Row.Interval = fastest.runs, fastest.interval
	o.Events, o.PeakQueue = events, peak
	return o, nil
}

// outcome completes the point's row.
func (p Point) outcome(result model.Result) Outcome {
	row := p.Row
	row.Time = result.Time
	row.Rounds, row.Buffer, row.Streams, row.Contexts = result.Rounds, result.Buffer, result.Streams, result.Contexts
	row.Messages, row.Requests, row.Tasks, row.Events = result.Messages, result.Requests, result.Tasks, result.Events
	for _, part := range result.Critical {
		row.Critical = append(row.Critical, records.Part{Cause: part.Name, Time: part.Time})
	}
	for _, v := range result.Volumes {
		row.Volumes = append(row.Volumes, records.Volume(v))
	}
	for _, u := range result.Busiest {
		row.Busiest = append(row.Busiest, records.Utilisation(u))
	}
	return Outcome{Row: row, Events: result.Events, PeakQueue: result.PeakQueue}
}
