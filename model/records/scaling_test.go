package records

import (
	"slices"
	"strconv"
	"testing"
)

// sweep is one row for each number of servers and size of the buffer.
func sweep(servers []int, buffers ...string) []Row {
	var rows []Row
	for _, n := range servers {
		for _, b := range buffers {
			rows = append(rows, Row{Collective: "allreduce", Requested: "ring", Algorithm: "ring", Servers: n, Ranks: 8 * n, Bytes: 1024,
				Swept: []Field{{"topology.servers", strconv.Itoa(n)}, {"env.HCCL_BUFFSIZE", b}}})
		}
	}
	return rows
}

func TestScalings(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []Row
		want [][]string // key, then its values
	}{
		{"servers, for each other value", sweep([]int{8, 2, 4}, "100", "200"),
			[][]string{{"servers", "2", "4", "8"}, {"servers", "2", "4", "8"}}},
		{"a swept key in the order of the scenario", sweep([]int{2}, "400", "100", "200"),
			[][]string{{"env.HCCL_BUFFSIZE", "400", "100", "200"}}},
		{"nothing varies", sweep([]int{2}, "100"), nil},
		{"no rows", nil, nil},
	} {
		var got [][]string
		for _, s := range Scalings(c.rows) {
			values := []string{s.Key}
			for _, g := range s.Groups {
				values = append(values, g.Value(s.Key))
			}
			got = append(got, values)
		}
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
