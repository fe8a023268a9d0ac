package topologies

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s (%v):\n got %s\nwant %s", file, err, got, want)
	}
}

func loaded(t *testing.T, name string) *document.Node {
	t.Helper()
	n, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func decoded(t *testing.T, name string, presets ...string) model.Topology {
	t.Helper()
	topology, err := Decode(loaded(t, name), presets...)
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

// Every document in testdata has the errors of the file beside it.
func TestErrors(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.yaml")
	if len(files) < 5 {
		t.Fatalf("only %d documents in testdata", len(files))
	}
	for _, file := range files {
		n, err := Load(file)
		if err == nil {
			_, err = Decode(n)
		}
		var all document.Errors
		if !errors.As(err, &all) {
			t.Errorf("%s: got %v, want errors of a document", file, err)
			continue
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".errors", all.Error()+"\n")
	}
}

func TestLoadErrors(t *testing.T) {
	known := strings.Join(Names(), ", ")
	for name, want := range map[string]string{
		"unifrom":     `there is no topology "unifrom", did you mean "uniform"? (built in: ` + known + `; a file needs a path or an ending)`,
		"zebra":       `there is no topology "zebra" (built in: ` + known + `; a file needs a path or an ending)`,
		"absent.yaml": `absent.yaml: cannot be read: no such file or directory`,
		"testdata/":   `testdata/: cannot be read: is a directory`,
	} {
		var all document.Errors
		if _, err := Load(name); !errors.As(err, &all) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Built-in topologies decode with every preset and describe themselves.
func TestShipped(t *testing.T) {
	if got := strings.Join(Names(), " "); got != "atlas-200t-a2-box16 atlas-800-9000 atlas-800t-a2 atlas-900-a3 dgx-h100 pcie-8 uniform uniform-mesh uniform-two-level" {
		t.Errorf("built in: %s", got)
	}
	infos, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if info.Description == "" {
			t.Errorf("%s has no description", info.Name)
		}
		for _, preset := range append([]string{""}, document.Presets...) {
			topology := decoded(t, info.Name, strings.Fields(preset)...)
			if topology.Name != info.Name {
				t.Errorf("%s calls itself %s", info.Name, topology.Name)
			}
		}
		golden(t, filepath.Join("testdata", info.Name+".describe"), Describe(decoded(t, info.Name)))
		if text, err := Source(info.Name); err != nil || !strings.Contains(string(text), "name: "+info.Name) {
			t.Errorf("source of %s: %v", info.Name, err)
		}
	}
	if _, err := Source("zebra"); err == nil {
		t.Error("zebra has a source")
	}
}

func TestUniform(t *testing.T) {
	want := model.Topology{
		Name:    "uniform",
		Servers: 1, Pods: 1,
		Server: model.Server{NPUs: 8, Links: []model.Link{{
			Class: "ideal", Connect: model.Crossbar, Groups: [][]int{{0, 1, 2, 3, 4, 5, 6, 7}},
			Bandwidth: model.Bandwidth{Read: 25e9, Write: 25e9}, Latency: 5 * units.Microsecond, Drive: algorithms.Write,
		}}},
		NPU: model.NPU{Handshake: model.Ideal, Reduce: model.ReduceUnit{Bandwidth: 100e9}},
	}
	if got := decoded(t, "uniform"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestPresets(t *testing.T) {
	for _, c := range []struct {
		presets []string
		link    model.Bandwidth
		nic     units.Rate
		header  units.Bytes
	}{
		{nil, model.Bandwidth{Read: 27_800_000_000, Write: 20_900_000_000}, 24_300_000_000, 0},
		{[]string{"plan"}, model.Bandwidth{Read: 18_300_000_000, Write: 18_300_000_000}, 20e9, 0},
		{[]string{"spec"}, model.Bandwidth{Read: 28e9, Write: 28e9}, 25e9, 82},
	} {
		got := decoded(t, "atlas-800t-a2", c.presets...)
		if got.Server.Links[0].Bandwidth != c.link || got.NPU.NIC.Bandwidth != c.nic || got.NPU.NIC.Header != c.header {
			t.Errorf("%v: link %v, NIC %v, header %v", c.presets, got.Server.Links[0].Bandwidth, got.NPU.NIC.Bandwidth, got.NPU.NIC.Header)
		}
	}
	want := `--preset fastest: unknown preset "fastest", expected one of plan, measured, spec`
	if _, err := Decode(loaded(t, "uniform"), "fastest"); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Keys that are absent have the defaults of docs/model.md.
func TestDefaults(t *testing.T) {
	n, err := document.Parse("small.yaml", []byte(`
name: small
server: {npus: 4}
network: {class: roce, connect: rails}
npu: {dma: {reduce: 10GB/s}, nic: {bandwidth: 25GB/s}}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(n)
	if err != nil {
		t.Fatal(err)
	}
	want := model.Topology{
		Name: "small", Servers: 1, Pods: 1, Server: model.Server{NPUs: 4},
		Network: model.Network{Class: "roce", Connect: model.NetworkRails, Rails: 4},
		NPU: model.NPU{
			Handshake: model.Rendezvous,
			DMA:       model.DMA{Reduce: 10e9},
			Reduce:    model.ReduceUnit{Inline: true},
			NIC:       model.NIC{Ports: 1, NPUs: 1, Bandwidth: 25e9, Drive: algorithms.Write, Inline: true, Request: model.WorkRequest{Max: 2 << 30}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct {
		path, value string
		got         func(model.Topology) any
		want        any
	}{
		{"servers", "16", func(t model.Topology) any { return t.Servers }, 16},
		{"server.npus", "4", func(t model.Topology) any { return t.Server.Links[0].Groups }, [][]int{{0, 1, 2, 3}}},
		{"server.links.hccs.latency", "2us", func(t model.Topology) any { return t.Server.Links[0].Latency }, 2 * units.Microsecond},
		{"server.links.0.bandwidth.measured.read", "9GB/s", func(t model.Topology) any { return t.Server.Links[0].Bandwidth.Read }, units.Rate(9e9)},
		{"server.links.hccs.drive", "read", func(t model.Topology) any { return t.Server.Links[0].Drive }, algorithms.Read},
		{"npu.reduce.inline", "false", func(t model.Topology) any { return t.NPU.Reduce.Inline }, false},
		{"npu.reduce", "null", func(t model.Topology) any { return t.NPU.Reduce.Inline }, true},
		{"npu.dma.remote", "18GB/s", func(t model.Topology) any { return t.NPU.DMA.Remote }, units.Rate(18e9)},
		{"ranks", "[8, 4]", func(t model.Topology) any { return fmt.Sprint(t.Servers, t.Groups(), t.Size()) }, "2 [8 4] 12"},
		{"servers", "4", func(t model.Topology) any { return fmt.Sprint(t.Servers, t.Groups(), t.Size()) }, "4 [8 8 8 8] 32"},
		{"npu.nic.inline", "false", func(t model.Topology) any { return t.NPU.NIC.Inline }, false},
		{"npu.reduce.inline", "false", func(t model.Topology) any { return t.NPU.NIC.Inline }, false},
		{"npu.copies", "full", func(t model.Topology) any { return t.NPU.Copies }, algorithms.CopiesFull},
	} {
		n := loaded(t, "atlas-800t-a2")
		if err := n.Set(c.path, c.value, "--set"); err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		topology, err := Decode(n)
		if err != nil || !reflect.DeepEqual(c.got(topology), c.want) {
			t.Errorf("%s=%s: got %v, %v", c.path, c.value, c.got(topology), err)
		}
	}
}

func TestSetErrors(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{"servers", "x", `servers: expected a whole number, got "x"`},
		{"ranks", "8", `ranks: expected a list, got "8"`},
		{"ranks", "[]", `ranks: names no server, expected the NPUs that take part of each, such as [8, 4]`},
		{"pods", "2", `pods: 1 servers do not divide evenly into 2 super-pods`},
		{"servers", "0", `servers: must be from 1 to 1048576, got 0`},
		{"servers", "1000000", `servers: 1000000 servers of 8 NPUs are more than 1048576 NPUs`},
		{"server.npus", "0", `server.npus: must be from 1 to 4096, got 0`},
		{"npu.dma.remote", "-3GB/s", `npu.dma.remote: bandwidth must be positive, got -3GB/s`},
		{"npu.dma.bandwith", "3GB/s", `unknown key "bandwith", expected one of engines, local, reduce, remote, setup`},
		{"sever.npus", "4", `unknown key "sever", did you mean "server"?`},
	} {
		n := loaded(t, "atlas-800t-a2")
		origin := "--set " + c.path + "=" + c.value
		if err := n.Set(c.path, c.value, origin); err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if _, err := Decode(n); err == nil || err.Error() != origin+": "+c.want {
			t.Errorf("got %v\nwant %s: %s", err, origin, c.want)
		}
	}
	n := loaded(t, "uniform")
	n.Set("servers", "2", "--servers 2")
	want := "--servers 2: servers: 2 servers need a network, e.g. network: {class: roce, connect: switch, latency: 1.5us}\n" +
		"--servers 2: servers: 2 servers need NICs, e.g. npu.nic.bandwidth: 25GB/s"
	if _, err := Decode(n); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A shipped topology written out and read again is the same machine.
func TestEncode(t *testing.T) {
	for _, name := range Names() {
		n := loaded(t, name)
		again, err := document.Parse(name, n.Encode())
		if err != nil {
			t.Fatal(err)
		}
		topology, err := Decode(again)
		if err != nil || !reflect.DeepEqual(topology, decoded(t, name)) {
			t.Errorf("%s changes when written: %v", name, err)
		}
	}
}

// Decode never panics, and what it accepts can be described.
func FuzzDecode(f *testing.F) {
	for _, name := range Names() {
		text, _ := Source(name)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := document.Parse("f", text)
		if err != nil {
			return
		}
		topology, err := Decode(n)
		if err != nil {
			return
		}
		spans := slices.ContainsFunc(topology.Server.Links, func(l model.Link) bool { return l.Pod.Spans })
		alone := topology.Servers == 1 || spans && topology.Pods == 1
		if topology.Server.NPUs < 1 || topology.Size() < topology.Servers || topology.Servers%topology.Pods > 0 || !alone && topology.NPU.NIC.Bandwidth <= 0 {
			t.Fatalf("accepted %+v", topology)
		}
		Describe(topology)
	})
}
