package sim

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// release gives units back and returns the jobs that this lets in.
func release(s *Server, units int32) (granted []int32) {
	s.Release(units)
	for {
		job, ok := s.Next()
		if !ok {
			return granted
		}
		granted = append(granted, job)
	}
}

func expectJobs(t *testing.T, got []int32, want ...int32) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("granted %v, want %v", got, want)
	}
}

func TestServerOrder(t *testing.T) {
	s := NewServer(1)
	if !s.Acquire(0, 1, 5) {
		t.Fatal("an idle server lets a job wait")
	}
	for job, priority := range []uint8{1: 5, 2: 0, 3: 5, 4: 0, 5: 255} {
		if job > 0 && s.Acquire(int32(job), 1, priority) {
			t.Errorf("job %d interrupts the one that runs", job)
		}
	}
	if s.Waiting() != 5 || s.Busy() != 1 {
		t.Errorf("%d wait, %d busy; want 5 and 1", s.Waiting(), s.Busy())
	}
	for _, want := range []int32{2, 4, 1, 3, 5} {
		expectJobs(t, release(&s, 1), want)
	}
	expectJobs(t, release(&s, 1))
}

func TestServerOfSeveralUnits(t *testing.T) {
	s := NewServer(4)
	s.Acquire(0, 3, 1)
	if s.Acquire(1, 2, 1) {
		t.Error("2 of 1 free units granted")
	}
	if s.Acquire(2, 1, 1) {
		t.Error("a small job passes the one that waits before it")
	}
	if !s.Acquire(3, 1, 0) {
		t.Error("a job of higher priority is first in line, and its unit is free")
	}
	expectJobs(t, release(&s, 1))
	expectJobs(t, release(&s, 3), 1, 2)
	if s.Busy() != 3 {
		t.Errorf("%d units busy, want 3", s.Busy())
	}
}

func TestServerWithoutLimit(t *testing.T) {
	var s Server
	for job := range int32(1000) {
		if !s.Acquire(job, 1<<20, 7) {
			t.Fatalf("job %d waits", job)
		}
	}
	if s.Busy() != 1000<<20 {
		t.Errorf("%d units busy", s.Busy())
	}
}

func TestServerMisuse(t *testing.T) {
	for name, misuse := range map[string]func(s *Server){
		"more units than there are":  func(s *Server) { s.Acquire(0, 3, 0) },
		"release of what is not had": func(s *Server) { s.Release(1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			s := NewServer(2)
			misuse(&s)
		})
	}
}

// A server does what a sorted list does.
func TestServerAgainstSortedList(t *testing.T) {
	type job struct {
		id, units int32
		priority  uint8
	}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		capacity := 1 + r.Int32N(6)
		s, free := NewServer(capacity), capacity
		var line, running []job
		grant := func() (granted []int32) {
			for len(line) > 0 && line[0].units <= free {
				granted = append(granted, line[0].id)
				running, free = append(running, line[0]), free-line[0].units
				line = line[1:]
			}
			return granted
		}
		for id := range int32(300) {
			if len(running) > 0 && r.IntN(2) == 0 {
				k := r.IntN(len(running))
				done := running[k]
				running, free = slices.Delete(running, k, k+1), free+done.units
				want := grant()
				if got := release(&s, done.units); !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: granted %v, want %v", seed, got, want)
				}
				continue
			}
			j := job{id, 1 + r.Int32N(capacity), uint8(r.IntN(3))}
			line = append(line, j)
			slices.SortStableFunc(line, func(a, b job) int { return int(a.priority) - int(b.priority) })
			want := slices.Equal(grant(), []int32{id})
			if got := s.Acquire(id, j.units, j.priority); got != want {
				t.Fatalf("seed %d: job %d granted: %v, want %v", seed, id, got, want)
			}
			if s.Waiting() != len(line) || s.Busy() != capacity-free {
				t.Fatalf("seed %d: %d wait and %d busy, want %d and %d", seed, s.Waiting(), s.Busy(), len(line), capacity-free)
			}
		}
	}
}

func TestServersDoNotAllocate(t *testing.T) {
	s := NewServer(1)
	rush := func() {
		for job := range int32(64) {
			s.Acquire(job, 1, uint8(job%3))
		}
		for s.Busy() > 0 {
			s.Release(1)
			s.Next()
		}
	}
	rush()
	if allocs := testing.AllocsPerRun(100, rush); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
