package scenarios

import (
	"strings"
	"testing"

	"hcclsim/topologies/document"
)

// A key that was set and does nothing is warned about, and one that acts is not.
func TestIdleKeys(t *testing.T) {
	for _, c := range []struct{ topology, path, value, why string }{
		{"uniform", "npu.dma.engines", "4", "its handshake is ideal"},
		{"uniform", "npu.scheduler.gap", "1us", "its handshake is ideal"},
		{"uniform", "npu.dma.local", "100GB/s", ""},
		{"uniform", "npu.reduce.bandwidth", "50GB/s", ""},
		{"uniform", "server.links.ideal.latency", "1us", ""},
		{"atlas-800t-a2", "npu.nic.bandwidth", "50GB/s", "there is one server"},
		{"atlas-800t-a2", "network.latency", "2us", "there is one server"},
		{"atlas-800t-a2", "npu.reduce.bandwidth", "50GB/s", "reductions are done on the way"},
		{"atlas-800t-a2", "npu.dma.engines", "4", ""},
		{"pcie-8", "npu.reduce.bandwidth", "50GB/s", ""},
		{"atlas-900-a3", "npu.nic.bandwidth", "50GB/s", "links join all servers"},
		{"atlas-900-a3", "server.links.ub.single", "50GB/s", ""},
	} {
		root, err := document.Parse("own.yaml", []byte(`
apiVersion: hcclsim/v1
kind: Scenario
name: own
topology: {use: `+c.topology+`}
run: [{collective: allreduce, sizes: [1MiB], algorithms: [ring]}]
`))
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(root, Override{Path: "topology." + c.path, Value: c.value, Origin: "--set"})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.why == "" && len(p.Warnings) > 0:
			t.Errorf("%s on %s: warned %v", c.path, c.topology, p.Warnings)
		case c.why != "" && (len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0].String(), c.path) || !strings.Contains(p.Warnings[0].String(), c.why)):
			t.Errorf("%s on %s: warned %v, want one that says %q", c.path, c.topology, p.Warnings, c.why)
		}
	}
}
