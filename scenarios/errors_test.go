package scenarios

import (
	"errors"
	"strings"
	"testing"

	"hcclsim/topologies/document"
)

// What is wrong with a scenario is reported with its place, all of it at once.
func TestErrors(t *testing.T) {
	entry := func(keys string) string {
		return runOf("collective: allreduce, sizes: [1MiB], algorithms: [ring], " + keys)
	}
	sizes := func(sizes string) string { return runOf("collective: allreduce, algorithms: [ring], sizes: " + sizes) }
	algorithms := func(c, names string) string {
		return runOf("collective: " + c + ", sizes: [1MiB], algorithms: " + names)
	}
	rest := func(lines string) string { return scenario(onUniform + oneRing + lines) }
	for text, want := range map[string]string{
		"{}":         "apiVersion: is missing\nkind: is missing\nname: is missing\ntopology: is missing\nrun: is missing",
		scenario(""): "topology: is missing\nrun: is missing",
		"apiVersion: hcclsim/v1\nkind: Topology\nname: a/b\n" + onUniform + oneRing: `test.yaml:2:7: kind: unknown value "Topology"` + "\n" +
			`test.yaml:3:7: name: "a/b" is no name`,
		rest("communicator: {}\n"):                   `test.yaml:6:1: unknown key "communicator", did you mean "communicators"?`,
		rest("asert: []\n"):                          `unknown key "asert", did you mean "assert"?`,
		entry("algoritms: [ring]"):                   `unknown key "algoritms", did you mean "algorithms"?`,
		scenario(onUniform + "run: []\n"):            "run: is empty: there is nothing to run",
		runOf("collective: alreduce, sizes: [1MiB]"): "run.0.algorithms: is missing\n" + `test.yaml:5:20: run.0.collective: unknown value "alreduce", did you mean "allreduce"?`,
		runOf(""):                "run.0.collective: is missing\ntest.yaml:5:7: run.0.sizes: is missing\ntest.yaml:5:7: run.0.algorithms: is missing",
		entry("dtype: fp31"):     `run.0.dtype: unknown value "fp31", did you mean "fp32"?`,
		entry("op: avg"):         `run.0.op: unknown value "avg"`,
		entry("root: 8"):         "run.0.root: rank 8 does not exist: there are 8",
		entry("root: -1"):        "run.0.root: must be zero or more, got -1",
		entry("iterations: 0"):   "run.0.iterations: must be from 1 to 1000000, got 0",
		entry("segment: 0B"):     "run.0.segment: size must be positive, got 0B",
		entry("in_place: yes"):   `run.0.in_place: expected true or false, got "yes"`,
		sizes("[2MiB, 1MiB]"):    "test.yaml:5:65: run.0.sizes.1: size 1MiB comes after 2MiB: sizes must rise",
		sizes("[1MiB, 1024KiB]"): "run.0.sizes.1: size 1MiB occurs twice",
		sizes("[0B]"):            "run.0.sizes.0: size must be positive, got 0B",
		sizes("[-1MiB]"):         "run.0.sizes.0: size must be positive, got -1MiB",
		sizes("[1024]"):          `run.0.sizes.0: size "1024" needs a unit`,
		sizes("[6B]"):            "run.0.sizes.0: size 6B is not a whole number of fp32 elements of 4 bytes",
		sizes("[]"):              "run.0.sizes: is empty",
		sizes("{from: 2KiB, to: 1KiB, factor: 2}"): "run.0.sizes.from: begins at 2KiB, above its end, 1KiB",
		sizes("{from: 1KiB, to: 2KiB, factor: 1}"): "run.0.sizes.factor: must be from 2 to 1073741824, got 1",
		sizes("{from: 1KiB, to: 2KiB}"):            "needs either a factor or a step",
		sizes("{from: 1KiB, factor: 2}"):           "run.0.sizes.to: is missing",
		sizes("{from: 1KiB, to: 2KiB, step: 6B}"):  "run.0.sizes.step: size 6B is not a whole number",
		sizes("{from: 4B, to: 1GiB, step: 4B}"):    "gives more than 10000 sizes",
		rest("env: {HCCL_BUFFSIZE: 200MiB}\n"):     `env.HCCL_BUFFSIZE: expected a whole number of MiB such as 200, got "200MiB"`,
		rest("assert: [time(size=1MiB) > 1us]\n"):  `unknown column "size", did you mean bytes?`,
		// at the value that is swept, not in the file of the topology
		scenario("topology: {use: atlas-800t-a2, servers: 2}\n" + oneRing + "sweep: {topology.npu.nic.path: [direct, staged]}\n"): "test.yaml:6:41: npu.nic.path: staged needs npu.nic.stages",
		algorithms("allreduce", "[rings]"):                    `run.0.algorithms.0: unknown algorithm "rings", did you mean ring?`,
		algorithms("allreduce", "[ring, ring]"):               "run.0.algorithms.1: algorithm ring occurs twice",
		algorithms("allgather", "[tree]"):                     "allgather has no algorithm tree, it has ring, double-ring, multi-ring, mesh, mesh-chunk, nhr, nb, rhd, pipeline",
		algorithms("allreduce", "[NHR]"):                      `unknown algorithm "NHR", did you mean nhr?`,
		algorithms("gather", "[xxxxxxxxx]"):                   `unknown algorithm "xxxxxxxxx", expected one of ring, double-ring, multi-ring, mesh, star, auto, best, or a mix such as mesh+ring`,
		algorithms("allreduce", "[atuo]"):                     `unknown algorithm "atuo", did you mean auto?`,
		algorithms("alltoall", "[mesh], in_place: true"):      "run.0.in_place: alltoall has no form in place",
		algorithms("allreduce", "[best], candidates: [auto]"): `run.0.candidates.0: unknown algorithm "auto"`,
		algorithms("allreduce", "[auto], ranges: [{from: 2KiB, to: 1KiB, algorithm: ring}, {algorithm: [nope]}]"): "ranges.0.to: to 1024 bytes is below from 2048 bytes\nranges.1.algorithm: expected one name, got a list",
		algorithms("allreduce", "[none.xml]"):                                                       "run.0.algorithms.0: none.xml cannot be read: no such file or directory",
		runOf("collective: alltoallv, algorithms: [mesh], matrix: [[0B, 4B], [4B]]"):                "matrix.1: has 1 sizes, expected 2: one for each rank",
		runOf("collective: alltoallv, algorithms: [mesh], matrix: [[0B, 6B], [4B, 4B]]"):            "matrix.0.1: size 6B is not a whole number of fp32 elements\nmatrix: has 2 rows, expected 8",
		runOf("collective: alltoallv, algorithms: [mesh], matrix: [[4B]], sizes: [1KiB], skew: 2"):  "expected either sizes or matrix",
		runOf("collective: allreduce, algorithms: [mesh], matrix: [[4B]]"):                          "which only alltoallv has",
		runOf("collective: alltoallv, algorithms: [mesh], sizes: [1KiB], skew: 2.5"):                "run.0.skew: 2.5 is not from 1",
		rest("env: {HCCL_ALGO: \"level0:NA;level1:NHR;level1:ring\"}\n"):                            "test.yaml:6:18: env.HCCL_ALGO: HCCL_ALGO at column 22: level1 occurs twice",
		rest("env: {HCCL_DETERMINISTIC: maybe, HCCL_RING_THRESHOLD: large, HCCL_BUFFSIZE: 1MiB}\n"): "env.HCCL_DETERMINISTIC: unknown value \"maybe\"\nenv.HCCL_RING_THRESHOLD: \nenv.HCCL_BUFFSIZE: expected a whole number",
		algorithms("allreduce", "[]"):                                                               "run.0.algorithms: is empty",
		rest("env: {HCCL_BUFSIZE: 200}\n"):                                                          "env.HCCL_BUFSIZE: unknown variable HCCL_BUFSIZE, did you mean HCCL_BUFFSIZE?",
		rest("sweep: {topology: [{use: uniform}]}\n"):                                               "topology cannot vary as a whole",
		rest("sweep: {name: [a, b]}\n"):                                                             "name cannot vary",
		rest("sweep: {topology.servers: []}\n"):                                                     "sweep.topology.servers: has no values",
		rest("sweep: {topology.servers: [1, 1]}\n"):                                                 "the value 1 occurs twice",
		rest("sweep: {topology.server.npus: [4, 0]}\n"):                                             "test.yaml:6:35: server.npus: must be from 1 to 4096, got 0",
		rest("sweep: {run.1.root: [1]}\n"):                                                          `run has no element "1"`,
		rest("cases: [{run.0.op: max}, {run.0.root: 1}]\n"):                                         "cases.1: gives run.0.root where the first case gives run.0.op",
		rest("sweep: {run.0.op: [max]}\ncases: [{run.0.op: sum}]\n"):                                "run.0.op varies twice",
		rest("assert: [\"time() < 5\"]\n"):                                                          `test.yaml:6:10: assert.0: duration "5" needs a unit`,
		rest("plots: [bandwith]\n"):                                                                 `plots.0: unknown value "bandwith", did you mean "bandwidth"?`,
		rest("plots: [latency, latency]\n"):                                                         "plot latency occurs twice",
		scenario("topology: {use: unifrom}\n" + oneRing):                                            `test.yaml:4:17: there is no topology "unifrom", did you mean "uniform"?`,
		scenario("topology: {use: [a]}\n" + oneRing):                                                "topology.use: expected the name or path of a topology",
		scenario("topology: uniform\n" + oneRing):                                                   "expected a mapping",
		scenario("topology: {use: ./none.yaml}\n" + oneRing):                                        "none.yaml: cannot be read: no such file or directory",
		scenario("topology: {use: uniform, servers: 0}\n" + oneRing):                                "test.yaml:4:35: servers: must be from 1 to ",
		scenario("topology: {use: uniform, server: {npus: 4, links: [{class: ideal, connect: pairs, npus: [[0, 1]], bandwidth: 1GB/s}]}}\n" + oneRing): "test.yaml:5:7: allreduce ring 1MiB on uniform, 4 ranks: topology uniform has no link from rank 1",
	} {
		_, err := planOf(text)
		for line := range strings.Lines(want) {
			if line = strings.TrimSpace(line); err == nil || !strings.Contains(err.Error(), line) {
				t.Errorf("%s\ngot  %v\nwant %s", text, err, line)
			}
		}
	}
}

