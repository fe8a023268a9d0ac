package algorithms

// Where HCCL's schedules are described, in its public sources and documentation.
const (
	templates = "hcomm src/legacy/ascend910/algorithm/base/alg_template: "
	pages     = "hccl docs/zh/user_guide/coll_algo_intro: "
)

const (
	allreduce     = string(AllReduce)
	allgather     = string(AllGather)
	reducescatter = string(ReduceScatter)
	broadcast     = string(Broadcast)
	reduce        = string(Reduce)
	scatters      = string(Scatter)
	gathers       = string(Gather)
	alltoall      = string(AlltoAll)
	alltoallv     = string(AlltoAllV)
	sendrecv      = string(SendRecv)
)

// abouts says what there is to say about every algorithm of the catalogue.
var abouts = map[string]About{
	"ring": {
		Idea:   "Every rank sends to the next one only. A slice travels around the ring and is added up on the way; a second round hands the sums out.",
		Wins:   "Large messages on links that join neighbours, and few ranks: nobody sends more than it must, but the latency grows with p.",
		Ranks:  "any",
		Source: pages + "Ring.md; " + templates + "temp_reduce_scatter/reduce_scatter_ring.cc, temp_all_gather/all_gather_ring.cc",
		Forms: forms(
			[]string{allreduce, "2(p-1)", "2(p-1)α + 2(p-1)/p·nβ + (p-1)/p·nγ"},
			[]string{allgather, "p-1", "(p-1)α + (p-1)/p·nβ"},
			[]string{reducescatter, "p-1", "(p-1)α + (p-1)/p·n(β+γ)"},
			[]string{broadcast, "p-1", "(p-1)(α + nβ)"},
			[]string{reduce, "p-1", "(p-1)(α + nβ + nγ)"},
			[]string{scatters, "p-1", "(p-1)α + (p-1)/p·nβ"},
			[]string{gathers, "p-1", "(p-1)α + (p-1)/p·nβ"},
		),
	},
	"double-ring": {
		Idea:   "Two rings in opposite directions, each with half of every slice.",
		Wins:   "Inside a server whose links join neighbours both ways, as on the A3: twice the bandwidth of a ring, at the same latency.",
		Ranks:  "any",
		Source: "hcomm src/legacy/ascend910/algorithm/impl/coll_executor: coll_all_reduce/coll_all_reduce_ring_for_910_93_executor.cc",
		Forms: forms(
			[]string{allreduce, "2(p-1)", "2(p-1)α + (p-1)/p·nβ", twoWays + "; γ = 0: reductions put the rings out of step"},
			[]string{allgather, "p-1", "(p-1)α + (p-1)/(2p)·nβ", twoWays},
			[]string{reducescatter, "p-1", "(p-1)α + (p-1)/(2p)·nβ", twoWays + "; γ = 0: reductions put the rings out of step"},
			[]string{scatters, "p-1", "(p-1)α + (p-1)/(2p)·nβ", twoWays},
			[]string{gathers, "p-1", "(p-1)α + (p-1)/(2p)·nβ", twoWays},
			[]string{broadcast, "2(p-1)", "2(p-1)α + (p-1)/p·nβ", twoWays},
			[]string{reduce, "2(p-1)", "2(p-1)α + (p-1)/p·nβ", twoWays + "; γ = 0: reductions put the rings out of step"},
		),
	},
	"multi-ring": {
		Idea:   "Four rings over the eight NPUs of a 910A server, which take every link inside a quad once in each direction; each carries a quarter of every slice: {0,1,2,6,5,4,7,3}, {0,3,7,4,5,6,2,1}, {0,2,3,1,5,7,6,4} and {0,4,6,7,5,1,3,2}.",
		Wins:   "Inside an Atlas 800-9000: every NPU has several HCCS links, of which a single ring would use two. Where the way between the quads, PCIe, binds, two rings are as fast.",
		Ranks:  "8",
		Source: "hcomm src/legacy/ascend910/algorithm/impl/coll_executor: coll_comm_executor.cc",
		Forms: forms(
			[]string{allreduce, "2(p-1)", "2(p-1)α + (p-1)/(2p)·nβ", fourRings + "; γ = 0: reductions put the rings out of step"},
			[]string{allgather, "p-1", "(p-1)α + (p-1)/(4p)·nβ", fourRings},
			[]string{reducescatter, "p-1", "(p-1)α + (p-1)/(4p)·nβ", fourRings + "; γ = 0: reductions put the rings out of step"},
			[]string{scatters, "p-1", "(p-1)α + (p-1)/(4p)·nβ", fourRings},
			[]string{gathers, "p-1", "(p-1)α + (p-1)/(4p)·nβ", fourRings},
			[]string{broadcast, "2(p-1)", "2(p-1)α + (p-1)/(2p)·nβ", fourRings},
			[]string{reduce, "2(p-1)", "2(p-1)α + (p-1)/(2p)·nβ", fourRings + "; γ = 0: reductions put the rings out of step"},
		),
	},
	"binomial": {
		Idea:   "The whole buffer climbs a binomial tree to rank 0, where it is added up, and comes down again: in every step the number of ranks that are done doubles.",
		Wins:   "Small messages, and Broadcast and Reduce of them: the fewest steps, but every one carries the whole buffer.",
		Ranks:  "any",
		Source: "hcclsim's own; HCCL has no algorithm of this name (nhr-oneshot sends the same messages)",
		Forms: forms(
			[]string{allreduce, "2⌈lg p⌉", "2⌈lg p⌉(α + nβ) + ⌈lg p⌉nγ"},
			[]string{broadcast, "⌈lg p⌉", "⌈lg p⌉(α + nβ)"},
			[]string{reduce, "⌈lg p⌉", "⌈lg p⌉(α + nβ + nγ)"},
		),
	},
	doubleTree: {
		Idea:   "Two binary trees, each with half of the data in segments that follow each other like a pipeline. Inner ranks of one tree are leaves of the other, so that no port is idle.",
		Wins:   "Many ranks: the latency grows with lg p, and with enough segments the bandwidth comes near that of a ring.",
		Ranks:  "any",
		Source: "hcclsim's own, after Sanders, Speck and Träff 2009, as NCCL's Tree; HCCL has no algorithm of this name",
		Forms: forms(
			[]string{allreduce, "2⌊lg p⌋", "", "steps of one segment; every further one adds a round of the busiest rank"},
			[]string{broadcast, "1+⌊lg(p-1)⌋", "", "steps of one segment"},
			[]string{reduce, "1+⌊lg(p-1)⌋", "", "steps of one segment"},
		),
	},
	"mesh": {
		Idea:   "Every rank exchanges with all others at once: it adds up its own slice of all, then fetches the sums of the others.",
		Wins:   "Inside a server whose NPUs all have links of their own to each other; and small messages anywhere.",
		Ranks:  "any",
		Source: pages + "Mesh.md; " + templates + "reduce_scatter_mesh_atomic.cc, all_gather_mesh*.cc; recorded runs",
		Forms: forms(
			[]string{allreduce, "2", "2α + 2nβ/p + (p-1)/p·nγ", onePort},
			[]string{allgather, "1", "α + nβ/p", onePort},
			[]string{reducescatter, "1", "α + nβ/p + (p-1)/p·nγ", onePort},
			[]string{broadcast, "2", "2α + 2nβ/p", onePort},
			[]string{reduce, "2", "2α + 2nβ/p + (p-1)/p·nγ", onePort},
			[]string{scatters, "1", "α + nβ/p", onePort},
			[]string{gathers, "1", "α + nβ/p", onePort},
			[]string{alltoall, "1", "α + nβ/p", onePort},
			[]string{alltoallv, "1", "α + nβ/p", "equal blocks; else the largest block instead of n/p"},
		),
	},
	"mesh-chunk": {
		Idea:   "The deterministic mesh: the slice of every rank is cut into p-1 chunks, and in each of p-1 rounds every chunk is added up by another peer's: always in the same order, while no two add to a chunk at once. It gathers as mesh does.",
		Wins:   "Inside a server where results must be the same to the last bit in every run (HCCL_DETERMINISTIC): the bytes of mesh at p-1 times its latency.",
		Ranks:  "any",
		Source: templates + "all_reduce_chunk_mesh.cc",
		Forms: forms(
			[]string{allreduce, "p", "pα + 2nβ/p + (p-1)/p·nγ", onePort},
			[]string{reducescatter, "p-1", "(p-1)α + nβ/p + (p-1)/p·nγ", onePort},
			[]string{allgather, "1", "α + nβ/p", onePort},
			[]string{reduce, "p", "pα + 2nβ/p + (p-1)/p·nγ", onePort},
		),
	},
	"mesh-oneshot": {
		Idea:   "Every rank sends its whole buffer to all others at once, and adds up all that arrives.",
		Wins:   "The smallest messages: a single step, at p times the bytes.",
		Ranks:  "any",
		Source: "hccl src/ops/all_reduce: the one-shot mesh, of the 950",
		Forms: forms(
			[]string{allreduce, "1", "α + nβ + (p-1)nγ", onePort},
		),
	},
	"star": {
		Idea:   "All others send to the root at once, or the root to all others.",
		Wins:   "Rooted collectives of small messages, where one step is all that counts, and small AllReduce in two.",
		Ranks:  "any",
		Source: pages + "Star.md; AllReduce: hcomm src/legacy/ascend910, the small-count mesh of one 910B server",
		Forms: forms(
			[]string{allreduce, "2", "2α + 2nβ + (p-1)nγ", onePort},
			[]string{broadcast, "1", "α + nβ", onePort},
			[]string{reduce, "1", "α + nβ + (p-1)nγ", onePort},
			[]string{scatters, "1", "α + nβ/p", onePort},
			[]string{gathers, "1", "α + nβ/p", onePort},
		),
	},
	"nhr": {
		Idea:   "Partners are 1, 2, 4, ... ranks apart, modulo the number of ranks, which may be any. A rank passes on the slices whose owners lie an odd number of such distances away; gathering, the same messages run backwards.",
		Wins:   "Many ranks, and numbers that are no power of two: ⌈lg p⌉ steps with no more bytes than a ring. In AllReduce and Broadcast slices are reordered so that most messages are a single request; alone, ReduceScatter and AllGather are not.",
		Ranks:  "any",
		Source: pages + "NHR.md; " + templates + "nonuniform_hierarchical_ring_base.cc, temp_reduce_scatter/reduce_scatter_nhr.cc, temp_all_gather/all_gather_nhr.cc",
		Forms:  logForms(),
	},
	"nhr-oneshot": {
		Idea:   "NHR for small data: the whole buffer climbs a binomial tree to rank 0, adding up, and comes down again.",
		Wins:   "Small messages between servers: HCCL takes it for AllReduce up to 256 KiB for each NPU of a server, and for Broadcast up to 2 MiB. Nothing is cut, so a message is one request.",
		Ranks:  "any",
		Source: templates + "nonuniform_hierarchical_ring_base.cc; limits in algorithm/pub_inc/op_context.h",
		Forms: forms(
			[]string{allreduce, "2⌈lg p⌉", "2⌈lg p⌉(α + nβ) + ⌈lg p⌉nγ"},
			[]string{broadcast, "⌈lg p⌉", "⌈lg p⌉(α + nβ)"},
		),
	},
	"nb": {
		Idea:   "Bruck's scheme for any number of ranks: partners are 1, 2, 4, ... ranks apart; gathering, a rank sends all that it has, and in the last step what the other still lacks.",
		Wins:   "Where NHR does. Messages lie together when gathering, but not when slices are dealt out.",
		Ranks:  "any",
		Source: pages + "NB.md; " + templates + "nonuniform_bruck_base.cc, temp_*/{reduce_scatter,all_gather,all_reduce}_nb.cc",
		Forms:  logForms(),
	},
	"nb-tree": {
		Idea:   "NB's distances on a binary tree: in every step all that have the buffer send it on, the nearest rank first.",
		Wins:   "Broadcast of small messages, where NB in two halves would cost twice the latency.",
		Ranks:  "any",
		Source: pages + "NB.md; " + templates + "nonuniform_bruck_base.cc",
		Forms: forms(
			[]string{broadcast, "⌈lg p⌉", "⌈lg p⌉(α + nβ)"},
		),
	},
	"rhd": {
		Idea:   "Partners differ in one bit of their number: they swap halves of what they have left, the farthest partner and the largest half first, then go the same way back. Ranks beyond a power of two hand over to a neighbour first and get the result last.",
		Wins:   "Powers of two: ⌈lg p⌉ steps, no more bytes than a ring, one request a message. For other numbers the whole buffer travels twice more.",
		Ranks:  "any; best 2^k",
		Source: pages + "RHD.md; " + templates + "recursive_halvingdoubling_base.cc, temp_all_reduce/all_reduce_recursive_hd.cc, reduce_scatter_halving_doubling.cc",
		Forms: forms(
			[]string{allreduce, "2⌈lg p⌉", "2⌈lg p⌉α + (2(P-1)/P + 2f)nβ + ((P-1)/P + f)nγ"},
			[]string{allgather, "⌊lg p⌋ + 2f", "(⌊lg p⌋ + 2f)α + (h/p + f + f/p)nβ"},
			[]string{reducescatter, "⌊lg p⌋ + 2f", "(⌊lg p⌋ + 2f)α + (h/p + f + f/p)nβ + (h/p + f)nγ"},
			[]string{broadcast, "⌈lg p⌉", "⌈lg p⌉(α + nβ)"},
			[]string{reduce, "2⌊lg p⌋ + f", "(2⌊lg p⌋ + f)α + (2(P-1)/P + f)nβ + ((P-1)/P + f)nγ"},
		),
	},
	"rhd-doubling": {
		Idea:   "RHD with the distances the other way round: the nearest partner first, with the largest half, the farthest last, with the smallest.",
		Wins:   "Where near partners have faster or less shared links than far ones, as in a tapered tree of switches. Otherwise it costs what rhd does, but for more runs a message.",
		Ranks:  "any; best 2^k",
		Source: pages + "RHD.md, which allows it; the code does what rhd does",
		Forms: forms(
			[]string{allreduce, "2⌈lg p⌉", "2⌈lg p⌉α + (2(P-1)/P + 2f)nβ + ((P-1)/P + f)nγ"},
			[]string{reduce, "2⌊lg p⌋ + f", "(2⌊lg p⌋ + f)α + (2(P-1)/P + f)nβ + ((P-1)/P + f)nγ"},
		),
	},
	"rhd-oneshot": {
		Idea:   "Recursive doubling: partners that differ in one bit of their number exchange the whole buffer and add it up.",
		Wins:   "Small messages of a power of two of ranks: half the steps of any algorithm that cuts the buffer.",
		Ranks:  "any; best 2^k",
		Source: "hcomm src/legacy/ascend910/algorithm/impl/operator: all_reduce_operator.cc takes its Doubling up to 1 MiB on the 910A",
		Forms: forms(
			[]string{allreduce, "⌊lg p⌋ + 2f", "(⌊lg p⌋ + 2f)(α + nβ) + (⌊lg p⌋ + f)nγ"},
		),
	},
	"pairwise": {
		Idea:   "In step i every rank sends to the rank i places on and receives from the rank i places back: everybody has one partner each way at any time.",
		Wins:   "AlltoAll on ports that many senders at once would fight over.",
		Ranks:  "any",
		Source: pages + "Pairwise.md",
		Forms: forms(
			[]string{alltoall, "p-1", "(p-1)α + (p-1)/p·nβ"},
			[]string{alltoallv, "p-1", "(p-1)α + (p-1)/p·nβ", "equal blocks; else a bound: in every step the largest block of all ranks"},
			[]string{sendrecv, "1", "α + nβ"},
		),
	},
	"pipeline": {
		Idea:   "Two levels that work at once, a block of the buffer for each server: while the mesh inside the servers works on one block, the ring between ranks of the same number carries the one before on.",
		Wins:   "Large messages over servers with a mesh inside: the slower of the two levels hides the other, where a mix runs one after the other.",
		Ranks:  "servers of equally many",
		Source: pages + "Pipeline.md; " + templates + "reduce_scatter_pipeline.cc, all_gather_pipeline.cc",
		Forms: forms(
			[]string{allreduce, "2S", "2S(α + nβ/p) + (p-1)/p·nγ", pipelined},
			[]string{allgather, "S", "S(α + nβ/p)", pipelined},
			[]string{reducescatter, "S", "S(α + nβ/p) + (p-1)/p·nγ", pipelined},
		),
	},
	"ahc": {
		Idea:   "Servers of different sizes: the buffer is cut into as many parts as the least common multiple of their sizes, so that each server deals them out evenly; the owners of a part, one in each server, exchange it among themselves.",
		Wins:   "Where servers are of different sizes, which mixes refuse.",
		Ranks:  "servers, also of different sizes",
		Source: pages + "AHC.md; hcomm src/legacy/ascend910: comm_ahc_pub.h",
		Forms: forms(
			[]string{allreduce, "2⌈lg N⌉ + 2s", "(2⌈lg N⌉ + 2s)α + 2(p-1)/p·nβ + (p-1)/p·nγ", oneSize},
			[]string{allgather, "2(N-1) + S-1", "(2(N-1) + S-1)α + (p-1)/p·nβ + (N-1)/(pN)·nβ", oneSize},
			[]string{reducescatter, "2(N-1) + S-1", "(2(N-1) + S-1)α + (p-1)/p·n(β+γ) + (N-1)/(pN)·nβ", oneSize},
		),
	},
	host: {
		Idea:   "Every NPU copies its buffer to the host's memory, the CPU adds the buffers up one after the other, the hosts of several servers exchange the sums in a ring, and every NPU fetches the result.",
		Wins:   "Never: it is the baseline without a library on the NPUs, to compare with.",
		Ranks:  "servers, also of different sizes, whose hosts the topology describes",
		Source: "hcclsim's own",
		Forms:  forms([]string{allreduce, "2 + 2(S-1)", "", "on links between NPUs and hosts, which have an α and β of their own: docs/model.md has it"}),
	},
}

