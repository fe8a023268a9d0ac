package algorithms

// move is what the indices of a group do with their slices. Of n indices each owns one.
type move uint8

const (
	addUp   move = iota // slice q of all is added up at index q
	gather              // slice q of index q goes to all
	scatter             // slice q of index 0 goes to index q
	collect             // slice q of index q goes to index 0
	spread              // everything of all is added up at every index
	swap                // block (i, q) of index i goes to index q: see grid
)
