package plots

import (
	"fmt"
	"math"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// hockney is AllReduce in powers of two from 8 KiB to 1 GiB by the named algorithms, with
// alpha = 5 us and beta = 1/(25 GB/s): steps*alpha + moved*S*beta for n ranks.
func hockney(servers int, names ...string) []records.Row {
	n := 8 * servers
	log := math.Log2(float64(n))
	models := map[string]struct{ steps, moved float64 }{
		"ring":        {float64(2 * (n - 1)), float64(2*(n-1)) / float64(n)},
		"tree":        {log + 2, 2.6},
		"mesh+ring":   {float64(2*servers + 6), 2.1},
		"rhd":         {2 * log, 1.97},
		"nhr":         {2*log + 1, 1.99},
		"nb":          {2*log + 2, 1.95},
		"binomial":    {2 * log, 2 * log},
		"pairwise":    {float64(n - 1), float64(n - 1)},
		"star":        {2, float64(2 * (n - 1))},
		"pipeline":    {float64(2*n + 8), 1.9},
		"mesh+nhr":    {float64(servers + 8), 2.2},
		"double-tree": {log + 3, 2.3},
	}
	var rows []records.Row
	for b := units.Bytes(8 << 10); b <= 1<<30; b *= 2 {
		for _, name := range names {
			m := models[name]
			alpha := units.Duration(m.steps * 5e6)
			wire := units.Duration(m.moved * float64(b) * 40)
			rows = append(rows, records.Row{
				Scenario: "ring-or-tree", Topology: "atlas-800t-a2", Collective: "allreduce", Requested: name, Algorithm: name,
				Servers: servers, Ranks: n, Bytes: b, Time: alpha + wire, DType: "fp32", Op: "sum",
				Swept:    []records.Field{{Path: "topology.servers", Value: fmt.Sprint(servers)}},
				Critical: []records.Part{{Cause: "latency", Time: alpha}, {Cause: "wire:roce", Time: wire}},
			})
		}
	}
	return rows
}

// withAuto adds a chooser that takes tree below 4 MiB and ring from there.
func withAuto(rows []records.Row) []records.Row {
	all := rows
	for _, r := range rows {
		if r.Algorithm == "tree" && r.Bytes < 4<<20 || r.Algorithm == "ring" && r.Bytes >= 4<<20 {
			r.Requested = "auto"
			all = append(all, r)
		}
	}
	return all
}

var twelve = []string{"ring", "tree", "mesh+ring", "rhd", "nhr", "nb", "binomial", "pairwise", "star", "pipeline", "mesh+nhr", "double-tree"}

// scaled is the sample on 2 to 64 servers.
func scaled(names ...string) []records.Row {
	var rows []records.Row
	for servers := 2; servers <= 64; servers *= 2 {
		rows = append(rows, hockney(servers, names...)...)
	}
	return rows
}

// swept is a U over request sizes of a run of streams, with its operator; with both, beside a
// path on which the size does not matter.
func swept(both bool) (rows []records.Row) {
	for _, path := range []string{"staged", "direct"} {
		for i, us := range []int{300, 210, 200, 203, 260} {
			r := records.Row{
				Scenario: "split", Topology: "pcie-8", Collective: "streams", Run: "message", Servers: 2, Ranks: 16, Iterations: 1,
				Swept: []records.Field{{Path: "topology.npu.nic.path", Value: path}, {Path: "env.SPLIT", Value: units.Bytes(16 << 10 << i).String()}},
				Time:  units.Duration(us) * units.Microsecond,
			}
			if path == "direct" {
				r.Time = 150 * units.Microsecond
			}
			operator := r
			operator.Operator, operator.Collective, operator.Bytes = "moved", "send", 16<<20
			rows = append(rows, r, operator)
		}
		if !both {
			break
		}
	}
	return rows
}
