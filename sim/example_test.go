package sim_test

import (
	"fmt"

	"hcclsim/sim"
)

// transfers starts two flows at time zero and says when they end.
type transfers struct {
	sim.Engine
	flows *sim.Flows
}

const (
	begin uint32 = iota
	arrived
)

func (t *transfers) Handle(e sim.Event) {
	switch e.Kind {
	case begin:
		link := []sim.Use{{Link: 0, Factor: sim.One}}
		t.flows.Start(1_000_000, link, 1, 0, 'A')
		t.flows.Start(3_000_000, link, 1, 0, 'B')
	case arrived:
		if owner, alone, ok := t.flows.Finished(e.Arg); ok {
			fmt.Printf("%c after %d us, alone %d us\n", owner, t.Now()/sim.Microsecond, alone/sim.Microsecond)
		}
	}
}

func (t *transfers) Settle() { t.flows.Settle() }

// Two flows share a link of 10 GB/s until the smaller one has finished.
func Example() {
	var t transfers
	t.flows = sim.NewFlows(&t.Engine, arrived, []sim.Rate{sim.PerSecond(10e9)})
	t.Schedule(0, begin, 0)
	t.Run(&t)
	fmt.Println(t.flows.CheckCapacity(t.Now()))
	// Output:
	// A after 200 us, alone 100 us
	// B after 400 us, alone 300 us
	// <nil>
}