// onePort is what becomes of a mesh's and a star's form where a rank has a single port.
const onePort = "a link for every pair; with one port a rank, β counts p-1 times"

// pipelined is what the forms of pipeline rest on.
const pipelined = "N > 1, a link for every pair, all as fast; else (S-1)·max(inside, between) + inside instead of S of either"

// oneSize is what the forms of ahc rest on.
const oneSize = "servers of one size; where they differ N is the largest, and there are bounds only"

// twoWays is what the forms of double-ring rest on.
const twoWays = "p > 2 and a link for each direction; with one port a rank, β counts twice"

// fourRings is what the forms of multi-ring rest on.
const fourRings = "all pairs have links as fast: no two rings take the same one; PCIe between the quads of a 910A server is slower"

// logForms are the forms of NHR and NB.
func logForms() []Form {
	return forms(
		[]string{allreduce, "2⌈lg p⌉", "2⌈lg p⌉α + 2(p-1)/p·nβ + (p-1)/p·nγ"},
		[]string{allgather, "⌈lg p⌉", "⌈lg p⌉α + (p-1)/p·nβ"},
		[]string{reducescatter, "⌈lg p⌉", "⌈lg p⌉α + (p-1)/p·n(β+γ)"},
		[]string{broadcast, "2⌈lg p⌉", "2⌈lg p⌉α + 2(p-1)/p·nβ"},
		[]string{scatters, "⌈lg p⌉", "⌈lg p⌉α + (p-1)/p·nβ"},
	)
}
