package records

import (
	"slices"
	"strconv"
)

// Scaling is the groups that differ in one key only: how does it go on as that key grows?
type Scaling struct {
	Key    string  // "servers" or the path of a swept key
	Groups []Group // two or more; by number of servers, or in the order of the scenario
}

// Scalings finds the groups that differ in the number of servers only or, if that is the
// same everywhere, in one swept key only. Ranks may differ with the key.
func Scalings(rows []Row) []Scaling {
	groups := Groups(rows)
	var all []Scaling
	for _, key := range varying(groups) {
		all = append(all, scalingsOf(key, groups)...)
	}
	return all
}

// varying lists the keys by which groups may be compared.
func varying(groups []Group) []string {
	var paths []string
	values := map[string][]string{}
	for _, g := range groups {
		if g.Servers != groups[0].Servers {
			return []string{"servers"}
		}
		for _, f := range g.Swept {
			if _, ok := values[f.Path]; !ok {
				paths = append(paths, f.Path)
			}
			if !slices.Contains(values[f.Path], f.Value) {
				values[f.Path] = append(values[f.Path], f.Value)
			}
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return len(values[path]) < 2 })
}

func scalingsOf(key string, groups []Group) []Scaling {
	var all []Scaling
	index := map[string]int{}
	for _, g := range groups {
		other := g.Without(key).setting()
		i, ok := index[other]
		if !ok {
			i = len(all)
			index[other] = i
			all = append(all, Scaling{Key: key})
		}
		all[i].Groups = append(all[i].Groups, g)
	}
	if key == "servers" {
		for _, s := range all {
			slices.SortStableFunc(s.Groups, func(a, b Group) int { return a.Servers - b.Servers })
		}
	}
	return slices.DeleteFunc(all, func(s Scaling) bool { return len(s.Groups) < 2 })
}

// Without is the row without the value of a key and without the ranks that go with it.
func (r Row) Without(key string) Row {
	r.Ranks = 0
	if key == "servers" {
		key, r.Servers = serversKey, 0
	}
	r.Swept = slices.DeleteFunc(slices.Clone(r.Swept), func(f Field) bool { return f.Path == key })
	return r
}

// Value is the row's value of a Scaling's key.
func (r Row) Value(key string) string {
	if key == "servers" {
		return strconv.Itoa(r.Servers)
	}
	return r.swept(key)
}
