package proof

import (
	"container/heap"
	"errors"
	"math/big"
	"slices"
	"testing"

	"hcclsim/algorithms"
)

// oracle is the time of a schedule where every pair of ranks has a link of its own, and
// local copies and signals are free: the longest path through what waits for what. It
// shares nothing with the closed forms.
type oracle struct {
	g     graph
	h     algorithms.Hockney
	waits []int   // by node: for how many others
	ready []int64 // by node: when those that are done were done
	free  []int64 // when the reduce unit of each rank is free
	next  events
}

// events are nodes by the time at which they are ready.
type events []event

type event struct {
	at   int64
	node int32
}

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

func longestPath(t *testing.T, s *algorithms.Schedule, h algorithms.Hockney) int64 {
	t.Helper()
	o := &oracle{h: h, free: make([]int64, s.Ranks())}
	if err := o.g.load(s); err != nil {
		t.Fatal(err)
	}
	n := len(o.g.order)
	o.waits, o.ready = make([]int, n), make([]int64, n)
	follow := make([][]int32, n)
	for v := range int32(n) {
		for _, p := range o.before(v) {
			follow[p] = append(follow[p], v)
			o.waits[v]++
		}
		if o.waits[v] == 0 {
			o.next = append(o.next, event{0, v})
		}
	}
	var last int64
	for len(o.next) > 0 {
		e := heap.Pop(&o.next).(event)
		done := o.done(e)
		last = max(last, done)
		for _, v := range follow[e.node] {
			o.ready[v] = max(o.ready[v], done)
			if o.waits[v]--; o.waits[v] == 0 {
				heap.Push(&o.next, event{o.ready[v], v})
			}
		}
	}
	return last
}

// reduces is the message that is reduced at a node, or -1.
func (o *oracle) reduces(v int32) int32 {
	if v < o.g.node(0) && v%2 == 1 && o.g.steps[v/2].Reduce {
		return o.g.recvs[v/2]
	}
	return -1
}

// before are the nodes that a node waits for. A reduction waits for its data, synced or
// not.
func (o *oracle) before(v int32) []int32 {
	g := &o.g
	preds := g.preds[g.begin[v]:g.begin[v+1]]
	if m := o.reduces(v); m >= 0 && !slices.Contains(preds, g.node(m)) {
		return append(slices.Clone(preds), g.node(m))
	}
	return preds
}

// done is when a node that is ready is done. The reductions of a rank take turns, first
// come first served.
func (o *oracle) done(e event) int64 {
	if m := e.node - o.g.node(0); m >= 0 {
		return e.at + o.flight(o.g.messages[m])
	}
	m := o.reduces(e.node)
	if m < 0 || o.h.Reduce == 0 {
		return e.at
	}
	rank := o.g.refs[e.node/2].Rank
	o.free[rank] = max(e.at, o.free[rank]) + duration(o.bytes(o.g.messages[m]), o.h.Reduce)
	return o.free[rank]
}

func (o *oracle) flight(m message) int64 {
	if m.from == m.to {
		return 0
	}
	return o.h.Alpha + duration(o.bytes(m), o.h.Bandwidth)
}

func (o *oracle) bytes(m message) int64 {
	send := o.g.steps[m.from].Send
	var total int64
	for j := range send.Set.Len() {
		_, n := o.g.s.Layout.Span(send.Buf, send.Set.Slice(j))
		total += n
	}
	return total
}

// duration is n bytes at a rate, in picoseconds rounded up.
func duration(n, rate int64) int64 {
	if rate == 0 {
		return 0
	}
	x := new(big.Int).Mul(big.NewInt(n), big.NewInt(1e12))
	x, rest := x.DivMod(x, big.NewInt(rate), new(big.Int))
	if rest.Sign() > 0 {
		x.Add(x, big.NewInt(1))
	}
	return x.Int64()
}

