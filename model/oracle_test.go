package model

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// oracle is the max-plus recurrence of a schedule on a machine where every message has
// its link to itself and reductions are free: when a step ends follows from when the
// steps before it end, and nothing else. It shares no code with the machine.
type oracle struct {
	s       *algorithms.Schedule
	latency func(a, b int32) int64
	rate    func(a, b int32) int64
	ends    map[algorithms.Ref]int64
}

// reached is when a rank comes to a step.
func (o *oracle) reached(r algorithms.Ref) int64 {
	var at int64
	if r.Step > 0 {
		at = o.end(algorithms.Ref{Rank: r.Rank, Lane: r.Lane, Step: r.Step - 1})
	}
	if after := o.step(r).After; after.Rank >= 0 {
		at = max(at, o.end(after))
	}
	return at
}

func (o *oracle) step(r algorithms.Ref) algorithms.Step {
	return o.s.Step(int(r.Rank), int(r.Lane), int(r.Step))
}

// end is when a step is finished.
func (o *oracle) end(r algorithms.Ref) int64 {
	if at, ok := o.ends[r]; ok {
		return at
	}
	st := o.step(r)
	at := o.reached(r)
	if st.Send.Peer.Rank >= 0 && st.Send.Peer.Rank != r.Rank {
		at = max(at, o.half(r, st.Send.Peer, r, st.Send, st, true))
	}
	if st.Recv.Peer.Rank >= 0 && st.Recv.Peer.Rank != r.Rank {
		at = max(at, o.half(st.Recv.Peer, r, r, st.Recv, st, false))
	}
	o.ends[r] = at
	return at
}

// half is when one half of step `own` ends, whose message goes from step a to step b.
func (o *oracle) half(a, b, own algorithms.Ref, h algorithms.Half, st algorithms.Step, sends bool) int64 {
	n := int64(0)
	for i := int32(0); i < h.Set.Count; i++ {
		for w := int32(0); w < h.Set.Width; w++ {
			slice := h.Set.Base + h.Set.Width*((h.Set.First+i*h.Set.Stride)%h.Set.Mod) + w
			_, bytes := o.s.Layout.Span(h.Buf, int(slice))
			n += bytes
		}
	}
	if h.Set.Count == 0 {
		return max(o.reached(a), o.reached(b))
	}
	if n == 0 {
		return 0
	}
	start := max(o.reached(a), o.reached(b))
	if st.Synced {
		driver := a
		if st.Drive == algorithms.Read {
			driver = b
		}
		start = o.reached(driver)
		if own != driver && (sends || !st.Reduce) {
			return 0 // the other end learns of it later
		}
	}
	wire := new(big.Int).Mul(big.NewInt(n), big.NewInt(1e12))
	wire.Add(wire, big.NewInt(o.rate(a.Rank, b.Rank)-1))
	wire.Div(wire, big.NewInt(o.rate(a.Rank, b.Rank)))
	return start + wire.Int64() + o.latency(a.Rank, b.Rank)
}

// time is when the last step of all ends.
func (o *oracle) time() int64 {
	var last int64
	for r := range o.s.Ranks() {
		for l := range o.s.Lanes(r) {
			if n := o.s.Steps(r, l); n > 0 {
				last = max(last, o.end(algorithms.Ref{Rank: int32(r), Lane: int32(l), Step: int32(n - 1)}))
			}
		}
	}
	return last
}

// skewedMesh joins every pair of p ranks with a link of its own speed and latency.
func skewedMesh(p int, rate func(a, b int32) int64, latency func(a, b int32) int64) Topology {
	t := Topology{Name: "skewed", Servers: 1, Server: Server{NPUs: p}, NPU: NPU{Handshake: Ideal}}
	for a := range p {
		for b := range a {
			r := units.Rate(rate(int32(a), int32(b)))
			t.Server.Links = append(t.Server.Links, Link{
				Class: "wire", Connect: Pairs, Groups: [][]int{{b, a}},
				Bandwidth: Bandwidth{r, r}, Latency: units.Duration(latency(int32(a), int32(b))),
			})
		}
	}
	return t
}

// mixed numbers a pair without order, evenly enough to skew links by it.
func mixed(a, b int32) int64 {
	x := uint64(min(a, b))*2654435761 + uint64(max(a, b))*40503 + 12345
	x ^= x >> 13
	x *= 0x9e3779b97f4a7c15
	return int64(x >> 40)
}

func TestMachineAgreesWithMaxPlusOracle(t *testing.T) {
	latency := func(a, b int32) int64 { return 1_000_000 + mixed(a, b)%900_000 }
	skewed := func(a, b int32) int64 { return 10_000_000_000 + mixed(a, b)%13*1_700_000_000 }
	// Where two lanes of a schedule may use one link at once, sharing would leave max-plus:
	// there the bandwidth is so high that every message takes its one picosecond.
	unbounded := func(a, b int32) int64 { return 1 << 46 }
	for _, p := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 33, 64} {
		for _, name := range algorithms.Names() {
			for _, groups := range shapes(name, p) {
				for _, c := range algorithms.Collectives() {
					if !algorithms.Offers(name, c) {
						continue
					}
					rate, bytes := skewed, int64(p)*4*1000+4
					if sharesLinks(name) {
						rate, bytes = unbounded, int64(p)*4
					}
					t.Run(fmt.Sprintf("%s/%s/%dx%d", name, c, len(groups), groups[0]), func(t *testing.T) {
						compareWithOracle(t, name, c, groups, bytes, rate, latency)
					})
				}
			}
		}
	}
}

func compareWithOracle(t *testing.T, name string, c algorithms.Collective, groups []int, bytes int64, rate, latency func(a, b int32) int64) {
	p := len(groups) * groups[0]
	s, err := algorithms.New(name, algorithms.Request{Collective: c, Groups: groups, Root: p / 2, Bytes: bytes, Elem: 4, InPlace: true})
	if err != nil {
		t.Fatal(err)
	}
	top := skewedMesh(p, rate, latency)
	m, err := newMachine(context.Background(), Point{Topology: top}, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.run(); err != nil {
		t.Fatal(err)
	}
	res, err := m.result()
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{s: s, latency: latency, rate: rate, ends: map[algorithms.Ref]int64{}}
	if want := o.time(); int64(res.Time) != want {
		t.Errorf("the machine takes %d ps, max-plus %d", res.Time, want)
	}
}
