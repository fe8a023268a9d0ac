package recorded

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies"
)

// Tolerances within which the machine has to meet the recorded run.
const (
	GapTolerance    = 500 * units.Nanosecond // of a gap between local tasks
	ReduceTolerance = 0.02                   // of the reduce phase
	CopyTolerance   = 0.15                   // of a copy phase
)

// lateness is from when on a Notify_Wait counts as waiting for a late rank; one that has
// been signalled takes 0.02 us.
const lateness = units.Microsecond

// Comparison is one recorded collective beside the machine's.
type Comparison struct {
	Bytes    units.Bytes
	Tasks    int      // of one NPU
	Unlike   []string // tasks that are not the same; none when all is well
	Gaps     []Gap
	Bursts   []Burst
	Phases   []Phase
	Recorded Total
	Machine  Total
}

// Gap is the time before a local task that found the front end idle: from the end of the
// task that it follows (on its plane, or the last of the planes that it joins) to its own
// start, when no other task of the NPU started in between.
type Gap struct {
	Task     Task // as recorded
	Recorded units.Duration
	Machine  units.Duration // the machine's gap before an idle task of this kind
	Late     bool           // the task before it waited for a late rank
}

// Within says whether the machine's gap is close enough.
func (g Gap) Within() bool {
	d := g.Machine - g.Recorded
	return -GapTolerance <= d && d <= GapTolerance
}

// Burst is a group of tasks of one kind that the front end starts one after the other:
// the mean time from one start to the next.
type Burst struct {
	Name              string
	Recorded, Machine units.Duration
}

// Phase is a group of tasks that run side by side, from the first start to the last end.
type Phase struct {
	Name              string
	Recorded, Machine units.Duration
	Tolerance         float64
}

// Error is the machine's deviation, as a share of the recorded time.
func (p Phase) Error() float64 { return float64(p.Machine)/float64(p.Recorded) - 1 }

// Total is the time of the whole collective, and how much of it was waiting at barriers
// after this NPU had come to them: the skew of the ranks.
type Total struct{ Time, Waiting units.Duration }

// Compare runs what was recorded on the machine and lays both side by side.
func Compare(ctx context.Context) ([]Comparison, error) {
	runs, err := Runs()
	if err != nil {
		return nil, err
	}
	top, err := machine()
	if err != nil {
		return nil, err
	}
	var list []Comparison
	for _, r := range runs {
		tasks, err := simulate(ctx, top, r.Bytes)
		if err != nil {
			return nil, err
		}
		c := Comparison{Bytes: r.Bytes, Tasks: len(r.Tasks), Unlike: unlike(r.Tasks, tasks)}
		if c.Unlike == nil {
			c.measure(r.Tasks, tasks)
		}
		list = append(list, c)
	}
	return list, nil
}

// machine is the topology that is laid beside the recordings.
func machine() (model.Topology, error) {
	doc, err := topologies.Load("atlas-800t-a2")
	if err != nil {
		return model.Topology{}, err
	}
	return topologies.Decode(doc)
}

// simulate is what rank 0 of the machine does in the same collective.
func simulate(ctx context.Context, top model.Topology, bytes units.Bytes) ([]Task, error) {
	var tasks []Task
	_, err := model.Simulate(ctx, model.Point{
		Topology: top, Collective: algorithms.AllReduce, Algorithm: "mesh", Bytes: bytes, Elem: 4, InPlace: true,
	}, model.Options{Trace: func(t model.Task) {
		if t.Rank == 0 {
			tasks = append(tasks, Task{t.Lane, t.Name, t.Start, t.End, t.Peer, t.Bytes})
		}
	}})
	slices.SortStableFunc(tasks, func(a, b Task) int { return cmp.Compare(a.Start, b.Start) })
	return tasks, err
}

// planes lists the numbers of the tasks of each plane, in order.
func planes(tasks []Task) [][]int {
	var list [][]int
	for i, t := range tasks {
		for len(list) <= t.Plane {
			list = append(list, nil)
		}
		list[t.Plane] = append(list[t.Plane], i)
	}
	return list
}

// unlike names the tasks in which two runs differ, plane by plane.
func unlike(recorded, machine []Task) (differences []string) {
	a, b := planes(recorded), planes(machine)
	if len(a) != len(b) {
		return []string{fmt.Sprintf("%d planes recorded, the machine has %d", len(a), len(b))}
	}
	for p := range a {
		if len(a[p]) != len(b[p]) {
			differences = append(differences, fmt.Sprintf("plane %d: %d tasks recorded, the machine has %d", p, len(a[p]), len(b[p])))
			continue
		}
		for k := range a[p] {
			r, m := recorded[a[p][k]], machine[b[p][k]]
			if r.Name != m.Name || r.Peer >= 0 && r.Peer != m.Peer || r.Bytes != m.Bytes {
				differences = append(differences, fmt.Sprintf("plane %d task %d: %s of %d B with NPU %d recorded, the machine has %s of %d B with NPU %d",
					p, k, r.Name, r.Bytes, r.Peer, m.Name, m.Bytes, m.Peer))
			}
		}
	}
	return differences
}

