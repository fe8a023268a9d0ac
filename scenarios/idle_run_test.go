package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// warned are the texts of a plan's warnings.
func warned(p *Plan) string {
	var texts []string
	for _, w := range p.Warnings {
		texts = append(texts, w.Text)
	}
	return strings.Join(texts, "\n")
}

// Variables are warned about where nothing reads them, and only there.
func TestIdleVariables(t *testing.T) {
	const auto = "collective: allreduce, sizes: [64KiB], algorithms: [auto]"
	for _, c := range []struct{ topology, env, run, want string }{
		{"atlas-800t-a2", "HCCL_BUFFSIZE: 100", auto, ""},
		{"uniform", "HCCL_BUFFSIZE: 1", "collective: allreduce, sizes: [2MiB], algorithms: [ring]", ""},
		{"atlas-800t-a2", "HCCL_BUFFSIZE: 0", "collective: allreduce, sizes: [1GiB], algorithms: [ring]", ""},
		{"atlas-800t-a2", "HCCL_OP_EXPANSION_MODE: AIV", auto, ""},
		{"atlas-800t-a2, servers: 2", "HCCL_OP_EXPANSION_MODE: AIV", auto, "env.HCCL_OP_EXPANSION_MODE has no effect here: AI cores do not reach over the network, the collectives run as HOST"},
		{"atlas-800t-a2", "HCCL_OP_EXPANSION_MODE: HOST_TS", auto, "env.HCCL_OP_EXPANSION_MODE has no effect here: the topology says HOST too"},
		{"atlas-800t-a2", "HCCL_OP_EXPANSION_MODE: AI_CPU", auto, "env.HCCL_OP_EXPANSION_MODE has no effect here: issuing tasks costs nothing under HOST and AI_CPU (npu.host.launch)"},
		{"atlas-800t-a2, npu: {host: {launch: {task: 1us}}}", "HCCL_OP_EXPANSION_MODE: AI_CPU", auto, ""},
		{"atlas-800t-a2", "HCCL_DETERMINISTIC: TRUE", auto, ""},
		{"uniform", "HCCL_BUFFSIZE: 100", auto, "env.HCCL_BUFFSIZE has no effect here: no size needs more than one round, and the topology is of no product whose HCCL has rules"},
		{"uniform", "HCCL_DETERMINISTIC: Strict", auto, "env.HCCL_DETERMINISTIC has no effect here: the topology is of no product whose HCCL has rules"},
		{"uniform", "HCCL_RING_THRESHOLD: 1KiB", auto, ""},
		{"atlas-800t-a2", "HCCL_BUFFSIZE: 100, HCCL_RING_THRESHOLD: 1KiB", auto, "env.HCCL_BUFFSIZE has no effect here: no size needs more than one round, and thresholds or ranges decide all sizes"},
		{"atlas-800t-a2", "HCCL_BUFFSIZE: 100", auto + ", ranges: [{algorithm: ring}]", "env.HCCL_BUFFSIZE has no effect here: no size needs more than one round, and thresholds or ranges decide all sizes"},
		{"atlas-800t-a2", "HCCL_BUFFSIZE: 100", "collective: allreduce, sizes: [1KiB], algorithms: [best]", ""},
		{"atlas-800t-a2", "HCCL_BUFFSIZE: 100", "collective: allreduce, sizes: [1KiB], algorithms: [best], candidates: [ring]", "env.HCCL_BUFFSIZE has no effect here: no size needs more than one round, and only the algorithm auto reads it"},
		{"uniform", "HCCL_ALGO: level0:NA;level1:ring", auto, "env.HCCL_ALGO has no effect here: the topology is of no product whose HCCL has rules"},
		{"atlas-800t-a2, servers: 2", "HCCL_ALGO: level0:NA;level1:ring, HCCL_RING_THRESHOLD: 1MiB", auto, "env.HCCL_ALGO has no effect here: thresholds or ranges decide all sizes"},
		{"atlas-800t-a2, servers: 2", "HCCL_ALGO: level0:NA;level1:ring", "collective: allreduce, sizes: [1KiB, 64MiB], algorithms: [auto], ranges: [{to: 1KiB, algorithm: nhr}]", "the thresholds say nothing about allreduce of this size: hccl decides"},
		{"atlas-800t-a2", "HCCL_ALGO: allreduce=level0:NA;level1:NA/allgather=level0:NA;level1:NA/others=level0:NA;level1:NA", auto, "env.HCCL_ALGO: allgather= has no effect here: auto chooses for no allgather"},
	} {
		p := plan(t, scenario("topology: {use: "+c.topology+"}\nenv: {"+c.env+"}\nrun: [{"+c.run+"}]\n"))
		if got := warned(p); got != c.want {
			t.Errorf("%v\nwarned %s", c, got)
		}
	}
}

