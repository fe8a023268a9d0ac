// Package proof proves schedules. It reads programs and layouts and knows no algorithm.
//
// Check proves one schedule:
//
//   - layout: a rank's input and its result lie side by side and have the sizes of the
//     request; what it uses of the library's buffer does not overlap;
//   - structure: both halves of every message refer to each other and agree on slices,
//     bytes and drive; all indices are in range, and a rank touches only slices for which
//     its buffer has room;
//   - no deadlock: nothing waits, directly or not, for itself;
//   - contents: each slice carries the set of ranks whose input went into it; nothing is
//     sent that is not held, nothing is counted twice, and every rank ends with exactly
//     what the collective promises, its input untouched where it is not also the output;
//   - no races: of two accesses to the same slice of a rank, one of which writes, one is
//     known to come first. Reductions into one slice may run side by side: the engines
//     that do them add atomically.
//
// What a collective promises it reads off algorithms.Schedule: who brings a slice, who gets
// it. CheckOrdered also proves a schedule deterministic: no two reductions into one slice
// run side by side.
//
// Contents are replayed in one order of the messages. Where there are no races every
// other order gives the same.
//
// What comes first is what the machine orders. A lane executes its steps in order. A
// message starts when both ranks have reached its step, and both steps end behind it; a
// synced message starts when the rank that drives it has reached its step, and only that
// rank's step ends behind it: the other rank knows of it from later signals. A signal lets
// the receiver's step end after the sender's step has begun, and tells the sender nothing.
// A message without bytes does not exist, and orders nothing.
//
// Execute moves real numbers through a schedule, in an order that the proof allows, and
// Data compares the result with the collective's definition. Verify proves whole families
// of schedules.
package proof
