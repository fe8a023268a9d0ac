package algorithms

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	names := Names()
	for _, want := range []string{"ring", "double-tree", "mesh", "nhr", "ring+ring", "mesh+nhr", "multi-ring+rhd"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing in %v", want, names)
		}
	}
	for _, e := range Catalogue() {
		if (!e.Intra && slices.Contains(names, e.Name+"+ring")) || (!e.Inter && slices.Contains(names, "mesh+"+e.Name)) {
			t.Errorf("%s is part of a mix that it cannot be part of", e.Name)
		}
	}
	for name, want := range map[string]string{
		"tree": "double-tree", "mesh+tree": "mesh+double-tree", "mesh+ring+tree": "mesh+ring+double-tree", "ring": "ring", "nope": "nope",
	} {
		if got := Canonical(name); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestOffers(t *testing.T) {
	for name, want := range map[string]string{
		"ring":              "allreduce allgather reducescatter broadcast reduce scatter gather barrier",
		"mesh":              "allreduce allgather reducescatter broadcast reduce scatter gather alltoall alltoallv barrier",
		"star":              "allreduce broadcast reduce scatter gather barrier",
		"tree":              "allreduce broadcast reduce barrier",
		"nhr":               "allreduce allgather reducescatter broadcast scatter barrier",
		"rhd":               "allreduce allgather reducescatter broadcast reduce barrier",
		"nb-tree":           "broadcast",
		"pairwise":          "alltoall alltoallv sendrecv",
		"mesh+pairwise":     "alltoall alltoallv",
		"mesh+ring":         "allreduce allgather reducescatter broadcast reduce scatter gather barrier",
		"mesh+tree":         "allreduce broadcast reduce barrier",
		"double-ring+nhr":   "allreduce allgather reducescatter broadcast scatter barrier",
		"ring+ring+nhr":     "allreduce allgather reducescatter broadcast scatter barrier",
		"ring+ring+tree":    "allreduce broadcast reduce barrier",
		"ring+tree+ring":    "", // between super-pods comes what the servers have dealt out
		"ring+pairwise":     "",
		"mesh+mesh+mesh":    "allreduce allgather reducescatter broadcast reduce scatter gather barrier",
		"binomial+ring":     "",
		"ring+ring+ring+nb": "",
	} {
		var got []string
		for _, c := range Collectives() {
			if Offers(name, c) {
				got = append(got, string(c))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s offers %v, want %s", name, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := Request{Collective: AllReduce, Groups: []int{4, 4}, Bytes: 64, Elem: 4}
	with := func(change func(*Request)) Request {
		r := good
		change(&r)
		return r
	}
	for _, c := range []struct {
		name string
		r    Request
		want string
	}{
		{"rnig", good, `did you mean "ring"?`},
		{"mesh+trees", good, `did you mean "mesh+tree"?`},
		{"star", with(func(r *Request) { r.Collective = AllGather }), "star offers no allgather: it offers allreduce, broadcast, reduce, scatter, gather, barrier"},
		{"multi-ring+ring", good, "multi-ring joins 4 ranks"},
		{"ring+ring+ring", with(func(r *Request) { r.Pods = 3 }), "2 servers do not make 3 super-pods"},
		{"pairwise", with(func(r *Request) { r.Collective, r.InPlace = AlltoAll, true }), "in place: its output would overwrite"},
		{"mesh", with(func(r *Request) { r.Collective = AlltoAllV }), "sizes of blocks are for alltoallv"},
		{"mesh", with(func(r *Request) { r.Blocks = func(int, int) int64 { return 4 } }), "sizes of blocks are for alltoallv"},
		{"mesh", with(func(r *Request) { r.Collective, r.Blocks = AlltoAllV, func(int, int) int64 { return 4 } }), "64 bytes, but the rank that sends most sends 32"},
		{"mesh", with(func(r *Request) {
			r.Collective, r.Blocks = AlltoAllV, func(i, j int) int64 { return int64(i - j) }
		}), "the block from rank 0 to rank 1 has -1 bytes"},
		{"ring", with(func(r *Request) { r.Collective = "allreduse" }), `did you mean "allreduce"?`},
		{"ring+tree", with(func(r *Request) { r.Groups = []int{4, 3} }), "server 0 has 4 ranks but server 1 has 3"},
		{"ring", with(func(r *Request) { r.Groups = nil }), "no groups of ranks"},
		{"ring", with(func(r *Request) { r.Groups = []int{4, 0} }), "server 1 has 0 ranks"},
		{"ring", with(func(r *Request) { r.Groups = []int{maxRanks, 1} }), "expected at most"},
		{"ring", with(func(r *Request) { r.Collective, r.Root = Broadcast, 8 }), "root 8: expected 0 to 7"},
		{"ring", with(func(r *Request) { r.Bytes = -4 }), "negative size"},
		{"ring", with(func(r *Request) { r.Bytes = 6 }), "6 bytes are not whole elements of 4 bytes"},
		{"pipeline", with(func(r *Request) { r.Depth = 1 }), "depth 1: expected at least 2 buffers"},
		{"pipeline", with(func(r *Request) { r.Groups = []int{4, 3} }), "server 0 has 4 ranks but server 1 has 3"},
		{"ahc", with(func(r *Request) { r.Groups = []int{64, 63, 61, 59, 57} }), "least common multiple"},
		{"ring", with(func(r *Request) { r.Align = 6 }), "align 6 is not a multiple"},
	} {
		if _, err := New(c.name, c.r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %s", c.name, err, c.want)
		}
	}
}

// TestUnequalServersAreFlat: a flat algorithm does not care.
func TestUnequalServersAreFlat(t *testing.T) {
	s := schedule(t, "ring", Request{Collective: AllReduce, Groups: []int{4, 3, 1}, Bytes: 64, InPlace: true})
	if s.Ranks() != 8 {
		t.Errorf("%d ranks", s.Ranks())
	}
}

func TestOneRank(t *testing.T) {
	for _, name := range Names() {
		for _, c := range Collectives() {
			if !Offers(name, c) {
				continue
			}
			r := requestOf(c, 1)
			r.Copies, r.Marker = CopiesFull, true
			if c.HasInPlace() {
				r.InPlace = true
				if s := schedule(t, name, r); s.Steps(0, 0) != 0 {
					t.Errorf("%s %s in place: %d steps, want none", name, c, s.Steps(0, 0))
				}
			}
			r.InPlace = false
			s := schedule(t, name, r)
			if s.Lanes(0) != 1 || s.Steps(0, 0) != 1 {
				t.Fatalf("%s %s: %d lanes, %d steps, want one local copy", name, c, s.Lanes(0), s.Steps(0, 0))
			}
			st, me := s.Step(0, 0, 0), Ref{}
			if st.Send.Peer != me || st.Recv.Peer != me || st.Send.Buf != In || st.Recv.Buf != Out {
				t.Errorf("%s %s: %+v is no copy from in to out", name, c, st)
			}
		}
	}
}

// TestStepIsPure asks for all steps in order, then in another order.
func TestStepIsPure(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range Names() {
		s, err := New(name, requestOf(offering(name), 8, 8))
		if refused(err) {
			s, err = New(name, requestOf(offering(name), 8))
		}
		if err != nil {
			t.Fatal(err)
		}
		var refs []Ref
		var steps []Step
		for rank := range s.Ranks() {
			for lane := range s.Lanes(rank) {
				for k := range s.Steps(rank, lane) {
					refs = append(refs, ref(rank, lane, k))
					steps = append(steps, s.Step(rank, lane, k))
				}
			}
		}
		for _, i := range random.Perm(len(refs)) {
			if got := s.Step(int(refs[i].Rank), int(refs[i].Lane), int(refs[i].Step)); got != steps[i] {
				t.Fatalf("%s %+v: %+v, before %+v", name, refs[i], got, steps[i])
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for _, name := range Names() {
		for _, c := range Collectives() {
			if !Offers(name, c) {
				continue
			}
			s, err := New(name, requestOf(c, 8, 8))
			if refused(err) {
				s, err = New(name, requestOf(c, 8))
			}
			if err != nil {
				t.Fatal(err)
			}
			allocations := testing.AllocsPerRun(10, func() {
				for rank := range s.Ranks() {
					for lane := range s.Lanes(rank) {
						for k := range s.Steps(rank, lane) {
							st := s.Step(rank, lane, k)
							Message(s.Layout, st.Send.Buf, st.Send.Set)
						}
					}
				}
			})
			if allocations != 0 {
				t.Errorf("%s %s: %v allocations", name, c, allocations)
			}
		}
	}
}

// TestLargeProgramsTakeNoMemory: a program of 100,000 ranks is as small as one of two.
func TestLargeProgramsTakeNoMemory(t *testing.T) {
	groups := slices.Repeat([]int{multiRingRanks}, 12_500)
	for _, name := range Names() {
		c := offering(name)
		if c == AlltoAll || name == "ahc" {
			continue // maxBlockRanks; a table of the groups
		}
		r := requestOf(c, groups...)
		s, err := New(name, r)
		if refused(err) {
			continue // multi-ring over all
		}
		if err != nil {
			t.Fatal(err)
		}
		last := s.Ranks() - 1
		for lane := range min(s.Lanes(last), 3) {
			if n := s.Steps(last, lane); n > 0 {
				s.Step(last, lane, n-1)
			}
		}
		if allocations := testing.AllocsPerRun(1, func() { _, _ = New(name, r) }); allocations > 80 {
			t.Errorf("%s: %v allocations", name, allocations)
		}
	}
}

// offering is the first collective that an algorithm offers.
func offering(name string) Collective {
	for _, c := range Collectives() {
		if Offers(name, c) {
			return c
		}
	}
	return ""
}

// requestOf is a request that is right for the collective, of 64 bytes or more.
func requestOf(c Collective, groups ...int) Request {
	r := Request{Collective: c, Groups: groups, Elem: 4}
	r.Bytes = 64 * int64(r.Ranks())
	if c == AlltoAllV {
		r.Blocks = func(int, int) int64 { return 64 }
	}
	return r
}

func refused(err error) bool {
	var shape *ShapeError
	return errors.As(err, &shape)
}
