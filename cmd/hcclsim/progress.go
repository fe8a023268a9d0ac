package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress shows on a terminal how far a run is and how long it still takes. The first
// second passes in silence.
type progress struct {
	mu         sync.Mutex
	w          io.Writer
	begin      time.Time
	done, all  int64 // of the work
	points, of int
	shown      bool
	stop       chan struct{}
	stopped    sync.WaitGroup
}

// startProgress returns a progress line on w, or one that shows nothing if w is no terminal.
func startProgress(w io.Writer, points int, work int64, quiet bool) *progress {
	p := &progress{w: w, begin: time.Now(), all: work, of: points, stop: make(chan struct{})}
	if quiet || !isTerminal(w) {
		return p
	}
	p.stopped.Go(func() {
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.show(time.Since(p.begin))
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// finished counts a point as done.
func (p *progress) finished(work int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.points++
	p.done += work
}

func (p *progress) show(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if elapsed < time.Second {
		return
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s", p.line(elapsed))
}

// line is e.g. "12/36 points, 3s, 7s left".
func (p *progress) line(elapsed time.Duration) string {
	text := fmt.Sprintf("%d/%d points, %v", p.points, p.of, elapsed.Round(time.Second))
	if p.done > 0 {
		left := time.Duration(float64(elapsed) * float64(p.all-p.done) / float64(p.done))
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return text
}

// end takes the line away.
func (p *progress) end() {
	close(p.stop)
	p.stopped.Wait()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
