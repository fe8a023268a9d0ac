package sim

import (
	"errors"
	"fmt"
	"math"
)

// Rate is a rate of bytes in units of 2^-16 byte/s.
type Rate int64

// PerSecond is the rate of so many bytes per second, at most 2^47 (140 TB/s).
func PerSecond(bytesPerSecond int64) Rate {
	return Rate(min(bytesPerSecond, math.MaxInt64>>16) << 16)
}

// RateWithin is the lowest rate that moves so many bytes within a time, which is positive.
func RateWithin(bytes int64, t Time) Rate {
	return Rate(min(product(uint64(bytes), unit).overUp(uint64(t)), math.MaxInt64))
}

// Factor says how many bytes a link carries for one byte of a flow, in units of 2^-32.
// One is exact; another ratio above it is off by at most one part in 2^33, 0.12 ps for
// each millisecond of a transfer. So a flow whose links all carry the same is best started
// with the bytes that they carry.
type Factor uint64

// One is the factor of a link that carries a flow's bytes and nothing else.
const One Factor = 1 << 32

// Ratio is the factor, to the nearest, of linkBytes carried for flowBytes > 0.
func Ratio(linkBytes, flowBytes int64) Factor {
	w := product(uint64(linkBytes), uint64(One)).plus(wide{lo: uint64(flowBytes) / 2})
	return Factor(w.over(uint64(flowBytes)))
}

// Use says that a flow crosses a link.
type Use struct {
	Link   int32
	Factor Factor
}

// MaxUses is the largest number of links that one flow crosses.
const MaxUses = 8

// unit is one byte as work: the work done in dt picoseconds at rate r is r*dt, without
// rounding, however often the rate changes.
const unit = 1 << 16 * uint64(Second)

// Flows are bytes in motion over links. Links are directed; a flow crosses all of its
// links at one rate. The links are shared max-min fairly: no flow can be given more
// without taking from one that has, in proportion to its weight, no more.
//
// The ceiling of a flow is its rate with its links to itself: its cap, or what the
// tightest of its links allows. A link whose capacity covers the ceilings of all its
// flows cannot bind and takes no part; the others are shared by progressive filling. Its
// divisions round down to units of 2^-16 byte/s, and a flow's last picosecond is rounded
// up.
//
// Limits: a link must leave every flow at least one unit of rate for each unit of weight,
// and a flow must end before Never. If not, the engine stops and CheckCapacity says why.
type Flows struct {
	engine *Engine
	kind   uint32
	links  []link
	// By link, its flows if there are several: flow<<useBits | index of the use in the flow.
	several [][]int32
	flows   []flow // slab
	free    []int32
	active  int
	fresh   []int32 // started at this instant
	moved   []int32 // links that bind or did bind, and whose flows have changed
	share   filling
	err     error
}

// link is a cache line.
type link struct {
	capacity Rate
	load     uint64   // sum over flows of weight*factor: what a unit of level takes
	ceilings wide     // sum over flows of ceiling*factor: what they could take
	carried  wide     // 2^-32 bytes, by flows that have finished
	count    int32    // flows on it
	only     [1]int32 // the flow if there is one; several are in Flows.several
	seen     uint32   // the last filling that has reached it
	binding  bool     // takes part in sharing, as of the last Settle
	tight    bool     // holds flows back, as of the last Settle
	moved    bool     // is in Flows.moved
}

const useBits = 3 // MaxUses is 8

type flow struct {
	work    wide // left to do at time since
	rate    Rate // 0 until first solved
	since   Time
	finish  Time // -1: not solved yet, or no flow
	due     Time // the earliest event scheduled for it; -1: none
	ceiling Rate
	next    Rate // while solving: the new rate, 0 until it is known
	bytes   int64
	start   Time
	owner   int32
	weight  int32
	seen    uint32
	uses    int8
	slowed  bool // has been below its ceiling
	coupled bool // while solving: crosses one of filling.links
	use     [MaxUses]use
}

type use struct {
	factor Factor
	link   int32
	place  int32 // among the link's flows
}

