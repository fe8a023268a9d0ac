package algorithms

import (
	"fmt"
	"slices"
	"strings"
)

// Entry is one algorithm of the catalogue. Two of them make a mix INTRA+INTER: the first
// inside every server, the other between the ranks of the same number in all servers.
type Entry struct {
	Name   string
	Title  string       // what the name stands for
	Offers []Collective // alone, over all ranks
	Intra  bool         // can be the first part of a mix
	Inter  bool         // can be a later part of a mix
	// Servers: it sees which ranks are of one server, by itself.
	Servers bool
}

// Catalogue lists the algorithms that mixes are made of, in the order in which they are
// listed to users.
func Catalogue() []Entry { return slices.Clone(catalogue) }

var (
	everything = []Collective{AllReduce, AllGather, ReduceScatter, Broadcast, Reduce, Scatter, Gather}
	whole      = []Collective{AllReduce, Broadcast, Reduce}
	logarithm  = []Collective{AllReduce, AllGather, ReduceScatter, Broadcast, Scatter}
	blocks     = []Collective{AlltoAll, AlltoAllV}
)

var catalogue = []Entry{
	{"ring", "ring", everything, true, true, false},
	{"double-ring", "two rings in opposite directions", everything, true, false, false},
	{"multi-ring", "four rings of an Atlas 800-9000 server", everything, true, false, false},
	{"binomial", "binomial tree", whole, false, true, false},
	{doubleTree, "double binary tree", whole, false, true, false},
	{"mesh", "full mesh", slices.Concat(everything, blocks), true, true, false},
	{"mesh-chunk", "full mesh in a fixed order", []Collective{AllReduce, AllGather, ReduceScatter, Reduce}, true, false, false},
	{"mesh-oneshot", "full mesh, whole buffers", []Collective{AllReduce}, false, true, false},
	{"star", "star", slices.Concat(whole, []Collective{Scatter, Gather}), false, true, false},
	{"nhr", "nonuniform hierarchical ring", logarithm, false, true, false},
	{"nhr-oneshot", "nonuniform hierarchical ring, whole buffers", []Collective{AllReduce, Broadcast}, false, true, false},
	{"nb", "nonuniform Bruck", logarithm, false, true, false},
	{"nb-tree", "nonuniform Bruck, binary tree", []Collective{Broadcast}, false, true, false},
	{"rhd", "recursive halving and doubling", []Collective{AllReduce, AllGather, ReduceScatter, Broadcast, Reduce}, false, true, false},
	{"rhd-doubling", "recursive halving and doubling, nearest first", []Collective{AllReduce, Reduce}, false, true, false},
	{"rhd-oneshot", "recursive doubling, whole buffers", []Collective{AllReduce}, false, true, false},
	{"pairwise", "pairwise exchange", slices.Concat(blocks, []Collective{SendRecv}), false, true, false},
	{"pipeline", "mesh inside servers beside a ring between them", []Collective{AllReduce, AllGather, ReduceScatter}, false, false, true},
	{"ahc", "asymmetric hierarchical concatenation", []Collective{AllReduce, AllGather, ReduceScatter}, false, false, true},
	{host, "through the hosts' memory, without a library", []Collective{AllReduce}, false, false, true},
}

// Users know double-tree as tree, which New takes too, in mixes as well.
const tree, doubleTree = "tree", "double-tree"

// Names are all algorithms in the order in which they are listed to users: the flat ones,
// then the mixes INTRA+INTER.
func Names() []string { return slices.Clone(names) }

var names = allNames()

func allNames() []string {
	var names, mixes []string
	for _, a := range catalogue {
		names = append(names, a.Name)
		for _, b := range catalogue {
			mix := a.Name + "+" + b.Name
			if a.Intra && b.Inter && slices.ContainsFunc(Collectives(), func(c Collective) bool { return mixOffers([]string{a.Name, b.Name}, c) }) {
				mixes = append(mixes, mix)
			}
		}
	}
	return append(names, mixes...)
}

// Canonical is the catalogue's name of an algorithm: tree becomes double-tree, in mixes
// too. A name that is not known is returned as it is.
func Canonical(name string) string {
	levels := strings.Split(name, "+")
	for i, l := range levels {
		if l == tree {
			levels[i] = doubleTree
		}
	}
	return strings.Join(levels, "+")
}

// spellings are the catalogue's names and the other names of the same algorithms.
func spellings() []string {
	names := Names()
	for _, n := range names {
		if rest, ok := strings.CutSuffix(n, doubleTree); ok {
			names = append(names, rest+tree)
		}
	}
	return names
}

