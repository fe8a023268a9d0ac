package sim

import "math"

// filling is the state of progressive filling: the part of the flow-link graph that a
// change can reach, and what is left of its links. Its slices are kept between solves.
type filling struct {
	epoch uint32
	flows []int32
	links []int32
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
func (f *Flows) solve() {
	f.reach()
	f.fill()
	for _, id := range f.share.flows {
		w := &f.flows[id]
		if w.next != w.rate {
			f.assign(id, w, w.next)
		}
	}
}

// reach collects the flows and binding links that are connected with a link that has
// changed. Coupling passes through links that bind. A link that did bind and no longer
// does couples nothing, but lets go the flows that it held.
func (f *Flows) reach() {
	s := &f.share
	s.epoch++
	s.flows, s.links = s.flows[:0], s.links[:0]
	for _, i := range f.moved {
		l := &f.links[i]
		l.binding, l.moved = l.contended(), false
	}
	for _, i := range f.moved {
		l := &f.links[i]
		if l.binding {
			if l.seen != s.epoch {
				l.seen = s.epoch
				s.links = append(s.links, i)
			}
			continue
		}
		for _, u := range f.on(i) {
			f.reachFlow(u >> useBits)
		}
	}
	f.moved = f.moved[:0]
	for n := 0; n < len(s.links); n++ {
		for _, u := range f.on(s.links[n]) {
			f.reachFlow(u >> useBits)
		}
	}
}

func (f *Flows) reachFlow(id int32) {
	s, w := &f.share, &f.flows[id]
	if w.seen == s.epoch {
		return
	}
	w.seen = s.epoch
	w.next = w.ceiling
	s.flows = append(s.flows, id)
	for i := range int(w.uses) {
		l := &f.links[w.use[i].link]
		if !l.binding {
			continue
		}
		w.next = 0
		if l.seen != s.epoch {
			l.seen = s.epoch
			s.links = append(s.links, w.use[i].link)
		}
	}
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
		s.links = s.links[:0]
		for n := len(s.open) - 1; n >= 0; n-- {
			if s.open[n].level == level {
				s.links = append(s.links, s.open[n].link)
				f.close(n)
			}
		}
		for _, i := range s.links {
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
		if !f.links[u.link].binding || f.share.place[u.link] == closed {
			continue
		}
		o := &f.share.open[f.share.place[u.link]]
		o.left = o.left.minus(product(uint64(rate), uint64(u.factor)))
		o.load -= uint64(w.weight) * uint64(u.factor)
		o.level = 0
	}
}
