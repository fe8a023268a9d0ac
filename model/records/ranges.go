package records

import "hcclsim/model/units"

// Ranges are the sizes in which each of several algorithms is the fastest, of one setting of a
// scenario.
type Ranges struct {
	Row     Row      // the setting; its size, algorithm and outcome mean nothing
	Winners []Winner // by size, without gaps but those between two neighbours
}

// Winner is the fastest algorithm from one size to another, both of which were simulated. Of
// equal times the algorithm that the scenario names first wins.
type Winner struct {
	Algorithm   string
	From, To    units.Bytes
	Next        string  // the second at the range's middle
	Least, Most float64 // by how much the second takes longer, over the sizes simulated; 0.1 is 10 %
}
