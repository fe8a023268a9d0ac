package reports

import (
	"bytes"
	"strings"
	"testing"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// row is a point of so many us by cause.
func rowOf(us ...any) records.Row {
	r := records.Row{Topology: "t", Collective: "allreduce", Requested: "ring", Algorithm: "ring", Servers: 1, Ranks: 8, Bytes: 1 << 20, DType: "fp32", Op: "sum", InPlace: true, Iterations: 1}
	for i := 0; i < len(us); i += 2 {
		t := units.Duration(us[i+1].(int)) * units.Microsecond
		r.Critical = append(r.Critical, records.Part{Cause: us[i].(string), Time: t})
		r.Time += t
	}
	return r
}

// The words say what the figures say: of rows whose finding is known, of ties, of a single
// cause, and where there is nothing to say.
func TestWords(t *testing.T) {
	us := func(what string, n int) records.Change {
		return records.Change{What: what, Time: units.Duration(n) * units.Microsecond}
	}
	for _, c := range []struct {
		name    string
		row     records.Row
		changes []records.Change
		want    []string
	}{
		{"nothing", rowOf(), nil, []string{"Nothing takes time here."}},
		{"one cause", rowOf("kernel", 5), nil, []string{"All of the time is computing."}},
		{"latency", rowOf("latency", 70, "wire:roce", 30), []records.Change{us("half network.latency", 65), us("twice npu.nic.bandwidth", 85)}, []string{
			"Most of the time is latency of links: 70.00 of 100.00 us, 70 %.",
			"70 % is what each step costs whatever its size: more bytes would cost little more, fewer steps would help.",
			"Of what was tried, most is saved by half network.latency: 35 %."}},
		{"bandwidth", rowOf("latency", 5, "wire:roce", 95), nil, []string{
			"Most of the time is data on the way over roce, at the rate of one transfer alone: 95.00 of 100.00 us, 95 %.",
			"95 % grows with the size: it is the bandwidth that counts here, not the number of steps."}},
		{"a tie", rowOf("launch", 48, "wire:hccs", 52), nil, []string{
			"Two things weigh about the same: data on the way over hccs, at the rate of one transfer alone (52 %) and the task scheduler, launching tasks and the gaps between them (48 %).",
			"48 % is what each step costs whatever its size, 52 % grows with the size."}},
		{"late ranks", rowOf("late", 90, "latency", 6, "wire:local", 4), nil, []string{
			"Most of the time is waiting for a rank that came late, or a stream's start: 90.00 of 100.00 us, 90 %."}},
		{"some late", rowOf("kernel", 80, "late", 20), nil, []string{
			"Most of the time is computing: 80.00 of 100.00 us, 80 %.",
			"20.00 us (20 %) are waiting for a rank that came late, or for a stream's start: no link makes them shorter."}},
		{"cores", rowOf("kernel", 80, "engine", 20), nil, []string{
			"Most of the time is computing: 80.00 of 100.00 us, 80 %.",
			"20.00 us (20 %) are waiting for an engine, a request processor or AI cores that were busy with other work."}},
		{"the largest of many", rowOf("post", 40, "launch", 30, "reduce", 30), nil, []string{
			"The largest part is posting and issuing RDMA requests: 40.00 of 100.00 us, 40 %.",
			"70 % is what each step costs whatever its size: more bytes would cost little more, fewer steps would help."}},
		{"sharing", rowOf("wire:hccs", 80, "sharing", 20), []records.Change{us("twice npu.dma.reduce", 70), us("twice server.links.hccs.bandwidth", 100)}, []string{
			"Most of the time is data on the way over hccs, at the rate of one transfer alone: 80.00 of 100.00 us, 80 %.",
			"100 % grows with the size: it is the bandwidth that counts here, not the number of steps.",
			"Transfers on the path would have been 20.00 us (20 %) shorter alone: others used the same links, limits of an NPU or memory.",
			"Of what was tried, most is saved by twice npu.dma.reduce: 30 %.",
			"Faster links of hccs save next to nothing: another cap holds what moves over them."}},
		{"nothing helps", rowOf("kernel", 100), []records.Change{us("half npu.scheduler.gap", 100)}, []string{
			"All of the time is computing.",
			"No single change saves 1 %: several things bind at once, or what binds is not the machine's."}},
	} {
		if got := Words(c.row, c.changes); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// Every cause that a machine knows has words.
func TestCausesHaveWords(t *testing.T) {
	for _, cause := range []string{"host", "launch", "notify", "setup", "post", "latency", "sharing", "engine", "reduce", "kernel", "late"} {
		if kinds[cause] == "" {
			t.Errorf("%s has none", cause)
		}
	}
	if got := about("new"); got != "new" {
		t.Errorf("an unknown cause is called %q", got)
	}
}

// step is a step of 10 us that ends at so many times 10 us.
func stepAt(i int, name string, bytes units.Bytes, cause string) records.Step {
	const ten = 10 * units.Microsecond
	return records.Step{Start: units.Duration(i-1) * ten, End: units.Duration(i) * ten, Rank: i % 3, Peer: (i + 1) % 3, Name: name, Bytes: bytes, Class: "hccs",
		Critical: []records.Part{{Cause: cause, Time: ten}}}
}

// What repeats is written once: the longest run of the same steps.
func TestFolds(t *testing.T) {
	var steps []records.Step
	add := func(name string, bytes units.Bytes, cause string) {
		steps = append(steps, stepAt(len(steps)+1, name, bytes, cause))
	}
	add("Memcpy", 8, "wire:local")
	for range 3 {
		add("Notify", 0, "latency")
		add("Memcpy", 4, "wire:hccs")
	}
	add("Memcpy", 4, "wire:hccs")
	add("Reduce", 4, "reduce")
	var got []string
	for _, f := range folds(steps) {
		got = append(got, strings.Repeat("*", f.times)+f.steps[0].Name)
	}
	if want := "*Memcpy ***Notify *Memcpy *Reduce"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	var out bytes.Buffer
	listSteps(&out, steps)
	if text := out.String(); !strings.Contains(text, "3 times:") || strings.Count(text, "\n") != 7 {
		t.Errorf("listed as\n%s", text)
	}
}
