package model

import (
	"cmp"
	"fmt"
	"slices"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// result sums a finished run up. It also makes sure of what must hold in every run: the
// critical path adds up to the time. (run has seen that no link carried more than its
// bandwidth allows, so that the time is not below the bandwidth bound.) Times and counts
// are those of one of n iterations.
func (m *machine) result(n int64) (Result, error) {
	total := m.endAt
	if sum := m.end.sum(); sum != total {
		return Result{}, fmt.Errorf("internal error: the critical path adds up to %s, the run took %s", units.Duration(sum), units.Duration(total))
	}
	res := Result{
		Time:      units.Duration(int64(total) / n),
		Messages:  m.count.messages / n,
		Requests:  m.count.requests / n,
		Tasks:     m.count.tasks / n,
		Ranks:     m.top.Size(),
		Spans:     m.spansDone(),
		Buffer:    m.bufferBytes(),
		Streams:   m.streamCount(),
		Contexts:  slices.Max(m.tasks) / n,
		Events:    m.engine.Events(),
		PeakQueue: m.engine.PeakQueue(),
		Busiest:   m.busiest(total),
	}
	if m.keeps {
		res.Path = m.pieces(m.end)
	}
	if len(m.calls) == 1 && len(m.calls[0].rounds) > 1 {
		res.Rounds = len(m.calls[0].rounds)
	}
	res.Critical = m.end.parts(sim.Time(res.Time), n, m.classes)
	for i, bytes := range m.volume {
		if bytes == 0 {
			continue
		}
		class := "local"
		if i >= int(wireClass0) {
			class = m.classes[i-int(wireClass0)]
		}
		res.Volumes = append(res.Volumes, Volume{class, units.Bytes(bytes / n)})
	}
	return res, nil
}

// streamCount is the most streams of one rank: those of the work, and those that its
// collectives add for their lanes beside the first. A stream's calls follow each other and
// use the same ones.
func (m *machine) streamCount() int {
	count := make([]int, m.ranks)
	for i := range m.streams {
		s := &m.streams[i]
		lanes := int32(1)
		for k := range s.Operators {
			if o := &s.Operators[k]; o.Kind == OpCall {
				c := &m.calls[o.Call]
				lanes = max(lanes, c.lanes(int(c.comm.local(s.rank))))
			}
		}
		count[s.rank] += int(lanes)
	}
	return slices.Max(count)
}

// bufferBytes is what HCCL's buffers take of each NPU: each communicator has its own.
func (m *machine) bufferBytes() units.Bytes {
	type holder struct {
		comm any // its name, or the communicator itself
		rank int32
	}
	holders := map[holder]bool{}
	most := 0
	perRank := make([]int, m.ranks)
	for i := range m.calls {
		c := &m.calls[i]
		for r := range c.members {
			h := holder{c.communicator, c.comm.place(r)}
			if c.communicator == "" {
				h.comm = c.comm
			}
			if !holders[h] {
				holders[h] = true
				perRank[h.rank]++
				most = max(most, perRank[h.rank])
			}
		}
	}
	return m.settings.BufferBytes() * units.Bytes(most)
}

// busiest finds the three links with the highest utilisation; of equals the first.
func (m *machine) busiest(total sim.Time) []Utilisation {
	if total == 0 {
		return nil
	}
	const most = 3
	type use struct {
		link  int32
		share float64
	}
	var top []use
	for i := range m.capacity {
		share := float64(m.flows.Carried(int32(i))) / (float64(m.capacity[i]) / (1 << 16) * float64(total) / float64(sim.Second))
		if share == 0 || len(top) == most && share <= top[most-1].share {
			continue
		}
		top = append(top, use{int32(i), share})
		slices.SortStableFunc(top, func(a, b use) int { return cmp.Compare(b.share, a.share) })
		top = top[:min(len(top), most)]
	}
	list := make([]Utilisation, len(top))
	for i, u := range top {
		list[i] = Utilisation{m.linkName(u.link), u.share}
	}
	return list
}

// checkRoutes makes sure that every pair of ranks that the schedule uses is joined.
func (f *fabric) checkRoutes(s *algorithms.Schedule, c *communicator) error {
	if f.cut == nil && s.Hosts() == 0 && f.joinsAll() {
		return nil
	}
	var r route
	for rank := range s.Ranks() {
		for lane := range s.Lanes(rank) {
			for k := range s.Steps(rank, lane) {
				step := s.Step(rank, lane, k)
				peer := step.Send.Peer.Rank
				if peer < 0 || int(peer) == rank {
					continue
				}
				src, dst := c.place(int32(rank)), c.place(peer)
				if !f.route(src, dst, step.Drive, &r) {
					return noRoute(f, src, dst)
				}
				// The receiver says that it is ready, or that the data have been read.
				if f.top.NPU.Handshake == Rendezvous && !step.Synced && !f.route(dst, src, algorithms.LinkDefault, &r) {
					return noRoute(f, dst, src)
				}
			}
		}
	}
	return nil
}

// joinsAll is true when the topology evidently joins every pair.
func (f *fabric) joinsAll() bool {
	links, n := f.top.Server.Links, &f.top.Network
	all := func(l Link) bool { return l.joinsAll(int(f.npus)) }
	pod := func(l Link) bool { return l.Pod.Spans && all(l) }
	network := n.Connect == NetworkSwitch || n.Connect == NetworkRails && n.Spine || n.Connect == NetworkFullMesh || n.Connect == NetworkClos
	if f.top.Servers > 1 && !network && (f.top.Pods > 1 || !slices.ContainsFunc(links, pod)) {
		return false
	}
	return f.npus == 1 || slices.ContainsFunc(links, all) || n.Within && network && n.Connect != NetworkFullMesh
}

func noRoute(f *fabric, src, dst int32) error {
	at := func(i int32) string {
		if f.isHost(i) {
			return fmt.Sprintf("the host of server %d", f.places[i].server)
		}
		return fmt.Sprintf("rank %d (server %d, NPU %d)", i, f.places[i].server, f.places[i].npu)
	}
	way := fmt.Sprintf("from %s to %s", at(src), at(dst))
	if link, cut := f.cutBetween(src, dst); cut {
		return &CutError{f.linkName(link), way}
	}
	return fmt.Errorf("topology %s has no link %s", f.top.Name, way)
}

// cutBetween is the link that is cut on the way that there would be between two ranks.
func (f *fabric) cutBetween(src, dst int32) (link int32, cut bool) {
	whole := *f
	whole.cut = nil
	var r route
	if f.cut == nil || !whole.route(src, dst, algorithms.Read, &r) && !whole.route(src, dst, algorithms.Write, &r) {
		return 0, false
	}
	for _, u := range r.uses[:r.n] {
		if f.cut[u.Link] {
			return u.Link, true
		}
	}
	return 0, false
}
