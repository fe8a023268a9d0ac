package algorithms

import "fmt"

// A ShapeError says that an algorithm does not fit the servers or the number of ranks of a
// request, whatever its collective and size.
type ShapeError struct{ Reason string }

func (e *ShapeError) Error() string { return e.Reason }

// level is one algorithm of a mix, or a flat algorithm, and the groups in which it runs:
// size ranks that are stride apart.
type level struct {
	name         string
	size, stride int
	costs        int // which of Levels
}

// levelsOf deals a request's ranks out to the algorithms of a name. Levels of one rank are
// left out: with one server nothing happens between servers.
func levelsOf(names []string, r Request) ([]level, error) {
	p, servers, pods := r.Ranks(), len(r.Groups), max(r.Pods, 1)
	if servers%pods != 0 {
		return nil, &ShapeError{fmt.Sprintf("%d servers do not make %d super-pods of equally many", servers, pods)}
	}
	if len(names) == 1 {
		name, err := alone(names[0], r)
		if err != nil {
			return nil, err
		}
		l := level{name: name, size: p, stride: 1}
		switch {
		case pods > 1:
			l.costs = 2
		case servers > 1:
			l.costs = 1
		}
		return []level{l}, fits(l)
	}
	if err := equalGroups(r.Groups); err != nil {
		return nil, err
	}
	sizes := []int{r.Groups[0], servers}
	if len(names) == 3 {
		sizes = []int{r.Groups[0], servers / pods, pods}
	}
	var list []level
	stride := 1
	for i, name := range names {
		l := level{name: name, size: sizes[i], stride: stride, costs: i}
		if i == 1 && len(names) == 2 && pods > 1 {
			l.costs = 2
		}
		stride *= l.size
		if l.size > 1 || p == 1 && i == 0 {
			if err := fits(l); err != nil {
				return nil, err
			}
			list = append(list, l)
		}
	}
	return list, nil
}

// alone is the algorithm of a single level. What overlaps the inside of servers with the
// network is, where there is only one of the two, what it does there.
func alone(name string, r Request) (string, error) {
	switch {
	case name == "pipeline" && len(r.Groups) == 1:
		return "mesh", nil
	case name == "pipeline":
		if r.Groups[0] == 1 {
			name = "ring"
		}
		return name, equalGroups(r.Groups)
	case name == "ahc":
		if _, err := ahcOf(r); err != nil {
			return "", &ShapeError{err.Error()}
		}
	}
	return name, nil
}

// fits refuses numbers of ranks for which an algorithm is not defined.
func fits(l level) error {
	if l.name == "multi-ring" && l.size != multiRingRanks && l.size > 1 {
		return &ShapeError{fmt.Sprintf("multi-ring joins %d ranks: HCCL has its four rings for the %d NPUs of an Atlas 800-9000 server only", l.size, multiRingRanks)}
	}
	return nil
}

// equalGroups refuses servers with different numbers of ranks: ranks of the same number
// would not all have a partner in every server, nor slices of the same size.
func equalGroups(groups []int) error {
	for i, g := range groups {
		if g != groups[0] {
			return &ShapeError{fmt.Sprintf("server 0 has %d ranks but server %d has %d: a mix joins the ranks of the same number in all servers, so that servers must have equally many",
				groups[0], i, g)}
		}
	}
	return nil
}
