package model

import (
	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// A task passes these stages: the gap after the task before it, the task scheduler, and
// its body, which may wait for a server. Stages that cost nothing fall through without an
// event: a stage returns true when the task is over at once.

type taskKind uint8

const (
	taskRecord taskKind = iota
	taskWait
	taskCopy
	taskSend
	taskReduce
	taskKernel // of a stream's own lane, see kernel.go
	taskHold   // a stream waits for the AI cores of its collective
)

// task is what a lane is carrying out.
type task struct {
	kind   taskKind
	signal signal         // record, wait; of a send: what rides behind its data
	peer   algorithms.Ref // record: whom it tells
	src    int32          // copy: ranks
	dst    int32
	bytes  int64
	inline bool // copy: reduces on the way
	wire   cause
	start  sim.Time // of its body
}

const markerBytes = 4

// begin starts a task with the gap before it, of which a wait without a task may have
// used up some.
func (m *machine) begin(i int32, t task) bool {
	l := &m.lanes[i]
	l.task = t
	now := m.engine.Now()
	at := now
	if l.ended != never && !l.aiv && !l.host {
		at = max(at, l.ended+sim.Time(m.top.NPU.Scheduler.Gap))
		l.path.causes[causeLaunch] += at - now
	}
	if l.perTask > 0 {
		l.issued += l.perTask
		l.path.causes[causeHost] += max(l.issued, at) - at
		at = max(l.issued, at)
	}
	if at == now {
		return m.ask(i)
	}
	m.engine.Schedule(at, onReady, i)
	return false
}

// launch is the event of a task having been issued, after the gap before it.
func (m *machine) launch(i int32) {
	if m.ask(i) {
		m.resume(i)
	}
}

// ask queues the task at the scheduler; one that costs nothing there passes it when it is
// idle.
func (m *machine) ask(i int32) bool {
	l := &m.lanes[i]
	if l.aiv || l.host { // nothing is launched: its code runs already
		return m.body(i)
	}
	if m.launchTime(l.task.kind) == 0 && m.scheduler[l.rank].Busy() == 0 {
		return m.body(i)
	}
	l.since = m.engine.Now()
	if m.scheduler[l.rank].Acquire(i, 1, l.priority) {
		m.launches(i)
	}
	return false
}

func (m *machine) launchTime(k taskKind) sim.Time {
	c := &m.top.NPU.Scheduler.Launch
	return sim.Time([...]units.Duration{taskRecord: c.Record, taskWait: c.Wait, taskCopy: c.Copy, taskSend: c.Send, taskReduce: c.Kernel, taskKernel: c.Kernel}[k])
}

func (m *machine) launches(i int32) {
	l := &m.lanes[i]
	took := m.vary(l.rank, m.launchTime(l.task.kind))
	l.path.causes[causeLaunch] += m.engine.Now() - l.since + took
	m.engine.Schedule(m.engine.Now()+took, onLaunched, i)
}

// launched is the event of the scheduler being through with a lane's task.
func (m *machine) launched(i int32) {
	s := &m.scheduler[m.lanes[i].rank]
	s.Release(1)
	if job, ok := s.Next(); ok {
		m.launches(job)
	}
	if m.body(i) {
		m.resume(i)
	}
}

// body starts what the task does.
func (m *machine) body(i int32) bool {
	l := &m.lanes[i]
	l.task.start = m.engine.Now()
	switch l.task.kind {
	case taskRecord:
		return m.spend(i, causeNotify, m.notifyTime(l))
	case taskWait:
		if m.take(l, l.task.signal) {
			return m.spend(i, causeNotify, m.notifyTime(l))
		}
		l.state, l.waits = laneWaitsMessage, l.task.signal
	case taskCopy:
		l.since = m.engine.Now()
		if m.ideal || l.aiv || l.host || m.dma[l.rank].Acquire(i, 1, 0) {
			return m.setUp(i)
		}
	case taskSend:
		return m.spend(i, causePost, sim.Time(m.top.NPU.NIC.Request.Post))
	case taskReduce:
		l.since = m.engine.Now()
		if s, n, p := m.reducer(l.rank, l.priority); s.Acquire(i, n, p) {
			return m.reduceBody(i)
		}
	case taskKernel:
		return m.kernel(i)
	}
	return false
}

// notifyTime is what a Notify_Record or Notify_Wait costs, or a flag of AI cores.
func (m *machine) notifyTime(l *lane) sim.Time {
	switch record := l.task.kind == taskRecord; {
	case m.ideal, l.aiv && !record:
		return 0
	case l.host:
		return sim.Time(m.top.Server.Host.Overhead)
	case l.aiv:
		return sim.Time(m.top.NPU.AIV.Notify)
	case record:
		return sim.Time(m.top.NPU.Notify.Record)
	}
	return sim.Time(m.top.NPU.Notify.Wait)
}

// spend lets a task hold the lane for a time.
func (m *machine) spend(i int32, c cause, took sim.Time) bool {
	if took == 0 {
		return m.finish(i)
	}
	took = m.vary(m.lanes[i].rank, took)
	m.lanes[i].path.causes[c] += took
	m.engine.Schedule(m.engine.Now()+took, onTaskEnd, i)
	return false
}

// taskEnds is the event of a task's end.
func (m *machine) taskEnds(i int32) {
	if m.finish(i) {
		m.resume(i)
	}
}

// finish does what a task does at its end; false when it goes on after all.
func (m *machine) finish(i int32) bool {
	l := &m.lanes[i]
	switch l.task.kind {
	case taskRecord:
		m.recorded(l)
	case taskSend:
		if !m.posted(i) {
			return m.spend(i, causePost, sim.Time(m.top.NPU.NIC.Request.Post))
		}
	case taskReduce:
		m.releaseReducer(l.rank)
	}
	m.over(l)
	return true
}

// over counts the task, and shows it to whoever traces the run.
func (m *machine) over(l *lane) {
	l.ended = m.engine.Now()
	m.count.tasks++
	m.tasks[l.rank]++
	if m.trace == nil && !m.keeps {
		return
	}
	t := &l.task
	peer := m.taskPeer(l)
	m.note(&l.path, l, happening{name: t.name(), peer: peer, bytes: t.bytes, class: t.wire})
	if m.trace == nil {
		return
	}
	row := Task{
		Rank: int(l.rank), Lane: int(l.index), Name: t.name(), Peer: int(peer), Class: "local",
		Start: units.Duration(t.start), End: units.Duration(m.engine.Now()), Bytes: units.Bytes(t.bytes),
	}
	if t.wire >= wireClass0 {
		row.Class = m.classes[t.wire-wireClass0]
	}
	m.trace(row)
}

// name is that of HCCL's profiler.
func (t *task) name() string {
	if t.kind == taskCopy && t.inline {
		return "Reduce_Inline"
	}
	return [...]string{taskRecord: "Notify_Record", taskWait: "Notify_Wait", taskCopy: "Memcpy", taskSend: "RDMASend", taskReduce: "Reduce", taskKernel: "Kernel"}[t.kind]
}

// taskPeer is the other rank of the lane's task; its own of a local one.
func (m *machine) taskPeer(l *lane) int32 {
	t := &l.task
	switch {
	case t.kind == taskCopy:
		return t.src + t.dst - l.rank
	case t.signal >= signalJoin, t.kind == taskReduce, t.kind == taskKernel:
		return l.rank
	case t.kind == taskWait:
		return l.from(t.signal).Rank
	}
	return t.peer.Rank
}

// record tells a partner's step something: a Notify_Record, or over the network an RDMA
// request of four bytes.
func (m *machine) record(i int32, to algorithms.Ref, s signal) bool {
	l := &m.lanes[i]
	var r route
	m.mustRoute(l.rank, to.Rank, algorithms.LinkDefault, &r)
	t := task{kind: taskRecord, signal: s, peer: to, wire: wireClass0 + cause(r.class)}
	if r.rdma {
		return m.sendNotify(i, t)
	}
	return m.begin(i, t)
}

// recorded sends off a notify. One that tells of written data follows them on their route
// and has no latency of its own.
func (m *machine) recorded(l *lane) {
	t := &l.task
	switch t.signal {
	case signalEvent:
		m.recordEvent(l)
		return
	case signalJoin: // the lane itself waits for it
		return
	}
	msg := m.newMessage(l, t.peer, t.signal)
	path := &m.messages.items[msg].path
	*path = l.path
	if t.signal == signalData {
		m.post(msg, 0)
		return
	}
	var r route
	m.mustRoute(l.rank, t.peer.Rank, algorithms.LinkDefault, &r)
	path.causes[causeLatency] += r.latency
	m.noteLater(path, l, r.latency, happening{name: "Notify", peer: t.peer.Rank, class: wireClass0 + cause(r.class)})
	m.post(msg, r.latency)
}

func (m *machine) wait(i int32, s signal) bool {
	return m.begin(i, task{kind: taskWait, signal: s})
}

// waitFree waits without a task.
func (m *machine) waitFree(i int32, s signal) bool {
	l := &m.lanes[i]
	if m.take(l, s) {
		return true
	}
	l.state, l.waits = laneWaitsMessage, s
	return false
}

// waited goes on when what the lane waited for has arrived.
func (m *machine) waited(i int32) {
	l := &m.lanes[i]
	if l.move == waitData && l.roles.synced { // waitFree
		m.resume(i)
		return
	}
	if m.spend(i, causeNotify, m.notifyTime(l)) {
		m.resume(i)
	}
}

// copyLocal copies inside the NPU: a step's local copy, or the mesh's marker.
func (m *machine) copyLocal(i int32) bool {
	l := &m.lanes[i]
	return m.begin(i, task{kind: taskCopy, src: l.rank, dst: l.rank, bytes: l.bytes, wire: wireLocal,
		inline: l.step.Reduce || l.step.Marker})
}

// copyRemote copies from rank src to dst with an engine of the lane's rank.
func (m *machine) copyRemote(i, src, dst int32, bytes int64, inline bool) bool {
	m.count.messages++
	return m.begin(i, task{kind: taskCopy, src: src, dst: dst, bytes: bytes, inline: inline})
}

// setUp holds a DMA engine and prepares it.
func (m *machine) setUp(i int32) bool {
	l := &m.lanes[i]
	now, setup := m.engine.Now(), m.took(l.rank, m.setupTime(l))
	l.path.causes[causeEngine] += now - l.since
	l.path.causes[causeSetup] += setup
	l.task.start = now
	if setup > 0 {
		m.engine.Schedule(now+setup, onSetUp, i)
	} else {
		m.copyFlows(i)
	}
	return false
}

// setupTime is what preparing a copy costs.
func (m *machine) setupTime(l *lane) sim.Time {
	switch {
	case m.ideal, l.host:
		return 0
	case l.aiv:
		return sim.Time(m.top.NPU.AIV.Setup)
	}
	return sim.Time(m.top.NPU.DMA.Setup)
}

// copyLimit is the most that the lane's copy reaches, whatever its way.
func (m *machine) copyLimit(l *lane) units.Rate {
	c, n := &l.task, &m.top.NPU
	switch {
	case m.isHost(c.src), m.isHost(c.dst): // caps are those of copies between NPUs
		return 0
	case l.aiv && c.inline:
		return n.AIV.Reduce
	case l.aiv:
		return n.AIV.Copy
	case c.src == c.dst:
		return n.DMA.Local
	case m.ideal:
		return 0
	case c.inline:
		return n.DMA.Reduce
	}
	return n.DMA.Remote
}

// copyFlows puts the bytes of the lane's copy on their way.
func (m *machine) copyFlows(i int32) {
	l := &m.lanes[i]
	c := &l.task
	n := m.transfers.get()
	t := &m.transfers.items[n]
	*t = transfer{path: l.path, from: i, bytes: c.bytes, copy: true}
	var r route
	limit := m.copyLimit(l)
	if c.src == c.dst {
		t.wire = wireLocal
		m.memoryUse(&r, l.rank, localCrossings(&l.step))
	} else {
		m.mustRoute(c.src, c.dst, l.step.Drive, &r)
		c.wire = wireClass0 + cause(r.class)
		t.wire, t.latency = c.wire, r.latency
		shared := m.limitRemote
		if c.inline {
			shared = m.limitReduce
		}
		if shared >= 0 && !m.isHost(c.src) && !m.isHost(c.dst) {
			r.use(shared+l.rank, sim.One)
		}
		m.memoryUse(&r, c.src, 1)
		m.memoryUse(&r, c.dst, crossings(c.inline))
	}
	m.startFlow(t, n, &r, lower(m.slowed(l.rank, sim.PerSecond(int64(limit))), r.limit))
}

// lower is the lower of two limits, of which 0 is none.
func lower(a, b sim.Rate) sim.Rate {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// copied is the end of a copy: the engine was held until the data had arrived.
func (m *machine) copied(n int32) {
	t := &m.transfers.items[n]
	i := t.from
	l := &m.lanes[i]
	l.path = t.path
	m.transfers.put(n)
	if !m.ideal && !l.aiv && !l.host {
		engines := &m.dma[l.rank]
		engines.Release(1)
		if job, ok := engines.Next(); ok {
			m.setUp(job)
		}
	}
	if l.move == write && l.roles.synced && m.tellsData(l) {
		m.keepOrWake(l)
	}
	m.over(l)
	m.resume(i)
}

// keepOrWake lets the receiver of a synced write, which has to reduce it, know.
func (m *machine) keepOrWake(l *lane) {
	msg := m.newMessage(l, l.step.Send.Peer, signalData)
	m.messages.items[msg].path = l.path
	m.post(msg, 0)
}

// reduceTask reduces what has arrived, on the reduce unit.
func (m *machine) reduceTask(i int32) bool {
	l := &m.lanes[i]
	n, _ := algorithms.Message(m.layout(l), l.step.Recv.Buf, l.step.Recv.Set)
	return m.begin(i, task{kind: taskReduce, bytes: n, wire: wireLocal})
}

func (m *machine) reduceBody(i int32) bool {
	l := &m.lanes[i]
	took := m.took(l.rank, m.reduceTime(l.rank, l.task.bytes))
	l.task.start = m.engine.Now()
	m.spendReduction(&l.path, l.rank, l.since, took)
	if took == 0 {
		return m.finish(i)
	}
	m.engine.Schedule(m.engine.Now()+took, onTaskEnd, i)
	return false
}
