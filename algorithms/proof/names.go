package proof

import (
	"slices"
	"strings"

	"hcclsim/algorithms"
)

// Names are the algorithms that are proved if none is named: those of the catalogue, and
// of the mixes of three levels INTRA+INTER+PODS one for every INTRA and PODS, in which the
// algorithms that can be INTER take turns. In all of them they would be ten times as many,
// made of the same parts.
func Names() []string {
	names := algorithms.Names()
	var middles []string
	for _, e := range algorithms.Catalogue() {
		if e.Inter {
			middles = append(middles, e.Name)
		}
	}
	turn := 0
	for _, mix := range algorithms.Names() {
		intra, pods, mixed := strings.Cut(mix, "+")
		if !mixed {
			continue
		}
		for range middles {
			name := intra + "+" + middles[turn%len(middles)] + "+" + pods
			turn++
			if offersAny(name) {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// offersAny says whether an algorithm offers any collective.
func offersAny(name string) bool {
	return slices.ContainsFunc(algorithms.Collectives(), func(c algorithms.Collective) bool { return algorithms.Offers(name, c) })
}