// A segment that would be one of more than there can be gives the bound.
func TestClampedSegments(t *testing.T) {
	p := plan(t, runOf("collective: allreduce, sizes: [1MiB, 2MiB, 4MiB], algorithms: [tree], segment: 512B"))
	if got, want := warned(p), "run.0.segment is too small for 2 sizes from 2MiB to 4MiB: a tree has at most 1024 segments, which are larger then"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	slices := func(size, segment int64) int {
		s, err := algorithms.New("double-tree", algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{8}, Bytes: size, Elem: 4, InPlace: true, Segment: segment})
		if err != nil {
			t.Fatal(err)
		}
		return s.Slices(algorithms.Data)
	}
	const half = algorithms.MaxSegments * 512
	if at, above, below := slices(2*half, 512), slices(2*half, 256), slices(2*half-2*512, 512); at != above || below >= at {
		t.Errorf("%d slices of segments of 512 bytes, %d of 256, %d of a segment less", at, above, below)
	}
}

// Keys of a topology that nothing that runs asks for.
func TestIdleForWhatRuns(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "mine.xml"), ringFile(t))
	for _, c := range []struct{ topology, path, value, run, why string }{
		{"uniform", "product", "910b", "algorithms: [ring]", "nothing that runs is chosen or laid out by product"},
		{"uniform", "product", "910b", "algorithms: [nb]", ""},
		{"uniform", "product", "910b", "algorithms: [auto]", ""},
		{"uniform", "product", "910b", "algorithms: [best], candidates: [ring]", ""},
		{"uniform", "pods", "1", "algorithms: [ring]", "no link spans a super-pod, and no algorithm has three levels"},
		{"uniform", "pods", "1", "algorithms: [mesh+ring+nhr]", ""},
		{"atlas-900-a3", "pods", "1", "algorithms: [ring]", ""},
		{"uniform", "npu.slice_align", "16KiB", "algorithms: [mine.xml]", "only files run, which say themselves what is copied and cut"},
		{"uniform", "npu.slice_align", "16KiB", "algorithms: [ring, mine.xml]", ""},
		{"atlas-800t-a2", "npu.marker", "false", "algorithms: [mine.xml]", "only files run, which say themselves what is copied and cut"},
		{"uniform", "server.links.0.single", "900GB/s", "algorithms: [ring]", "the link itself carries no more"},
		{"uniform", "server.links.0.single", "1GB/s", "algorithms: [ring]", ""},
		{"atlas-900-a3, servers: 1", "server.links.ub.pod.latency", "1us", "algorithms: [ring]", "there is one server"},
	} {
		path := filepath.Join(dir, "scenario.yaml")
		write(t, path, []byte(scenario("topology: {use: "+c.topology+"}\nrun: [{collective: allreduce, sizes: [1MiB], "+c.run+"}]\n")))
		p, err := Load(path, Override{"topology." + c.path, c.value, "--set"})
		if err != nil {
			t.Fatal(err)
		}
		if got := warned(p); c.why == "" && got != "" || !strings.Contains(got, c.why) || strings.Contains(got, "\n") {
			t.Errorf("%v\nwarned %s", c, got)
		}
	}
}

// A runtime selects a file by size; here it runs with any.
func TestSizesOutsideOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.xml")
	text := strings.Replace(string(ringFile(t)), `minBytes="0" maxBytes="0"`, `minBytes="2048" maxBytes="4096"`, 1)
	write(t, path, []byte(text))
	for sizes, want := range map[string]string{
		"2KiB, 4KiB":       "",
		"1KiB, 4KiB, 8KiB": "mine.xml is for 2KiB to 4KiB (minBytes, maxBytes): a runtime would not select it for 2 sizes from 1KiB to 8KiB",
		"8KiB":             "mine.xml is for 2KiB to 4KiB (minBytes, maxBytes): a runtime would not select it for 8KiB",
	} {
		p := plan(t, runOf("collective: allreduce, sizes: ["+sizes+"], algorithms: ["+path+"]"))
		if got := warned(p); got != want {
			t.Errorf("%s: warned %s", sizes, got)
		}
	}
	if got := sizesThat([]units.Bytes{4}, func(units.Bytes) bool { return false }); got != "" {
		t.Errorf("no size is %q", got)
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
