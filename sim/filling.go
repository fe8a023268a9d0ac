package sim

import "math"

// filling is the state of progressive filling: the part of the flow-link graph that a
// change can reach, and what is left of its links. Its slices are kept between solves.
type filling struct {
	epoch uint32
	flows []int32
	links []int32 // that couple flows
	rim   []int32 // that do not as far as is known, and are crossed by flows
	full  []int32 // that fill up together
	open  []open  // links with flows whose rate is not known yet
	place []int32 // by link, its place in open
}

// open is a link while it is being filled.
type open struct {
	left  wide   // capacity left, in units of rate times factor
	load  uint64 // sum over its open flows of weight*factor
	level uint64 // rate per weight at which it would be full; 0: to be computed
	link  int32
}

// closed is the place of a link that is not in filling.open.
const closed = -1

// solve gives new rates to all flows that the changes of this instant can reach.
//
// A change passes only through links that hold flows back. A link that in the outcome has
// a unit of level to spare (see tight) is never the next to be full, so filling gives the
// same rates without it. So links that were not tight are left out at first; those that
// turn out to be tight are let in and the filling is done again.
func (f *Flows) solve() {
	f.reach()
	f.fill()
	for f.widen() {
		f.fill()
	}
	s := &f.share
	for _, i := range s.links {
		f.links[i].tight = f.tight(i)
	}
	for _, id := range s.flows {
		w := &f.flows[id]
		if w.next != w.rate {
			f.assign(id, w, w.next)
		}
	}
}

// reach collects the flows that have started, those that a changed link did hold, and
// what is coupled with them.
func (f *Flows) reach() {
	s := &f.share
	s.epoch++
	s.flows, s.links, s.rim = s.flows[:0], s.links[:0], s.rim[:0]
	for _, i := range f.moved {
		l := &f.links[i]
		l.binding, l.moved = l.contended(), false
	}
	for _, i := range f.moved {
		l := &f.links[i]
		switch {
		case l.tight && l.binding:
			f.reachLink(i, l)
		case l.tight: // no longer: it lets go the flows that it held
			l.tight = false
			for _, u := range f.on(i) {
				f.reachFlow(u >> useBits)
			}
		}
	}
	for _, id := range f.fresh {
		f.reachFlow(id)
	}
	f.spread(0)
	f.moved = f.moved[:0]
}

// spread reaches what the links from place n on couple.
func (f *Flows) spread(n int) {
	for s := &f.share; n < len(s.links); n++ {
		for _, u := range f.on(s.links[n]) {
			f.reachFlow(u >> useBits)
			f.flows[u>>useBits].coupled = true
		}
	}
}

func (f *Flows) reachLink(i int32, l *link) {
	s := &f.share
	if l.seen == s.epoch {
		return
	}
	l.seen = s.epoch
	if l.tight {
		s.links = append(s.links, i)
	} else {
		s.rim = append(s.rim, i)
	}
}

func (f *Flows) reachFlow(id int32) {
	s, w := &f.share, &f.flows[id]
	if w.seen == s.epoch {
		return
	}
	w.seen, w.coupled = s.epoch, false
	s.flows = append(s.flows, id)
	for i := range w.use[:w.uses] {
		if l := &f.links[w.use[i].link]; l.binding {
			f.reachLink(w.use[i].link, l)
		}
	}
}

// widen lets in the links of the rim that the new rates make tight; false: there are none.
func (f *Flows) widen() bool {
	s := &f.share
	n, kept := len(s.links), s.rim[:0]
	for _, i := range s.rim {
		if f.links[i].tight = f.tight(i); f.links[i].tight {
			s.links = append(s.links, i)
		} else {
			kept = append(kept, i)
		}
	}
	s.rim = kept
	f.spread(n)
	return n < len(s.links)
}

// tight tells whether a link has less than a unit of level to spare. If it has one, then
// at every level of the filling what is left of it covers that level and one more for its
// open flows, since those get no less in the end.
func (f *Flows) tight(i int32) bool {
	l := &f.links[i]
	need := wide{lo: l.load}
	for _, m := range f.on(i) {
		w := &f.flows[m>>useBits]
		rate := w.rate
		if w.seen == f.share.epoch {
			rate = w.next
		}
		need = need.plus(product(uint64(rate), uint64(w.use[m&(MaxUses-1)].factor)))
	}
	return l.room().less(need)
}

// fill finds the rates by progressive filling. The level, the rate of every open flow per
// weight, rises. A flow whose ceiling is reached keeps it; when links are full, their
// open flows keep the level. All links that fill up together are found before any flow
// is taken off, so that the order in which links are looked at does not matter.
func (f *Flows) fill() {
	s := &f.share
	s.open = s.open[:0]
	for n, i := range s.links {
		l := &f.links[i]
		s.place[i] = int32(n)
		s.open = append(s.open, open{left: l.room(), load: l.load, link: i})
	}
	for _, id := range s.flows {
		w := &f.flows[id]
		w.next = w.ceiling
		if w.coupled {
			w.next = 0
		}
	}
	capped := f.fillCapped(0)
	for {
		level := f.lowest()
		if len(s.open) == 0 {
			return
		}
		if capped <= level {
			capped = f.fillCapped(level)
			continue
		}
		s.full = s.full[:0]
		for n := len(s.open) - 1; n >= 0; n-- {
			if s.open[n].level == level {
				s.full = append(s.full, s.open[n].link)
				f.close(n)
			}
		}
		for _, i := range s.full {
			for _, u := range f.on(i) {
				if w := &f.flows[u>>useBits]; w.next == 0 {
					f.settleRate(w, Rate(level)*Rate(w.weight))
				}
			}
		}
	}
}

// lowest is the level at which the next links are full. Links without open flows are
// closed on the way.
func (f *Flows) lowest() uint64 {
	s := &f.share
	level := uint64(math.MaxUint64)
	for n := len(s.open) - 1; n >= 0; n-- {
		o := &s.open[n]
		if o.load == 0 {
			f.close(n)
			continue
		}
		if o.level == 0 {
			o.level = o.left.over(o.load)
		}
		level = min(level, o.level)
	}
	return level
}

// close removes place n of the open links.
func (f *Flows) close(n int) {
	s := &f.share
	last := len(s.open) - 1
	s.place[s.open[n].link] = closed
	if n != last {
		s.open[n] = s.open[last]
		s.place[s.open[n].link] = int32(n)
	}
	s.open = s.open[:last]
}

// fillCapped settles the open flows whose ceiling the level has reached, and returns the
// level at which the next one reaches its own.
func (f *Flows) fillCapped(level uint64) uint64 {
	lowest := uint64(math.MaxUint64)
	for _, id := range f.share.flows {
		w := &f.flows[id]
		if w.next != 0 {
			continue
		}
		own := uint64(w.ceiling)
		if w.weight != 1 {
			own = (own + uint64(w.weight) - 1) / uint64(w.weight)
		}
		if own <= level {
			f.settleRate(w, w.ceiling)
		} else {
			lowest = min(lowest, own)
		}
	}
	return lowest
}

// settleRate gives an open flow its rate and takes it off its open links.
func (f *Flows) settleRate(w *flow, rate Rate) {
	w.next = rate
	for i := range int(w.uses) {
		u := &w.use[i]
		place := f.share.place[u.link]
		if place == closed {
			continue
		}
		o := &f.share.open[place]
		o.left = o.left.minus(product(uint64(rate), uint64(u.factor)))
		o.load -= uint64(w.weight) * uint64(u.factor)
		o.level = 0
	}
}
