package main

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
)

// rule says in few words what messages that travel at once have in common: which rank r
// sends to which, and what. A part that follows no rule known here is empty.
type rule struct{ partners, slices string }

// whole says whether the rule leaves nothing open.
func (r rule) whole() bool { return r.partners != "" && r.slices != "" }

func (r rule) String() string {
	if r.slices == "" {
		return r.partners
	}
	return r.partners + ": " + r.slices
}

// ruleOf finds the rule of messages among p ranks, which are in servers of n (0: of
// different sizes) and whose buffers have k slices.
func ruleOf(messages []algorithms.Transfer, p, n, k int) rule {
	var found rule
	try := func(place func(rank int) (group, index int), n int, where, letter, what, slices string) {
		pairs, ok := pairsOf(messages, place)
		if text := partners(pairs, n, letter, what); ok && text != "" && !found.whole() {
			if r := (rule{where + text, slices}); r.whole() || found.partners == "" {
				found = r
			}
		}
	}
	try(func(rank int) (int, int) { return 0, rank }, p, "", "r", "rank", slicesRule(messages, p, k))
	if n > 1 && n < p {
		try(func(rank int) (int, int) { return rank / n, rank % n }, n, "inside each server, ", "r", "rank", partsRule(messages, n, k))
		try(func(rank int) (int, int) { return rank % n, rank / n }, p/n, "between equal numbers of servers, ", "s", "server", "")
	}
	if found.partners == "" && n > 1 && n < p {
		return twoRules(messages, p, n, k)
	}
	return found
}

// twoRules are those of messages inside and between servers of n ranks, if both have one.
func twoRules(messages []algorithms.Transfer, p, n, k int) rule {
	var inside, between []algorithms.Transfer
	for _, m := range messages {
		if m.From/n == m.To/n {
			inside = append(inside, m)
		} else {
			between = append(between, m)
		}
	}
	if len(inside) == 0 || len(between) == 0 {
		return rule{}
	}
	a, b := ruleOf(inside, p, n, k), ruleOf(between, p, n, k)
	if a.partners == "" || b.partners == "" {
		return rule{}
	}
	return rule{partners: a.partners + "; " + b.partners}
}

