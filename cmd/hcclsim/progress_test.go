package main

import (
	"bytes"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	p := &progress{all: 100, of: 4}
	for _, c := range []struct {
		work    int64
		elapsed time.Duration
		want    string
	}{
		{0, 2 * time.Second, "0/4 points, 2s"},
		{25, 3 * time.Second, "1/4 points, 3s, 9s left"},
		{50, 90 * time.Second, "2/4 points, 1m30s, 30s left"},
	} {
		if c.work > 0 {
			p.finished(c.work)
		}
		if got := p.line(c.elapsed); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestProgressWaitsASecondAndLeavesNothing(t *testing.T) {
	var w bytes.Buffer
	p := startProgress(&w, 4, 100, false) // a buffer is no terminal: no goroutine draws
	p.show(999 * time.Millisecond)
	if w.Len() > 0 {
		t.Errorf("shows %q before a second is over", w.String())
	}
	p.show(time.Second)
	p.end()
	if got, want := w.String(), "\r\x1b[K0/4 points, 1s\r\x1b[K"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
