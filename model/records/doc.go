// Package records holds what a run says: one Row for each point, the CSV and JSONL
// texts of rows, and the questions that every reader of rows asks: which rows belong
// together, which algorithm is the fastest, and at which size two of them cross.
//
// Simulated times stay integers of picoseconds from the run to the text: they are
// printed with six decimals of a microsecond and read back without loss.
package records
