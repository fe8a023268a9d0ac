package scenarios

import (
	"fmt"
	"strings"

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

func list(words []string) string { return strings.Join(words, ", ") }
