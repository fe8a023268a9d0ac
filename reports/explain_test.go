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
	shared := rowOf("wire:hccs", 80, "sharing", 20)
	shared.Busiest = []records.Utilisation{{Link: "hccs s0n0 out", Share: 0.995}}
	for _, c := range []struct {
		name string
		row  records.Row
		want []string
	}{
		{"nothing", rowOf(), []string{"Nothing takes time here."}},
		{"one cause", rowOf("kernel", 5), []string{"All of the time is computing."}},
		{"latency", rowOf("latency", 70, "wire:roce", 30), []string{
			"Most of the time is latency of links: 70.00 of 100.00 us, 70 %.",
			"70 % is what each step costs whatever its size: more bytes would cost little more, fewer steps would help.",
			"Twice the bandwidth of roce would save at most 15 %, if the path stayed the same."}},
		{"bandwidth", rowOf("latency", 5, "wire:roce", 95), []string{
			"Most of the time is data on the way over roce, as fast as they go alone: 95.00 of 100.00 us, 95 %.",
			"95 % grows with the size: it is the bandwidth that counts here, not the number of steps.",
			"Twice the bandwidth of roce would save at most 48 %, if the path stayed the same."}},
		{"a tie", rowOf("launch", 48, "wire:hccs", 52), []string{
			"Two things weigh about the same: data on the way over hccs, as fast as they go alone (52 %) and the task scheduler, launching tasks and the gaps between them (48 %).",
			"48 % is what each step costs whatever its size, 52 % grows with the size.",
			"Twice the bandwidth of hccs would save at most 26 %, if the path stayed the same."}},
		{"a late rank", rowOf("late", 90, "latency", 6, "wire:local", 4), []string{
			"Most of the time is waiting for a rank that came late, or a stream's start: 90.00 of 100.00 us, 90 %."}},
		{"the largest of many", rowOf("post", 40, "launch", 30, "reduce", 30), []string{
			"The largest part is posting and issuing RDMA requests: 40.00 of 100.00 us, 40 %.",
			"70 % is what each step costs whatever its size: more bytes would cost little more, fewer steps would help."}},
		{"sharing", shared, []string{
			"Most of the time is data on the way over hccs, as fast as they go alone: 80.00 of 100.00 us, 80 %.",
			"100 % grows with the size: it is the bandwidth that counts here, not the number of steps.",
			"Transfers on the path would have been 20.00 us shorter alone on their links; the busiest is hccs s0n0 out, in use for 100 % of the time.",
			"Twice the bandwidth of hccs would save at most 40 %, if the path stayed the same."}},
	} {
		if got := Words(c.row); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
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