// However long the sweep, an error that all combinations have is reported once.
func TestErrorsOfAllCombinationsAreOne(t *testing.T) {
	_, err := planOf(scenario(onUniform + "run: [{collective: allreduce, sizes: [1], algorithms: [ring]}]\nsweep: {topology.server.npus: [2, 3, 4]}\n"))
	if want := `test.yaml:5:39: run.0.sizes.0: size "1" needs a unit, e.g. 512KiB`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What is wrong is said once: nothing follows from it that is said too.
func TestNoErrorsThatFollow(t *testing.T) {
	v := func(keys string) string { return runOf("collective: alltoallv, algorithms: [mesh], " + keys) }
	reduce := func(keys string) string { return runOf("collective: allreduce, " + keys) }
	env := func(keys string) string { return scenario(onUniform + "env: {" + keys + "}\n" + oneRing) }
	for text, want := range map[string]string{
		v("matrix: []"):                           "run.0.matrix: is empty, expected a list of sizes for each rank, such as [[0B, 4KiB], [4KiB, 0B]]",
		v("matrix: [[4B, 4B], 4B]"):               `run.0.matrix.1: expected a list, got "4B"`,
		v("matrix: [4B, 4B]"):                     "run.0.matrix.0: expected a list, got \"4B\"\nrun.0.matrix.1: expected a list, got \"4B\"",
		v("matrix: [[4B], [4B, 4B, 4B]]"):         "run.0.matrix.0: has 1 sizes, expected 2: one for each rank\nrun.0.matrix.1: has 3 sizes, expected 2: one for each rank",
		v("matrix: [[200TiB, 200TiB], [4B, 4B]]"): "run.0.matrix.0: sends 400TiB in all, above the largest size, 256TiB",
		v("matrix: [[257TiB, 4B], [4B, 4B]]"):     "run.0.matrix: has 2 rows, expected 8: one for each rank\nrun.0.matrix.0.0: size 257TiB is above the largest, 256TiB",
		reduce("algorithms: [ring], sizes: {from: 257TiB, to: 258TiB, factor: 2}"):           "run.0.sizes.from: size 257TiB is above the largest, 256TiB\nrun.0.sizes.to: size 258TiB is above the largest, 256TiB",
		reduce("algorithms: [ring], sizes: {from: 4B, to: 257TiB, factor: 1}"):               "run.0.sizes.to: size 257TiB is above the largest, 256TiB\nrun.0.sizes.factor: must be from 2 to 1073741824, got 1",
		v("matrix: [[4B]], sizes: {from: 4B, to: 8B, factor: 1}"):                            "run.0.matrix: has 1 rows, expected 8: one for each rank\nrun.0.sizes: the matrix says how much is sent: expected either sizes or matrix\nrun.0.sizes.factor: must be from 2 to 1073741824, got 1",
		reduce("algorithms: [{ring: 1}], sizes: [4B]"):                                       "run.0.algorithms.0: expected a single value, got a mapping",
		reduce("algorithms: [auto], sizes: [4B], ranges: [{algorithm: [ring, mesh]}]"):       "run.0.ranges.0.algorithm: expected one name, got a list",
		reduce("algorithms: [auto], sizes: [4B], ranges: [{to: 4B}]"):                        "run.0.ranges.0.algorithm: is missing",
		reduce("algorithms: [double-tree, tree], sizes: [4B]"):                               "run.0.algorithms.1: algorithm tree is double-tree, which occurs already",
		reduce("algorithms: [tree, double-tree], sizes: [4B]"):                               "run.0.algorithms.1: algorithm double-tree occurs already, as tree",
		reduce("algorithms: [best], candidates: [mesh+double-tree, mesh+tree], sizes: [4B]"): "run.0.candidates.1: algorithm mesh+tree is mesh+double-tree, which occurs already",
		reduce("algorithms: [double-tree], segment: 6B, sizes: [4B]"):                        "run.0.segment: size 6B is not a whole number of fp32 elements of 4 bytes",
		env("HCCL_RING_THRESHOLD: -1, HCCL_TREE_THRESHOLD: -1KiB"):                           "env.HCCL_RING_THRESHOLD: size must be zero or more, got -1\nenv.HCCL_TREE_THRESHOLD: size must be zero or more, got -1KiB",
		env("HCCL_RING_THRESHOLD: [1], HCCL_ALGO: [ring], HCCL_DETERMINISTIC: {a: b}"):       "env.HCCL_RING_THRESHOLD: expected a size such as 512KiB, got a list\nenv.HCCL_ALGO: expected a single value, got a list\nenv.HCCL_DETERMINISTIC: expected a single value, got a mapping",
	} {
		_, err := planOf(text)
		var faults document.Errors
		var got []string
		if errors.As(err, &faults) {
			for _, f := range faults {
				got = append(got, f.Path+": "+f.Text)
			}
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}

func FuzzScenario(f *testing.F) {
	f.Add(scenario(onUniform + oneRing + "sweep: {topology.server.npus: [2, 4]}\nassert: [\"time() < 5us\"]\n"))
	f.Add(runOf("collective: broadcast, sizes: {from: 1KiB, to: 1MiB, factor: 2}, algorithms: [tree]"))
	machine := "topology: {server: {npus: 4, host: {link: {class: pcie, bandwidth: 20GB/s}}, links: [{class: a, connect: crossbar, npus: all, bandwidth: 1GB/s}]}, npu: {cores: 8}}\n"
	f.Add(scenario(machine + "communicators: {dp: {stride: 2}, tp: {size: 2, stride: 1}, x: {ranks: [[0, 1], [2, 3]]}}\n" +
		"faults: {stragglers: [{rank: 1, late: 1us, slow: 1.5}], links: [{link: \"a *\", left: 0.5}]}\njitter: {sigma: 0.1, seed: 2}\nrepeat: 3\n" +
		"run: [{name: w, streams: [{name: a, priority: high, start: 1us, operators: [{kernel: 1us, cores: 2, memory: 1KiB}, {record: e}, {allreduce: 1MB, communicator: dp}, {copy-host: 1MB, direction: to-host}]}, " +
		"{name: b, ranks: 0-1, operators: [{wait: e}]}, {name: c, ranks: 0, operators: [{send: 1MB, to: 1}]}, {name: c, ranks: [1], operators: [{recv: 1MB, from: 0}]}]}]\n"))
	f.Add(scenario("topology: {servers: 2, server: {npus: 2}, network: {class: r, connect: clos, radix: 2, spines: 2, oversubscription: 2, seed: 1}, npu: {nic: {bandwidth: 1GB/s, path: staged, stages: {fetch: {bandwidth: 1GB/s, overhead: 1us}}}}}\n" +
		"env: {HCCL_BUFFSIZE: 1, HCCL_RDMA_SPLIT_THRESHOLD: 64K, HCCL_RDMA_QPS_PER_CONNECTION: 2, HCCL_MULTI_QP_THRESHOLD: 64, HCCL_OP_EXPANSION_MODE: AIV, HCCL_INTRA_ROCE_ENABLE: 1, HCCL_INTER_HCCS_DISABLE: TRUE}\n" + oneRing))
	f.Add(scenario(onUniform + "run: [{training-step: {model: resnet50, batch: 2, rate: 1Tflop/s, bucket: 1MiB, priority: {compute: low}}}, {name: b, training-step: {model: {layers: [{forward: 1us, backward: 2us, tensors: [5, 6]}]}}}]\n"))
	f.Fuzz(func(t *testing.T, text string) {
		root, err := document.Parse("fuzz.yaml", []byte(text))
		if err != nil || len(text) > 1<<12 {
			return
		}
		o, err := decodeOutline(root)
		if err != nil || len(combinations(o.axes)) > 16 {
			return
		}
		for _, c := range combinations(o.axes) {
			tree := root.Clone()
			for _, a := range c {
				if err := tree.Put(a.path, a.value.Clone(), a.value.Origin); err != nil {
					return
				}
			}
			if _, err := decodeCombination(tree); err != nil && err.Error() == "" {
				t.Error("an error without a text")
			}
		}
	})
}
