package document

import "strings"

// Nearest returns the known word that a mistyped one most likely means: the one with the
// fewest insertions, deletions, replacements and swaps of neighbours between them, first
// come first among equals. Words that differ in more than a third are not offered.
func Nearest(word string, known []string) (string, bool) {
	best, found := 1+max(1, len(word)/3), ""
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k), best); d < best {
			best, found = d, k
		}
	}
	return found, found != ""
}

// distance is the optimal string alignment distance of a and b, or limit if it is larger.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
