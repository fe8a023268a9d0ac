package algorithms

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	want := []string{
		"ring", "binomial", "double-tree", "mesh", "star", "nhr", "nb", "rhd",
		"ring+ring", "ring+binomial", "ring+double-tree", "ring+mesh", "ring+star", "ring+nhr", "ring+nb", "ring+rhd",
		"mesh+ring", "mesh+binomial", "mesh+double-tree", "mesh+mesh", "mesh+star", "mesh+nhr", "mesh+nb", "mesh+rhd",
	}
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	for name, want := range map[string]string{"tree": "double-tree", "mesh+tree": "mesh+double-tree", "ring": "ring", "nope": "nope"} {
		if got := Canonical(name); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestOffers(t *testing.T) {
	for name, want := range map[string]string{
		"ring": "allreduce allgather reducescatter broadcast reduce", "mesh": "allreduce allgather reducescatter broadcast reduce",
		"star": "allreduce broadcast reduce", "tree": "allreduce broadcast reduce",
		"mesh+ring": "allreduce allgather reducescatter", "ring+mesh": "allreduce allgather reducescatter",
		"nhr": "allreduce allgather reducescatter broadcast", "nb": "allreduce allgather reducescatter broadcast",
		"rhd": "allreduce allgather reducescatter broadcast reduce", "mesh+rhd": "allreduce allgather reducescatter",
		"mesh+tree": "allreduce", "ring+star": "allreduce", "binomial+ring": "",
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
		{"star", with(func(r *Request) { r.Collective = AllGather }), "star offers no allgather: it offers allreduce, broadcast, reduce"},
		{"ring", with(func(r *Request) { r.Collective = "allreduse" }), `did you mean "allreduce"?`},
		{"ring+tree", with(func(r *Request) { r.Groups = []int{4, 3} }), "server 0 has 4 ranks but server 1 has 3"},
		{"ring", with(func(r *Request) { r.Groups = nil }), "no groups of ranks"},
		{"ring", with(func(r *Request) { r.Groups = []int{4, 0} }), "server 1 has 0 ranks"},
		{"ring", with(func(r *Request) { r.Groups = []int{maxRanks, 1} }), "expected at most"},
		{"ring", with(func(r *Request) { r.Collective, r.Root = Broadcast, 8 }), "root 8: expected 0 to 7"},
		{"ring", with(func(r *Request) { r.Bytes = -4 }), "negative size"},
		{"ring", with(func(r *Request) { r.Bytes = 6 }), "6 bytes are not whole elements of 4 bytes"},
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
			r := Request{Collective: c, Groups: []int{1}, Bytes: 64, Elem: 4, InPlace: true, Copies: CopiesFull, Marker: true}
			if s := schedule(t, name, r); s.Steps(0, 0) != 0 {
				t.Errorf("%s %s in place: %d steps, want none", name, c, s.Steps(0, 0))
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
		s := schedule(t, name, request(3, 4))
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
			r := request(4, 4)
			r.Collective = c
			s := schedule(t, name, r)
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
	r := Request{Collective: AllReduce, Groups: make([]int, 12_500), Bytes: 1 << 30, Elem: 4, InPlace: true}
	for i := range r.Groups {
		r.Groups[i] = 8
	}
	for _, name := range Names() {
		s := schedule(t, name, r)
		last := s.Ranks() - 1
		for lane := range min(s.Lanes(last), 3) {
			if n := s.Steps(last, lane); n > 0 {
				s.Step(last, lane, n-1)
			}
		}
		if allocations := testing.AllocsPerRun(1, func() { _, _ = New(name, r) }); allocations > 60 {
			t.Errorf("%s: %v allocations", name, allocations)
		}
	}
}