// pairsOf are the pairs of indices that exchange messages, if these stay inside groups and
// are the same in all groups that have any.
func pairsOf(messages []algorithms.Transfer, place func(rank int) (group, index int)) (pairs [][2]int, ok bool) {
	times := map[[2]int]int{}
	groups := map[int]bool{}
	for _, m := range messages {
		from, i := place(m.From)
		to, j := place(m.To)
		if from != to {
			return nil, false
		}
		groups[from] = true
		if times[[2]int{i, j}]++; times[[2]int{i, j}] == 1 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs, len(messages) == len(groups)*len(pairs)
}

// partners says which of n indices send to which, in the words for an index and for what
// it numbers.
func partners(pairs [][2]int, n int, letter, what string) string {
	every := func(holds func(from, to int) bool) bool {
		return !slices.ContainsFunc(pairs, func(p [2]int) bool { return !holds(p[0], p[1]) })
	}
	if len(pairs) == n*(n-1) && n > 2 {
		return fmt.Sprintf("every %s %s -> every other %s q", what, letter, what)
	}
	shifts := make([]int, n) // how many of the pairs are so far apart
	for _, p := range pairs {
		shifts[(p[1]-p[0]+n)%n]++
	}
	var to []string
	for shift, times := range shifts {
		switch {
		case times == n && 2*shift > n:
			to = append(to, moved(letter, shift-n))
		case times == n:
			to = append(to, moved(letter, shift))
		}
	}
	switch {
	case len(to) > 0 && len(pairs) == n*len(to):
		return letter + " -> " + strings.Join(to, ", ")
	case len(pairs) == n:
		if mask := pairs[0][0] ^ pairs[0][1]; every(func(from, to int) bool { return from^mask == to }) {
			return fmt.Sprintf("%s -> %s xor %d", letter, letter, mask)
		}
	}
	return ""
}

// moved is an index and what is added to it.
func moved(letter string, by int) string {
	if by == 0 {
		return letter
	}
	return fmt.Sprintf("%s%+d", letter, by)
}

// slicesRule says which of k slices rank r of p sends, to q where there are several.
func slicesRule(messages []algorithms.Transfer, p, k int) string {
	every := func(holds func(m algorithms.Transfer, slices []int) bool) bool {
		return !slices.ContainsFunc(messages, func(m algorithms.Transfer) bool { return !holds(m, slicesOf(m)) })
	}
	first := offsets(messages[0], p)
	switch {
	case every(func(_ algorithms.Transfer, s []int) bool { return len(s) == k }):
		return "everything"
	case k == p*p && every(func(m algorithms.Transfer, s []int) bool { return len(s) == 1 && s[0] == m.From*p+m.To }):
		return "its block for the other"
	case k != p:
		return ""
	case every(func(m algorithms.Transfer, _ []int) bool { return slices.Equal(offsets(m, p), first) }):
		shift := (messages[0].To - messages[0].From + p) % p
		return "slice" + plural(len(first)) + " " + listOffsets(first, shift, p)
	case every(func(m algorithms.Transfer, s []int) bool { return len(s) == 1 && s[0] == m.To }):
		if len(messages) > p {
			return "slice q"
		}
		return "the other's slice"
	}
	return ""
}

// partsRule says which of n parts of k slices rank r of a server sends, to q where there
// are several.
func partsRule(messages []algorithms.Transfer, n, k int) string {
	if k%n != 0 {
		return ""
	}
	part := func(m algorithms.Transfer) int {
		list := slices.Sorted(slices.Values(slicesOf(m)))
		if last := len(list) - 1; len(list) != k/n || list[last]-list[0] != last || list[0]%(k/n) != 0 {
			return -1
		}
		return list[0] / (k / n)
	}
	every := func(holds func(m algorithms.Transfer, part int) bool) bool {
		return !slices.ContainsFunc(messages, func(m algorithms.Transfer) bool { return part(m) < 0 || !holds(m, part(m)) })
	}
	ahead := (part(messages[0]) - messages[0].From%n + n) % n
	switch {
	case every(func(m algorithms.Transfer, part int) bool { return (m.From+ahead)%n == part }):
		return fmt.Sprintf("part %s of %d", moved("r", -((n-ahead)%n)), n)
	case every(func(m algorithms.Transfer, part int) bool { return m.To%n == part }):
		return fmt.Sprintf("part q of %d", n)
	}
	return ""
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// slicesOf are the slices of a message, in the order in which they are sent.
func slicesOf(m algorithms.Transfer) []int {
	list := make([]int, m.Send.Set.Len())
	for j := range list {
		list[j] = m.Send.Set.Slice(j)
	}
	return list
}

// offsets are the slices of a message seen from its sender, modulo p.
func offsets(m algorithms.Transfer, p int) []int {
	list := slicesOf(m)
	for j, s := range list {
		list[j] = (s - m.From + p) % p
	}
	slices.Sort(list)
	return list
}

// listOffsets writes offsets as seen from rank r: forward where the receiver's own slice
// is among them, as in schedules that deal slices out ahead, else backward.
func listOffsets(list []int, shift, p int) string {
	list = slices.Clone(list)
	if forward := slices.Contains(list, shift) && shift <= p/2 && (len(list) > 1 || shift > 1); !forward {
		for j, o := range list {
			list[j] = -((p - o) % p)
		}
		slices.SortFunc(list, func(a, b int) int { return b - a })
	}
	var words []string
	for _, o := range list {
		words = append(words, moved("r", o))
	}
	if even := evenSteps(list); even && len(words) > 4 {
		words = []string{words[0], words[1], "...", words[len(words)-1]}
	}
	return strings.Join(words, ", ")
}

// evenSteps says whether numbers are equally far apart.
func evenSteps(list []int) bool {
	for j := 2; j < len(list); j++ {
		if list[j]-list[j-1] != list[1]-list[0] {
			return false
		}
	}
	return true
}

// listSlices writes numbers in ascending order, with ranges for three and more in a row.
func listSlices(list []int) string {
	list = slices.Sorted(slices.Values(list))
	var words []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j-i < 2 {
			words = append(words, fmt.Sprint(list[i]))
			i++
			continue
		}
		words = append(words, fmt.Sprintf("%d-%d", list[i], list[j]))
		i = j + 1
	}
	return strings.Join(words, ",")
}
