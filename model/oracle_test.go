package model

import (
	"cmp"
	"errors"
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
	moving  map[link][]stay // when messages are on each link
}

type link struct{ src, dst int32 }

type stay struct{ start, end int64 }

// shares says whether two messages are on one link at once. Then the recurrence says
// nothing about the machine; otherwise its solution is the machine's.
func (o *oracle) shares() bool {
	o.time()
	for _, spans := range o.moving {
		slices.SortFunc(spans, func(a, b stay) int { return cmp.Compare(a.start, b.start) })
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
		o.moving[at] = append(o.moving[at], stay{start, start + wire.Int64()})
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

// shapes are the ways to lay p ranks out on equal servers: one server for a flat
// algorithm, all divisions for one of two levels, and with two or three super-pods for a
// mix of three.
func shapes(name string, p int) (list []shape) {
	for pods := 1; pods <= 3; pods++ {
		for servers := 1; servers <= p; servers++ {
			flat, three := algorithms.Flat(name), strings.Count(name, "+") == 2
			if p%servers == 0 && servers%pods == 0 && !(flat && servers > 1) && three == (pods > 1) {
				list = append(list, shape{slices.Repeat([]int{p / servers}, servers), pods})
			}
		}
	}
	return list
}

// shape is the ranks of each server, and the number of super-pods.
type shape struct {
	groups []int
	pods   int
}

func (s shape) size() int { return algorithms.Request{Groups: s.groups}.Ranks() }

func (s shape) String() string { return fmt.Sprintf("%dx%d/%d", len(s.groups), s.groups[0], s.pods) }

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
// latency and a bandwidth of its own. Only lanes of several trees or rings may use one link
// at once. A case in which they do, with large messages and with messages of some bytes,
// leaves max-plus: it checks latencies only, with a bandwidth so high that every message
// takes its one picosecond. That leaves few: two or three ranks, or servers.
func TestMachineAgreesWithMaxPlusOracle(t *testing.T) {
	latencyOnly := 0
	offering(t, func(t *testing.T, name string, c algorithms.Collective) {
		ranks := []int{1, 2, 4, 6, 8, 12}
		if !testing.Short() && algorithms.Flat(name) && name != "mesh-chunk" { // which sends p^3 messages
			ranks = []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 33, 64}
		}
		for _, p := range ranks {
			for _, s := range shapes(name, p) {
				if strings.Contains(name, "double-ring") && s.groups[0] == 2 {
					continue // both rings go from either rank to the other: always on one link
				}
				var misfit *algorithms.ShapeError
				if _, err := algorithms.New(name, oracleRequest(c, s, 4)); errors.As(err, &misfit) {
					continue
				}
				t.Run(fmt.Sprint(s), func(t *testing.T) { latencyOnly += agrees(t, name, c, s) })
			}
		}
	})
	if latencyOnly > 20 {
		t.Errorf("%d cases check latencies only, want at most 20", latencyOnly)
	}
}

// agrees compares one case; 1 if it checks latencies only.
func agrees(t *testing.T, name string, c algorithms.Collective, s shape) int {
	latency := func(a, b int32) int64 { return 1_000_000 + mixed(a, b)%900_000 }
	skewed := func(a, b int32) int64 { return 10_000_000_000 + mixed(a, b)%13*1_700_000_000 }
	unbounded := func(a, b int32) int64 { return 1 << 46 }
	several := strings.Contains(name, "double-") || strings.Contains(name, "multi-ring")
	p := int64(s.size())
	o := newOracle(t, name, oracleRequest(c, s, p*4*1000+4), skewed, latency)
	if several && o.shares() {
		o = newOracle(t, name, oracleRequest(c, s, p*4*10), skewed, latency)
		if o.shares() {
			compareWithOracle(t, newOracle(t, name, oracleRequest(c, s, p*4), unbounded, latency))
			return 1
		}
	}
	if o.shares() {
		t.Fatal("two messages are on one link at once")
	}
	compareWithOracle(t, o)
	return 0
}

func oracleRequest(c algorithms.Collective, s shape, bytes int64) algorithms.Request {
	blocks, most := blocks(c, s.size(), units.Bytes(bytes))
	return algorithms.Request{
		Collective: c, Groups: s.groups, Pods: s.pods, Root: s.size() / 2, Bytes: int64(most), Elem: 4, InPlace: c.HasInPlace(),
		Segment: max(bytes/8, 4), // four for each of two trees
		Blocks:  blocks,
	}
}

func newOracle(t *testing.T, name string, r algorithms.Request, rate, latency func(a, b int32) int64) *oracle {
	t.Helper()
	s, err := algorithms.New(name, r)
	if err != nil {
		t.Fatal(err)
	}
	return &oracle{s: s, latency: latency, rate: rate, ends: map[algorithms.Ref]int64{}, moving: map[link][]stay{}}
}

func compareWithOracle(t *testing.T, o *oracle) {
	t.Helper()
	m, err := machineOf(Point{Topology: skewedMesh(o.s.Ranks(), o.rate, o.latency)}, o.s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.run(); err != nil {
		t.Fatal(err)
	}
	res, err := m.result(1)
	if err != nil {
		t.Fatal(err)
	}
	if want := o.time(); int64(res.Time) != want {
		t.Errorf("the machine takes %d ps, max-plus %d", res.Time, want)
	}
}
