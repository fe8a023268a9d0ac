package proof

import (
	"fmt"

	"hcclsim/algorithms"
)

// message is data that move: from a step's Send half to a step's Recv half, which for a
// local copy are of one step. Messages without bytes are left out.
type message struct{ from, to int32 }

// graph is a schedule written out: steps, messages, and what has to wait for what. Nodes
// are the start (2i) and the end (2i+1) of step i, then the messages.
type graph struct {
	s        *algorithms.Schedule
	ranks    int
	lanes    []int32 // number of the first lane of each rank, and of all lanes
	first    []int32 // number of the first step of each lane, and of all steps
	steps    []algorithms.Step
	refs     []algorithms.Ref
	cells    cells
	halves   halves
	messages []message
	sends    []int32 // by step: the message that it sends, or -1
	recvs    []int32

	begin []int32 // by node: where its predecessors begin in preds
	preds []int32
	order []int32 // the nodes in an order in which predecessors come first

	waits, follow, at, succs []int32 // work space of sort
}

func start(step int32) int32 { return 2 * step }
func end(step int32) int32   { return 2*step + 1 }

func (g *graph) node(message int32) int32 { return int32(2*len(g.steps)) + message }

// id is the number of the step that a ref names; ok is false where there is none.
func (g *graph) id(r algorithms.Ref) (step int32, ok bool) {
	if r.Rank < 0 || int(r.Rank) >= g.ranks {
		return 0, false
	}
	lane := g.lanes[r.Rank] + r.Lane
	if r.Lane < 0 || lane >= g.lanes[r.Rank+1] {
		return 0, false
	}
	step = g.first[lane] + r.Step
	return step, r.Step >= 0 && step < g.first[lane+1]
}

// load writes the steps out, checks their structure and orders them.
func (g *graph) load(s *algorithms.Schedule) error {
	g.s, g.ranks = s, s.Ranks()
	g.lanes, g.first = g.lanes[:0], g.first[:0]
	g.steps, g.refs = g.steps[:0], g.refs[:0]
	for rank := range g.ranks {
		g.lanes = append(g.lanes, int32(len(g.first)))
		for lane := range s.Lanes(rank) {
			g.first = append(g.first, int32(len(g.steps)))
			for k := range s.Steps(rank, lane) {
				g.steps = append(g.steps, s.Step(rank, lane, k))
				g.refs = append(g.refs, algorithms.Ref{Rank: int32(rank), Lane: int32(lane), Step: int32(k)})
			}
		}
	}
	g.lanes = append(g.lanes, int32(len(g.first)))
	g.first = append(g.first, int32(len(g.steps)))
	if err := g.checkRequest(); err != nil {
		return err
	}
	g.cells.reset(s)
	g.halves.reset(s)
	if err := g.checkLayout(); err != nil {
		return err
	}
	if err := g.checkSteps(); err != nil {
		return err
	}
	g.cells.number()
	g.halves.number(g.steps, g.refs, &g.cells)
	if err := g.checkScratch(); err != nil {
		return err
	}
	g.link()
	return g.sort()
}

// link lists the messages and the predecessors of every node.
func (g *graph) link() {
	g.messages = g.messages[:0]
	g.sends, g.recvs = fill(g.sends, len(g.steps)), fill(g.recvs, len(g.steps))
	for i := range g.steps {
		if !moves(g.halves.sent(int32(i))) {
			continue
		}
		to, _ := g.id(g.steps[i].Send.Peer)
		g.sends[i], g.recvs[to] = int32(len(g.messages)), int32(len(g.messages))
		g.messages = append(g.messages, message{from: int32(i), to: to})
	}
	g.begin, g.preds = g.begin[:0], g.preds[:0]
	for i := range int32(len(g.steps)) {
		g.linkStep(i)
	}
	for _, m := range g.messages {
		g.begin = append(g.begin, int32(len(g.preds)))
		if g.drives(g.sends[m.from], m.from) {
			g.preds = append(g.preds, start(m.from))
		}
		if m.to != m.from && g.drives(g.recvs[m.to], m.to) {
			g.preds = append(g.preds, start(m.to))
		}
	}
	g.begin = append(g.begin, int32(len(g.preds)))
}

