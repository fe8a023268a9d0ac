package scenarios

import (
	"context"
	"math"

	"hcclsim/model"
	"hcclsim/model/units"
)

// repeated is a point run with several seeds: the mean of its results, and how far the mean
// of all seeds may lie from it.
type repeated struct {
	model.Result
	runs     int              // 0: one
	interval units.Duration   // half the width of the 95 % confidence interval
	spans    []units.Duration // the same of each of the result's spans
}

// repeated runs the point as often as it says. Times and causes are means, so that causes
// still add up; counts and links are those of the first run.
func (p Point) repeated(ctx context.Context, simulate simulator) (repeated, error) {
	runs := max(p.Repeat, 1)
	var results []model.Result
	for i := range runs {
		var r model.Result
		var err error
		if p.Streams != nil {
			w := *p.Streams
			w.Jitter.Seed += int64(i)
			r, err = model.SimulateWork(ctx, w, model.Options{})
		} else {
			one := p.Point
			one.Jitter.Seed += int64(i)
			r, err = simulate(ctx, one, model.Options{})
		}
		if err != nil {
			return repeated{}, err
		}
		results = append(results, r)
	}
	if runs == 1 {
		return repeated{Result: results[0]}, nil
	}
	all := repeated{Result: results[0], runs: runs}
	all.Time, all.interval = meanTime(results, func(r model.Result) units.Duration { return r.Time })
	all.Critical = meanParts(results, all.Time, func(r model.Result) []model.Part { return r.Critical })
	all.Spans = nil
	for _, r := range results[1:] {
		all.Events += r.Events
	}
	for i, s := range results[0].Spans {
		var start, end units.Duration
		for _, r := range results {
			start, end = start+r.Spans[i].Start, end+r.Spans[i].End
		}
		s.Start, s.End = start/units.Duration(runs), end/units.Duration(runs)
		s.Critical = meanParts(results, s.End-s.Start, func(r model.Result) []model.Part { return r.Spans[i].Critical })
		all.Spans = append(all.Spans, s)
		_, interval := meanTime(results, func(r model.Result) units.Duration { return r.Spans[i].End - r.Spans[i].Start })
		all.spans = append(all.spans, interval)
	}
	return all, nil
}

// meanTime is the mean, rounded down, and the half width of its 95 % confidence interval by
// Student's t.
func meanTime(results []model.Result, of func(model.Result) units.Duration) (mean, interval units.Duration) {
	n := len(results)
	for _, r := range results {
		mean += of(r)
	}
	mean /= units.Duration(n)
	var squares float64
	for _, r := range results {
		d := float64(of(r) - mean)
		squares += float64(d * d)
	}
	return mean, units.Duration(student(n-1) * math.Sqrt(squares/float64(n-1)/float64(n)))
}

// student is the 97.5 % quantile of Student's t with so many degrees of freedom: a table up
// to 30, beyond it two terms of its expansion around the normal quantile, which are exact to
// four digits there (Abramowitz and Stegun, 26.7.5).
func student(freedom int) float64 {
	table := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	// z = 1.959964; (z^3+z)/4 and (5z^5+16z^3+3z)/96
	n := float64(freedom)
	return 1.959964 + 2.372271/n + 2.822523/(n*n)
}

// meanParts divides a mean total among the causes of several runs: each gets its mean share
// rounded down, and the largest the rest.
func meanParts(results []model.Result, total units.Duration, of func(model.Result) []model.Part) (parts []model.Part) {
	index := map[string]int{}
	for _, r := range results {
		for _, p := range of(r) {
			i, ok := index[p.Name]
			if !ok {
				i = len(parts)
				index[p.Name] = i
				parts = append(parts, model.Part{Name: p.Name})
			}
			parts[i].Time += p.Time
		}
	}
	rest, largest := total, 0
	for i := range parts {
		parts[i].Time /= units.Duration(len(results))
		rest -= parts[i].Time
		if parts[i].Time > parts[largest].Time {
			largest = i
		}
	}
	if len(parts) > 0 {
		parts[largest].Time += rest
	}
	return parts
}
