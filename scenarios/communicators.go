package scenarios

import (
	"strconv"
	"strings"

	"hcclsim/topologies/document"
)

// world is the communicator of all ranks.
const world = "world"

// communicator divides some ranks of the machine into groups; each group is one
// communicator of HCCL.
type communicator struct {
	groups [][]int32
	of     map[int32]int // group by rank; nil: all ranks are of the one group
}

func newCommunicator(groups [][]int32) *communicator {
	c := &communicator{groups: groups, of: map[int32]int{}}
	for g, members := range groups {
		for _, r := range members {
			c.of[r] = g
		}
	}
	return c
}

// group is the number of a rank's group.
func (c *communicator) group(rank int32) (g int, ok bool) {
	if c.of == nil {
		return 0, true
	}
	g, ok = c.of[rank]
	return g, ok
}

// members are the ranks of a rank's group; nil if it is in none.
func (c *communicator) members(rank int32) []int32 {
	g, ok := c.group(rank)
	if !ok {
		return nil
	}
	return c.groups[g]
}

// meet says whether two lists of ranks, which rise, have one in common.
func meet(a, b []int32) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}

// decodeCommunicators reads the communicators of a machine of so many ranks.
func decodeCommunicators(v document.Value, ranks int) map[string]*communicator {
	all := make([]int32, ranks)
	for i := range all {
		all[i] = int32(i)
	}
	named := map[string]*communicator{world: {groups: [][]int32{all}}}
	for _, e := range v.Entries() {
		if e.Name() == world {
			e.Errorf("%s is the communicator of all ranks, expected another name", world)
			continue
		}
		named[e.Name()] = newCommunicator(decodeGroups(e, ranks))
	}
	return named
}

// decodeGroups reads {size: n}, groups of n ranks that follow each other; {stride: s}, groups
// of every s-th rank; both, groups of n ranks s apart; or {ranks: [...]}.
func decodeGroups(v document.Value, ranks int) [][]int32 {
	size, stride, listed := v.Key("size"), v.Key("stride"), v.Key("ranks")
	most := document.Range(1, int64(max(ranks, 1)))
	switch {
	case listed.Present():
		for _, other := range []document.Value{size, stride} {
			if other.Present() {
				other.Errorf("the ranks are listed, expected either them or size and stride")
			}
		}
		return decodeRankGroups(listed, ranks)
	case v.Node().Kind != document.Mapping:
		return nil
	case !size.Present() && !stride.Present():
		v.Errorf("expected size, stride or ranks, e.g. {size: 8} or {ranks: [[0, 1], [2, 3]]}")
		return nil
	}
	s := stride.Int(1, most)
	n := size.Int(ranks/s, most)
	if ranks%(n*s) != 0 {
		v.Errorf("groups of %d ranks, %d apart, do not divide %d ranks evenly", n, s, ranks)
		return nil
	}
	var groups [][]int32
	for block := 0; block < ranks; block += n * s {
		for first := range s {
			var members []int32
			for i := range n {
				members = append(members, int32(block+first+i*s))
			}
			groups = append(groups, members)
		}
	}
	return groups
}

// decodeRankGroups reads a list of ranks, or a list of such lists.
func decodeRankGroups(v document.Value, ranks int) (groups [][]int32) {
	seen := map[int32]bool{}
	one := func(elements []document.Value) {
		var members []int32
		for _, e := range elements {
			r := int32(e.Int(-1, document.Range(0, int64(ranks)-1)))
			switch {
			case r < 0:
				continue
			case seen[r]:
				e.Errorf("rank %d is repeated", r)
			case len(members) > 0 && r < members[len(members)-1]:
				e.Errorf("rank %d comes after %d: ranks must rise", r, members[len(members)-1])
			}
			seen[r] = true
			members = append(members, r)
		}
		groups = append(groups, members)
	}
	list := v.List()
	if len(list) > 0 && list[0].Node().Kind == document.List {
		for _, e := range list {
			one(e.List())
		}
		return groups
	}
	if one(list); len(list) == 0 {
		v.Errorf("names no ranks")
	}
	return groups
}

// decodeRanks reads which ranks have a stream: all, one, a list, or a range such as 0-3.
func decodeRanks(v document.Value, ranks int) (list []int32) {
	add := func(r int) { list = append(list, int32(r)) }
	switch n := v.Node(); {
	case n == nil || n.Kind == document.Scalar && n.Text == "all":
		for r := range ranks {
			add(r)
		}
		return list
	case n.Kind == document.List:
		for _, e := range v.List() {
			if e.Node().Kind == document.List {
				e.Errorf("expected a rank, got a list: the ranks of a stream are one list")
				return nil
			}
		}
		return decodeRankGroups(v, ranks)[0]
	case strings.Contains(n.Text, "-"):
		from, to, _ := strings.Cut(n.Text, "-")
		a, err := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || a > b || b >= ranks {
			v.Errorf("%q is no range of ranks such as 0-%d", n.Text, ranks-1)
			return nil
		}
		for r := a; r <= b; r++ {
			add(r)
		}
		return list
	}
	if r := v.Int(-1, document.Range(0, int64(ranks)-1)); r >= 0 {
		add(r)
	}
	return list
}