// NewFlows returns flows over links of the capacities given, all positive. Completion
// events go to the engine with the kind given and the flow's id.
func NewFlows(e *Engine, kind uint32, capacity []Rate) *Flows {
	f := &Flows{engine: e, kind: kind, links: make([]link, len(capacity)), several: make([][]int32, len(capacity))}
	for i, c := range capacity {
		if c <= 0 {
			panic(fmt.Sprintf("sim: link %d has capacity %d", i, c))
		}
		f.links[i].capacity = c
		f.share.place = append(f.share.place, closed)
	}
	return f
}

// Start sends bytes over links, each named once. Weight, from 1 up, is the flow's share
// where it meets others; limit is a cap on its rate, 0 for none. The result is the id of
// the flow; ids are used again after the flow has finished. A flow without links and
// limit takes no time.
func (f *Flows) Start(bytes int64, uses []Use, weight int32, limit Rate, owner int32) int32 {
	if bytes < 0 || weight < 1 || limit < 0 || len(uses) > MaxUses {
		panic(fmt.Sprintf("sim: flow of %d bytes, weight %d, limit %d over %d links", bytes, weight, limit, len(uses)))
	}
	id := f.take()
	w := &f.flows[id]
	w.bytes, w.owner, w.weight, w.uses = bytes, owner, weight, int8(len(uses))
	w.start, w.since = f.engine.Now(), f.engine.Now()
	w.work, w.ceiling = product(uint64(bytes), unit), f.ceiling(uses, limit)
	if len(uses) == 0 && limit == 0 {
		w.work = wide{}
	}
	f.join(id, uses)
	f.fresh = append(f.fresh, id)
	f.active++
	return id
}

// take returns a place of the slab for a new flow.
func (f *Flows) take() int32 {
	if n := len(f.free); n > 0 {
		id := f.free[n-1]
		f.free = f.free[:n-1]
		return id
	}
	f.flows = append(f.flows, flow{finish: -1, due: -1})
	return int32(len(f.flows) - 1)
}

// ceiling is the rate of a flow that has its links to itself.
func (f *Flows) ceiling(uses []Use, limit Rate) Rate {
	c := limit
	if c == 0 {
		c = math.MaxInt64
	}
	for _, u := range uses {
		most := f.links[u.Link].capacity
		if u.Factor != One {
			most = Rate(product(uint64(most), uint64(One)).over(uint64(u.Factor)))
		}
		c = min(c, most)
	}
	return c
}

// join adds the flow to its links.
func (f *Flows) join(id int32, uses []Use) {
	w := &f.flows[id]
	for i := range uses {
		u := &uses[i]
		l := &f.links[u.Link]
		w.use[i] = use{u.Factor, u.Link, l.count}
		f.enter(u.Link, l, id<<useBits|int32(i))
		l.ceilings = l.ceilings.plus(product(uint64(w.ceiling), uint64(u.Factor)))
		load := product(uint64(w.weight), uint64(u.Factor)).plus(wide{lo: l.load})
		l.load = load.lo
		if load.hi > 0 || l.room().less(load) {
			f.fail(fmt.Errorf("sim: link %d: %d flows are too many for its capacity", u.Link, l.count))
		}
		f.touch(u.Link, l)
	}
}

// enter adds a use to the list of its link.
func (f *Flows) enter(id int32, l *link, use int32) {
	switch l.count {
	case 0:
		l.only[0] = use
	case 1:
		f.several[id] = append(f.several[id][:0], l.only[0], use)
	default:
		f.several[id] = append(f.several[id], use)
	}
	l.count++
}

// leave takes the flow off its links.
func (f *Flows) leave(w *flow) {
	for i := range w.use[:w.uses] {
		u := &w.use[i]
		l := &f.links[u.link]
		if l.count--; l.count > 0 { // the last of the list takes its place
			list := f.several[u.link]
			m := list[l.count]
			list[u.place] = m
			f.flows[m>>useBits].use[m&(MaxUses-1)].place = u.place
			f.several[u.link], l.only[0] = list[:l.count], list[0]
		}
		l.ceilings = l.ceilings.minus(product(uint64(w.ceiling), uint64(u.factor)))
		l.load -= uint64(w.weight) * uint64(u.factor)
		l.carried = l.carried.plus(product(uint64(w.bytes), uint64(u.factor)))
		f.touch(u.link, l)
	}
}

