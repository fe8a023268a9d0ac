package model

import (
	"math/bits"

	"hcclsim/sim"
)

// Noise: ranks whose engines are slow, and times that vary at random. Both change the time
// of a task when it begins. docs/model.md has the distribution.

// noise is what a run's ranks suffer.
type noise struct {
	slow   []int64 // by rank, thousandths; nil: none is
	sigma  float64
	seed   uint64
	draws  []uint64 // by rank: how many times have varied
	center float64  // that makes the mean 1
}

func newNoise(w *Work, ranks int32) noise {
	var n noise
	for _, s := range w.Faults.Stragglers {
		if s.Slow == 0 || s.Slow == 1000 {
			continue
		}
		if n.slow == nil {
			n.slow = make([]int64, ranks)
		}
		n.slow[s.Rank] = s.Slow
	}
	if w.Jitter.Sigma > 0 {
		n.sigma, n.seed = float64(w.Jitter.Sigma)/1000, uint64(w.Jitter.Seed)
		n.center = -n.sigma * n.sigma / 2
		n.draws = make([]uint64, ranks)
	}
	return n
}

// took is the time of something that an engine, the reduce unit or cores of a rank do.
func (m *machine) took(rank int32, t sim.Time) sim.Time {
	if m.noise.slow != nil {
		if f := m.noise.slow[rank]; f > 0 {
			hi, lo := bits.Mul64(uint64(t), uint64(f))
			q, _ := bits.Div64(hi, lo, 1000)
			t = sim.Time(q)
		}
	}
	return m.vary(rank, t)
}

// slowed is a cap of an engine of a rank; 0 is none.
func (m *machine) slowed(rank int32, r sim.Rate) sim.Rate {
	if m.noise.slow != nil {
		if f := m.noise.slow[rank]; f > 0 {
			hi, lo := bits.Mul64(uint64(r), 1000)
			q, _ := bits.Div64(hi, lo, uint64(f))
			r = sim.Rate(q)
		}
	}
	return r
}

// vary multiplies a time by exp(sigma*z - sigma^2/2) for the rank's next z, which is
// normal with mean 0 and deviation 1. The n-th draw of a rank is the same whatever else
// happens, so the same seed gives the same run.
func (m *machine) vary(rank int32, t sim.Time) sim.Time {
	n := &m.noise
	if n.draws == nil || t == 0 {
		return t
	}
	n.draws[rank]++
	z := normal(mix(n.seed ^ mix(uint64(rank)<<32|n.draws[rank])))
	return sim.Time(float64(float64(t)*exponential(float64(n.sigma*z)+n.center)) + 0.5)
}

// mix is the finaliser of splitmix64 (Steele, Lea, Flood, 2014): every bit of the result
// depends on every bit of x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// normal is the sum of twelve uniform numbers less six: mean 0, deviation 1, and nothing
// beyond six of it. Unlike a logarithm it is the same on every machine.
func normal(x uint64) float64 {
	var sum uint64
	for range 6 {
		x = mix(x)
		sum += x>>32 + x&0xffffffff
	}
	return float64(int64(sum)-6<<32) / (1 << 32)
}

// exponential is e^x by its series, for |x| up to 10. Each product is rounded by itself, so
// that no machine contracts it into a fused operation with another last digit.
func exponential(x float64) float64 {
	halvings := 0
	for x > 0.5 || x < -0.5 {
		x /= 2
		halvings++
	}
	sum, term := 1.0, 1.0
	for k := 1; k < 20; k++ {
		term = float64(term*x) / float64(k)
		sum += term
	}
	for range halvings {
		sum = float64(sum * sum)
	}
	return sum
}