// Offers says whether an algorithm of the catalogue, a mix, or an alias does a collective.
func Offers(algorithm string, c Collective) bool {
	levels, err := parse(algorithm)
	return err == nil && mixOffers(levels, c)
}

// mixOffers says whether the algorithms of all levels together do a collective.
func mixOffers(levels []string, c Collective) bool {
	if c == Barrier {
		c = AllReduce
	}
	before, last := levels[:len(levels)-1], levels[len(levels)-1]
	switch {
	case !offers(last, c):
		return false
	case len(before) > 0 && c == SendRecv, len(before) > 1 && (c == AlltoAll || c == AlltoAllV):
		return false // SendRecv has no levels, AlltoAll two
	}
	return !slices.ContainsFunc(before, func(l string) bool { return !deals(l, c) })
}

// deals says whether an algorithm does what a level of a mix before the last has to do.
func deals(name string, c Collective) bool {
	switch c {
	case AllReduce:
		return offers(name, ReduceScatter) && offers(name, AllGather)
	case Broadcast:
		return offers(name, Scatter) && offers(name, AllGather)
	case Reduce:
		return offers(name, ReduceScatter) && offers(name, Gather)
	}
	return offers(name, c)
}

// Flat says whether an algorithm sees only the number of ranks, not the servers.
func Flat(algorithm string) bool {
	levels, err := parse(algorithm)
	if err != nil || len(levels) > 1 {
		return false
	}
	e, _ := find(levels[0])
	return !e.Servers
}

func offers(name string, c Collective) bool {
	e, ok := find(name)
	return ok && slices.Contains(e.Offers, c)
}

func find(name string) (Entry, bool) {
	i := slices.IndexFunc(catalogue, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return catalogue[i], true
}

// parse splits a name into the algorithms of its levels: one, two, or three where there
// are super-pods.
func parse(algorithm string) (levels []string, err error) {
	levels = strings.Split(Canonical(algorithm), "+")
	known := len(levels) <= 3
	for i, l := range levels {
		e, ok := find(l)
		known = known && ok && (len(levels) == 1 || i == 0 && e.Intra || i > 0 && e.Inter)
	}
	if !known {
		return nil, fmt.Errorf("unknown algorithm %q: did you mean %q? (there are: %s; mixes INTRA+INTER and INTRA+INTER+PODS, with INTRA one of %s)",
			algorithm, nearest(algorithm, spellings()), strings.Join(flatNames(), ", "), strings.Join(intraNames(), ", "))
	}
	return levels, nil
}

func flatNames() (names []string) {
	for _, e := range catalogue {
		names = append(names, e.Name)
	}
	return names
}

func intraNames() (names []string) {
	for _, e := range catalogue {
		if e.Intra {
			names = append(names, e.Name)
		}
	}
	return names
}

// Known says whether New knows an algorithm of that name.
func Known(algorithm string) bool {
	_, err := parse(algorithm)
	return err == nil
}

// New makes the schedule of a request. Errors say what was expected; a *ShapeError is
// among those that do not depend on collective or size.
func New(algorithm string, r Request) (*Schedule, error) {
	names, err := parse(algorithm)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(Collectives(), r.Collective) {
		return nil, fmt.Errorf("unknown collective %q: did you mean %q?", r.Collective, nearest(r.Collective, Collectives()))
	}
	if !Offers(algorithm, r.Collective) {
		return nil, fmt.Errorf("%s offers no %s: it offers %s", algorithm, r.Collective, offered(algorithm))
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%s %s: %w", algorithm, r.Collective, err)
	}
	if names[0] == host && r.Ranks() > 1 {
		return newHost(r), nil
	}
	levels, err := levelsOf(names, r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", algorithm, r.Collective, err)
	}
	program, layout := compose(levels, r)
	s := &Schedule{Program: program, Layout: layout, Request: r, Algorithm: algorithm}
	if o, ok := layout.(outsideCuts); ok {
		s.owner = o.owner
	}
	return s, nil
}

func offered(algorithm string) string {
	var names []string
	for _, c := range Collectives() {
		if Offers(algorithm, c) {
			names = append(names, string(c))
		}
	}
	return strings.Join(names, ", ")
}

// nearest is the name with the fewest edits to what was written; the first of several.
func nearest[T ~string](name T, names []T) T {
	best, edits := names[0], len(name)+len(names[0])
	for _, n := range names {
		if d := distance(string(name), string(n)); d < edits {
			best, edits = n, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