// on is the list of a link's uses.
func (f *Flows) on(id int32) []int32 {
	if l := &f.links[id]; l.count < 2 {
		return l.only[:l.count]
	}
	return f.several[id]
}

// touch notes a link whose flows have changed, if it binds or did bind before.
func (f *Flows) touch(id int32, l *link) {
	if !l.moved && (l.binding || l.contended()) {
		l.moved = true
		f.moved = append(f.moved, id)
	}
}

// room is the capacity in units of rate times factor.
func (l *link) room() wide { return product(uint64(l.capacity), uint64(One)) }

// contended tells whether the flows could take more than there is.
func (l *link) contended() bool { return l.room().less(l.ceilings) }

// Settle divides the links for all flows that have started or finished at this instant,
// and schedules their completion. To be called from Handler.Settle.
func (f *Flows) Settle() {
	if len(f.moved) > 0 {
		f.solve()
	}
	for _, id := range f.fresh {
		if w := &f.flows[id]; w.rate == 0 {
			f.assign(id, w, w.ceiling)
		}
	}
	f.fresh = f.fresh[:0]
}

// assign gives a flow a new rate from now on.
func (f *Flows) assign(id int32, w *flow, rate Rate) {
	now := f.engine.Now()
	if w.since != now {
		w.work = w.work.minus(product(uint64(w.rate), uint64(now-w.since)))
		w.since = now
	}
	w.rate = rate
	w.slowed = w.slowed || rate != w.ceiling
	w.finish = later(now, w.work.overUp(uint64(rate)))
	if w.due < 0 || w.finish < w.due {
		f.schedule(id, w)
	}
}

// schedule sends the flow's completion event. One that is due earlier becomes stale.
func (f *Flows) schedule(id int32, w *flow) {
	w.due = w.finish
	f.engine.Schedule(w.finish, f.kind, id)
}

func later(t Time, span uint64) Time {
	return t + Time(min(span, uint64(Never-t)))
}

// Finished answers a completion event; it must see every one. Not ok: the flow goes on, or
// has ended before. Otherwise the flow is removed; alone is the time that it would have
// taken with its links to itself.
func (f *Flows) Finished(id int32) (owner int32, alone Time, ok bool) {
	w, now := &f.flows[id], f.engine.Now()
	if w.finish != now {
		if w.due == now { // it became slower after the event was scheduled
			f.schedule(id, w)
		}
		return 0, 0, false
	}
	if now == Never {
		f.fail(errors.New("sim: a flow takes longer than 106 days"))
		return 0, 0, false
	}
	alone = now - w.start
	if w.slowed {
		alone = Time(product(uint64(w.bytes), unit).overUp(uint64(w.ceiling)))
	}
	f.leave(w)
	w.rate, w.finish, w.due, w.slowed = 0, -1, -1, false
	f.free = append(f.free, id)
	f.active--
	return w.owner, alone, true
}

// fail ends the run for a reason that CheckCapacity returns.
func (f *Flows) fail(err error) {
	if f.err == nil {
		f.err = err
	}
	f.engine.Stop()
}

// Active is the number of flows that have started and not finished.
func (f *Flows) Active() int { return f.active }

// Carried is the bytes that a link has carried, to the nearest, for flows that have
// finished.
func (f *Flows) Carried(link int32) int64 {
	w := f.links[link].carried.plus(wide{lo: uint64(One) / 2})
	return int64(w.over(uint64(One)))
}

// CheckCapacity is a check after a run: that no link has carried more than its capacity
// allows in the time given, exactly, and that no limit of Flows was met.
func (f *Flows) CheckCapacity(elapsed Time) error {
	if f.err != nil {
		return f.err
	}
	for i := range f.links {
		l := &f.links[i]
		// In 2^-32 bytes: carried <= capacity * 2^16 * elapsed / Second.
		most := product(uint64(l.capacity), uint64(elapsed))
		if exceeds(l.carried, uint64(Second), most, 1<<16) {
			return fmt.Errorf("sim: link %d carried %d bytes in %d ps, more than its capacity allows", i, f.Carried(int32(i)), elapsed)
		}
	}
	return nil
}
