// Package algorithms holds the schedules of collective communication as pure functions.
//
// A Program says, for every rank, lane and step, what is sent to whom and what is received
// from whom. It holds no state and takes no memory, however many ranks it has. Its words:
//
//	rank   a participant: one NPU
//	lane   a sequence of steps of one rank; lanes run side by side, as HCCL's main and
//	       slave streams do, and wait for each other where a step says so (After)
//	step   at most one message out and one in, each a Half that names the partner's step;
//	       the partner's half names this one
//	slice  a piece of a buffer; a Set names the slices of a message by a rule, a Layout
//	       gives each slice its bytes
//
// In a ring of three ranks the buffer has three slices. At step 0 every rank sends one of
// them to the next rank, which adds it to its own: rank 0 sends slice 2 to rank 1, rank 1
// slice 0 to rank 2, rank 2 slice 1 to rank 0. At step 1 each passes on what it has just
// added up, so that rank r ends with the sum of slice r; steps 2 and 3 carry the sums
// around once more. The example prints these steps.
//
// New makes the Schedule, a Program with its Layout, of any algorithm of the catalogue
// (Names) for a Request. The same schedule is read by the prover and the executor on data
// (package proof), and by the machine; none of them knows an algorithm by name.
//
// # Composition
//
// A flat algorithm is one or two parts: a reduce-scatter and an all-gather, a reduction to
// rank 0 and a broadcast. A part is a schedule of one group of ranks. A sequence runs
// parts one after the other, each on a plane: all ranks, those of each server, or those of
// the same number in all servers. A mix such as mesh+ring is a reduce-scatter inside the
// servers, an AllReduce between them, an all-gather inside; the sets of a part are only
// scaled and shifted. Local copies and HCCL's marker tasks are parts too.
//
// # Buffers
//
// In place everything happens in Data. Out of place the input is In, which is never
// written, and the result appears in Out. Most algorithms work in place: the others'
// buffers are reached by a local copy before and, where needed, behind. The mesh moves its
// data from one buffer to the other by itself; only the rank's own slice is copied. See
// Copies for the library's own buffer, Scratch.
package algorithms
