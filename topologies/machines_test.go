package topologies

import (
	"context"
	"fmt"
	"math"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
)

func simulated(t *testing.T, p model.Point, o model.Options) model.Result {
	t.Helper()
	if err := model.Check(p); err != nil {
		t.Fatal(err)
	}
	res, err := model.Simulate(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Blocks between two dies of an A3, as HIXL measured them (xiaojia151/Hixl,
// benchmarks/A3_benchmark_performance.md; many at once, time of one): within 5 %, as the
// 910B's are.
func TestBlocksOfAnA3(t *testing.T) {
	for _, c := range []struct {
		servers  int
		read     bool
		bytes    units.Bytes
		measured float64 // us
	}{
		{1, false, 1 << 20, 9.187}, {1, false, 8 << 20, 63.25}, {1, true, 1 << 20, 7.867}, {1, true, 8 << 20, 52.75},
		{2, false, 1 << 20, 10.641}, {2, false, 8 << 20, 65.25}, {2, true, 1 << 20, 9.344}, {2, true, 8 << 20, 54.563},
	} {
		top := decoded(t, "atlas-900-a3")
		top.Servers, top.Ranks = c.servers, []int{2}
		if c.servers == 2 {
			top.Ranks = []int{1, 1}
		}
		top.Server.Links = top.Server.Links[1:] // dies of different packages
		// A Broadcast between two ranks writes, an AllGather of the mesh reads half of its bytes.
		p := model.Point{Topology: top, Collective: algorithms.Broadcast, Algorithm: "binomial", Bytes: c.bytes, Elem: 4, InPlace: true}
		if c.read {
			p.Collective, p.Algorithm, p.Bytes = algorithms.AllGather, "mesh", 2*c.bytes
		}
		var took units.Duration
		simulated(t, p, model.Options{Trace: func(task model.Task) {
			if task.Name == "Memcpy" && task.Class == "ub" {
				took = task.End - task.Start
			}
		}})
		if us := float64(took) / 1e6; math.Abs(us/c.measured-1) > 0.05 {
			t.Errorf("%d servers, read %t, %s: %.3f us, measured %.3f", c.servers, c.read, c.bytes, us, c.measured)
		}
	}
}

// Which links collectives use, by class, and with a Reduce task or not.
func TestPathsOfShippedMachines(t *testing.T) {
	for _, c := range []struct {
		name, algorithm string
		servers, pods   int
		classes         string
		reduces         bool // some reductions are not done on the way
	}{
		// Quads of the 910A meet over PCIe; RDMA brings what is reduced afterwards.
		{"atlas-800-9000", "mesh", 1, 1, "[hccs pcie]", false},
		{"atlas-800-9000", "ring+ring", 2, 1, "[hccs pcie roce]", true},
		{"atlas-800t-a2", "mesh+ring", 2, 1, "[hccs roce]", false},
		// Servers of a super-pod meet over UB, super-pods over RoCE.
		{"atlas-900-a3", "ring+ring", 2, 1, "[sio ub]", false},
		{"atlas-900-a3", "ring+ring", 4, 2, "[sio ub roce]", false},
		{"dgx-h100", "ring+ring", 2, 1, "[nvlink infiniband]", false},
		{"uniform-two-level", "mesh+ring", 4, 1, "[inside between]", false},
	} {
		top := decoded(t, c.name)
		top.Servers, top.Pods = c.servers, c.pods
		reduces := false
		res := simulated(t, model.Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: c.algorithm, Bytes: 16 << 20, Elem: 4, InPlace: true},
			model.Options{Trace: func(task model.Task) { reduces = reduces || task.Name == "Reduce" }})
		var classes []string
		for _, v := range res.Volumes {
			if v.Class != "local" {
				classes = append(classes, v.Class)
			}
		}
		if got := fmt.Sprint(classes); got != c.classes || reduces != c.reduces {
			t.Errorf("%s %s over %d servers uses %s and has Reduce tasks: %t, want %s, %t", c.name, c.algorithm, c.servers, got, reduces, c.classes, c.reduces)
		}
	}
}

// On the four rails of the 910A no link leads from one to another: a schedule that knows
// no servers is refused with the pair that it misses.
func TestRailsOfThe910A(t *testing.T) {
	top := decoded(t, "atlas-800-9000")
	top.Servers = 2
	err := model.Check(model.Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: "ring", Bytes: 1 << 20, Elem: 4, InPlace: true})
	const want = "topology atlas-800-9000 has no link from rank 7 (server 0, NPU 7) to rank 8 (server 1, NPU 0)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A mix on the machine of two levels takes what its closed form says, of each level its own.
func TestTwoLevels(t *testing.T) {
	top := decoded(t, "uniform-two-level")
	const bytes = 32 * 4 * 25_000
	for _, algorithm := range []string{"mesh+ring", "mesh+nhr", "ring+rhd", "mesh+mesh"} {
		p := model.Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: algorithm, Bytes: bytes, Elem: 4, InPlace: true}
		r := algorithms.Request{Collective: p.Collective, Groups: top.Groups(), Bytes: bytes, Elem: 4, InPlace: true}
		want, ok, err := algorithms.Cost(algorithm, r, top.Levels())
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", algorithm, ok, err)
		}
		within := int64(0)
		if algorithm == "mesh+mesh" {
			within = 2 // its messages between servers share a port, whose rates are rounded
		}
		if d := int64(simulated(t, p, model.Options{}).Time) - want; d < -within || d > within {
			t.Errorf("%s is %d ps off %d", algorithm, d, want)
		}
	}
}
