package sim

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// slow is the definition of the flows' sharing, written for clarity: at every instant at
// which anything happens it solves everything, on integers without limit.
type slow struct {
	capacity []*big.Int
	starts   []start
	work     []*big.Int // by flow; nil before the start and after the end
	rate     []*big.Int
	// everyLink lets links take part that cannot bind.
	everyLink bool
}

func number(i int64) *big.Int { return big.NewInt(i) }

func times(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }

func floor(a, b *big.Int) *big.Int { return new(big.Int).Div(a, b) }

func ceil(a, b *big.Int) *big.Int {
	return floor(new(big.Int).Sub(new(big.Int).Add(a, b), number(1)), b)
}

// run returns when each flow ends.
func (s *slow) run() []Time {
	ends := make([]Time, len(s.starts))
	s.work, s.rate = make([]*big.Int, len(s.starts)), make([]*big.Int, len(s.starts))
	started := make([]bool, len(s.starts))
	for now := Time(0); ; {
		for i, f := range s.starts {
			if f.at == now && !started[i] {
				started[i] = true
				s.work[i] = times(number(f.bytes), number(65536*1e12))
			}
		}
		s.solve()
		next := Never
		for i, f := range s.starts {
			if !started[i] {
				next = min(next, f.at)
			}
			if s.work[i] != nil {
				next = min(next, now+Time(ceil(s.work[i], s.rate[i]).Int64()))
			}
		}
		if next == Never {
			return ends
		}
		for i := range s.starts {
			if s.work[i] == nil {
				continue
			}
			s.work[i].Sub(s.work[i], times(s.rate[i], number(int64(next-now))))
			if s.work[i].Sign() <= 0 {
				s.work[i], ends[i] = nil, next
			}
		}
		now = next
	}
}

// ceiling is the rate of a flow that has its links to itself.
func (s *slow) ceiling(i int) *big.Int {
	var least *big.Int
	if s.starts[i].limit > 0 {
		least = number(int64(s.starts[i].limit))
	}
	for _, u := range s.starts[i].uses {
		most := floor(times(s.capacity[u.Link], number(1<<32)), number(int64(u.Factor)))
		if least == nil || most.Cmp(least) < 0 {
			least = most
		}
	}
	return least
}

// sum adds what the flows on a link contribute.
func (s *slow) sum(link int, of func(flow int, factor *big.Int) *big.Int) *big.Int {
	total := number(0)
	for i, f := range s.starts {
		for _, u := range f.uses {
			if int(u.Link) == link && s.work[i] != nil {
				total.Add(total, of(i, number(int64(u.Factor))))
			}
		}
	}
	return total
}

// level is the rate per weight at which a link is full, or nil if it never is.
func (s *slow) level(link int) *big.Int {
	room := times(s.capacity[link], number(1<<32))
	wanted := s.sum(link, func(i int, factor *big.Int) *big.Int { return times(s.ceiling(i), factor) })
	if !s.everyLink && wanted.Cmp(room) <= 0 {
		return nil
	}
	taken := s.sum(link, func(i int, factor *big.Int) *big.Int {
		if s.rate[i] == nil {
			return number(0)
		}
		return times(s.rate[i], factor)
	})
	load := s.sum(link, func(i int, factor *big.Int) *big.Int {
		if s.rate[i] != nil {
			return number(0)
		}
		return times(number(int64(s.starts[i].weight)), factor)
	})
	if load.Sign() == 0 {
		return nil
	}
	return floor(taken.Sub(room, taken), load)
}

func (s *slow) solve() {
	open := 0
	for i := range s.rate {
		s.rate[i] = nil
		if s.work[i] != nil {
			open++
		}
	}
	for open > 0 {
		levels := make([]*big.Int, len(s.capacity))
		var lowest *big.Int
		for l := range levels {
			levels[l] = s.level(l)
			if levels[l] != nil && (lowest == nil || levels[l].Cmp(lowest) < 0) {
				lowest = levels[l]
			}
		}
		rates := make([]*big.Int, len(s.rate))
		capped := false
		for i, f := range s.starts {
			if s.work[i] == nil || s.rate[i] != nil {
				continue
			}
			if c := s.ceiling(i); lowest == nil || c.Cmp(times(lowest, number(int64(f.weight)))) <= 0 {
				rates[i], capped = c, true
			}
		}
		for i, f := range s.starts {
			if capped || s.work[i] == nil || s.rate[i] != nil {
				continue
			}
			for _, u := range f.uses {
				if l := levels[u.Link]; l != nil && l.Cmp(lowest) == 0 {
					rates[i] = times(lowest, number(int64(f.weight)))
				}
			}
		}
		for i := range rates {
			if rates[i] != nil {
				s.rate[i] = rates[i]
				open--
			}
		}
	}
}

