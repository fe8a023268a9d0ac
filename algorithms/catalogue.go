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
}

// Catalogue lists the algorithms that mixes are made of, in the order in which they are
// listed to users.
func Catalogue() []Entry { return slices.Clone(catalogue) }

var catalogue = []Entry{
	{"ring", "ring", []Collective{AllReduce, AllGather, ReduceScatter, Broadcast, Reduce}, true, true},
	{"binomial", "binomial tree", []Collective{AllReduce, Broadcast, Reduce}, false, true},
	{doubleTree, "double binary tree", []Collective{AllReduce, Broadcast, Reduce}, false, true},
	{"mesh", "full mesh", []Collective{AllReduce, AllGather, ReduceScatter, Broadcast, Reduce}, true, true},
	{"star", "star", []Collective{AllReduce, Broadcast, Reduce}, false, true},
	{"nhr", "nonuniform hierarchical ring", []Collective{AllReduce, AllGather, ReduceScatter, Broadcast}, false, true},
	{"nb", "nonuniform Bruck", []Collective{AllReduce, AllGather, ReduceScatter, Broadcast}, false, true},
	{"rhd", "recursive halving and doubling", []Collective{AllReduce, AllGather, ReduceScatter, Broadcast, Reduce}, false, true},
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
			if a.Intra && b.Inter {
				mixes = append(mixes, a.Name+"+"+b.Name)
			}
		}
	}
	return append(names, mixes...)
}

// Canonical is the catalogue's name of an algorithm: tree becomes double-tree, in mixes
// too. A name that is not known is returned as it is.
func Canonical(name string) string {
	if intra, inter, mixed := strings.Cut(name, "+"); mixed && inter == tree {
		return intra + "+" + doubleTree
	}
	if name == tree {
		return doubleTree
	}
	return name
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

// Offers says whether an algorithm of the catalogue, or an alias, does a collective.
func Offers(algorithm string, c Collective) bool {
	intra, inter, err := parse(algorithm)
	if err != nil {
		return false
	}
	if intra != "" && c != AllReduce {
		// Every rank holds something of its own between the two levels.
		return !c.Rooted() && offers(intra, c) && offers(inter, c)
	}
	return offers(inter, c)
}

// Flat says whether an algorithm sees only the number of ranks, not the servers.
func Flat(algorithm string) bool {
	intra, _, err := parse(algorithm)
	return err == nil && intra == ""
}

func offers(name string, c Collective) bool {
	for _, a := range catalogue {
		if a.Name == name {
			return slices.Contains(a.Offers, c)
		}
	}
	return false
}

// parse splits a name into its levels; intra is empty for a flat algorithm.
func parse(algorithm string) (intra, inter string, err error) {
	name := Canonical(algorithm)
	if !slices.Contains(names, name) {
		return "", "", fmt.Errorf("unknown algorithm %q: did you mean %q? (there are: %s)",
			algorithm, nearest(algorithm, spellings()), strings.Join(Names(), ", "))
	}
	intra, inter, mixed := strings.Cut(name, "+")
	if !mixed {
		return "", intra, nil
	}
	return intra, inter, nil
}

// New makes the schedule of a request. Errors say what was expected.
func New(algorithm string, r Request) (*Schedule, error) {
	intra, inter, err := parse(algorithm)
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
	if intra != "" {
		if err := equalGroups(r.Groups); err != nil {
			return nil, fmt.Errorf("%s %s: %w", algorithm, r.Collective, err)
		}
		switch {
		case len(r.Groups) == 1:
			intra, inter = "", intra // one server: nothing between servers
		case r.Groups[0] == 1:
			intra = "" // one rank a server: nothing inside
		}
	}
	program, layout := compose(intra, inter, r)
	return &Schedule{Program: program, Layout: layout, Request: r, Algorithm: algorithm}, nil
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

// equalGroups refuses servers with different numbers of ranks: ranks of the same number
// would not all have a partner in every server, nor slices of the same size.
func equalGroups(groups []int) error {
	for i, g := range groups {
		if g != groups[0] {
			return fmt.Errorf("server 0 has %d ranks but server %d has %d: a mix joins the ranks of the same number in all servers, so that servers must have equally many",
				groups[0], i, g)
		}
	}
	return nil
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
