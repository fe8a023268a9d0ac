// Package sim is the kernel of a discrete-event simulation: a clock with an event queue
// (Engine), servers with a waiting line (Server) and bytes in motion that share links
// max-min fairly (Flows). It knows nothing of what is simulated.
//
// Everything is an integer: time is picoseconds, rates are 2^-16 byte/s, and products
// are kept in 128 bits. So a run gives the same picoseconds on every machine, and solving
// only what changed gives the same picoseconds as solving everything.
//
// One loop drives a run. Events of one instant are handled in the order in which they
// were scheduled; when none is left, the handler's Settle is called, once, before the
// clock moves. Flows that start or finish are only noted; Flows.Settle, called from
// there, divides the links anew for all changes of the instant.
//
// An Engine, its servers and its flows belong to one goroutine. In steady state nothing
// here allocates.
package sim
