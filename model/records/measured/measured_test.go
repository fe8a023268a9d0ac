package measured

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcclsim/model/units"
)

const hccl = `the minbytes is 8192, maxbytes is 67108864, iters is 20, warmup_iters is 5
data_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:
8192              | 64.55          | 0.12691              | success
[rank 3] some log | with | bars | inside
1048576           | 78.30          | 13.39177             | NULL
`

const nccl = `# nThread 1 nGpus 1 minBytes 8 maxBytes 1024
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
        1024           256     float     sum      -1    15.51    0.07    0.12      0    15.52    0.07    0.12      0
        2048           512     float     sum      -1    16.51    0.12    0.22    N/A      N/A     N/A     N/A    N/A
# Out of bounds values : 0 OK
`

const table = `system,collective,nranks,nnodes,bytes,time_us,algo_if_known,notes
"two servers, of eight",allreduce,16,2,1024,20.5,auto,measured (out-of-place)
x,allgather,8,1,4096,12,Ring,measured (in-place)
x,allgather,8,1,8192,,Ring,not measured
`

func TestRead(t *testing.T) {
	for _, c := range []struct {
		text, format string
		want         []Point
	}{
		{hccl, "hccl_test", []Point{{Bytes: 8192, Time: 64_550_000, At: "f:3"}, {Bytes: 1 << 20, Time: 78_300_000, At: "f:5"}}},
		{nccl, "nccl-tests", []Point{{Bytes: 1024, Time: 15_510_000, Placed: true, At: "f:4"}, {Bytes: 1024, Time: 15_520_000, Placed: true, InPlace: true, At: "f:4"}, {Bytes: 2048, Time: 16_510_000, Placed: true, At: "f:5"}}},
		{table, "csv", []Point{
			{System: "two servers, of eight", Collective: "allreduce", Ranks: 16, Servers: 2, Bytes: 1024, Time: 20_500_000, Placed: true, At: "f:2"},
			{System: "x", Collective: "allgather", Algorithm: "Ring", Ranks: 8, Servers: 1, Bytes: 4096, Time: 12 * units.Microsecond, Placed: true, InPlace: true, At: "f:3"}}},
	} {
		got, err := Read("f", []byte(c.text))
		if err != nil || got.Format != c.format || len(got.Points) != len(c.want) {
			t.Errorf("%s: %v, %v", c.format, got, err)
			continue
		}
		for i, p := range got.Points {
			if p != c.want[i] {
				t.Errorf("%s: %+v, want %+v", c.format, p, c.want[i])
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"hello\n": "f:1:1: neither a printout of hccl_test or nccl-tests nor a table",
		"data_size(Bytes): | avg_time(us): | alg_bandwidth(GB/s): | check_result:\n":                     "f:1:1: has no measurements",
		"data_size(Bytes): |\n8192 | 0.00 | 1 | success\n8192 | x | 1 | success\n8 | 1.0 | 1 | failed\n": "f:2:8: \"0.00\" is no time in us above 0\nf:3:8: \"x\" is no time in us above 0\nf:4:15: the check of this result has failed",
		"out-of-place\n99999999999999999999 1 float sum -1 1.0 1 1 0 N/A N/A N/A N/A\n":                  `f:2:1: "99999999999999999999" is no number of bytes`,
		"collective,time_us\nallreduce,3\n":                                                              "f:1:1: there is no column bytes",
		"collective,bytes,time_us,nranks\nallreduce,8,3,none\nallreduce,-8,3,2\n":                        "f:2:1: nranks \"none\" is no number from 1\nf:3:11: \"-8\" is no number of bytes",
		"collective,bytes,time_us\n\"allreduce,8,3\n":                                                    "f:",
	} {
		if _, err := Read("f", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A rank's part of AllGather is not the size that nccl-tests counts.
func TestWhole(t *testing.T) {
	read, err := Read("f", []byte(hccl))
	if err != nil {
		t.Fatal(err)
	}
	if p := read.Whole("allgather", 8).Points[0]; p.Bytes != 8*8192 || p.Ranks != 8 || p.Collective != "allgather" {
		t.Errorf("got %+v", p)
	}
	if p := read.Whole("allreduce", 8).Points[0]; p.Bytes != 8192 {
		t.Errorf("got %+v", p)
	}
}

// Other tools' files, where they are at hand.
func TestSamples(t *testing.T) {
	for pattern, least := range map[string]int{"samples/hccl-test/*.txt": 14, "samples/nccl-tests/*.txt": 10, "measured/nccl_tests.csv": 130, "measured/hccl_collectives.csv": 25} {
		files, err := filepath.Glob(filepath.Join("../../../../shared", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Read(path, text); err != nil || len(got.Points) < least {
				t.Errorf("%s: %d points, %v", path, len(got.Points), err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{hccl, nccl, table, "collective,bytes,time_us\n\"", "out-of-place\n1 2 3 4 5 6 7 8 9 10 11 12 13"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Read("f", text)
		if err == nil && len(got.Points) == 0 {
			t.Error("neither points nor an error")
		}
		for _, p := range got.Points {
			if p.Bytes < 0 || p.Time <= 0 {
				t.Errorf("%+v", p)
			}
		}
	})
}
