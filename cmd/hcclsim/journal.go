package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hcclsim/model/records"
	"hcclsim/scenarios"
)

// journal is the file of finished points of a study that is not finished. It is in the order
// of the plan, so that what is there is always the first points of it.
type journal struct {
	file *os.File

	mu      sync.Mutex
	waiting *time.Timer // until what was written is on the disk
	lost    error       // of a sync in the background
}

// syncEvery bounds what a loss of power can take.
const syncEvery = time.Second

// add appends the rows of a point in one write, so that only a crash of the machine or a full
// disk can tear them.
func (j *journal) add(rows ...records.Row) error {
	var text bytes.Buffer
	if err := records.WriteJSONL(&text, rows...); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(text.Bytes()); err != nil {
		return err
	}
	if j.waiting == nil {
		j.waiting = time.AfterFunc(syncEvery, j.sync)
	}
	return j.lost
}

func (j *journal) sync() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting = nil
	j.lost = errors.Join(j.lost, j.file.Sync())
}

// close ends the journal with all of it on the disk.
func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.waiting != nil {
		j.waiting.Stop()
	}
	return errors.Join(j.lost, j.file.Sync(), j.file.Close())
}

// resume reads the points that are finished and gives the plan their results. They are in the
// plan's order; after Ctrl-C some may be missing between them. The journal is cut behind those
// before the first that is missing; torn says that there was something else than points.
func (j *journal) resume(p *scenarios.Plan) (finished int, torn bool, err error) {
	text, err := io.ReadAll(j.file)
	if err != nil {
		return 0, false, err
	}
	at, kept := 0, 0
	for i := range p.Points {
		point := &p.Points[i]
		length, found := firstLines(text[at:], 1+len(point.Operators))
		if !found {
			break
		}
		rows, err := records.ReadJSONL(bytes.NewReader(text[at:at+length]), j.file.Name())
		if err != nil || !point.Has(rows) {
			continue
		}
		point.Known = rows
		finished++
		if at += length; finished == i+1 {
			kept = at
		}
	}
	_, err = j.file.Seek(int64(kept), io.SeekStart)
	return finished, at < len(text), errors.Join(err, j.file.Truncate(int64(kept)))
}

// firstLines is the length of the first n lines, if they are all there to their ends.
func firstLines(text []byte, n int) (length int, found bool) {
	for range n {
		end := bytes.IndexByte(text[length:], '\n')
		if end < 0 {
			return 0, false
		}
		length += end + 1
	}
	return length, true
}

// openResults makes the directory and its journal, so that a directory that cannot be written,
// or that another run is writing, is known before anything runs. Points of the same study that
// are finished there are taken over; those of another go, as they would be taken for this
// one's. said says what became of them, if there were any.
func openResults(dir string, p *scenarios.Plan, s shard, fresh bool) (r *results, said string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, "", err
	}
	this, err := studyOf(p, s)
	if err != nil {
		return nil, "", err
	}
	f, err := os.OpenFile(filepath.Join(dir, partialJSONL), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, "", err
	}
	if err := lock(f); err != nil {
		return nil, "", errors.Join(fmt.Errorf("another run is writing its results to %s: %w", dir, err), f.Close())
	}
	r = &results{dir: dir, journal: &journal{file: f}}
	if err := r.removeAll(temporaryName); err != nil { // of a run that was killed
		return nil, "", errors.Join(err, f.Close())
	}
	earlier, found := readStudy(dir)
	if found && earlier == this && !fresh {
		said, err = r.takeOver(p)
	} else {
		if found && !fresh {
			said = fmt.Sprintf("%s: %s, so that all points run anew", dir, this.differs(earlier))
		}
		err = r.begin(this)
	}
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return r, said, nil
}

// begin starts a study with nothing.
func (r *results) begin(s study) error {
	return errors.Join(r.clear(), r.journal.file.Truncate(0), r.replace(studyJSON, s.write))
}

// takeOver goes on where an earlier run of the study ended. One that ended well has its points
// in the results.
func (r *results) takeOver(p *scenarios.Plan) (said string, err error) {
	if whole, err := os.ReadFile(filepath.Join(r.dir, resultsJSONL)); err == nil {
		_, err = r.journal.file.Write(whole)
		if err = errors.Join(err, r.journal.file.Truncate(int64(len(whole)))); err != nil {
			return "", err
		}
	}
	if _, err := r.journal.file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	finished, torn, err := r.journal.resume(p)
	for r.points < len(p.Points) && p.Points[r.points].Known != nil {
		r.rows = append(r.rows, p.Points[r.points].Known...)
		r.points++
	}
	switch {
	case torn:
		said = fmt.Sprintf("%s: the end of the journal was torn and is cut off; ", r.dir)
	case finished > 0:
		said = r.dir + ": "
	default:
		return "", err
	}
	return said + fmt.Sprintf("%d of %d points are finished and do not run again (--fresh runs all)", finished, len(p.Points)), err
}
