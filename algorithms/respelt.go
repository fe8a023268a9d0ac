package algorithms

import "strings"

// theirs are the names of HCCL that ours do not follow, in lower case.
var theirs = map[string]string{
	"h-d_r": "rhd", "fullmesh": "mesh", "nhr_v1": "nhr", "ahc_broke": "ahc",
}

// Respelt is our name of an algorithm that is written as HCCL does, e.g. H-D_R or mesh+NHR.
// ok is false where there is none, or nothing to change.
func Respelt(name string) (ours string, ok bool) {
	levels := strings.Split(strings.ToLower(name), "+")
	for i, l := range levels {
		if our, found := theirs[l]; found {
			levels[i] = our
		} else {
			levels[i] = strings.ReplaceAll(l, "_", "-")
		}
	}
	ours = strings.Join(levels, "+")
	return ours, ours != name && Known(ours)
}
