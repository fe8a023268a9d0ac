package model

import (
	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// Levels sums the topology up as one alpha, beta and gamma of a step at each level: inside
// a server, between servers of a super-pod, between super-pods. It serves choices that
// have to be made before a run. A level that the machine does not have is zero.
//
// Inside counts the first entry of links that joins all NPUs of a server, or if there is
// none the first; between servers the first that spans the pod, or else the network.
func (t *Topology) Levels() algorithms.Levels {
	var l algorithms.Levels
	if e := t.serverLink(); e != nil {
		l.Inside = t.linkStep(e, 0)
	}
	if t.Servers > 1 {
		if l.Between = t.networkStep(); t.podLink() != nil {
			e := t.podLink()
			l.Between = t.linkStep(e, max(e.Pod.Read, e.Pod.Write))
		}
	}
	if t.Pods > 1 {
		l.Pods = t.networkStep()
	}
	return l
}

// Hockney is the step of the outermost level.
func (t *Topology) Hockney() algorithms.Hockney {
	l := t.Levels()
	switch {
	case t.Pods > 1:
		return l.Pods
	case t.Servers > 1:
		return l.Between
	}
	return l.Inside
}

// serverLink is the entry that stands for the inside of a server; nil if it has no links.
func (t *Topology) serverLink() *Link {
	links := t.Server.Links
	for i := range links {
		if links[i].joinsAll(t.Server.NPUs) {
			return &links[i]
		}
	}
	if len(links) == 0 {
		return nil
	}
	return &links[0]
}

// podLink is the first entry that spans the super-pod; nil if there is none.
func (t *Topology) podLink() *Link {
	for i := range t.Server.Links {
		if t.Server.Links[i].Pod.Spans {
			return &t.Server.Links[i]
		}
	}
	return nil
}

// linkStep is a step over an entry of links, with so much latency more.
func (t *Topology) linkStep(l *Link, more units.Duration) algorithms.Hockney {
	n := &t.NPU
	return algorithms.Hockney{
		Alpha:     n.step(l.Latency+more, n.Notify.Record+n.Scheduler.Launch.Record, n.DMA.Setup+n.Scheduler.Launch.Copy),
		Bandwidth: int64(l.slowest()),
		Reduce:    n.gamma(n.Reduce.Inline),
		PairLinks: l.Connect == FullMesh || l.Connect == Pairs,
	}
}

// networkStep is a step over the network; zero if there is none.
func (t *Topology) networkStep() algorithms.Hockney {
	n := &t.NPU
	if t.Network.Connect == NetworkNone {
		return algorithms.Hockney{}
	}
	return algorithms.Hockney{
		Alpha:     n.step(t.Network.Latency, n.NIC.Request.Post/2, n.NIC.Request.Post+n.NIC.Request.Issue),
		Bandwidth: int64(t.networkRate()),
		Reduce:    n.gamma(n.NIC.Inline),
	}
}

// networkRate is what one message reaches: its slowest stage.
func (t *Topology) networkRate() units.Rate {
	nic := &t.NPU.NIC
	rates := []units.Rate{nic.Bandwidth}
	if t.Network.Connect == NetworkFullMesh {
		rates = append(rates, t.Network.Bandwidth)
	}
	if nic.Staged {
		rates = append(rates, nic.Fetch.Bandwidth, nic.Store.Bandwidth)
	}
	slowest := rates[0]
	for _, r := range rates {
		if r > 0 {
			slowest = min(slowest, r)
		}
	}
	return slowest
}

// step is the alpha of a step: under rendezvous a rough sum of its tasks, of which record
// is what a notify costs and move what a transfer costs besides its latency and bytes.
func (n *NPU) step(latency, record, move units.Duration) int64 {
	if n.Handshake == Ideal {
		return int64(latency)
	}
	return int64(2*latency + 2*record + 2*n.Notify.Wait + move + 5*n.Scheduler.Gap + 2*n.Scheduler.Launch.Wait)
}

// gamma is the bandwidth of reductions; 0: they are done on the way, or free.
func (n *NPU) gamma(inline bool) int64 {
	if inline {
		return 0
	}
	return int64(n.Reduce.Bandwidth)
}
