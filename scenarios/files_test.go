package scenarios

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/algorithms/exchange"
)

// ringFile is a ring of 8 gpus that adds.
func ringFile(t *testing.T) []byte {
	t.Helper()
	s, err := algorithms.New("ring", algorithms.Request{Collective: algorithms.AllReduce, Groups: []int{8}, Bytes: 1 << 20, Elem: 4, InPlace: true})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := exchange.Write(&text, s); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// What the proof finds, and a machine that a file does not fit, are errors of the file.
func TestErrorsOfFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	text := ringFile(t)
	if err := os.Mkdir(path("other"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path("mine.xml"), text)
	write(t, path("other/mine.xml"), text)
	write(t, path("forgets.xml"), bytes.Replace(text, []byte(`type="rrc"`), []byte(`type="r"`), 1))
	for _, c := range []struct{ npus, algorithms, want string }{
		{"8", "[forgets.xml]", path("forgets.xml") + ": allreduce of 8 ranks"},
		{"4", "[mine.xml]", path("mine.xml") + ": the file is for 8 gpus: expected one for 4 ranks"},
		{"8", "[mine.xml, other/mine.xml]", "run.0.algorithms.1: mine.xml and other/mine.xml would both be kept as mine.xml beside the results: expected files of different names"},
		{"8", "[mine.xml, mine.xml]", "run.0.algorithms.1: algorithm mine.xml occurs twice"},
	} {
		write(t, path("scenario.yaml"), []byte(scenario("topology: {use: uniform, server: {npus: "+c.npus+"}}\nrun: [{collective: allreduce, sizes: [1MiB], algorithms: "+c.algorithms+"}]\n")))
		_, err := Load(path("scenario.yaml"))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.HasPrefix(c.want, dir) && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.algorithms, err, c.want)
		}
	}
}
