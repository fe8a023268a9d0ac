package scenarios

import "hcclsim/model"

// Checks of streams that need no more than their operators, and so run whatever else is wrong
// with the document. A mistake of an operator on many ranks is one mistake.

// onRanks are the ranks on which something is wrong with each operator, in the order of the
// document.
type onRanks struct {
	operators []*operator
	ranks     map[*operator][]int32
}

func (f *onRanks) add(o *operator, rank int32) {
	if f.ranks == nil {
		f.ranks = map[*operator][]int32{}
	}
	if f.ranks[o] == nil {
		f.operators = append(f.operators, o)
	}
	f.ranks[o] = append(f.ranks[o], rank)
}

// report says of each operator, at its place, that it is wrong on its ranks.
func (f *onRanks) report(say func(o *operator, ranks string, first int32)) {
	for _, o := range f.operators {
		say(o, model.RanksText(f.ranks[o]), f.ranks[o][0])
	}
}

// each visits the operators of a kind, or of all kinds, on each of their ranks.
func (set *streamSet) each(kind string, visit func(o *operator, rank int32)) {
	for i := range set.streams {
		st := &set.streams[i]
		for j := range st.operators {
			if o := &st.operators[j]; kind == "" || o.kind == kind {
				for _, r := range st.ranks {
					visit(o, r)
				}
			}
		}
	}
}

// checkPlaces reports operators of ranks that are not in their communicator, and messages to
// nobody.
func (set *streamSet) checkPlaces(comms map[string]*communicator) {
	var outside, beyond, itself onRanks
	set.each("", func(o *operator, rank int32) {
		comm := comms[o.comm]
		if comm == nil || o.of.Kind != model.OpCall {
			return
		}
		members := comm.members(rank)
		switch {
		case members == nil:
			outside.add(o, rank)
		case o.kind != opSend && o.kind != opRecv:
		case o.peer >= len(members):
			beyond.add(o, rank)
		case members[o.peer] == rank:
			itself.add(o, rank)
		}
	})
	outside.report(func(o *operator, ranks string, _ int32) {
		o.at.Errorf("%s: in no group of communicator %s", ranks, o.comm)
	})
	beyond.report(func(o *operator, _ string, first int32) {
		o.at.Errorf("rank %d of communicator %s does not exist: its groups have %d ranks", o.peer, o.comm, len(comms[o.comm].members(first)))
	})
	itself.report(func(o *operator, ranks string, _ int32) {
		verb := map[string]string{opSend: "sends to", opRecv: "receives from"}[o.kind]
		o.at.Errorf("%s %s itself", ranks, verb)
	})
}

// eventOf is an event of a rank.
type eventOf struct {
	rank  int32
	event int
}

// checkEvents reports waits for events that their rank does not record, and events that it
// records twice.
func (set *streamSet) checkEvents() {
	recorded := map[eventOf]*operator{}
	var twice, never onRanks
	set.each(opRecord, func(o *operator, rank int32) {
		at := eventOf{rank, o.of.Event}
		if recorded[at] != nil {
			twice.add(o, rank)
			return
		}
		recorded[at] = o
	})
	set.each(opWait, func(o *operator, rank int32) {
		if recorded[eventOf{rank, o.of.Event}] == nil {
			never.add(o, rank)
		}
	})
	twice.report(func(o *operator, ranks string, first int32) {
		o.at.Errorf("event %s is recorded twice on %s, first at %s", o.name, ranks, recorded[eventOf{first, o.of.Event}].at.Node().Position())
	})
	never.report(func(o *operator, ranks string, _ int32) {
		o.at.Errorf("nobody on %s records event %s", ranks, o.name)
	})
}
