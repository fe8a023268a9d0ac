package algorithms

import (
	"cmp"
	"fmt"
	"slices"
)

// Transfer is one message with data, or a local copy (From is To).
type Transfer struct {
	From, To   int
	Send, Recv Half // what leaves From, and where it arrives at To
	Reduce     bool // it is combined with what is at To
	Requests   int  // pieces that lie together at both ends: over RDMA a request each
}

// Round is what happens at once when every message takes as long as every other.
type Round struct {
	Copies   []Transfer // local, before the messages of the round
	Messages []Transfer // in the order of From, then of To
}

// Rounds orders the transfers of a schedule as a student would draw them. Where every rank
// has a single lane and partners meet in steps of the same number, a round is such a step.
// Otherwise the round of a message is the length of the longest chain of messages that must
// be over before it can begin. Signals, slices without bytes and steps without messages make
// no round. Copies behind the last message are in a last round without messages. It is an
// error if steps wait for each other in a circle.
func Rounds(s *Schedule) ([]Round, error) {
	r := newRounds(s)
	if err := r.walk(); err != nil {
		return nil, err
	}
	if r.lockstep {
		r.squeeze()
	}
	var list []Round
	for _, t := range r.transfers {
		for t.round >= len(list) {
			list = append(list, Round{})
		}
		at := &list[t.round]
		if t.From == t.To {
			at.Copies = append(at.Copies, t.Transfer)
		} else {
			at.Messages = append(at.Messages, t.Transfer)
		}
	}
	for _, round := range list {
		slices.SortStableFunc(round.Messages, func(a, b Transfer) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
	}
	return list, nil
}

// rounds is a walk along all lanes at once. Times are counted in messages.
type rounds struct {
	s         *Schedule
	first     []int // of each rank's lanes
	lanes     []walker
	transfers []timed
	lockstep  bool // all have one lane, and partners meet in steps of the same number
}

// walker is how far the walk has come on a lane.
type walker struct {
	rank, lane int
	ends       []int // of the steps that are over
	begun      bool  // the current step has waited for what comes before it
	start, end int   // of the current step
	sent, got  bool  // its halves are over
}

// timed is a transfer with its round, and its step in the lane of From.
type timed struct {
	Transfer
	round, step int
}

func newRounds(s *Schedule) *rounds {
	r := &rounds{s: s, lockstep: true}
	for rank := range s.Ranks() {
		r.first = append(r.first, len(r.lanes))
		for lane := range s.Lanes(rank) {
			r.lanes = append(r.lanes, walker{rank: rank, lane: lane})
			r.lockstep = r.lockstep && lane == 0
		}
	}
	return r
}

func (r *rounds) lane(ref Ref) *walker { return &r.lanes[r.first[ref.Rank]+int(ref.Lane)] }

// walk goes along all lanes as far as possible.
func (r *rounds) walk() error {
	for more := true; more; {
		more = false
		for l := range r.lanes {
			for r.advance(&r.lanes[l]) {
				more = true
			}
		}
	}
	for _, l := range r.lanes {
		if k := len(l.ends); k < r.s.Steps(l.rank, l.lane) {
			return fmt.Errorf("rank %d, lane %d, step %d waits for itself", l.rank, l.lane, k)
		}
	}
	return nil
}

// advance takes a lane a bit further, if that can be.
func (r *rounds) advance(l *walker) bool {
	k := len(l.ends)
	if k >= r.s.Steps(l.rank, l.lane) {
		return false
	}
	st := r.s.Step(l.rank, l.lane, k)
	switch {
	case !l.begun:
		if st.After.Rank >= 0 {
			before := r.lane(st.After).ends
			if len(before) <= int(st.After.Step) {
				return false
			}
			l.end = max(l.end, before[st.After.Step])
		}
		l.begun, l.start = true, l.end
		l.sent, l.got = st.Send.Peer.Rank < 0, st.Recv.Peer.Rank < 0
		return true
	case !l.sent && r.exchange(l, st):
		return true
	case l.sent && l.got:
		l.ends = append(l.ends, l.end)
		l.begun = false
		return true
	}
	return false
}

// exchange carries out what a step sends if the partner's step has begun.
func (r *rounds) exchange(l *walker, st Step) bool {
	peer := st.Send.Peer
	p := r.lane(peer)
	if len(p.ends) != int(peer.Step) || !p.begun {
		return false
	}
	start := max(l.start, p.start)
	end := start
	arrival := r.s.Step(p.rank, p.lane, int(peer.Step))
	t := Transfer{From: l.rank, To: p.rank, Send: st.Send, Recv: arrival.Recv, Reduce: arrival.Reduce}
	Pieces(r.s.Layout, t.Send, t.Recv, func(_, _ int64) bool { t.Requests++; return true })
	if t.Requests > 0 {
		r.transfers = append(r.transfers, timed{t, start, len(l.ends)})
		if t.From != t.To {
			end++
		}
	}
	r.lockstep = r.lockstep && len(l.ends) == len(p.ends)
	l.sent, p.got = true, true
	l.end, p.end = max(l.end, end), max(p.end, end)
	return true
}

// squeeze numbers rounds by the steps of the lanes, without those in which no message is
// sent.
func (r *rounds) squeeze() {
	messages := map[int]bool{}
	last := 0
	for _, t := range r.transfers {
		messages[t.step] = messages[t.step] || t.From != t.To
		last = max(last, t.step)
	}
	round := make([]int, last+1)
	for k, n := 0, 0; k <= last; k++ {
		round[k] = n
		if messages[k] {
			n++
		}
	}
	for i := range r.transfers {
		r.transfers[i].round = round[r.transfers[i].step]
	}
}