// linkStep lists what the start and the end of step i wait for.
func (g *graph) linkStep(i int32) {
	st := &g.steps[i]
	g.begin = append(g.begin, int32(len(g.preds)))
	if g.refs[i].Step > 0 {
		g.preds = append(g.preds, end(i-1))
	}
	if after, ok := g.id(st.After); ok {
		g.preds = append(g.preds, end(after))
	}
	g.begin = append(g.begin, int32(len(g.preds)))
	moved := len(g.preds)
	if m := g.sends[i]; m >= 0 && g.drives(m, i) {
		g.preds = append(g.preds, g.node(m))
	}
	if m := g.recvs[i]; m >= 0 && g.drives(m, i) && g.sends[i] != m {
		g.preds = append(g.preds, g.node(m))
	}
	if len(g.preds) == moved {
		g.preds = append(g.preds, start(i)) // else its messages have waited for the start
	}
	if st.Recv.Peer.Rank >= 0 && st.Recv.Set.Count == 0 {
		from, _ := g.id(st.Recv.Peer)
		g.preds = append(g.preds, start(from))
	}
}

// drives says whether step i and message m, one of its two, wait for each other.
func (g *graph) drives(m, i int32) bool {
	st := &g.steps[i]
	return !st.Synced || (st.Drive == algorithms.Write) == (g.messages[m].from == i)
}

// sort orders the nodes, first come first served, or finds a deadlock.
func (g *graph) sort() error {
	n := len(g.begin) - 1
	waits, follow := zeros(g.waits, n), zeros(g.follow, n+1)
	for _, p := range g.preds {
		follow[p+1]++
	}
	for v := range n {
		waits[v] = g.begin[v+1] - g.begin[v]
		follow[v+1] += follow[v]
	}
	succs, at := zeros(g.succs, len(g.preds)), append(g.at[:0], follow...)
	g.waits, g.follow, g.succs, g.at = waits, follow, succs, at
	g.order = g.order[:0]
	for v := range int32(n) {
		for _, p := range g.preds[g.begin[v]:g.begin[v+1]] {
			succs[at[p]] = v
			at[p]++
		}
		if waits[v] == 0 {
			g.order = append(g.order, v)
		}
	}
	for i := 0; i < len(g.order); i++ {
		v := g.order[i]
		for _, s := range succs[follow[v]:follow[v+1]] {
			if waits[s]--; waits[s] == 0 {
				g.order = append(g.order, s)
			}
		}
	}
	if len(g.order) < n {
		return g.deadlock(waits)
	}
	return nil
}

// deadlock names a circle of steps that wait for each other. waits counts the unfinished
// predecessors of every node.
func (g *graph) deadlock(waits []int32) error {
	v := int32(0)
	for waits[v] == 0 {
		v++
	}
	seen := make(map[int32]int)
	var path []int32
	for {
		if from, ok := seen[v]; ok {
			path = path[from:]
			break
		}
		seen[v] = len(path)
		path = append(path, v)
		for _, p := range g.preds[g.begin[v]:g.begin[v+1]] {
			if waits[p] > 0 {
				v = p
				break
			}
		}
	}
	text, last := "", int32(-1)
	for _, v := range append(path, path[0]) {
		if v >= int32(2*len(g.steps)) || v/2 == last {
			continue
		}
		if text != "" {
			text += " waits for "
		}
		last = v / 2
		text += g.name(last)
	}
	return fmt.Errorf("deadlock: %s", text)
}

// name names a step for an error.
func (g *graph) name(step int32) string { return name(g.refs[step]) }

func name(r algorithms.Ref) string {
	return fmt.Sprintf("rank %d lane %d step %d", r.Rank, r.Lane, r.Step)
}

// cellName names a cell for an error.
func (g *graph) cellName(cell int) string {
	for b := range algorithms.Buffer(buffers) {
		for rank := range g.ranks {
			for slice := range g.cells.of(rank, b) {
				if g.cells.cell(int32(rank), b, slice) == cell {
					return fmt.Sprintf("slice %d of %s of rank %d", slice, bufferNames[b], rank)
				}
			}
		}
	}
	return fmt.Sprintf("cell %d", cell)
}

// fill returns n times -1, in the memory of s if it is large enough.
func fill(s []int32, n int) []int32 {
	s = s[:0]
	for range n {
		s = append(s, -1)
	}
	return s
}
