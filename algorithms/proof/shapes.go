package proof

import (
	"slices"
	"strings"

	"hcclsim/algorithms"
)

// shape divides ranks into servers, and servers into super-pods.
type shape struct {
	groups []int // ranks of each server
	pods   int   // 0: no super-pods
	once   bool  // one trial is enough
}

// equal is m servers of n ranks in each of some super-pods.
func equal(n, m, pods int) shape {
	s := shape{groups: slices.Repeat([]int{n}, m*pods)}
	if pods > 1 {
		s.pods = pods
	}
	return s
}

// unequal says whether servers have different numbers of ranks.
func unequal(groups []int) bool {
	return slices.ContainsFunc(groups, func(n int) bool { return n != groups[0] })
}

// root is a rank that is neither of the first server nor the first of its server, as far
// as there is one.
func (s shape) root() int {
	if len(s.groups) == 1 {
		return s.groups[0] - 1 - s.groups[0]/3
	}
	root, server := 0, len(s.groups)/2
	for _, n := range s.groups[:server] {
		root += n
	}
	return root + s.groups[server]/2
}

// shapes are the divisions in which an algorithm is proved over p ranks: of a flat one,
// which sees only the sum, one; of three levels, those with super-pods; of all others,
// those into servers. There may be none.
func shapes(name string, p int) []shape {
	switch {
	case algorithms.Flat(name):
		return []shape{equal(p, 1, 1)}
	case strings.Count(name, "+") == 2:
		return append(podded(p), unevenPods(p)...)
	}
	return append(divided(p), uneven(p)...)
}

// mostServers and mostRanks are up to where all divisions of two levels are tried,
// mostThree is what all three of three levels are tried up to.
const mostServers, mostRanks, mostThree = 8, 8, 4

// divided are the divisions of p ranks into equal servers: all up to mostServers of
// mostRanks, else the one that is nearest to a square, once. With one server, or one rank a
// server, a mix is a flat algorithm, which has rows of its own: that is tried once, and up
// to fewRanks ranks.
func divided(p int) []shape {
	var list []shape
	square := 1
	for n := 1; n <= p; n++ {
		m := p / n
		if n*m != p {
			continue
		}
		if n <= m {
			square = n
		}
		proper := n > 1 && m > 1
		if s := equal(n, m, 1); proper && n <= mostRanks && m <= mostServers {
			list = append(list, s)
		} else if !proper && p <= fewRanks {
			s.once = true
			list = append(list, s)
		}
	}
	if len(list) == 0 && square > 1 {
		list = append(list, shape{groups: equal(square, p/square, 1).groups, once: true})
	}
	return list
}

// podded are the divisions of p ranks into super-pods of equal servers: all with 2 to
// mostThree super-pods, servers in each and ranks in each, and the smallest with servers of
// mostRanks; else one that has two of each at least, once. Those in which a level is
// missing, which makes a mix of two levels, are tried once, and up to fewRanks ranks.
func podded(p int) []shape {
	var list []shape
	other := shape{}
	for n := 1; n <= p; n++ {
		for m := 1; n*m <= p; m++ {
			pods := p / (n * m)
			if n*m*pods != p {
				continue
			}
			s := equal(n, m, pods)
			switch proper := min(n, m, pods) > 1; {
			case proper && max(n, m, pods) <= mostThree, n == mostRanks && m == 2 && pods == 2:
				list = append(list, s)
			case proper && other.groups == nil:
				other = s
			case !proper && p <= fewRanks:
				s.once = true
				list = append(list, s)
			}
		}
	}
	if len(list) == 0 && other.groups != nil {
		other.once = true
		list = append(list, other)
	}
	return list
}

// uneven are divisions of p ranks into unequal servers: two of which one has about twice
// as many, as 8+4; two that differ by one, as 5+4; three, as 2+3+1. Beyond fewRanks only
// the first, and where it is twice as many: AHC cuts more slices the less numbers have in common.
func uneven(p int) []shape {
	var list []shape
	try := func(groups ...int) {
		again := len(list) > 0 && slices.Equal(groups, list[0].groups)
		if slices.Min(groups) > 0 && unequal(groups) && !again {
			list = append(list, shape{groups: groups})
		}
	}
	if p <= fewRanks || p%3 == 0 {
		try(p-(p+1)/3, (p+1)/3)
	}
	if p <= fewRanks {
		try(p-p/2, p/2)
		try(p/3, p/2, p-p/3-p/2)
	}
	return list
}

// unevenPods are two super-pods of the same unequal servers, up to fewRanks ranks.
func unevenPods(p int) []shape {
	var list []shape
	if p%2 == 0 && p <= fewRanks {
		for _, s := range uneven(p / 2) {
			list = append(list, shape{groups: slices.Repeat(s.groups, 2), pods: 2})
		}
	}
	return list
}
