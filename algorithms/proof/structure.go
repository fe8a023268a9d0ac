package proof

import (
	"fmt"

	"hcclsim/algorithms"
)

// checkSteps checks every step and both of its halves.
func (g *graph) checkSteps() error {
	for i := range g.steps {
		st, me := &g.steps[i], g.refs[i]
		if st.After.Rank >= 0 {
			if _, ok := g.id(st.After); !ok || st.After.Rank != me.Rank {
				return fmt.Errorf("%s comes after %s, which is no step of this rank", name(me), name(st.After))
			}
		}
		if (st.Send.Peer == me) != (st.Recv.Peer == me) {
			return fmt.Errorf("%s is half a local copy: both halves must name the step itself", name(me))
		}
		if st.Reduce && (st.Recv.Peer.Rank < 0 || st.Recv.Set.Count == 0) {
			return fmt.Errorf("%s reduces but receives no data", name(me))
		}
		if err := g.checkHalf(i, true); err != nil {
			return err
		}
		if err := g.checkHalf(i, false); err != nil {
			return err
		}
	}
	for i := range int32(len(g.steps)) {
		if st := &g.steps[i]; st.Send.Peer.Rank >= 0 {
			if err := g.checkPair(i, st.Send); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHalf checks the Send half of step i, or its Recv half, against the partner's.
func (g *graph) checkHalf(i int, send bool) error {
	st, me := &g.steps[i], g.refs[i]
	mine, verb, back := st.Recv, "receives from", "sends to"
	if send {
		mine, verb, back = st.Send, back, verb
	}
	if mine.Peer.Rank < 0 {
		g.halves.add(algorithms.Set{})
		return nil
	}
	id, ok := g.id(mine.Peer)
	if !ok {
		return fmt.Errorf("%s %s %s, which does not exist", name(me), verb, name(mine.Peer))
	}
	other := &g.steps[id]
	theirs := other.Recv
	if !send {
		theirs = other.Send
	}
	if theirs.Peer != me {
		return fmt.Errorf("%s %s %s, which does not refer back: it %s%s", name(me), verb, name(mine.Peer), partner(back, theirs.Peer), neighbour(st))
	}
	if err := g.checkSet(me, mine); err != nil {
		return err
	}
	if !send {
		return nil // the pair was compared from the sender's side
	}
	if st.Synced != other.Synced || st.Drive != other.Drive {
		return fmt.Errorf("%s and %s do not agree on who drives their message, or whether it is synced", name(me), name(mine.Peer))
	}
	if st.Synced && mine.Set.Count > 0 && st.Drive == algorithms.LinkDefault {
		return fmt.Errorf("%s is synced but does not say who drives it", name(me))
	}
	return nil
}

// partner says what a step does that does not refer back.
func partner(verb string, peer algorithms.Ref) string {
	if peer.Rank < 0 {
		return "has no such half"
	}
	return verb + " " + name(peer)
}

// neighbour explains the mistake of a ring whose ranks send to the neighbour that they
// receive from.
func neighbour(st *algorithms.Step) string {
	if st.Send.Peer.Rank < 0 || st.Send.Peer.Rank != st.Recv.Peer.Rank {
		return ""
	}
	return fmt.Sprintf(" (the step sends to rank %d and receives from rank %d too: in a ring a rank that sends to one neighbour must receive from the other)",
		st.Send.Peer.Rank, st.Recv.Peer.Rank)
}

// checkSet makes sure that a half's slices exist. Those of Scratch exist by being named.
func (g *graph) checkSet(me algorithms.Ref, h algorithms.Half) error {
	s := h.Set
	if s.Count == 0 {
		g.halves.add(s)
		return nil
	}
	if s.Count < 0 || s.Width < 1 || s.Mod < 1 {
		return fmt.Errorf("%s has a malformed set %+v", name(me), s)
	}
	if int(h.Buf) >= buffers {
		return fmt.Errorf("%s uses a buffer that does not exist: number %d", name(me), h.Buf)
	}
	if r := g.s.Request; h.Buf != algorithms.Scratch && (h.Buf == algorithms.Data) != r.InPlace {
		return fmt.Errorf("%s uses a buffer that an %s does not have: %s", name(me), place(r), bufferNames[h.Buf])
	}
	for _, slice := range g.halves.add(s) {
		if slice < 0 || int(slice) >= len(g.halves.sizes[h.Buf]) {
			return fmt.Errorf("%s names slice %d of %s, which has %d", name(me), slice, bufferNames[h.Buf], len(g.halves.sizes[h.Buf]))
		}
		if h.Buf == algorithms.Scratch {
			g.cells.add(me.Rank, h.Buf, int(slice))
		} else if !g.cells.has(me.Rank, h.Buf, int(slice)) {
			return fmt.Errorf("%s names slice %d of %s, for which the rank has no room there", name(me), slice, bufferNames[h.Buf])
		}
	}
	return nil
}

func place(r algorithms.Request) string {
	if r.InPlace {
		return "in-place collective"
	}
	return "out-of-place collective"
}

// checkPair compares the slices of both ends of the message that step i sends.
func (g *graph) checkPair(i int32, send algorithms.Half) error {
	to, _ := g.id(send.Peer)
	from, into := g.halves.sent(i), g.halves.received(to)
	if len(from) != len(into) {
		return fmt.Errorf("%s sends %d slices but %s expects %d", g.name(i), len(from), name(send.Peer), len(into))
	}
	out, in := g.halves.sizes[send.Buf], g.halves.sizes[g.steps[to].Recv.Buf]
	for j, slice := range from {
		if a, b := out[slice], in[into[j]]; a != b {
			return fmt.Errorf("%s sends slice %d of %d bytes into slice %d of %d bytes at %s", g.name(i), slice, a, into[j], b, name(send.Peer))
		}
	}
	return nil
}
