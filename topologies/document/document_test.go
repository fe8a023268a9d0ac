package document

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcclsim/model/units"
)

var update = flag.Bool("update", false, "write the golden files anew")

// read reads every kind of value there is, as the users of this package do.
func read(n *Node) error {
	d := NewDecoder()
	root := d.Root(n)
	root.ReadHeader("Test")
	d.Prefer(root.Key("preset").Texts()...)
	root.Key("servers").Int(1, Required, Range(1, 100))
	root.Key("factor").Float(1, Positive)
	root.Key("inline").Bool(false)
	Enum(root.Key("shape"), "ring", []string{"ring", "full-mesh", "switch"})
	root.Key("size").Bytes(0)
	root.Key("mtu").Bytes(0, Bare)
	root.Key("names").Texts()
	npu := root.Key("npu")
	npu.Key("bandwidth").Rate(0, Positive)
	npu.Key("latency").Duration(0)
	for _, l := range root.Key("links").List() {
		l.Key("class").Text("", Required)
		l.Key("bandwidth").Rate(0, Required, Positive)
	}
	for _, e := range root.Key("env").Entries() {
		e.Text("")
	}
	return d.Err()
}

// Every document in testdata has the errors of the file beside it.
func TestErrors(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.yaml")
	if len(files) < 20 {
		t.Fatalf("only %d documents in testdata", len(files))
	}
	for _, file := range files {
		n, err := ReadFile(file)
		if err == nil {
			err = read(n)
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".errors", err)
	}
}

func golden(t *testing.T, file string, err error) {
	t.Helper()
	var all Errors
	if !errors.As(err, &all) {
		t.Errorf("%s: got %v, want errors of a document", file, err)
		return
	}
	got := all.Error() + "\n"
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

func TestUnreadable(t *testing.T) {
	for path, want := range map[string]string{
		"testdata/absent.yml": "testdata/absent.yml: cannot be read: no such file or directory",
		"testdata":            "testdata: cannot be read: is a directory",
	} {
		if _, err := ReadFile(path); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Parse("large.yaml", make([]byte, MaxSize+1)); err == nil || err.Error() != "large.yaml: is larger than the limit of 4 MiB" {
		t.Error(err)
	}
}

func parsed(t *testing.T, text string) *Node {
	t.Helper()
	n, err := Parse("doc.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestValues(t *testing.T) {
	n := parsed(t, `
size: {plan: 1KiB, spec: 2KiB, measured: 3KiB}
few: {plan: 1KiB, spec: 2KiB}
one: {plan: 4us}
pair: {measured: {read: 2GB/s, write: 1GB/s}, plan: 3GB/s}
mtu: 4096
text: "010"
names: [a, b]
name: a
gone: null
`)
	d := NewDecoder()
	d.Prefer("spec")
	v := d.Root(n)
	if got := v.Key("size").Bytes(0); got != 2<<10 {
		t.Errorf("preferred preset: %v", got)
	}
	if got := v.Key("few").Bytes(0); got != 2<<10 {
		t.Errorf("preferred preset of two: %v", got)
	}
	if got := v.Key("one").Duration(0); got != 4*units.Microsecond {
		t.Errorf("the only preset: %v", got)
	}
	pair := Pick(v.Key("pair"), func(v Value) [2]units.Rate {
		if v.Node().Kind == Scalar {
			r := v.Rate(0)
			return [2]units.Rate{r, r}
		}
		return [2]units.Rate{v.Key("read").Rate(0), v.Key("write").Rate(0)}
	})
	if pair != [2]units.Rate{2e9, 1e9} {
		t.Errorf("set over mappings: %v", pair)
	}
	if got := v.Key("mtu").Bytes(0, Bare); got != 4096 {
		t.Errorf("bare size: %v", got)
	}
	if got := v.Key("text").Text(""); got != "010" {
		t.Errorf("text: %v", got)
	}
	if a, b := v.Key("names").Texts(), v.Key("name").Texts(); len(a) != 2 || len(b) != 1 {
		t.Errorf("texts: %v %v", a, b)
	}
	if got := v.Key("gone").Int(7); got != 7 || v.Key("absent").Key("deep").Int(8, Required) != 8 {
		t.Errorf("absent values: %v", got)
	}
	if err := d.Err(); err != nil {
		t.Error(err)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"bandwidth", "latency", "npus"}
	for word, want := range map[string]string{"bandwith": "bandwidth", "lateny": "latency", "npu": "npus", "NPUS": "npus", "pnus": "npus", "zebra": "", "": ""} {
		if got, _ := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestJoin(t *testing.T) {
	late, early := Fault(Origin{File: "a", Line: 9, Column: 1}, "late"), Fault(Origin{File: "a", Line: 2, Column: 5}, "early")
	if err := Join(nil, late, early, late); err.Error() != "a:2:5: early\na:9:1: late" {
		t.Error(err)
	}
	if err := Join(nil, nil); err != nil {
		t.Error(err)
	}
	if err := Join(late, os.ErrClosed); err != os.ErrClosed {
		t.Error(err)
	}
}

func TestManyErrors(t *testing.T) {
	_, err := Parse("many.yaml", []byte(strings.Repeat("a: 1\n", 100)))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 51 || lines[50] != "and 49 more errors" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}
