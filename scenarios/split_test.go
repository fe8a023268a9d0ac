package scenarios

import (
	"fmt"
	"math"
	"testing"

	"hcclsim/model"
	"hcclsim/topologies"
)

// On pcie-8 the time over the split of requests is a U, whose minimum is at the predicted s*: of the sizes tried, powers
// of two, the nearest in ratio is the fastest.
func TestBestSplitOfPCIe8(t *testing.T) {
	node, err := topologies.Load("pcie-8")
	if err != nil {
		t.Fatal(err)
	}
	top, err := topologies.Decode(node)
	if err != nil {
		t.Fatal(err)
	}
	const n = 16 << 20
	star := predictedSplit(top.NPU.NIC, n)
	var sizes []int64
	for s := int64(4096); s <= n; s *= 2 {
		sizes = append(sizes, s)
	}
	best, near := 0, 0
	var times []int64
	for i, s := range sizes {
		p := plan(t, fmt.Sprintf("apiVersion: hcclsim/v1\nkind: Scenario\nname: split\ntopology: {use: pcie-8, servers: 2}\n"+
			"env: {HCCL_RDMA_SPLIT_THRESHOLD: %d}\ncommunicators: {x: {ranks: [0, 8]}}\n"+
			"run: [{streams: [{name: a, ranks: 0, operators: [{send: 16MiB, to: 1, communicator: x}]}, {name: b, ranks: 8, operators: [{recv: 16MiB, from: 0, communicator: x}]}]}]\n", s))
		times = append(times, int64(rowsOf(t, p)[0].Time))
		if times[i] < times[best] {
			best = i
		}
		if math.Abs(math.Log(float64(s)/star)) < math.Abs(math.Log(float64(sizes[near])/star)) {
			near = i
		}
	}
	if best != near {
		t.Errorf("the fastest split is %d, predicted %.0f, the nearest tried %d", sizes[best], star, sizes[near])
	}
	for i := 1; i < len(times); i++ {
		if falls := times[i] < times[i-1]; falls != (i <= best) {
			t.Errorf("the curve is no U at %d: %v", sizes[i], times)
		}
	}
}

// predictedSplit is s* = sqrt(n o_m / sum of 1/B of the other stages), where the wire is
// the bottleneck m.
func predictedSplit(nic model.NIC, n float64) float64 {
	header := float64(nic.Request.Header) / float64(nic.Bandwidth) * 1e12
	return math.Sqrt(n * (float64(nic.WireOverhead) + header) / 1e12 / (1/float64(nic.Fetch.Bandwidth) + 1/float64(nic.Store.Bandwidth)))
}