// The order of a mesh AllReduce's tasks: plane 0 has marker, copy, copy, marker; each
// other plane has these.
const (
	firstRecord = iota
	firstWait
	reduction
	secondRecord
	secondWait
	thirdRecord
	thirdWait
	gather
	fourthRecord
	fourthWait
)

func (c *Comparison) measure(recorded, machine []Task) {
	a, b := planes(recorded), planes(machine)
	c.Gaps = gaps(recorded, a)
	of := make(map[string]units.Duration) // the machine's, which is the same for all of a kind
	for _, g := range gaps(machine, b) {
		of[g.Task.Name] = g.Recorded
	}
	for i := range c.Gaps {
		c.Gaps[i].Machine = of[c.Gaps[i].Task.Name]
	}
	peers := []int{1, 2, 3, 4, 5, 6, 7}
	phase := func(name string, tolerance float64, k int, of ...int) {
		c.Phases = append(c.Phases, Phase{name, span(recorded, a, k, of), span(machine, b, k, of), tolerance})
	}
	phase("local copy of own slice, 1st", CopyTolerance, 1, 0)
	phase("reduce: 7 x Reduce_Inline", ReduceTolerance, reduction, peers...)
	phase("local copy of own slice, 2nd", CopyTolerance, 2, 0)
	phase("gather: 7 x Memcpy", CopyTolerance, gather, peers...)
	burst := func(name string, k int) {
		c.Bursts = append(c.Bursts, Burst{name, spacing(recorded, a, k), spacing(machine, b, k)})
	}
	burst("Notify_Record", firstRecord)
	burst("Notify_Wait", firstWait)
	burst("Reduce_Inline", reduction)
	burst("Memcpy", gather)
	c.Recorded, c.Machine = total(recorded, a), total(machine, b)
}

// gaps finds the gaps before all tasks that found the front end idle.
func gaps(tasks []Task, planes [][]int) (list []Gap) {
	for p := range planes {
		for k, at := range planes[p] {
			if p == 0 && k == 0 {
				continue // nothing is before it
			}
			before := follows(tasks, planes, p, k)
			if at > 0 && tasks[at-1].Start > before.End {
				continue // queued behind another task
			}
			list = append(list, Gap{Task: tasks[at], Recorded: tasks[at].Start - before.End, Late: before.waited()})
		}
	}
	return list
}

// follows is the task that task k of plane p follows: of several, the one that ends last.
func follows(tasks []Task, planes [][]int, p, k int) Task {
	joins := func(k int) (latest Task) {
		for _, list := range planes[1:] {
			if t := tasks[list[k]]; t.End > latest.End {
				latest = t
			}
		}
		return latest
	}
	switch {
	case p == 0 && k == 2:
		return joins(secondWait)
	case p == 0 && k == 3:
		return joins(fourthWait)
	case p == 0:
		return tasks[planes[0][k-1]]
	case k == firstRecord:
		return tasks[planes[0][1]]
	case k == thirdRecord:
		return tasks[planes[0][2]]
	case k == reduction || k == gather:
		return joins(k - 1)
	}
	return tasks[planes[p][k-1]]
}

// spacing is the mean time between the starts of task k of planes 1 and up.
func spacing(tasks []Task, planes [][]int, k int) units.Duration {
	first, last := units.Duration(math.MaxInt64), units.Duration(0)
	for _, list := range planes[1:] {
		first, last = min(first, tasks[list[k]].Start), max(last, tasks[list[k]].Start)
	}
	return (last - first) / units.Duration(len(planes)-2)
}

func (t Task) waited() bool { return t.Name == "Notify_Wait" && t.End-t.Start > lateness }

// span is from the first start to the last end of task k of some planes.
func span(tasks []Task, planes [][]int, k int, of []int) units.Duration {
	first, last := tasks[planes[of[0]][k]].Start, units.Duration(0)
	for _, p := range of {
		t := tasks[planes[p][k]]
		first, last = min(first, t.Start), max(last, t.End)
	}
	return last - first
}

// total is the whole time, and what passed between the start and the end of the last
// waits of the four barriers.
func total(tasks []Task, planes [][]int) (t Total) {
	for _, task := range tasks {
		t.Time = max(t.Time, task.End)
	}
	t.Time -= tasks[0].Start
	for _, k := range []int{firstWait, secondWait, thirdWait, fourthWait} {
		var started, ended units.Duration
		for _, list := range planes[1:] {
			w := tasks[list[k]]
			started, ended = max(started, w.Start), max(ended, w.End)
		}
		t.Waiting += ended - started
	}
	return t
}
