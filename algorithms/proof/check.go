package proof

import (
	"fmt"

	"hcclsim/algorithms"
)

// Count is how much was proved.
type Count struct{ Schedules, Steps, Messages int64 }

// Add adds another count.
func (c *Count) Add(o Count) {
	c.Schedules += o.Schedules
	c.Steps += o.Steps
	c.Messages += o.Messages
}

// Prover proves schedules one after the other, in memory that it keeps. Memory is
// O(steps + slices that ranks have x ranks/64). The zero Prover is ready.
type Prover struct {
	graph    graph
	contents contents
	races    races
}

// Check proves a schedule, see the package comment. The error names the first fault.
func Check(s *algorithms.Schedule) (Count, error) { return new(Prover).Check(s) }

// CheckOrdered proves a schedule and that it is deterministic: of two reductions into the
// same slice of a rank, too, one is known to come first, so that floating-point results
// are the same to the last bit in every run.
func CheckOrdered(s *algorithms.Schedule) (Count, error) { return new(Prover).CheckOrdered(s) }

// Check proves a schedule, see the package comment. The error names the first fault.
func (p *Prover) Check(s *algorithms.Schedule) (Count, error) { return p.check(s, false) }

// CheckOrdered proves a schedule and that it is deterministic.
func (p *Prover) CheckOrdered(s *algorithms.Schedule) (Count, error) { return p.check(s, true) }

func (p *Prover) check(s *algorithms.Schedule, ordered bool) (Count, error) {
	if err := p.prove(s, ordered); err != nil {
		return Count{}, fmt.Errorf("%s %s of %d ranks: %w", s.Algorithm, s.Request.Collective, s.Ranks(), err)
	}
	return Count{1, int64(len(p.graph.steps)), int64(len(p.graph.messages))}, nil
}

func (p *Prover) prove(s *algorithms.Schedule, ordered bool) error {
	if err := p.graph.load(s); err != nil {
		return err
	}
	p.contents.fill(&p.graph)
	if err := p.contents.replay(); err != nil {
		return err
	}
	if err := p.contents.check(); err != nil {
		return err
	}
	return p.races.check(&p.graph, ordered)
}
