// Package document reads the YAML documents of hcclsim: topologies and scenarios. It is
// the only package that knows yaml.v3.
//
// Parse makes a tree of nodes, each with the place that it was written at. Overlay and Set
// change a tree and keep those places, so that an error in a value that came from the
// command line names the flag and not the file. A Decoder reads a tree into typed values.
//
// Reading is strict. Unknown, repeated and empty keys, second documents, aliases that grow
// out of proportion, numbers that are not plain decimals and quantities without a unit are
// errors; each names file, line and column, what is wrong and what was expected. All errors
// of a document are reported together, as an Errors value.
//
// An explicit null means "as if not written": in an override it takes a value away.
package document
