package scenarios

import (
	"strings"
	"testing"

	"hcclsim/model/units"
)

// Every key that says how a machine works acts: the time of a run changes by what the key
// costs. Where the change is exact, comments have the sum.
func TestKeysAct(t *testing.T) {
	const us = units.Microsecond
	const some = units.Duration(-1) // a change that model's tests work out
	// two is two NPUs on a link with tasks that cost, far one NPU in each of two servers.
	const npu = "npu: {handshake: rendezvous, scheduler: {launch: {record: 1us, wait: 1us, copy: 1us, send: 1us, kernel: 1us}, gap: 1us}, notify: {record: 1us, wait: 1us}, dma: {setup: 1us}, reduce: {bandwidth: 10GB/s}, memory: {bandwidth: 1TB/s}, nic: {bandwidth: 10GB/s, request: {post: 10us, issue: 1us}}}"
	const three = "{name: three, servers: 3, server: {npus: 1}, network: {class: roce, connect: switch, latency: 2us}, " + npu + "}"
	const two = "{name: two, server: {npus: 2, links: [{class: wire, connect: full-mesh, npus: all, bandwidth: {read: 20GB/s, write: 10GB/s}, latency: 1us}]}, " + npu + "}"
	const far = "{name: far, servers: 2, server: {npus: 1}, network: {class: roce, connect: switch, latency: 2us}, " + npu + "}"
	const four = "{name: four, server: {npus: 4, links: [{class: wire, connect: full-mesh, npus: all, bandwidth: 10GB/s, latency: 1us}]}, " + npu + "}"
	at := func(topology, set, run string) units.Duration {
		t.Helper()
		var overrides []Override
		for _, one := range strings.Split(set, ";") {
			if path, value, ok := strings.Cut(one, "="); ok {
				overrides = append(overrides, Override{Path: path, Value: value, Origin: "--set " + one})
			}
		}
		p, err := planOf(scenario("topology: "+topology+"\nrun: ["+run+"]\n"), overrides...)
		if err != nil {
			t.Fatalf("%s: %v", set, err)
		}
		return rowsOf(t, p)[0].Time
	}
	broadcast := "{collective: broadcast, sizes: [1MB], dtype: uint8, algorithms: [binomial]}"
	reduce := "{collective: reduce, sizes: [1MB], dtype: uint8, algorithms: [binomial]}"
	sum := "{collective: allreduce, sizes: [1MB], algorithms: [ring]}"
	mesh := "{collective: allreduce, sizes: [1MB], algorithms: [mesh]}"
	for _, c := range []struct {
		key           string
		topology, run string
		base, set     string
		want          units.Duration // change
	}{
		// All tasks fall away: the transfer of 100 us and its latency are left.
		{"handshake", two, broadcast, "", "topology.npu.handshake=ideal", 101*us - at(two, "", broadcast)},
		// The source records ready, the reader copies at 20 GB/s and records done: the same tasks
		// the other way round, 50 us less of wire; its record pays a latency of its own.
		{"drive", two, broadcast, "", "topology.server.links.0.drive=read", -50*us + 1*us},
		// The reduction task: gap, launch and 100 us.
		{"reduce.inline", two, reduce, "", "topology.npu.reduce.inline=true", -102 * us},
		// Three operands of 250 KB, 25 us each, wait for one unit, or have cores beside each
		// other: then the last is launched 2 us after the first.
		{"reduce.on", four, mesh, "", "topology.npu.reduce.on=cores", -48 * us},
		{"sync", four, mesh, "", "topology.npu.sync=notify", some},
		{"nic.drive", far, broadcast, "", "topology.npu.nic.drive=read", some},
		{"nic.arbitration", three, mesh, "env.HCCL_RDMA_SPLIT_THRESHOLD=100KB", "topology.npu.nic.arbitration=request", some},
		// Of ten requests the first nine are reduced, 10 us each, while the next is on the wire; the
		// last in 10 us more instead of a task of gap, launch and 100 us.
		{"nic.grain", far, reduce, "env.HCCL_RDMA_SPLIT_THRESHOLD=100KB", "topology.npu.nic.grain=request", -92 * us},
		// 1 MB more at 20 GB/s for the data and 4 B for the ready, with an overhead of 3 us each;
		// storing them crosses the memory, 1 TB/s, by itself.
		{"nic.path", far, broadcast, "", "topology.npu.nic.path=staged;topology.npu.nic.stages={fetch: {bandwidth: 20GB/s, overhead: 3us}}", 2*3*us + 50*us + 200 + 1*us + 4},
		// RDMASend with gap, launch, post, issue, 400 ps and latency, then the sender's wait.
		{"nic.finack", far, broadcast, "", "topology.npu.nic.finack=true", 1*us + 1*us + 10*us + 1*us + 400 + 2*us + 1*us},
		// Two copies of 1 MB of the whole buffer at 500 GB/s of memory, each with gap, launch and set-up;
		// the first has no gap before it, and the task after it has one.
		{"copies", two, sum, "", "topology.npu.copies=full", 2 * (3*us + 2*us)},
		// The slice of 500 KB grows to the whole buffer: one slice, which each rank sends once.
		{"slice_align", two, sum, "", "topology.npu.slice_align=1GiB", some},
		{"expansion", two, sum, "topology.npu.host.launch.ai_cpu.collective=7us", "topology.npu.expansion=ai_cpu", 7 * us},
	} {
		t.Run(c.key, func(t *testing.T) {
			if got := at(c.topology, c.base+";"+c.set, c.run) - at(c.topology, c.base, c.run); c.want != some && got != c.want || got == 0 {
				t.Errorf("%s changes the time by %v, want %v", c.set, got, c.want)
			}
		})
	}
}

