package model

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
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
	moving  map[link][]span // when messages are on each link
}

type link struct{ src, dst int32 }

type span struct{ start, end int64 }

// shares says whether two messages are on one link at once. Then the recurrence says
// nothing about the machine; otherwise its solution is the machine's.
func (o *oracle) shares() bool {
	o.time()
	for _, spans := range o.moving {
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
		for i := 1; i < len(spans); i++ {
			if spans[i].start < spans[i-1].end {
				return true
			}
		}
	}
	return false
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
	start, driver := max(o.reached(a), o.reached(b)), a
	if st.Synced {
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
	if own == driver {
		at := link{a.Rank, b.Rank}
		o.moving[at] = append(o.moving[at], span{start, start + wire.Int64()})
	}
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

// The machine agrees with the oracle to the picosecond, on links of which each has a
// latency and a bandwidth of its own. Only the lanes of double-tree may use one link at
// once. A case of it in which they do, with large messages and with messages of some
// bytes, leaves max-plus: it checks latencies only, with a bandwidth so high that every
// message takes its one picosecond. That leaves few: two or three ranks, or servers.
func TestMachineAgreesWithMaxPlusOracle(t *testing.T) {
	latency := func(a, b int32) int64 { return 1_000_000 + mixed(a, b)%900_000 }
	skewed := func(a, b int32) int64 { return 10_000_000_000 + mixed(a, b)%13*1_700_000_000 }
	unbounded := func(a, b int32) int64 { return 1 << 46 }
	latencyOnly := 0
	for _, p := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 33, 64} {
		for _, name := range algorithms.Names() {
			for _, groups := range shapes(name, p) {
				for _, c := range algorithms.Collectives() {
					if !algorithms.Offers(name, c) {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%dx%d", name, c, len(groups), groups[0]), func(t *testing.T) {
						o := newOracle(t, name, c, groups, int64(p)*4*1000+4, skewed, latency)
						if strings.Contains(name, "double-tree") && o.shares() {
							o = newOracle(t, name, c, groups, int64(p)*4*10, skewed, latency)
							if o.shares() {
								latencyOnly++
								compareWithOracle(t, newOracle(t, name, c, groups, int64(p)*4, unbounded, latency))
								return
							}
						}
						if o.shares() {
							t.Fatal("two messages are on one link at once")
						}
						compareWithOracle(t, o)
					})
				}
			}
		}
	}
	if latencyOnly > 10 {
		t.Errorf("%d cases check latencies only, want at most 10", latencyOnly)
	}
}

func newOracle(t *testing.T, name string, c algorithms.Collective, groups []int, bytes int64, rate, latency func(a, b int32) int64) *oracle {
	t.Helper()
	s, err := algorithms.New(name, algorithms.Request{
		Collective: c, Groups: groups, Root: len(groups) * groups[0] / 2, Bytes: bytes, Elem: 4, InPlace: true,
		Segment: max(bytes/8, 4), // four for each of two trees
	})
	if err != nil {
		t.Fatal(err)
	}
	return &oracle{s: s, latency: latency, rate: rate, ends: map[algorithms.Ref]int64{}, moving: map[link][]span{}}
}

func compareWithOracle(t *testing.T, o *oracle) {
	t.Helper()
	m, err := newMachine(context.Background(), Point{Topology: skewedMesh(o.s.Ranks(), o.rate, o.latency)}, o.s, Options{})
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
	if want := o.time(); int64(res.Time) != want {
		t.Errorf("the machine takes %d ps, max-plus %d", res.Time, want)
	}
}
