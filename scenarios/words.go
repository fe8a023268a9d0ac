package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/topologies/document"
)

// nearest completes an error about an unknown word with the known one that may be meant,
// or with all of them.
func nearest(word string, known []string) string {
	if near, ok := document.Nearest(word, known); ok {
		return fmt.Sprintf(", did you mean %s?", near)
	}
	return ", expected one of " + list(known)
}

// nearestAlgorithm does the same for an algorithm: all of them would be dozens of mixes.
func nearestAlgorithm(name string, c algorithms.Collective, choices []string) string {
	known := slices.Concat(algorithms.Names(), choices)
	near, ok := algorithms.Respelt(name)
	if !ok {
		near, ok = document.Nearest(strings.ToLower(name), known)
	}
	if ok {
		return fmt.Sprintf(", did you mean %s?", near)
	}
	return fmt.Sprintf(", expected one of %s, or a mix such as mesh+ring", list(slices.Concat(offering(c), choices)))
}

func list(words []string) string { return strings.Join(words, ", ") }
