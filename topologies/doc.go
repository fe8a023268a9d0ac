// Package topologies turns topology documents into model.Topology, and ships documents of
// known machines. docs/model.md says what each key means and costs.
//
// A topology goes through two hands: Load gives the document, which overrides (--set, a
// scenario's own keys) may change, and Decode checks everything that is left and fills the
// struct. What Decode returns without an error can be built and run.
package topologies
