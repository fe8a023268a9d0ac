package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hcclsim/model/records"
	"hcclsim/model/units"
	"hcclsim/scenarios"
)

// contest is one setting under way: its points by algorithm, and what they take at each size.
type contest struct {
	row    records.Row
	names  []string
	points map[string]scenarios.Point // of any size
	times  map[units.Bytes]map[string]units.Duration
}

// Options of a search that do not change what it finds but its precision.
type Options struct {
	Jobs int
	// Precision is how far apart the sizes may lie between which the fastest changes: 1.01 is 1 %.
	Precision float64
}

// FindRanges simulates the plan's algorithms at the plan's sizes, and wherever the fastest of two
// neighbouring sizes differ, at sizes between them, by bisection. What changes twice between
// two neighbours with the same fastest is not seen. auto and best take no part: they choose
// among the others.
func FindRanges(ctx context.Context, p *scenarios.Plan, o Options) ([]records.Ranges, error) {
	contests, todo := contestsOf(p)
	if len(contests) == 0 {
		return nil, fmt.Errorf("nothing to compare: expected an entry of run with two or more named algorithms")
	}
	for len(todo) > 0 {
		if err := simulate(ctx, contests, todo, o.Jobs); err != nil {
			return nil, err
		}
		todo = nil
		for i, c := range contests {
			for _, b := range c.between(o.Precision) {
				todo = append(todo, trial{i, b})
			}
		}
	}
	var list []records.Ranges
	for _, c := range contests {
		list = append(list, records.Ranges{Row: c.row, Winners: c.winners()})
	}
	return list, nil
}

// trial is a size at which all algorithms of a contest are to be simulated.
type trial struct {
	contest int
	bytes   units.Bytes
}

func contestsOf(p *scenarios.Plan) (list []*contest, todo []trial) {
	index := map[string]int{}
	for _, point := range p.Points {
		if point.Streams != nil || point.Row.SelectedBy != "" || len(point.Candidates) > 0 || point.Blocks != nil {
			continue
		}
		row := point.Row
		row.Bytes, row.Requested, row.Algorithm = 0, "", ""
		key := fmt.Sprintf("%+v", row)
		i, ok := index[key]
		if !ok {
			i = len(list)
			index[key] = i
			list = append(list, &contest{row: row, points: map[string]scenarios.Point{}, times: map[units.Bytes]map[string]units.Duration{}})
		}
		c := list[i]
		if _, known := c.points[point.Row.Requested]; !known {
			c.names = append(c.names, point.Row.Requested)
			c.points[point.Row.Requested] = point
		}
		if t := (trial{i, point.Row.Bytes}); !slices.Contains(todo, t) {
			todo = append(todo, t)
		}
	}
	if slices.ContainsFunc(list, func(c *contest) bool { return len(c.names) > 1 }) {
		return list, todo
	}
	return nil, nil
}

// simulate runs all algorithms of the trials' contests at the trials' sizes.
func simulate(ctx context.Context, contests []*contest, todo []trial, jobs int) error {
	var plan scenarios.Plan
	var of []trial
	for _, t := range todo {
		for _, name := range contests[t.contest].names {
			plan.Points = append(plan.Points, contests[t.contest].points[name].Sized(t.bytes))
			of = append(of, t)
		}
	}
	at := 0
	return plan.Run(ctx, scenarios.Options{Jobs: jobs, Deliver: func(o scenarios.Outcome) error {
		c, b := contests[of[at].contest], of[at].bytes
		if c.times[b] == nil {
			c.times[b] = map[string]units.Duration{}
		}
		c.times[b][o.Row.Requested] = o.Row.Time
		at++
		return nil
	}})
}

func (c *contest) sizes() []units.Bytes {
	var sizes []units.Bytes
	for b := range c.times {
		sizes = append(sizes, b)
	}
	slices.Sort(sizes)
	return sizes
}

// order is the algorithms at a size, the fastest first.
func (c *contest) order(b units.Bytes) []string {
	names := slices.Clone(c.names)
	slices.SortStableFunc(names, func(x, y string) int {
		switch t, u := c.times[b][x], c.times[b][y]; {
		case t < u:
			return -1
		case t > u:
			return 1
		}
		return 0
	})
	return names
}

// between are the sizes to try next: in the middle, in ratio, between neighbours whose fastest
// differ and that are further apart than the precision.
func (c *contest) between(precision float64) (list []units.Bytes) {
	sizes := c.sizes()
	elem := units.Bytes(max(int64(c.points[c.names[0]].Elem), 1))
	for i := 1; i < len(sizes); i++ {
		low, high := sizes[i-1], sizes[i]
		if c.order(low)[0] == c.order(high)[0] || float64(high) <= precision*float64(low) {
			continue
		}
		middle := units.Bytes(math.Sqrt(float64(low)*float64(high))) / elem * elem
		if middle > low && middle < high {
			list = append(list, middle)
		}
	}
	return list
}

// winners puts neighbouring sizes with the same fastest algorithm together.
func (c *contest) winners() (list []records.Winner) {
	sizes := c.sizes()
	for i := 0; i < len(sizes); {
		j := i
		for j+1 < len(sizes) && c.order(sizes[j+1])[0] == c.order(sizes[i])[0] {
			j++
		}
		w := records.Winner{Algorithm: c.order(sizes[i])[0], From: sizes[i], To: sizes[j]}
		if middle := c.order(sizes[(i+j)/2]); len(middle) > 1 {
			w.Next, w.Least = middle[1], math.Inf(1)
			for _, b := range sizes[i : j+1] {
				order := c.order(b)
				lead := float64(c.times[b][order[1]])/float64(max(c.times[b][order[0]], 1)) - 1
				w.Least, w.Most = min(w.Least, lead), max(w.Most, lead)
			}
		}
		list = append(list, w)
		i = j + 1
	}
	return list
}
