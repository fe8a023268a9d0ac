package model

import (
	"context"
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// script is a schedule written out, for tests: steps[rank][lane] in order. A message
// carries the one slice that its number names, of the size that sizes gives.
type script struct {
	steps [][][]algorithms.Step
	sizes []int64
}

func newScript(ranks int, sizes ...int64) *script {
	return &script{steps: make([][][]algorithms.Step, ranks), sizes: sizes}
}

// send appends a message of a slice from a new lane of src to a new lane of dst, and
// returns it for changes.
func (s *script) send(src, dst int, slice int32) (from, to *algorithms.Step) {
	a := algorithms.Ref{Rank: int32(src), Lane: int32(len(s.steps[src]))}
	s.steps[src] = append(s.steps[src], []algorithms.Step{algorithms.Idle})
	b := algorithms.Ref{Rank: int32(dst), Lane: int32(len(s.steps[dst]))}
	s.steps[dst] = append(s.steps[dst], []algorithms.Step{algorithms.Idle})
	set := algorithms.Set{First: slice, Count: 1, Stride: 1, Mod: int32(len(s.sizes)), Width: 1}
	from, to = &s.steps[src][a.Lane][0], &s.steps[dst][b.Lane][0]
	from.Send = algorithms.Half{Peer: b, Set: set}
	to.Recv = algorithms.Half{Peer: a, Set: set}
	return from, to
}

func (s *script) Ranks() int                             { return len(s.steps) }
func (s *script) Lanes(rank int) int                     { return len(s.steps[rank]) }
func (s *script) Steps(rank, lane int) int               { return len(s.steps[rank][lane]) }
func (s *script) Step(rank, lane, k int) algorithms.Step { return s.steps[rank][lane][k] }
func (s *script) Slices(algorithms.Buffer) int           { return len(s.sizes) }
func (s *script) Span(_ algorithms.Buffer, i int) (a, n int64) {
	for _, b := range s.sizes[:i] {
		a += b
	}
	return a, s.sizes[i]
}

// signal appends a pure signal from a new lane of src to a new lane of dst.
func (s *script) signal(src, dst int) (from, to *algorithms.Step) {
	from, to = s.send(src, dst, 0)
	from.Send.Set, to.Recv.Set = algorithms.Set{}, algorithms.Set{}
	return from, to
}

// local appends a copy of a slice inside an NPU, in a new lane.
func (s *script) local(rank int, slice int32) *algorithms.Step {
	own := algorithms.Ref{Rank: int32(rank), Lane: int32(len(s.steps[rank]))}
	half := algorithms.Half{Peer: own, Set: algorithms.Set{First: slice, Count: 1, Stride: 1, Mod: int32(len(s.sizes)), Width: 1}}
	s.steps[rank] = append(s.steps[rank], []algorithms.Step{{After: algorithms.None, Send: half, Recv: half}})
	return &s.steps[rank][own.Lane][0]
}

// play runs a script on a topology and returns its result with the end of every lane.
func play(t *testing.T, top Topology, s *script) (Result, [][]sim.Time) {
	t.Helper()
	return playPoint(t, Point{Topology: top}, s, Options{})
}

// machineOf is the machine of a point whose schedule is given.
func machineOf(p Point, s *algorithms.Schedule, o Options) (*machine, error) {
	p.Make = func(algorithms.Request) (*algorithms.Schedule, error) { return s, nil }
	w := p.Work()
	return newMachine(context.Background(), &w, o)
}

// playPoint is play with iterations and options.
func playPoint(t *testing.T, p Point, s *script, o Options) (Result, [][]sim.Time) {
	t.Helper()
	ends := make([][]sim.Time, len(s.steps))
	m, err := machineOf(p, &algorithms.Schedule{Program: s, Layout: s, Algorithm: "script"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.run(); err != nil {
		t.Fatal(err)
	}
	res, err := m.result(int64(max(p.Iterations, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range m.lanes {
		if l.call == none {
			continue
		}
		ends[l.rank] = append(ends[l.rank], l.path.sum())
	}
	return res, ends
}

// spent makes sure that the critical path is divided among exactly these causes.
func spent(t *testing.T, r Result, want ...Part) {
	t.Helper()
	if !slices.Equal(r.Critical, want) {
		t.Errorf("the critical path is %v, want %v", r.Critical, want)
	}
}

// crossbar is the Hockney machine: ports of 25 GB/s, latency 1 us, ideal handshake.
func crossbar(npus int) Topology {
	all := make([]int, npus)
	for i := range all {
		all[i] = i
	}
	return Topology{
		Name: "crossbar", Servers: 1,
		Server: Server{NPUs: npus, Links: []Link{{
			Class: "ideal", Connect: Crossbar, Groups: [][]int{all},
			Bandwidth: Bandwidth{25e9, 25e9}, Latency: units.Microsecond,
		}}},
		NPU: NPU{Handshake: Ideal},
	}
}
