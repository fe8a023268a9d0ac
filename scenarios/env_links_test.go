package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

// carried are the link classes that a run's bytes went over, without copies inside NPUs.
func carried(t *testing.T, text string) string {
	t.Helper()
	var classes []string
	for _, v := range rowsOf(t, plan(t, text))[0].Volumes {
		if v.Class != "local" {
			classes = append(classes, v.Class)
		}
	}
	return strings.Join(classes, " ")
}

// HCCL's variables choose between links: PCIe or RoCE between the meshes of a Box16, HCCS or
// RoCE between the servers of an A3's super-pod.
func TestLinksByVariables(t *testing.T) {
	const ring = "run: [{collective: allreduce, sizes: [1MiB], algorithms: [ring]}]\n"
	for _, c := range []struct{ topology, env, want string }{
		{"atlas-200t-a2-box16", "", "hccs pcie"},
		{"atlas-200t-a2-box16", "HCCL_INTRA_PCIE_ENABLE: 1", "hccs pcie"},
		{"atlas-200t-a2-box16", "HCCL_INTRA_PCIE_ENABLE: 0, HCCL_INTRA_ROCE_ENABLE: 0", "hccs pcie"},
		{"atlas-200t-a2-box16", "HCCL_INTRA_ROCE_ENABLE: 1", "hccs roce"},
		{"atlas-200t-a2-box16", "HCCL_INTRA_PCIE_ENABLE: 0, HCCL_INTRA_ROCE_ENABLE: 1", "hccs roce"},
		{"atlas-900-a3", "", "sio ub"},
		{"atlas-900-a3", "HCCL_INTER_HCCS_DISABLE: FALSE", "sio ub"},
		{"atlas-900-a3", "HCCL_INTER_HCCS_DISABLE: TRUE", "sio ub roce"},
	} {
		if got := carried(t, scenario(fmt.Sprintf("topology: {use: %s}\nenv: {%s}\n", c.topology, c.env)+ring)); got != c.want {
			t.Errorf("%s, %s: over %s, want %s", c.topology, c.env, got, c.want)
		}
	}
	for env, want := range map[string]string{
		"HCCL_INTRA_PCIE_ENABLE: 1, HCCL_INTRA_ROCE_ENABLE: 1": "env.HCCL_INTRA_ROCE_ENABLE: HCCL does not support HCCL_INTRA_PCIE_ENABLE and HCCL_INTRA_ROCE_ENABLE both being 1",
		"HCCL_INTRA_PCIE_ENABLE: 0":                            "env.HCCL_INTRA_PCIE_ENABLE: HCCL does not support 0 without HCCL_INTRA_ROCE_ENABLE",
		"HCCL_INTRA_ROCE_ENABLE: 0":                            "env.HCCL_INTRA_ROCE_ENABLE: HCCL does not support 0 without HCCL_INTRA_PCIE_ENABLE",
		"HCCL_INTRA_ROCE_ENABLE: 2":                            "env.HCCL_INTRA_ROCE_ENABLE: must be from 0 to 1",
		"HCCL_INTER_HCCS_DISABLE: maybe":                       `env.HCCL_INTER_HCCS_DISABLE: unknown value "maybe"`,
	} {
		if _, err := planOf(scenario("topology: {use: atlas-200t-a2-box16}\nenv: {" + env + "}\n" + ring)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", env, err, want)
		}
	}
}

// Where a variable of links or of RDMA does nothing it is warned about, and why.
func TestIdleMachineVariables(t *testing.T) {
	for _, c := range []struct{ topology, env, want string }{
		{"atlas-800t-a2, servers: 2", "HCCL_INTRA_ROCE_ENABLE: 1", "there is no choice between PCIe and RoCE inside a server"},
		{"atlas-200t-a2-box16", "HCCL_INTRA_PCIE_ENABLE: 1", "PCIe is the default"},
		{"atlas-800t-a2, servers: 2", "HCCL_INTER_HCCS_DISABLE: true", "no link joins servers of a super-pod"},
		{"atlas-900-a3", "HCCL_INTER_HCCS_DISABLE: false", "false is the default"},
		{"atlas-800t-a2", "HCCL_RDMA_SPLIT_THRESHOLD: 1MiB", "nothing goes over RDMA in one server"},
		{"atlas-900-a3", "HCCL_RDMA_SPLIT_THRESHOLD: 1MiB", "links join all servers"},
		{"uniform-two-level", "HCCL_RDMA_QPS_PER_CONNECTION: 4", "the topology's handshake is ideal, without requests"},
		{"atlas-800t-a2, servers: 2", "HCCL_RDMA_SPLIT_THRESHOLD: 4GiB", "a request carries at most npu.nic.request.max, 2GiB"},
		{"atlas-800t-a2, servers: 2", "HCCL_RDMA_SPLIT_THRESHOLD: 64MiB", "no message is larger"},
		{"atlas-800t-a2, servers: 2", "HCCL_RDMA_SPLIT_THRESHOLD: 65536", ""},
		{"atlas-800t-a2, servers: 2", "HCCL_RDMA_SPLIT_THRESHOLD: 64", "64B is less than a packet, npu.nic.mtu 4KiB: is a unit missing? a bare number is bytes"},
		{"atlas-800t-a2, servers: 2", "HCCL_RDMA_QPS_PER_CONNECTION: 1", "one queue pair is the default"},
		{"atlas-800t-a2, servers: 2", "HCCL_MULTI_QP_THRESHOLD: 64", "there is one queue pair between two ranks (HCCL_RDMA_QPS_PER_CONNECTION)"},
		{"atlas-800t-a2, servers: 2", "HCCL_RDMA_QPS_PER_CONNECTION: 4, HCCL_MULTI_QP_THRESHOLD: 8192", "no message is above HCCL_MULTI_QP_THRESHOLD, 8MiB"},
		{"atlas-800t-a2, servers: 2", "HCCL_RDMA_QPS_PER_CONNECTION: 4", ""},
	} {
		p := plan(t, scenario("topology: {use: "+c.topology+"}\nenv: {"+c.env+"}\nrun: [{collective: allreduce, sizes: [8MiB], algorithms: [ring]}]\n"))
		got := warned(p)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, %s: warned %q, want %q", c.topology, c.env, got, c.want)
		}
	}
}
