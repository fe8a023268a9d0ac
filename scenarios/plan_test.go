package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hcclsim/topologies/document"
)

// scenario is a document with the given lines after its header.
func scenario(lines string) string {
	return "apiVersion: hcclsim/v1\nkind: Scenario\nname: test\n" + lines
}

const (
	onUniform = "topology: {use: uniform}\n"
	oneRing   = "run: [{collective: allreduce, sizes: [1MiB], algorithms: [ring]}]\n"
)

// run is a scenario of one entry with the given keys.
func runOf(keys string) string { return scenario(onUniform + "run: [{" + keys + "}]\n") }

func plan(t *testing.T, text string, overrides ...Override) *Plan {
	t.Helper()
	p, err := planOf(text, overrides...)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

func planOf(text string, overrides ...Override) (*Plan, error) {
	root, err := document.Parse("test.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return New(root, overrides...)
}

// points writes one line a point: what tells it apart.
func points(p *Plan) string {
	var lines []string
	for _, point := range p.Points {
		r := point.Row
		line := fmt.Sprintf("%s %s %v on %d", r.Collective, r.Requested, r.Bytes, r.Ranks)
		for _, f := range r.Swept {
			line += " " + f.Path + "=" + f.Value
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestPointsComeInTheOrderOfTheDocument(t *testing.T) {
	p := plan(t, scenario(onUniform+`
run:
  - {collective: allreduce, sizes: {from: 1MiB, to: 5MiB, factor: 2}, algorithms: [tree, ring]}
  - {collective: broadcast, sizes: {from: 1KiB, to: 3KiB, step: 1KiB}, algorithms: ring, root: 3}
`))
	want := `allreduce tree 1MiB on 8
allreduce tree 2MiB on 8
allreduce tree 4MiB on 8
allreduce ring 1MiB on 8
allreduce ring 2MiB on 8
allreduce ring 4MiB on 8
broadcast ring 1KiB on 8
broadcast ring 2KiB on 8
broadcast ring 3KiB on 8`
	if got := points(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if first := p.Points[0]; first.Algorithm != "double-tree" || first.Row.Algorithm != "double-tree" {
		t.Errorf("tree runs as %s and says %s", first.Algorithm, first.Row.Algorithm)
	}
	if last := p.Points[8]; last.Root != 3 || last.Row.Op != "" || last.Elem != 4 || !last.InPlace || last.Iterations != 1 {
		t.Errorf("settings of the last point: %+v", last)
	}
}

func TestSweepIsAProductAndCasesVaryTogether(t *testing.T) {
	p := plan(t, scenario(onUniform+oneRing+`
sweep:
  topology.server.npus: [2, 4]
  run.0.sizes: [1KiB, [2KiB, 4KiB]]
cases:
  - {run.0.algorithms: mesh, run.0.dtype: int8}
  - {run.0.algorithms: star, run.0.dtype: fp64}
`))
	var want []string
	for _, npus := range []string{"2", "4"} {
		for _, sizes := range []string{"1KiB", "[2KiB, 4KiB]"} {
			for _, c := range []string{"mesh int8", "star fp64"} {
				algorithm, dtype, _ := strings.Cut(c, " ")
				for _, size := range strings.Split(strings.Trim(sizes, "[]"), ", ") {
					want = append(want, fmt.Sprintf("allreduce %s %s on %s topology.server.npus=%s run.0.sizes=%s run.0.algorithms=%s run.0.dtype=%s",
						algorithm, size, npus, npus, sizes, algorithm, dtype))
				}
			}
		}
	}
	if got := points(p); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if p.Points[0].Elem != 1 || p.Points[1].Elem != 8 {
		t.Errorf("elements of %d and %d bytes, want 1 and 8", p.Points[0].Elem, p.Points[1].Elem)
	}
}

func TestOverrides(t *testing.T) {
	text := scenario("topology: {use: uniform, server: {links: [{class: ideal, latency: 1us}]}}\n" + oneRing)
	for _, c := range []struct{ path, value, want string }{
		{"topology.server.npus", "4", "allreduce ring 1MiB on 4 latency 1us"},
		{"topology.server.links.ideal.latency", "7us", "allreduce ring 1MiB on 8 latency 7us"},
		{"topology.server.links.0.latency", "7us", "allreduce ring 1MiB on 8 latency 7us"},
		{"run.0.sizes", "[2MiB]", "allreduce ring 2MiB on 8 latency 1us"},
		{"run.0.algorithms", "mesh", "allreduce mesh 1MiB on 8 latency 1us"},
	} {
		p := plan(t, text, Override{c.path, c.value, "--set"})
		if got := fmt.Sprintf("%s latency %v", points(p), p.Points[0].Topology.Server.Links[0].Latency); got != c.want {
			t.Errorf("%s=%s: got %s, want %s", c.path, c.value, got, c.want)
		}
	}
}

func TestOverrideOfSweptKeyPinsIt(t *testing.T) {
	p := plan(t, scenario(onUniform+oneRing+"sweep: {topology.server.npus: [2, 4]}\n"), Override{"topology.server.npus", "6", "--set"})
	if got, want := points(p), "allreduce ring 1MiB on 6 topology.server.npus=6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err := planOf(scenario(onUniform+oneRing+"cases: [{topology.server.npus: 2}]\n"), Override{"topology.server.npus", "6", "--set it"})
	if want := "--set it: the scenario's cases give this key"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestTopologiesByPath(t *testing.T) {
	dir := t.TempDir()
	topology := "apiVersion: hcclsim/v1\nkind: Topology\nname: mine\nserver:\n  npus: 3\n  links: [{class: ideal, connect: crossbar, npus: all, bandwidth: 1GB/s}]\nnpu: {handshake: ideal}\n"
	for name, text := range map[string]string{"mine.yaml": topology, "scenario.yaml": scenario("topology: {use: ./mine.yaml}\n" + oneRing)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(filepath.Join(dir, "scenario.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := points(p), "allreduce ring 1MiB on 3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	t.Chdir(dir) // a path on the command line is seen from the working directory
	p = plan(t, scenario(onUniform+oneRing), Override{"topology.use", "mine.yaml", "--topology mine.yaml"})
	if got, want := points(p), "allreduce ring 1MiB on 3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWarnings(t *testing.T) {
	p := plan(t, scenario(onUniform+`env: {HCCL_RDMA_TC: 132}
run: [{collective: allgather, sizes: [1MiB], algorithms: [ring], op: max, root: 1, segment: 1KiB, depth: 3, skew: 1, ranges: [], candidates: [ring]}]
sweep: {env.HCCL_BUFFSIZE: [100, 200]}
`))
	want := []Warning{
		{"test.yaml:6:81", "run.0.root has no effect here: allgather has no root"},
		{"test.yaml:6:70", "run.0.op has no effect here: allgather reduces nothing"},
		{"test.yaml:6:115", "run.0.skew has no effect here: only alltoallv has blocks of different sizes"},
		{"test.yaml:6:93", "run.0.segment has no effect here: only double-tree cuts its messages into segments"},
		{"test.yaml:6:106", "run.0.depth has no effect here: only pipeline passes data through buffers in turn"},
		{"test.yaml:6:126", "run.0.ranges has no effect here: only the algorithm auto looks sizes up"},
		{"test.yaml:6:142", "run.0.candidates has no effect here: only the algorithm best has candidates"},
		{"test.yaml:5:21", "env.HCCL_RDMA_TC has no effect in this version"},
		{"test.yaml:7:29", "env.HCCL_BUFFSIZE has no effect here: no size needs more than one round, and only the algorithm auto reads it"},
	}
	if !reflect.DeepEqual(p.Warnings, want) {
		t.Errorf("got\n%v\nwant\n%v", p.Warnings, want)
	}
}

// A resolved scenario spans the same points, and resolves to itself.
func TestResolvedGivesTheSamePoints(t *testing.T) {
	check := func(t *testing.T, p *Plan, err error) {
		if err != nil {
			t.Fatal(err)
		}
		again := plan(t, string(p.Resolved))
		if !reflect.DeepEqual(p.Points, again.Points) {
			t.Errorf("points differ:\n%s\n\n%s\nin\n%s", points(p), points(again), p.Resolved)
		}
		if string(again.Resolved) != string(p.Resolved) {
			t.Errorf("resolves to\n%s\nand then to\n%s", p.Resolved, again.Resolved)
		}
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			p, err := Load(name)
			check(t, p, err)
		})
	}
	t.Run("overridden", func(t *testing.T) {
		p, err := planOf(scenario("topology: {use: uniform, server: {npus: 4}}\n"+oneRing+"sweep: {topology.use: [uniform, uniform-mesh]}\n"),
			Override{"topology.server.links.0.latency", "9us", "--set"})
		check(t, p, err)
	})
	t.Run("variants", func(t *testing.T) {
		p, err := planOf(scenario(`
topologies:
  slow: {use: uniform, server: {links: [{class: ideal, bandwidth: 1GB/s}]}}
topology: {use: uniform}
run: [{collective: reduce, sizes: 1MiB, algorithms: ring}]
cases: [{topology.use: slow, topology.server.npus: 2}, {topology.use: uniform-mesh, topology.server.npus: 3}]
`))
		check(t, p, err)
		if rate := p.Points[0].Topology.Server.Links[0].Bandwidth.Read; rate != 1e9 {
			t.Errorf("the variant's link carries %v", rate)
		}
	})
}
