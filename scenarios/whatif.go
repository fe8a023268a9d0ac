package scenarios

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hcclsim/model"
	"hcclsim/model/records"
	"hcclsim/model/units"
)

// there says whether the machine has it: a quantity of zero neither costs nor limits.
func (k knob) there() bool {
	return k.faults != nil && len(k.faults.Stragglers)+len(k.faults.Links) > 0 ||
		anySet(k.rates) || anySet(k.times) || anySet(k.sizes) || anySet(k.counts)
}

func anySet[T comparable](quantities []*T) bool {
	var zero T
	return slices.ContainsFunc(quantities, func(q *T) bool { return *q != zero })
}

// turn makes it better, and says what has been done.
func (k knob) turn() string {
	if k.faults != nil {
		*k.faults = model.Faults{}
		return "without " + k.name
	}
	twice(k.rates)
	twice(k.sizes)
	twice(k.counts)
	for _, t := range k.times {
		*t /= 2
	}
	if len(k.times) > 0 {
		return "half " + k.name
	}
	return "twice " + k.name
}

func twice[T int | units.Rate | units.Bytes](quantities []*T) {
	for _, q := range quantities {
		*q *= 2
	}
}

// matters says whether the knob's causes make up enough of the time for it to be tried.
func (k knob) matters(r records.Row) bool {
	if k.rounds && r.Rounds <= 1 {
		return false
	}
	var share units.Duration
	for _, p := range r.Critical {
		class, _, _ := strings.Cut(p.Cause, ":")
		if slices.Contains(k.causes, p.Cause) || slices.Contains(k.causes, class) {
			share += p.Time
		}
	}
	return share >= r.Time/20
}

// copied is a point whose machine can be changed without changing p's.
func (p Point) copied() Point {
	p.Topology.Server.Links = slices.Clone(p.Topology.Server.Links)
	if p.Streams != nil {
		work := *p.Streams
		work.Topology.Server.Links = slices.Clone(work.Topology.Server.Links)
		p.Streams = &work
	}
	p.Alone = nil
	return p
}

// changes simulates the point, whose row is whole and that of what is explained r, once for each knob
// that could matter, and returns how long the row then takes, shortest first.
func (p Point) changes(ctx context.Context, whole, r records.Row, jobs int) ([]records.Change, error) {
	var changed Plan
	var changes []records.Change
	for i, k := range p.knobs() {
		if !k.matters(r) || k.network && whole.Requests == 0 {
			continue
		}
		other := p.copied()
		changes = append(changes, records.Change{What: other.knobs()[i].turn()})
		changed.Points = append(changed.Points, other)
	}
	at := 0
	err := changed.Run(ctx, Options{Jobs: jobs, Deliver: func(o Outcome) error {
		changes[at].Time = o.row(r.Operator).Time
		at++
		return nil
	}})
	slices.SortStableFunc(changes, func(a, b records.Change) int { return cmp.Compare(a.Time, b.Time) })
	return changes, err
}

// row is that of the whole, or of an operator.
func (o Outcome) row(operator string) records.Row {
	i := slices.IndexFunc(o.Operators, func(r records.Row) bool { return r.Operator == operator })
	if i < 0 {
		return o.Row
	}
	return o.Operators[i]
}
