package sim

import (
	"testing"
)

// network is a handler with nothing but flows: it starts them at their times, in order,
// and notes when each has finished.
type network struct {
	Engine
	flows  *Flows
	starts []start
	ends   []Time // by position in starts; -1 before
	alone  []Time
	settle func() // after every Settle
}

type start struct {
	at     Time
	bytes  int64
	uses   []Use
	weight int32
	limit  Rate
}

const (
	startFlow uint32 = iota
	finishFlow
)

func (n *network) Handle(e Event) {
	switch e.Kind {
	case startFlow:
		s := n.starts[e.Arg]
		n.flows.Start(s.bytes, s.uses, s.weight, s.limit, e.Arg)
	case finishFlow:
		if owner, alone, ok := n.flows.Finished(e.Arg); ok {
			n.ends[owner], n.alone[owner] = n.Now(), alone
		}
	}
}

func (n *network) Settle() {
	n.flows.Settle()
	if n.settle != nil {
		n.settle()
	}
}

// load prepares a run of flows over links.
func load(capacity []Rate, starts []start) *network {
	n := &network{starts: starts, ends: make([]Time, len(starts)), alone: make([]Time, len(starts))}
	n.flows = NewFlows(&n.Engine, finishFlow, capacity)
	for i, s := range starts {
		n.ends[i] = -1
		n.Schedule(s.at, startFlow, int32(i))
	}
	return n
}

// run runs the flows and checks what must hold after every run.
func run(t *testing.T, capacity []Rate, starts []start) *network {
	t.Helper()
	n := load(capacity, starts)
	n.Run(n)
	if err := n.flows.CheckCapacity(n.Now()); err != nil {
		t.Fatal(err)
	}
	if n.flows.Active() != 0 {
		t.Fatalf("the queue is empty and %d flows are active", n.flows.Active())
	}
	return n
}

// crossbar is ports of 25 GB/s of so many ranks: out at 2r, in at 2r+1.
func crossbar(ranks int) []Rate {
	capacity := make([]Rate, 2*ranks)
	for i := range capacity {
		capacity[i] = PerSecond(25e9)
	}
	return capacity
}

func message(from, to int, bytes int64) start {
	return start{bytes: bytes, uses: []Use{{int32(2 * from), One}, {int32(2*to + 1), One}}, weight: 1}
}

// The facts of docs/model.md on sharing: messages of 1,000,000 B between 8 ranks on a
// crossbar of 25 GB/s ports. A latency of 1 us is added to each.
func TestSharingFacts(t *testing.T) {
	const megabyte, latency = 1_000_000, Microsecond
	var incast, sizes, detour, all []start
	for r := 1; r < 8; r++ {
		incast = append(incast, message(r, 0, megabyte))
		sizes = append(sizes, message(r, 0, int64(r)*megabyte))
	}
	for r := 1; r <= 4; r++ {
		detour = append(detour, message(r, 0, megabyte))
	}
	detour = append(detour, message(1, 7, megabyte))
	for from := range 8 {
		for to := range 8 {
			if from != to {
				all = append(all, message(from, to, megabyte))
			}
		}
	}
	for _, c := range []struct {
		name   string
		starts []start
		want   []Time // arrivals; the last stands for the rest
	}{
		{"7 senders to one receiver", incast, []Time{281 * Microsecond}},
		{"senders with r megabytes each", sizes, []Time{281 * Microsecond, 521 * Microsecond, 721 * Microsecond,
			881 * Microsecond, 1001 * Microsecond, 1081 * Microsecond, 1121 * Microsecond}},
		{"4 senders to one, and one of them elsewhere", detour, []Time{161 * Microsecond, 161 * Microsecond,
			161 * Microsecond, 161 * Microsecond, 54_333_333 * Picosecond}},
		{"every rank to every other", all, []Time{281 * Microsecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := run(t, crossbar(8), c.starts)
			for i, end := range n.ends {
				want := c.want[min(i, len(c.want)-1)]
				if got := end + latency; got < want || got > want+1 {
					t.Errorf("message %d arrives at %d ps, want %d", i, got, want)
				}
			}
		})
	}
}
