package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hcclsim/model/records"
	"hcclsim/scenarios"
)

// A simulation takes about this long for each step of the schedule and job, and a run that
// will take longer than longRun is announced. Both only serve that announcement.
const (
	timePerStep = 2 * time.Microsecond
	longRun     = time.Minute
)

// stats sums up what a run cost.
type stats struct {
	events    int64
	peakQueue int
	elapsed   time.Duration
}

// execute simulates the plan and returns the rows that are finished, all of them if there
// is no error. r, when not nil, holds those of an earlier run and keeps the rest.
func execute(cmd *cobra.Command, p *scenarios.Plan, f *outputFlags, s *stats, r *results) ([]records.Row, error) {
	stderr := cmd.ErrOrStderr()
	var rows []records.Row
	if r != nil {
		left := *p
		left.Points = p.Points[r.points:]
		p, rows = &left, r.rows
	}
	announce(stderr, p, f)
	// Ctrl-C ends the simulation and keeps what is finished; before and after it, and the
	// second time, it ends the program.
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	bar := startProgress(stderr, len(p.Points), p.Work(), f.quiet)
	begin := time.Now()
	err := p.Run(ctx, scenarios.Options{
		Jobs:     f.jobs,
		Finished: func(point scenarios.Point) { bar.finished(point.Work) },
		Deliver: func(o scenarios.Outcome) error {
			done := append([]records.Row{o.Row}, o.Operators...)
			rows = append(rows, done...)
			s.events += o.Events
			s.peakQueue = max(s.peakQueue, o.PeakQueue)
			if r == nil {
				return nil
			}
			return r.journal.add(done...)
		},
	})
	bar.end()
	s.elapsed += time.Since(begin)
	return rows, err
}

func announce(stderr io.Writer, p *scenarios.Plan, f *outputFlags) {
	expected := time.Duration(p.Work()) * timePerStep / time.Duration(min(f.jobs, runtime.NumCPU()))
	if expected > longRun && !f.quiet {
		fmt.Fprintf(stderr, "warning: %s: %d points with %.2g steps to simulate, this may take %v\n",
			p.Name, len(p.Points), float64(p.Work()), expected.Round(time.Minute))
	}
}

// print shows the figures of --stats.
func (s *stats) print(stderr io.Writer) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	fmt.Fprintf(stderr, "%d events in %v (%.3g events/s), longest queue %d, %d MiB of memory\n",
		s.events, s.elapsed.Round(time.Millisecond), float64(s.events)/max(s.elapsed.Seconds(), 1e-9), s.peakQueue, memory.Sys>>20)
}
