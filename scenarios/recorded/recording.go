package recorded

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hcclsim/model/units"
)

// The tasks of rank 0 in two of the four AllReduces of a training step of AlexNet on
// eight NPUs. Source: Ascend/msinsight, test/data/pytorch/text/level1/rank0_ascend_pt,
// ASCEND_PROFILER_OUTPUT/trace_view.json.
//
//go:embed ascend910b-allreduce-tasks.csv
var tasksCSV []byte

// Task is one task of the recorded NPU, or of the machine's.
type Task struct {
	Plane      int
	Name       string // as the profiler names it
	Start, End units.Duration
	Peer       int // -1: none recorded
	Bytes      units.Bytes
}

// Run is one collective: its tasks in the order in which they started.
type Run struct {
	Bytes units.Bytes
	Tasks []Task
}

// Runs reads the recorded runs.
func Runs() ([]Run, error) {
	rows, err := csv.NewReader(bytes.NewReader(tasksCSV)).ReadAll()
	if err != nil {
		return nil, err
	}
	column := make(map[string]int)
	for i, name := range rows[0] {
		column[name] = i
	}
	var runs []Run
	op := ""
	for _, row := range rows[1:] {
		text := func(name string) string { return row[column[name]] }
		if text("op") != op {
			op = text("op")
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(op, "allreduce-"), "B"), 10, 64)
			if err != nil {
				return nil, fmt.Errorf("recorded run %q: %w", op, err)
			}
			runs = append(runs, Run{Bytes: units.Bytes(n)})
		}
		t, err := readTask(text)
		if err != nil {
			return nil, fmt.Errorf("recorded run %s: %w", op, err)
		}
		last := &runs[len(runs)-1]
		last.Tasks = append(last.Tasks, t)
	}
	for i := range runs {
		slices.SortStableFunc(runs[i].Tasks, func(a, b Task) int { return cmp.Compare(a.Start, b.Start) })
	}
	return runs, nil
}

func readTask(text func(string) string) (t Task, err error) {
	t.Name, t.Peer = text("task"), -1
	if t.Plane, err = strconv.Atoi(text("plane")); err != nil {
		return t, err
	}
	if peer := text("dst_npu"); peer != "" {
		if t.Peer, err = strconv.Atoi(peer); err != nil {
			return t, err
		}
	}
	n, err := strconv.ParseInt(text("bytes"), 10, 64)
	if err != nil {
		return t, err
	}
	t.Bytes = units.Bytes(n)
	if t.Start, err = units.ParseDuration(text("start_us") + "us"); err != nil {
		return t, err
	}
	took, err := units.ParseDuration(text("duration_us") + "us")
	t.End = t.Start + took
	return t, err
}
