package document

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const base = `
name: base
server:
  npus: 8
  links:
    - {class: hccs, latency: 1us}
    - {class: pcie, latency: 2us}
sizes: [1K, 2K]
`

func TestSet(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{"name", "other", "name: other"},
		{"server.npus", "4", "npus: 4"},
		{"server.links.1.latency", "9us", "- {class: pcie, latency: 9us}"},
		{"server.links.hccs.latency", "9us", "- {class: hccs, latency: 9us}"},
		{"server.links.hccs.uplink.latency", "9us", "- {class: hccs, latency: 1us, uplink: {latency: 9us}}"},
		{"server.links.hccs.bandwidth", "{read: 1GB/s, write: 2GB/s}", "bandwidth: {read: 1GB/s, write: 2GB/s}}"},
		{"sizes.0", "4K", "sizes: [4K, 2K]"},
		{"sizes.0", "null", "sizes: [2K]"},
		{"sizes", "[8K]", "sizes: [8K]"},
		{"npu.dma.setup", "1us", "npu:\n  dma:\n    setup: 1us"},
	} {
		n := parsed(t, base)
		if err := n.Set(c.path, c.value, "--set"); err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if v, ok := n.Get(c.path); c.value != "null" && (!ok || v.Position() != "--set") {
			t.Errorf("%s: Get finds %v, %v", c.path, v, ok)
		}
		if got := string(n.Encode()); !strings.Contains(got, c.want) {
			t.Errorf("%s=%s: %s", c.path, c.value, got)
		}
	}
	n := parsed(t, base)
	if err := n.Set("server", "null", "--set"); err != nil || n.Key("server") != nil {
		t.Errorf("null does not take away: %v, %s", err, n.Encode())
	}
}

func TestSetErrors(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{"name.x", "1", `name is a single value, it has no key "x"`},
		{"server.links.hcss.latency", "1us", `server.links has no element "hcss", did you mean "hccs"?`},
		{"server.links.7", "1us", `server.links has no element "7", expected one of hccs, pcie`},
		{"server..npus", "1", `path "server..npus" has an empty step, expected keys with dots between them`},
		{"server.npus", " ", `has no value`},
		{"server.npus", "[1", `not valid YAML: did not find expected ',' or ']'`},
		{"server", "{npus: 1, npus: 2}", `npus: key is repeated, first at --set server={npus: 1, npus: 2}`},
	} {
		origin := "--set " + c.path + "=" + c.value
		if err := parsed(t, base).Set(c.path, c.value, origin); err == nil || err.Error() != origin+": "+c.want {
			t.Errorf("got %v, want %s: %s", err, origin, c.want)
		}
	}
	twice := parsed(t, "links: [{class: a}, {class: a}]")
	if err := twice.Set("links.a.x", "1", "--set"); err == nil || err.Error() != `--set: links has no element "a": several have this name or class, give the index` {
		t.Error(err)
	}
}

// The keys of a sweep are paths; a path into the sweep finds them.
func TestKeysWithDots(t *testing.T) {
	n := parsed(t, "sweep:\n  topology.servers: [1, 2]\n")
	if err := n.Set("sweep.topology.servers.1", "4", "--set"); err != nil {
		t.Fatal(err)
	}
	if got := string(n.Encode()); got != "sweep:\n  topology.servers: [1, 4]\n" {
		t.Error(got)
	}
}

func TestOverlay(t *testing.T) {
	for _, c := range []struct{ over, want string }{
		{"{name: new}", "name: new"},
		{"{server: {npus: 4}}", "npus: 4"},
		{"{sizes: [7K]}", "sizes: [7K]"},
		{"{name: null}", "^server"},
		{"{server: {links: [{class: pcie, latency: 9us}]}}", "- {class: hccs, latency: 1us}\n    - {class: pcie, latency: 9us}"},
		{"{server: {links: [{class: sio}]}}", "links: [{class: sio}]"},
		{"{server: {links: []}}", "links: []"},
	} {
		b := parsed(t, base)
		before := b.Clone()
		got := Overlay(b, parsed(t, c.over))
		if text := string(got.Encode()); !strings.Contains("^"+text, c.want) {
			t.Errorf("%s: %s", c.over, text)
		}
		if !reflect.DeepEqual(b, before) {
			t.Errorf("%s: the base has changed", c.over)
		}
	}
	got := Overlay(parsed(t, base), parsed(t, "server: {npus: 4}"))
	if v, _ := got.Get("server.npus"); v.Position() != "doc.yaml:1:16" {
		t.Errorf("origin of the override is lost: %s", v.Position())
	}
	if v, _ := got.Get("name"); v.Position() != "doc.yaml:2:7" {
		t.Errorf("origin of the base is lost: %s", v.Position())
	}
}

func TestAliases(t *testing.T) {
	n := parsed(t, "a: &x {k: 1}\nb: *x\n")
	if err := n.Set("b.k", "2", "--set"); err != nil {
		t.Fatal(err)
	}
	if got := string(n.Encode()); got != "a: {k: 1}\nb: {k: 2}\n" {
		t.Errorf("aliases share their values: %s", got)
	}
}

// Parse never panics, and what it accepts survives writing and reading.
func FuzzParse(f *testing.F) {
	for _, s := range []string{base, "a: &x [*x]", "a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]", "? [a]\n: b", "a: |\n  text\n", "a: '010'", "{a: 1, a: 2}", "--- a\n--- b", "!!binary x", "<<: {a: b}", "\xff", "a: ~", "- - - -"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := Parse("f", text)
		if err != nil {
			return
		}
		read(n)
		again, err := Parse("f", n.Encode())
		if err != nil {
			t.Fatalf("written text does not parse: %v\n%s", err, n.Encode())
		}
		if a, b := shape(n), shape(again); a != b {
			t.Fatalf("writing changes %s to %s", a, b)
		}
		if !bytes.Equal(n.Encode(), again.Encode()) {
			t.Fatalf("writing twice differs:\n%s\n%s", n.Encode(), again.Encode())
		}
	})
}

// shape is a tree without places and styles.
func shape(n *Node) string {
	s := fmt.Sprintf("%d%q", n.Kind, n.Text)
	for _, item := range n.Items {
		s += "[" + shape(item) + "]"
	}
	for _, k := range n.Keys {
		s += fmt.Sprintf("{%q:%s}", k.Name, shape(k.Value))
	}
	return s
}
