package scenarios

import (
	"strings"
	"testing"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

var sweptServers = []string{"topology.servers"}

func TestParseAssertionErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "expected time(...), end(...), algbw(...), busbw(...) or a quantity, found the end (at character 1",
		"busbw() >":                    "or a quantity, found the end (at character 10",
		"busbw() 10GB/s":               `expected a comparison (<, <=, >, >= or ==), found "1" (at character 9`,
		"busbw() = 10GB/s":             "expected a comparison",
		"busbw() >= 10":                `bandwidth "10" needs a unit`,
		"busbw() >= 10us":              `unknown unit "us"`,
		"time() < 10GB/s":              `unknown unit "GB/s"`,
		"time() < busbw()":             "time cannot be compared with busbw (at character 10",
		"5us < 6us":                    "compares two quantities",
		"latency() < 5us":              `unknown metric "latency": there are time, end, algbw and busbw (at character 1)`,
		"time < 5us":                   `expected ( after time, found "<"`,
		"time(bytes=1) < 5us":          `size "1" needs a unit`,
		"time(ranks=many) < 5us":       `"many" is not a whole number (at character 12)`,
		"time(request=ring) < 5us":     `unknown column "request", did you mean requested? (at character 6)`,
		"time(requested<ring) < 5us":   "column requested has no order: only = works",
		"time(requested==ring) < 5us":  "expected =, <, <=, > or >= after column requested",
		"time(requested=) < 5us":       `expected a value for column requested, found ")"`,
		"time(requested=ring < 5us":    "expected , or ) after a selector, found the end",
		"time() < 0x2*time()":          `the factor "0x2" is not a plain decimal number (at character 10)`,
		"time() < 5us 6us":             `expected the end, found "6"`,
		"time(topology.npus=4) < 5us":  `unknown column "topology.npus"`,
		"time(topology.servers) < 5us": "after column topology.servers",
	} {
		if _, err := parseAssertion(text, sweptServers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// judged are rings and trees of two sizes on 2 and 4 servers. The ring takes 100 us for
// each server and MiB, the tree 150 us for each MiB.
func judged() []records.Row {
	var rows []records.Row
	for _, servers := range []int{2, 4} {
		for _, mib := range []int{1, 8} {
			row := func(name string, us int) {
				rows = append(rows, records.Row{
					Collective: "allreduce", Requested: name, Algorithm: name, Servers: servers, Ranks: servers * 8,
					Bytes: units.Bytes(mib) << 20, Time: units.Duration(us) * units.Microsecond,
					Swept: []records.Field{{Path: "topology.servers", Value: []string{2: "2", 4: "4"}[servers]}},
				})
			}
			row("ring", 100*servers*mib)
			row("tree", 150*mib)
		}
	}
	return rows
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		text             string
		checked, failing int
	}{
		{"time(requested=ring) <= 3200us", 4, 0},
		{"time(requested=ring) < 3200us", 4, 1},
		{"3200us >= time()", 8, 0},
		{"time(requested=tree, bytes=1MiB) == 150us", 2, 0},
		{"time(requested=tree, bytes>1MiB) > 1ms", 2, 0},
		{"time(bytes<=1MiB, ranks>=32) < 400us", 2, 1},
		{"algbw(requested=tree) > 6.9GB/s", 4, 0},             // 2^20 bytes in 150 us
		{"busbw(requested=tree, servers=2) > 13.1GB/s", 2, 0}, // times 2 * 15/16
		{"busbw(requested=tree, servers=2) > 13.2GB/s", 2, 2},
		{"time(requested=tree) < time(requested=ring)", 4, 0},
		{"time(requested=tree) < 0.5 * time(requested=ring)", 4, 2},
		{"2 * time(requested=tree, servers=4) <= time(requested=ring)", 2, 0},
		{"time(requested=ring, bytes=8MiB) > time(requested=tree)", 2, 0},
		{"time(requested=ring, topology.servers=4) == 2 * time(requested=ring, topology.servers=2)", 2, 0},
		{"time(requested=ring, servers=4) == 2 * time(requested=ring, servers=2)", 2, 0},
		{"time(requested=ring, bytes=8MiB) == 8 * time(requested=ring, bytes=1MiB)", 2, 0},
		{"time(requested=mesh) < 1s", 0, 1},
		{"time(requested=ring) < time(requested=mesh)", 0, 1},
	} {
		a, err := parseAssertion(c.text, sweptServers)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if v := a.judge(judged(), sweptServers); v.Checked != c.checked || len(v.Failures) != c.failing || v.Holds() != (c.failing == 0) {
			t.Errorf("%s: checked %d, want %d; failures %q, want %d", c.text, v.Checked, c.checked, v.Failures, c.failing)
		}
	}
}

func TestFailuresNameTheirRows(t *testing.T) {
	a, err := parseAssertion("0.5 * time(requested=ring, bytes=1MiB, servers=4) < time(requested=tree)", sweptServers)
	if err != nil {
		t.Fatal(err)
	}
	want := "0.5 * time 400us (ring, 1MiB, topology.servers=4) is not < time 150us (tree, 1MiB, topology.servers=4)"
	if v := a.judge(judged(), sweptServers); len(v.Failures) != 1 || v.Failures[0] != want {
		t.Errorf("got %q, want %q", v.Failures, want)
	}
}

func FuzzAssertion(f *testing.F) {
	f.Add("busbw(requested=ring, bytes=1GiB) >= 10GB/s")
	f.Add("time(topology.servers=4) < 0.9 * time(ranks>=2)")
	f.Add("5us==time()")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAssertion(text, sweptServers)
		if err != nil {
			return
		}
		if a.Text != text {
			t.Errorf("%q became %q", text, a.Text)
		}
		if v := a.judge(judged(), sweptServers); v.Holds() == (len(v.Failures) > 0) || v.Checked == 0 && v.Holds() {
			t.Errorf("%q: holds %v with %d checked and failures %q", text, v.Holds(), v.Checked, v.Failures)
		}
	})
}
