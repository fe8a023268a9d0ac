package reports

import (
	"bytes"
	"testing"

	"hcclsim/model/records"
)

func TestWriteRanges(t *testing.T) {
	r := rowOf()
	r.Bytes = 0
	tree := records.Winner{Algorithm: "double-tree", From: 1024, To: 200_000, Next: "ring", Least: 0.01, Most: 1.5}
	ring := records.Winner{Algorithm: "ring", From: 201_000, To: 1 << 30, Next: "double-tree", Least: 0.004, Most: 0.25}
	low, high := ring, tree
	low.From, low.To, high.From, high.To = 1024, 4096, 8192, 1<<20
	for _, c := range []struct {
		winners     []records.Winner
		table, yaml string
	}{
		{[]records.Winner{tree, ring},
			"# allreduce, fp32 sum, in place on t, 8 NPUs\nfrom    to  fastest                 by  next\n  1K  195K  double-tree  1.0 to 150.0%  ring\n196K    1G  ring          0.4 to 25.0%  double-tree\n" +
				"the ring wins above, the tree below: HCCL_RING_THRESHOLD, ring for a size and below, cannot say this; ranges can\n",
			"# allreduce, fp32 sum, in place on t, 8 NPUs\nranges:\n  - {to: 200000B, algorithm: double-tree}\n  - {from: 200001B, algorithm: ring}\n"},
		{[]records.Winner{low, high},
			"# allreduce, fp32 sum, in place on t, 8 NPUs\nfrom  to  fastest                 by  next\n  1K  4K  ring          0.4 to 25.0%  double-tree\n  8K  1M  double-tree  1.0 to 150.0%  ring\n" +
				"HCCL_RING_THRESHOLD=4096 HCCL_TREE_THRESHOLD=8192 say this\n",
			"# allreduce, fp32 sum, in place on t, 8 NPUs\nranges:\n  - {to: 4096B, algorithm: ring}\n  - {from: 4097B, algorithm: double-tree}\n"},
		{[]records.Winner{ring}, "# allreduce, fp32 sum, in place on t, 8 NPUs\nfrom  to  fastest            by  next\n196K  1G  ring     0.4 to 25.0%  double-tree\n",
			"# allreduce, fp32 sum, in place on t, 8 NPUs\nranges:\n  - {algorithm: ring}\n"},
	} {
		list := []records.Ranges{{Row: r, Winners: c.winners}}
		var table, yaml bytes.Buffer
		if err := WriteRanges(&table, list); err != nil {
			t.Fatal(err)
		}
		if err := WriteRangesYAML(&yaml, list); err != nil {
			t.Fatal(err)
		}
		if table.String() != c.table || yaml.String() != c.yaml {
			t.Errorf("got\n%s%s\nwant\n%s%s", table.String(), yaml.String(), c.table, c.yaml)
		}
	}
}