// TestClosedForms: what algorithms.Cost says is the longest path, on sizes that divide
// evenly, that do not, and that leave ranks without data.
func TestClosedForms(t *testing.T) {
	h := algorithms.Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 99_999_999_977, PairLinks: true}
	forms, most, least := 0, 14, 10_000
	if testing.Short() {
		most, least = 8, 4_000
	}
	for _, name := range algorithms.Names() {
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers(name, c) || c == algorithms.AlltoAllV {
				continue // of uneven blocks the cost is a bound
			}
			for p := 1; p <= most; p++ {
				for _, shape := range shapes(name, p) {
					for _, size := range []struct{ bytes, align int64 }{{0, 0}, {4, 0}, {400, 512}, {4 * 1009, 0}, {4 * 14 * 13 * 12 * 11 * 360, 512}, {1 << 30, 0}} {
						r := algorithms.Request{
							Collective: c, Groups: shape.groups, Root: p / 2, Bytes: size.bytes, Elem: 4, Align: size.align,
							InPlace: p%2 == 0 && c.HasInPlace(), Marker: true,
						}
						if closedForm(t, name, r, h) {
							forms++
						}
					}
				}
			}
		}
	}
	if forms < least {
		t.Errorf("only %d closed forms were compared", forms)
	}
}

func closedForm(t *testing.T, name string, r algorithms.Request, h algorithms.Hockney) bool {
	want, ok, err := algorithms.Cost(name, r, algorithms.Everywhere(h))
	if shape := (*algorithms.ShapeError)(nil); errors.As(err, &shape) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return false
	}
	s, err := algorithms.New(name, r)
	if err != nil {
		t.Fatal(err)
	}
	if got := longestPath(t, s, h); got != want {
		t.Errorf("%s %s over %v, %d bytes, align %d: longest path %d ps, closed form %d ps", name, r.Collective, r.Groups, r.Bytes, r.Align, got, want)
	}
	return true
}

// TestDoubleTreeOfTwo: unsegmented it costs half the bandwidth and reduce terms of the
// binomial tree, because each direction carries a tree of its own.
func TestDoubleTreeOfTwo(t *testing.T) {
	const n = 64 << 20
	h := algorithms.Hockney{Alpha: 5_000_000, Bandwidth: 25e9, Reduce: 100e9, PairLinks: true}
	r := algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{2}, Bytes: n, Elem: 4, InPlace: true}
	binomial, _, err := algorithms.Cost("binomial", r, algorithms.Everywhere(h))
	if want := 2*(h.Alpha+duration(n, h.Bandwidth)) + duration(n, h.Reduce); err != nil || binomial != want {
		t.Fatalf("binomial takes %d ps, want %d (%v)", binomial, want, err)
	}
	r.Segment = n
	s, err := algorithms.New("double-tree", r)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := longestPath(t, s, h), 2*(h.Alpha+duration(n/2, h.Bandwidth))+duration(n/2, h.Reduce); got != want {
		t.Errorf("double-tree takes %d ps, want %d", got, want)
	}
}

// TestDoubleTreePipelines: latency grows with the logarithm of the ranks, and with the
// chosen segment large messages stay near what one lane needs for its half of the data.
// Where links do not share ports the estimate bounds the longest path from above.
func TestDoubleTreePipelines(t *testing.T) {
	h := algorithms.Hockney{Alpha: 5_000_000, Bandwidth: 25e9, PairLinks: true}
	for p := 2; p <= 100; p = p*3/2 + 1 {
		for _, c := range []algorithms.Collective{algorithms.AllReduce, algorithms.Broadcast, algorithms.Reduce} {
			for _, bytes := range []int64{8, 1 << 20, 1 << 28} {
				r := algorithms.Request{Collective: c, Groups: []int{p}, Bytes: bytes, Elem: 4, InPlace: true, Hockney: h}
				s, err := algorithms.New("double-tree", r)
				if err != nil {
					t.Fatal(err)
				}
				most, err := algorithms.Estimate("double-tree", r, algorithms.Everywhere(h))
				if err != nil {
					t.Fatal(err)
				}
				got, least := longestPath(t, s, h), h.Alpha+duration(bytes/2, h.Bandwidth)
				if got < least || got > most {
					t.Errorf("%s of %d ranks, %d bytes: %d ps, expected %d to %d", c, p, bytes, got, least, most)
				}
				if bytes == 1<<28 && got > least+least/3 {
					t.Errorf("%s of %d ranks, %d bytes: %d ps, far above a lane's %d", c, p, bytes, got, least)
				}
			}
		}
	}
}
