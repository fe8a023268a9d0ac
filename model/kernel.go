package model

import "hcclsim/sim"

// Kernels, and other users of AI cores. A kernel takes its cores together or not at all and
// keeps them to its end. The bytes that it moves are a flow over the NPU's memory, no faster
// than the kernel could use them; it ends when both its time and its bytes are over.

// Parts of a kernel that are under way.
const (
	kernelTime uint8 = 1 << iota
	kernelBytes
)

// kernel asks for the cores of the stream's kernel; true when it is over at once.
func (m *machine) kernel(i int32) bool {
	l := &m.lanes[i]
	l.since = m.engine.Now()
	return m.cores[l.rank].Acquire(i, m.kernelCores(l), l.priority) && m.kernelRuns(i)
}

// operator is what a stream's own lane carries out.
func (m *machine) operator(l *lane) *Operator {
	s := &m.streams[l.stream]
	return &s.Operators[s.k]
}

// kernelCores is how many cores a kernel takes: all of them, if it does not say.
func (m *machine) kernelCores(l *lane) int32 {
	if n := m.operator(l).Cores; n > 0 {
		return int32(n)
	}
	return max(int32(m.top.NPU.Cores), 1)
}

func (m *machine) aivCores() int32 { return max(int32(m.top.NPU.AIV.Cores), 1) }

// kernelRuns starts a kernel that has its cores.
func (m *machine) kernelRuns(i int32) bool {
	l, now := &m.lanes[i], m.engine.Now()
	o := m.operator(l)
	took := m.took(l.rank, sim.Time(o.Time))
	l.path.causes[causeEngine] += now - l.since
	l.task.start, l.since = now, now
	l.path.causes[causeKernel] += took
	if took == 0 {
		m.kernelOver(l)
		return m.finish(i)
	}
	l.pending = kernelTime
	m.engine.Schedule(now+took, onKernel, i)
	if o.Bytes > 0 && m.memory >= 0 {
		l.pending |= kernelBytes
		n := m.transfers.get()
		m.transfers.items[n] = transfer{from: i, kernel: true, wire: wireLocal, bytes: int64(o.Bytes)}
		var r route
		m.memoryUse(&r, l.rank, 1)
		m.startFlow(&m.transfers.items[n], n, &r, sim.RateWithin(int64(o.Bytes), took))
	}
	return false
}

// kernelTimed is the end of a kernel's time.
func (m *machine) kernelTimed(i int32) {
	l := &m.lanes[i]
	if l.pending &^= kernelTime; l.pending != 0 {
		l.since = m.engine.Now() // from here on it waits for its bytes
		return
	}
	m.kernelOver(l)
	m.taskEnds(i)
}

// kernelMoved is the last of a kernel's bytes, which alone would have taken so long. What they
// take beyond the kernel's time is theirs as far as that goes, and sharing beyond it.
func (m *machine) kernelMoved(i int32, alone sim.Time) {
	l := &m.lanes[i]
	if l.pending &^= kernelBytes; l.pending != 0 {
		return
	}
	now := m.engine.Now()
	waited, took := now-l.since, l.since-l.task.start
	own := min(max(alone-took, 0), waited)
	l.path.causes[wireLocal] += own
	l.path.causes[causeSharing] += waited - own
	m.kernelOver(l)
	m.taskEnds(i)
}

// kernelOver gives the cores back.
func (m *machine) kernelOver(l *lane) {
	s := &m.cores[l.rank]
	s.Release(m.kernelCores(l))
	m.grant(s)
}

// grant lets those go on whose turn it is at a server of AI cores or a reduce unit.
func (m *machine) grant(s *sim.Server) {
	for job, ok := s.Next(); ok; job, ok = s.Next() {
		if job < 0 && m.ideal {
			m.reduceStarts(^job)
			continue
		}
		if job < 0 {
			m.reduceRequest(^job)
			continue
		}
		over := false
		switch m.lanes[job].task.kind {
		case taskKernel:
			over = m.kernelRuns(job)
		case taskHold:
			m.lanes[job].task = task{}
			m.takePart(&m.streams[m.lanes[job].stream])
		default:
			over = m.reduceBody(job)
		}
		if over {
			m.resume(job)
		}
	}
}

// reducer is what a rank reduces on, how many units of it a reduction takes, and its place in
// the line: a stream's priority reaches AI cores, the reduce unit takes who comes first.
func (m *machine) reducer(rank int32, priority uint8) (s *sim.Server, units int32, place uint8) {
	if m.reducesOnCores(rank) {
		return &m.cores[rank], int32(m.top.NPU.Reduce.Cores), priority
	}
	return &m.unit[rank], 1, 0
}

// reducesOnCores says whether a rank reduces on AI cores, which hosts have not.
func (m *machine) reducesOnCores(rank int32) bool {
	return m.top.NPU.Reduce.Cores > 0 && rank < m.ranks
}

func (m *machine) releaseReducer(rank int32) {
	s, n, _ := m.reducer(rank, 0)
	s.Release(n)
	m.grant(s)
}
