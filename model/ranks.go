package model

import (
	"fmt"
	"strings"
)

// RanksText names ranks, which rise, in few words: "rank 3", "ranks 0-7", "ranks 0, 2, 4-7".
// Beyond eight such parts it says how many more there are.
func RanksText(ranks []int32) string {
	const most = 8
	var parts []string
	for i := 0; i < len(ranks); {
		j := i + 1
		for j < len(ranks) && ranks[j] == ranks[j-1]+1 {
			j++
		}
		if len(parts) == most {
			parts = append(parts, fmt.Sprintf("%d more", len(ranks)-i))
			break
		}
		if j-i == 1 {
			parts = append(parts, fmt.Sprint(ranks[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", ranks[i], ranks[j-1]))
		}
		i = j
	}
	if len(ranks) == 1 {
		return "rank " + parts[0]
	}
	return "ranks " + strings.Join(parts, ", ")
}
