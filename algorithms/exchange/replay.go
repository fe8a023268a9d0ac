package exchange

import (
	"fmt"

	"hcclsim/algorithms"
)

// replay executes the steps of a program in an order that the program allows, without
// clock and data. Every message waits until both its ranks have reached its step, and ends
// the step's half of both; a signal lets the receiver's half end once the sender has begun
// its step. Synced messages are taken for ones with a handshake, as files know no other.
type replay struct {
	program algorithms.Program
	first   []int32 // lane of each rank
	lanes   []player
	ready   []int32

	// What happens, in order; each may be nil.
	begins func(at algorithms.Ref, st *algorithms.Step)
	moves  func(from, to algorithms.Ref, send, recv *algorithms.Step) // data, or a local copy
	ends   func(at algorithms.Ref)
}

// player is where a lane is.
type player struct {
	at                 algorithms.Ref
	steps              int32
	step               algorithms.Step
	begun              bool
	sending, receiving bool // halves that are not over
	waiting            []int32
}

// run executes the program. If it does not come to its end, stuck names the steps of a
// circle, each of which waits for the next.
func (r *replay) run() (stuck []algorithms.Ref, err error) {
	for rank := range r.program.Ranks() {
		r.first = append(r.first, int32(len(r.lanes)))
		for lane := range r.program.Lanes(rank) {
			r.ready = append(r.ready, int32(len(r.lanes)))
			r.lanes = append(r.lanes, player{at: algorithms.Ref{Rank: int32(rank), Lane: int32(lane)}, steps: int32(r.program.Steps(rank, lane))})
		}
	}
	for len(r.ready) > 0 {
		i := r.ready[0]
		r.ready = r.ready[1:]
		if err := r.goOn(i); err != nil {
			return nil, err
		}
	}
	for i := range r.lanes {
		if r.lanes[i].at.Step < r.lanes[i].steps {
			return r.circle(int32(i)), nil
		}
	}
	return nil, nil
}

// lane is the number of the lane of a step; an error if there is no such step.
func (r *replay) lane(ref algorithms.Ref) (int32, error) {
	if ref.Rank >= 0 && int(ref.Rank) < len(r.first) && ref.Lane >= 0 {
		i := r.first[ref.Rank] + ref.Lane
		if int(i) < len(r.lanes) && r.lanes[i].at.Rank == ref.Rank && ref.Step >= 0 && ref.Step < r.lanes[i].steps {
			return i, nil
		}
	}
	return 0, fmt.Errorf("a step refers to %s, which does not exist", name(ref))
}

// goOn takes a lane as far as it can go.
func (r *replay) goOn(i int32) error {
	l := &r.lanes[i]
	for l.at.Step < l.steps {
		if !l.begun {
			if begun, err := r.begin(i, l); !begun {
				return err
			}
		}
		if err := r.halves(i, l); err != nil {
			return err
		}
		if l.sending || l.receiving {
			return nil
		}
		if r.ends != nil {
			r.ends(l.at)
		}
		l.begun = false
		l.at.Step++
		r.ready = append(r.ready, l.waiting...)
		l.waiting = l.waiting[:0]
	}
	return nil
}

// begin begins a lane's step if what it comes after is over.
func (r *replay) begin(i int32, l *player) (bool, error) {
	l.step = r.program.Step(int(l.at.Rank), int(l.at.Lane), int(l.at.Step))
	if after := l.step.After; after.Rank >= 0 {
		on, err := r.lane(after)
		if err != nil {
			return false, err
		}
		if r.lanes[on].at.Step <= after.Step {
			r.lanes[on].waiting = append(r.lanes[on].waiting, i)
			return false, nil
		}
	}
	l.begun = true
	l.sending, l.receiving = l.step.Send.Peer.Rank >= 0, l.step.Recv.Peer.Rank >= 0
	if r.begins != nil {
		r.begins(l.at, &l.step)
	}
	return true, nil
}

// halves ends what can end of a lane's step.
func (r *replay) halves(i int32, l *player) error {
	if l.sending {
		peer, err := r.lane(l.step.Send.Peer)
		if err != nil {
			return err
		}
		to := &r.lanes[peer]
		met := to.begun && to.at == l.step.Send.Peer && to.receiving
		switch {
		case l.step.Send.Set.Count == 0:
			l.sending = false
			r.ready = append(r.ready, peer)
		case met && to.step.Recv.Peer != l.at:
			return fmt.Errorf("%s sends to %s, which does not refer back", name(l.at), name(to.at))
		case met:
			r.move(l, to)
			r.ready = append(r.ready, peer)
		}
	}
	if l.receiving {
		peer, err := r.lane(l.step.Recv.Peer)
		if err != nil {
			return err
		}
		from := &r.lanes[peer]
		met := from.begun && from.at == l.step.Recv.Peer
		switch {
		case l.step.Recv.Set.Count == 0:
			l.receiving = !met && from.at.Step <= l.step.Recv.Peer.Step
		case met && from.sending:
			r.ready = append(r.ready, peer) // which moves the data
		}
	}
	return nil
}

func (r *replay) move(from, to *player) {
	from.sending, to.receiving = false, false
	if r.moves != nil {
		r.moves(from.at, to.at, &from.step, &to.step)
	}
}

// circle follows what a lane waits for until it comes back.
func (r *replay) circle(i int32) []algorithms.Ref {
	var path []algorithms.Ref
	seen := make(map[int32]int)
	for {
		if from, ok := seen[i]; ok {
			return path[from:]
		}
		seen[i] = len(path)
		l := &r.lanes[i]
		path = append(path, l.at)
		waits := l.step.After
		switch {
		case l.begun && l.sending:
			waits = l.step.Send.Peer
		case l.begun:
			waits = l.step.Recv.Peer
		}
		if waits.Rank < 0 {
			return path
		}
		i = r.first[waits.Rank] + waits.Lane
	}
}

func name(r algorithms.Ref) string {
	return fmt.Sprintf("rank %d lane %d step %d", r.Rank, r.Lane, r.Step)
}
