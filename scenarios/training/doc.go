// Package training knows what a data-parallel training step has to synchronise: models as
// lists of layers with their tensors and operations, and the buckets in which their
// gradients are summed up. It knows no machine.
package training
