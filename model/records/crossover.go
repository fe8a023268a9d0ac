package records

import (
	"math"
	"slices"

	"hcclsim/model/units"
)

// Band is a range of sizes in which one algorithm is the fastest.
type Band struct {
	Algorithm   string // that ran, whatever was requested
	First, Last units.Bytes
}

// Crossover is where one algorithm takes over from another as sizes grow.
type Crossover struct {
	From, To string
	// At is where the straight lines through both algorithms' times at Below and Above,
	// on logarithmic axes, cross. Where one of the four times is not known it is Above, and
	// the change somewhere in between.
	At           units.Bytes
	Known        bool        // the four times are known
	Below, Above units.Bytes // the neighbouring sizes: From wins at Below, To at Above
}

// Bands divides the group's sizes by the fastest algorithm. Where several are equally
// fast the one counts that stays the fastest for longest, so that ties make no bands of
// their own.
func (g Group) Bands() []Band {
	var bands []Band
	sizes, winners := g.winners()
	for start := 0; start < len(sizes); {
		var best Band
		end := start
		for _, name := range winners[start] {
			next := start
			for next < len(sizes) && slices.Contains(winners[next], name) {
				next++
			}
			if next > end {
				end, best = next, Band{name, sizes[start], sizes[next-1]}
			}
		}
		bands = append(bands, best)
		start = end
	}
	return bands
}

// winners are the algorithms of the shortest time at each size that has one.
func (g Group) winners() (sizes []units.Bytes, names [][]string) {
	for _, b := range g.Sizes() {
		fastest, ok := g.Fastest(b)
		if !ok || b <= 0 {
			continue
		}
		var equal []string
		for _, s := range g.Series {
			r, has := s.At(b)
			if has && r.Time == fastest.Time && !slices.Contains(equal, r.Algorithm) {
				equal = append(equal, r.Algorithm)
			}
		}
		sizes, names = append(sizes, b), append(names, equal)
	}
	return sizes, names
}

// Crossovers are the sizes at which the fastest algorithm of the group changes.
func (g Group) Crossovers() []Crossover {
	var list []Crossover
	bands := g.Bands()
	for i := 1; i < len(bands); i++ {
		c := Crossover{From: bands[i-1].Algorithm, To: bands[i].Algorithm, Below: bands[i-1].Last, Above: bands[i].First}
		c.At, c.Known = g.crossing(c)
		list = append(list, c)
	}
	return list
}

// crossing interpolates log(time) over log(size) and rounds to a byte.
func (g Group) crossing(c Crossover) (at units.Bytes, known bool) {
	lead := func(b units.Bytes) (float64, bool) { // of From: log of how many times as fast as To
		from, ok := g.timeOf(c.From, b)
		to, also := g.timeOf(c.To, b)
		return math.Log(float64(to)) - math.Log(float64(from)), ok && also
	}
	below, ok := lead(c.Below)
	above, also := lead(c.Above)
	if !ok || !also || below == above {
		return c.Above, ok && also
	}
	low, high := math.Log(float64(c.Below)), math.Log(float64(c.Above))
	return units.Bytes(math.Round(math.Exp(low + (high-low)*below/(below-above)))), true
}

// timeOf is the shortest time of an algorithm at a size, whoever requested it.
func (g Group) timeOf(algorithm string, b units.Bytes) (best units.Duration, ok bool) {
	for _, s := range g.Series {
		r, has := s.At(b)
		if has && r.Algorithm == algorithm && r.Time > 0 && (!ok || r.Time < best) {
			best, ok = r.Time, true
		}
	}
	return best, ok
}