// A key that does nothing where it was set is warned about, and why.
func TestIdleMachineKeys(t *testing.T) {
	for _, c := range []struct{ topology, set, run, want string }{
		{"atlas-800t-a2", "npu.nic.finack=true", "algorithms: [ring]", "there is one server"},
		{"uniform-two-level", "npu.nic.arbitration=request", "algorithms: [ring]", "its handshake is ideal, without tasks"},
		{"uniform", "npu.sync=notify", "algorithms: [mesh]", "its handshake is ideal, without tasks"},
		{"atlas-800t-a2, servers: 2", "npu.nic.grain=request", "algorithms: [ring]", "what goes over RDMA is reduced on the way"},
		{"atlas-800t-a2", "npu.reduce.on=cores", "algorithms: [ring]", "reductions are done on the way"},
		{"atlas-800t-a2", "npu.cores=40", "algorithms: [ring]", "nothing that runs takes AI cores"},
		{"atlas-800t-a2", "npu.aiv.notify=3us", "algorithms: [ring]", "collectives run as HOST"},
		{"atlas-800t-a2", "npu.host.launch.ai_cpu.collective=3us", "algorithms: [ring]", "collectives run as HOST"},
		{"atlas-800t-a2", "npu.streams.hccl=5", "algorithms: [ring]", "no streams are written out"},
		{"atlas-800t-a2", "server.host.reduce=1GB/s", "algorithms: [ring]", "nothing that runs goes through a host"},
		{"atlas-800t-a2", "server.host.reduce=1GB/s", "algorithms: [host]", ""},
		{"atlas-800t-a2", "npu.aiv.notify=3us, npu.expansion=aiv", "algorithms: [ring]", ""},
		{"atlas-800t-a2", "npu.sync=notify", "algorithms: [mesh]", ""},
		{"atlas-800t-a2, servers: 2", "network.within=false", "algorithms: [ring]", "false is the default"},
	} {
		var overrides []Override
		for _, one := range strings.Split(c.set, ", ") {
			path, value, _ := strings.Cut(one, "=")
			overrides = append(overrides, Override{Path: "topology." + path, Value: value, Origin: "--set " + one})
		}
		p, err := planOf(scenario("topology: {use: "+c.topology+"}\nrun: [{collective: allreduce, sizes: [1MiB], "+c.run+"}]\n"), overrides...)
		if err != nil {
			t.Fatal(err)
		}
		if got := warned(p); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: warned %q, want %q", c.set, got, c.want)
		}
	}
}
