package choose

import (
	"reflect"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

// TestParseAlgo holds the examples of HCCL's documentation, and what else its code reads.
func TestParseAlgo(t *testing.T) {
	for _, c := range []struct {
		text, canonical string
		collective      algorithms.Collective
		want            Tokens
	}{
		{"level0:NA;level1:NHR", "", algorithms.AllReduce, Tokens{"NA", "NHR"}},
		{"level0:NA;level1:NHR", "", algorithms.SendRecv, Tokens{"NA", "NHR"}},
		{"level0:NA;level1:ring;level2:H-D_R", "", algorithms.Gather, Tokens{"NA", "ring", "H-D_R"}},
		{"level2:NB;level1:AHC", "level1:AHC;level2:NB", algorithms.AllGather, Tokens{"", "AHC", "NB"}},
		{"level0:fullmesh;level1:pairwise", "", algorithms.AlltoAll, Tokens{"fullmesh", "pairwise"}},
		{"allreduce=level0:null;level1:NHR", "", algorithms.AllReduce, Tokens{"null", "NHR"}},
		{"level1:null;level3:AHC_BROKE", "", algorithms.Reduce, Tokens{"", "null", "", "AHC_BROKE"}},
		{" level0 : NA ; level1: N H R_V1", "level0:NA;level1:NHR_V1", algorithms.AllReduce, Tokens{"NA", "NHR_V1"}},
		{"allreduce=level0:NA;level1:NHR/allgather=level1:ring", "", algorithms.AllReduce, Tokens{"NA", "NHR"}},
		{"allreduce=level0:NA;level1:NHR/allgather=level1:ring", "", algorithms.AllGather, Tokens{"", "ring"}},
		{"allreduce=level0:NA;level1:NHR/allgather=level1:ring", "", algorithms.Broadcast, Tokens{}},
		{"allreduce=level0:NA;level1:ring/allgather=level0:NA;level1:H-D_R", "", algorithms.Barrier, Tokens{"NA", "ring"}},
		{"alltoall=level0:NA;level1:pairwise", "", algorithms.AlltoAllV, Tokens{"NA", "pairwise"}},
		{"others=level1:NB/sendrecv=level1:fullmesh/send=level1:NHR/receive=level1:NHR/gather=level1:ring", "", algorithms.SendRecv, Tokens{"", "fullmesh"}},
		{"reducescatter=level1:pipeline/others=level1:NB", "", algorithms.Scatter, Tokens{"", "NB"}},
	} {
		a, err := ParseAlgo(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := a.For(c.collective); got != c.want {
			t.Errorf("%q for %s: got %v, want %v", c.text, c.collective, got, c.want)
		}
		if c.canonical == "" {
			c.canonical = c.text
		}
		if a.String() != c.canonical || !a.Set() {
			t.Errorf("%q prints as %q, set: %v", c.text, a, a.Set())
		}
	}
}

func TestParseAlgoErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "HCCL_ALGO is empty: expected level0:NA;level1:<algorithm>",
		"  ":                         "HCCL_ALGO is empty",
		";level1:NHR":                "column 1: levels begin with ';'",
		"level1:NHR;":                "column 12: levels end with ';'",
		"level0:NA;;level1:NHR":      "column 11: nothing between two ';'",
		"/allreduce=level1:NHR":      "column 1: settings begin with '/'",
		"allreduce=level1:NHR/":      "column 22: settings end with '/'",
		"reduce=level1:ring//send=x": "column 20: nothing between two '/'",
		"level1:NHR;level1:ring":     "column 12: level1 occurs twice",
		"allreduce=level1:NHR/allreduce=level1:NB":     "column 22: operator allreduce occurs twice",
		"level1:NHR/allreduce=level1:NB":               "column 12: settings with and without an operator cannot be mixed",
		"allreduce=level1:NB/ level1:NHR":              "column 22: settings with and without an operator cannot be mixed",
		"level1:NHR/level2:NB":                         "column 12: a second setting for all operators",
		"=level1:NHR":                                  "column 1: no operator before =",
		"allreduce=":                                   "column 11: no levels after allreduce=",
		"allreduce=/allgather=level1:NB":               "column 11: no levels after allreduce=",
		"AllReduce=level1:NHR":                         `column 1: unknown operator "AllReduce" (there are: allreduce, allgather, reducescatter`,
		"allreduce=level1=NHR":                         `column 11: expected <level>:<algorithm>, found "level1=NHR"`,
		"NHR":                                          `column 1: expected <level>:<algorithm>, found "NHR"`,
		":NHR":                                         "column 1: no level before :",
		"level1:":                                      "column 8: no algorithm after level1:",
		"level4:NHR":                                   `column 1: unknown level "level4" (there are: level0, level1, level2, level3)`,
		"level0:NA;level1:tree":                        `column 18: unknown algorithm "tree" (there are: null, ring, pipeline, fullmesh, H-D_R,`,
		"level0:NA; level1:nhr":                        `column 19: unknown algorithm "nhr"`,
		"level0:fullmesh;level1:mesh":                  `column 24: unknown algorithm "mesh"`,
		"level0:ring;level0:NA":                        "column 13: level0 occurs twice",
		"allreduce=level1:ring:NHR":                    `column 18: unknown algorithm "ring:NHR"`,
		"allreduce=level0:NA;level1:NHR/;level1:NHR":   "column 32: levels begin with ';'",
		"allgather=level1:ring;/allreduce=level1:ring": "column 23: levels end with ';'",
	} {
		if _, err := ParseAlgo(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzParseAlgo(f *testing.F) {
	for _, seed := range []string{
		"level0:NA;level1:NHR", "level0:NA;level1:H-D_R;level2:ring", "level1 : AHC_BROKE",
		"allreduce=level0:NA;level1:NHR/allgather=level1:ring", "others=level1:NB/send=level3:null", ";", "/", "a=b:c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAlgo(text)
		if err != nil {
			if a.Set() {
				t.Fatalf("%q: an error, and still a setting %q", text, a)
			}
			return
		}
		again, err := ParseAlgo(a.String())
		if err != nil || !reflect.DeepEqual(a, again) {
			t.Fatalf("%q prints as %q, which reads as %q, %v", text, a, again, err)
		}
	})
}
