package records

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hcclsim/model/units"
)

// Group is the rows that differ only in size and algorithm: one table, one chart.
type Group struct {
	Row    // what the rows share: setting and swept values; its size and outcome mean nothing
	Series []Series
}

// Series is the points of one requested algorithm, by size.
type Series struct {
	Name string // as requested
	Rows []Row
}

// Groups puts together what belongs together. Groups and series come in the order of
// their first row, the rows of a series by size; of rows that agree in everything but
// their outcome the first is kept.
func Groups(rows []Row) []Group {
	var groups []Group
	index := map[string]int{}
	for _, r := range rows {
		key := r.setting()
		g, ok := index[key]
		if !ok {
			g = len(groups)
			index[key] = g
			groups = append(groups, Group{Row: r})
		}
		groups[g].add(r)
	}
	for _, g := range groups {
		for _, s := range g.Series {
			slices.SortStableFunc(s.Rows, func(a, b Row) int { return cmp.Compare(a.Bytes, b.Bytes) })
		}
	}
	return groups
}

// setting is everything about a row but algorithm, size and outcome.
func (r Row) setting() string {
	return fmt.Sprintf("%q %t %q %q %q %d %d %q %q %q %d %t %d %q %q", r.Run, r.Operator == "", r.Scenario, r.Topology, r.Collective,
		r.Servers, r.Ranks, r.Shape, r.DType, r.Op, r.Root, r.InPlace, r.Iterations, r.Faults, r.Swept)
}

func (g *Group) add(r Row) {
	i := slices.IndexFunc(g.Series, func(s Series) bool { return s.Name == r.Requested })
	if i < 0 {
		i = len(g.Series)
		g.Series = append(g.Series, Series{Name: r.Requested})
	}
	if _, known := g.Series[i].At(r.Bytes); !known {
		g.Series[i].Rows = append(g.Series[i].Rows, r)
	}
}

// At is the row of one size.
func (s Series) At(b units.Bytes) (Row, bool) {
	for _, r := range s.Rows {
		if r.Bytes == b {
			return r, true
		}
	}
	return Row{}, false
}

// Sizes are the sizes of all series, ascending.
func (g Group) Sizes() []units.Bytes {
	var sizes []units.Bytes
	for _, s := range g.Series {
		for _, r := range s.Rows {
			sizes = append(sizes, r.Bytes)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// Fastest is the row of the shortest time at a size, the first of equal ones. Rows of
// zero time took no part.
func (g Group) Fastest(b units.Bytes) (fastest Row, ok bool) {
	for _, s := range g.Series {
		r, has := s.At(b)
		if has && r.Time > 0 && (!ok || r.Time < fastest.Time) {
			fastest, ok = r, true
		}
	}
	return fastest, ok
}

// Machine says where the rows ran: "atlas-800t-a2, 2 servers x 8 NPUs".
func (r Row) Machine() string {
	where := ""
	switch {
	case strings.Contains(r.Shape, "+"):
		where = fmt.Sprintf("%d servers of %s", r.Servers, r.Shape)
	case r.Servers > 1 && r.Ranks%r.Servers == 0:
		where = fmt.Sprintf("%d servers x %d %s", r.Servers, r.Ranks/r.Servers, plural(r.Ranks/r.Servers, "NPU"))
	case r.Servers > 1:
		where = fmt.Sprintf("%d ranks on %d servers", r.Ranks, r.Servers)
	default:
		where = fmt.Sprintf("%d %s", r.Ranks, plural(r.Ranks, "NPU"))
	}
	if r.Shape != "" && !strings.Contains(r.Shape, "+") {
		where += " in " + r.Shape
	}
	if r.Topology == "" {
		return where
	}
	return r.Topology + ", " + where
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Work says what the ranks did to their elements: "fp32 sum, in place".
func (r Row) Work() string {
	work := r.DType
	if r.Op != "" {
		work = strings.TrimSpace(work + " " + r.Op)
	}
	if r.InPlace {
		work = strings.TrimPrefix(work+", in place", ", ")
	}
	if r.Root > 0 {
		work = strings.TrimPrefix(fmt.Sprintf("%s, root %d", work, r.Root), ", ")
	}
	return work
}

// Settings lists the swept values, "env.HCCL_BUFFSIZE=200", without the number of
// servers, which Machine says.
func (r Row) Settings() string {
	var list []string
	for _, f := range r.Swept {
		if f.Path != serversKey {
			list = append(list, f.Path+"="+f.Value)
		}
	}
	return strings.Join(list, ", ")
}

// serversKey is the swept key that Row.Servers repeats.
const serversKey = "topology.servers"
