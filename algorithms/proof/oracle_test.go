package proof

import (
	"math/big"
	"testing"

	"hcclsim/algorithms"
)

// oracle is the time of a schedule where every pair of ranks has a link of its own, and
// local copies and signals are free: the longest path through what waits for what. It
// shares nothing with the closed forms.
type oracle struct {
	g    graph
	h    algorithms.Hockney
	done []int64 // by node, -1: not known yet
	free []int64 // when the reduce unit of each rank is free
}

func longestPath(t *testing.T, s *algorithms.Schedule, h algorithms.Hockney) int64 {
	t.Helper()
	o := &oracle{h: h, free: make([]int64, s.Ranks())}
	if err := o.g.load(s); err != nil {
		t.Fatal(err)
	}
	o.done = make([]int64, len(o.g.order))
	for i := range o.done {
		o.done[i] = -1
	}
	var last int64
	for _, v := range o.g.order {
		last = max(last, o.at(v))
	}
	return last
}

// at is when a node is done.
func (o *oracle) at(v int32) int64 {
	if o.done[v] >= 0 {
		return o.done[v]
	}
	g := &o.g
	var t int64
	for _, p := range g.preds[g.begin[v]:g.begin[v+1]] {
		t = max(t, o.at(p))
	}
	if m := v - g.node(0); m >= 0 {
		t += o.flight(g.messages[m])
	} else if v%2 == 1 && g.steps[v/2].Reduce && g.recvs[v/2] >= 0 {
		t = o.reduce(g.refs[v/2].Rank, g.recvs[v/2], t)
	}
	o.done[v] = t
	return t
}

// reduce is when a rank that waits from t on has taken in message m, synced or not. The
// reductions of a rank take turns, in the order in which they are asked for here; so the
// answer is right where those that can meet are alike.
func (o *oracle) reduce(rank, m int32, t int64) int64 {
	t = max(t, o.at(o.g.node(m)))
	if o.h.Reduce == 0 {
		return t
	}
	t = max(t, o.free[rank]) + duration(o.bytes(o.g.messages[m]), o.h.Reduce)
	o.free[rank] = t
	return t
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
	forms := 0
	for _, name := range algorithms.Names() {
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers(name, c) {
				continue
			}
			for p := 1; p <= 14; p++ {
				for _, shape := range shapes(name, p) {
					if unequal(shape.groups) {
						continue
					}
					for _, bytes := range []int64{0, 4, 400, 4 * 1009, 4 * 14 * 13 * 12 * 11 * 360, 1 << 30} {
						for _, align := range []int64{0, 512} {
							r := algorithms.Request{Collective: c, Groups: shape.groups, Root: p / 2, Bytes: bytes, Elem: 4, Align: align, InPlace: bytes%3 == 0, Marker: true}
							if closedForm(t, name, r, h) {
								forms++
							}
						}
					}
				}
			}
		}
	}
	if forms < 10_000 {
		t.Errorf("only %d closed forms were compared", forms)
	}
}

func closedForm(t *testing.T, name string, r algorithms.Request, h algorithms.Hockney) bool {
	want, ok, err := algorithms.Cost(name, r, algorithms.Everywhere(h))
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