// shape says which features a random case has.
type shape struct {
	weights, limits, factors, synchronous bool
	alike                                 bool // few different capacities and sizes
	coarse                                bool // rates of few units, where rounding shows
}

func randomCase(r *rand.Rand, s shape) (capacity []Rate, starts []start) {
	instant, limit := 20*Second, PerSecond(300)
	if s.coarse {
		instant, limit = 100_000*Second, 100
	}
	for range 1 + r.IntN(8) {
		c := PerSecond(1 + r.Int64N(1000))
		if s.alike {
			c = PerSecond(100 << r.IntN(2))
		}
		if s.coarse { // every flow must get a unit: 14 of weight 5 and factor 4.25
			c = Rate(300 + r.Int64N(100))
		}
		capacity = append(capacity, c)
	}
	for range 1 + r.IntN(14) {
		f := start{bytes: r.Int64N(3000), weight: 1, at: Time(r.Int64N(int64(instant)))}
		if s.alike {
			f.bytes = 500 * r.Int64N(4)
		}
		if s.coarse {
			f.bytes /= 100
		}
		if s.synchronous {
			f.at = Time(r.Int64N(4)) * instant / 4
		}
		if s.weights {
			f.weight = 1 + r.Int32N(5)
		}
		if s.limits && r.IntN(2) == 0 {
			f.limit = 1 + Rate(r.Int64N(int64(limit)))
		}
		for _, l := range r.Perm(len(capacity))[:1+r.IntN(min(len(capacity), 4))] {
			u := Use{int32(l), One}
			if s.factors {
				u.Factor = One/4 + Factor(r.Uint64N(uint64(4*One)))
			}
			f.uses = append(f.uses, u)
		}
		starts = append(starts, f)
	}
	return capacity, starts
}

// The quick solver and the definition agree to the picosecond.
func TestFlowsAgainstDefinition(t *testing.T) {
	const perShape = 50 // of 64 shapes
	for n := range 64 {
		s := shape{weights: n&1 != 0, limits: n&2 != 0, factors: n&4 != 0, synchronous: n&8 != 0, alike: n&16 != 0, coarse: n&32 != 0}
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(n), 5))
			for k := range perShape {
				capacity, starts := randomCase(r, s)
				oracle := slow{starts: starts, everyLink: !s.weights && k%2 == 0}
				for _, c := range capacity {
					oracle.capacity = append(oracle.capacity, number(int64(c)))
				}
				want := oracle.run()
				n := load(capacity, starts)
				n.settle = func() { checkRates(t, n.flows) }
				n.Run(n)
				for i := range want {
					if n.ends[i] != want[i] {
						t.Fatalf("case %d, flow %d of %d over %d links ends at %d, want %d\n%v\n%+v",
							k, i, len(want), len(capacity), n.ends[i], want[i], capacity, starts)
					}
				}
				checkCarried(t, n)
			}
		})
	}
}

// checkRates makes sure that every active flow moves, no faster than its ceiling, and
// that no link is given more than it has.
func checkRates(t *testing.T, f *Flows) {
	t.Helper()
	given := make([]wide, len(f.links))
	for id := range f.flows {
		w := &f.flows[id]
		if w.due < 0 {
			continue // no flow
		}
		if w.rate < 1 || w.rate > w.ceiling {
			t.Fatalf("flow %d has rate %d, its ceiling is %d", id, w.rate, w.ceiling)
		}
		for _, u := range w.use[:w.uses] {
			given[u.link] = given[u.link].plus(product(uint64(w.rate), uint64(u.factor)))
		}
	}
	for i := range given {
		if f.links[i].room().less(given[i]) {
			t.Fatalf("link %d gives more than its capacity", i)
		}
	}
}

// checkCarried makes sure that every link has carried what was sent over it, and that
// the run left nothing behind.
func checkCarried(t *testing.T, n *network) {
	t.Helper()
	if err := n.flows.CheckCapacity(n.Now()); err != nil {
		t.Fatal(err)
	}
	want := make([]wide, len(n.flows.links))
	for _, s := range n.starts {
		for _, u := range s.uses {
			want[u.Link] = want[u.Link].plus(product(uint64(s.bytes), uint64(u.Factor)))
		}
	}
	for i := range n.flows.links {
		l := &n.flows.links[i]
		if l.carried != want[i] {
			t.Fatalf("link %d carried %v, want %v", i, l.carried, want[i])
		}
		if l.count != 0 || l.ceilings != (wide{}) || l.load != 0 || l.binding || l.tight || l.moved {
			t.Fatalf("link %d is not idle after the run: %+v", i, *l)
		}
	}
	if n.flows.Active() != 0 || len(n.flows.free) != len(n.flows.flows) {
		t.Fatalf("%d flows left in a run that is over", n.flows.Active())
	}
}
