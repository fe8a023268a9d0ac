// Package exchange reads and writes schedules in the XML format of MSCCL, in which
// algorithms for GPUs are exchanged.
//
// A file says what every gpu does, step by step:
//
//	algo   the collective, the number of gpus, and into how many equal chunks the largest
//	       buffer of a gpu is cut (nchunksperloop)
//	gpu    a rank, with the chunks of its buffers i (input), o (output) and s (scratch)
//	tb     a thread block: steps in order, at most one peer that it sends to and one that it
//	       receives from; what is sent over one channel between two gpus arrives in order
//	step   cnt chunks: s sends src; r receives into dst; rcs does both in turn; rrc adds src
//	       to what arrives, into dst; rrcs passes that on too; rrs passes the sum on and
//	       keeps it nowhere; cpy copies src to dst; re adds src to dst; nop does nothing.
//	       A step may wait for a step of another tb of its gpu (depid, deps), which has
//	       hasdep
//
// # Reading
//
// Read checks a whole file and reports its errors with line and column.
// Algorithm.Schedule makes of it what the prover proves and the machine executes: a thread
// block becomes a lane, and one that both sends and receives two, as neighbours in a ring
// do both at once. A step that receives and sends becomes two steps. The sum of rrs passes
// through a place of its own in Scratch. What a step waits for beside its lane is its After;
// where that is more than one thing, idle steps before it wait for the others. A step that
// names parts of several blocks in the output of an alltoall is refused: they are not a Set
// of slices.
//
// Protocol, channels and thread blocks are of a GPU: for the machine they are only an order.
// The sizes from minBytes to maxBytes are when a runtime would select the file by itself; a
// schedule is made for any size.
//
// # Writing
//
// Write writes a schedule. See there what becomes of its parts.
package exchange
