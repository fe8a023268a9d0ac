// Package choose decides which algorithm of the catalogue runs a collective, and says why.
// The caller asks one Question a point; the Choice names the rule that decided, the
// numbers that it compared, and where the rule comes from.
//
//	Auto       Threshold if one is set, else HCCL on an Ascend product, else Model
//	Threshold  the user's table: ranges of size, HCCL_RING_THRESHOLD, HCCL_TREE_THRESHOLD
//	HCCL       what HCCL's public sources do on the 910A, the 910B (A2) and the A3
//	Model      the lowest closed form with the topology's parameters
//
// # What HCCL does
//
// HCCL calls the inside of a server level 0, the servers of one super-pod level 1, the
// super-pods level 2. HCCL decides in this order:
//
//  1. AlltoAll, AlltoAllV and SendRecv have rules of their own (exchange.go).
//  2. HCCL_ALGO's level0:null makes one plane of all ranks, for level 1's algorithm; no other
//     token changes level 0. Servers of unequal size have no hierarchy: one flat
//     algorithm, or AHC on the A3.
//  3. A small message may have a form of its own, which does not ask HCCL_ALGO: on the
//     910A and the 910B in one server and in deterministic mode, on the A3 everywhere.
//  4. Level 0 follows from the wiring: a mesh on the 910B (of fixed order in deterministic
//     mode), four rings of eight or a mesh of four on the 910A, two rings or one on the A3.
//  5. Level 1 is HCCL_ALGO's where that is set and the product has it for the collective,
//     else the selector's: on the 910B for AllReduce, AllGather and ReduceScatter the
//     pipeline where its conditions hold, else the cheapest of ring, NHR and H-D_R at 60 us
//     a step; elsewhere a default by the number of servers.
//  6. Level 2 is HCCL_ALGO's, else NHR.
//  7. NHR and NB have forms for small data: nhr-oneshot and nb-tree.
//
// A level with one member is left out, so that one server gives mesh, several give
// mesh+nhr, one NPU a server gives nhr. What the catalogue cannot run for the request (it
// does not offer the collective, say) is replaced by what it can, with a warning.
//
// Where HCCL's documentation and code differ the code is followed: eight and more servers
// take H-D_R by default, super-pods NHR.
//
// # Limits
//
// The rules are those of op-by-op mode with the expansion modes HOST on the 910A and 910B
// and AI_CPU on the A3. The AIV engine's rules, graph mode, zero copy, retry,
// HCCL_INTER_HCCS_DISABLE and the 950's selectors are not modelled. The 910B's NPUs of a
// server are all joined; the A3's have seven HCCS ports, and its dies two rings where they
// are four or more, and even. Drivers have RDMA Lite, so that pipelines begin at the lower
// sizes.
//
// Where HCCL runs a form that the catalogue has not, the nearest one is named: NHR for
// NHR_V1 and for the A3's middle sizes over several super-pods, mesh-chunk for local
// reductions after a gather and for the stages inside the servers of a small deterministic
// ReduceScatter, rhd for the A3's staged halving and doubling, rhd-oneshot for AllReduce by
// doubling inside the servers where it is not doubling between them too. The A3's pipeline
// over super-pods (AllGather and ReduceScatter of more than 608 MiB in all, in blocks of 4 MiB
// and more) is not modelled: the levels run one after the other.
//
// One difference comes without a warning, which every small point would have: without
// deterministic mode, newer sources use the executors of the small deterministic messages over
// several 910B servers too, for an AllReduce of less than 512 KiB on servers of more than two
// NPUs and a ReduceScatter of less than 512 KiB in all, both of types and operations that are
// reduced inline. Here such a message takes steps 4 to 7 as larger ones do; that HCCL_ALGO is
// not asked at small sizes is modelled for the sizes of step 3 only.
package choose
