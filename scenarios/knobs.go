package scenarios

import (
	"slices"

	"hcclsim/model"
	"hcclsim/model/units"
)

// knob is one thing of a machine that could be better: bandwidths twice as high, or times
// half as long.
type knob struct {
	name    string   // the paths as --set writes them, or a variable of HCCL
	causes  []string // which it can shorten; wire stands for every class
	rates   []*units.Rate
	times   []*units.Duration
	sizes   []*units.Bytes
	counts  []*int
	faults  *model.Faults // which are taken away
	rounds  bool          // it matters only to what runs in rounds
	network bool          // it matters only where requests go over RDMA
}

// knobs are those that the machine has, over the quantities of p itself. Where several
// quantities bind at once, no single one helps; so those that often do are also one knob.
func (p *Point) knobs() []knob {
	var list []knob
	t, s, faults := &p.Topology, &p.Settings, &p.Faults
	if p.Streams != nil {
		t, s, faults = &p.Streams.Topology, &p.Streams.Settings, &p.Streams.Faults
	}
	for i := range t.Server.Links {
		list = append(list, linkKnobs(&t.Server.Links[i])...)
	}
	list = append(list, hostKnobs(&t.Server.Host)...)
	list = append(list, networkKnobs(t)...)
	mode, _ := (&model.Point{Topology: *t, Settings: *s}).Expands()
	list = append(list, npuKnobs(&t.NPU, mode)...)
	list = append(list, togetherKnobs(t, mode)...)
	list = append(list,
		knob{name: "HCCL_RDMA_SPLIT_THRESHOLD", causes: []string{"post", "setup", "engine", "wire"}, sizes: []*units.Bytes{&s.Split}},
		knob{name: "HCCL_BUFFSIZE", causes: []string{"wire:local", "launch", "post", "latency"}, sizes: []*units.Bytes{&s.Buffer}, rounds: true},
		knob{name: "faults", causes: []string{"wire", "sharing", "late", "kernel", "launch", "setup", "notify"}, faults: faults})
	return slices.DeleteFunc(list, func(k knob) bool { return !k.there() })
}

func togetherKnobs(t *model.Topology, mode model.Expansion) []knob {
	dma, aiv, limits := &t.NPU.DMA, &t.NPU.AIV, &t.NPU.Limits
	name, engines := "npu.dma", []*units.Rate{&dma.Remote, &dma.Reduce, &limits.Remote, &limits.Reduce}
	if mode == model.ExpandAIV {
		name, engines = "npu.aiv", []*units.Rate{&aiv.Copy, &aiv.Reduce, &limits.Remote, &limits.Reduce}
	}
	if !anySet(engines) {
		return nil
	}
	inside := slices.Clone(engines)
	for i := range t.Server.Links {
		l := &t.Server.Links[i]
		inside = append(inside, &l.Bandwidth.Read, &l.Bandwidth.Write, &l.Single.Read, &l.Single.Write, &l.Uplink.Bandwidth)
	}
	wire := []string{"wire", "sharing"}
	return []knob{
		{name: name + " and npu.limits", causes: wire, rates: engines},
		{name: name + ", npu.limits and bandwidths of server.links", causes: wire, rates: inside},
	}
}

func linkKnobs(l *model.Link) []knob {
	at, wire := "server.links."+l.Class, []string{"wire:" + l.Class}
	return []knob{
		{name: at + ".bandwidth", causes: wire, rates: []*units.Rate{&l.Bandwidth.Read, &l.Bandwidth.Write}},
		{name: at + ".single", causes: wire, rates: []*units.Rate{&l.Single.Read, &l.Single.Write}},
		{name: at + ".uplink.bandwidth", causes: wire, rates: []*units.Rate{&l.Uplink.Bandwidth}},
		{name: at + ".latency", causes: []string{"latency"}, times: []*units.Duration{&l.Latency, &l.Uplink.Latency, &l.Pod.Read, &l.Pod.Write}},
	}
}

func hostKnobs(h *model.Host) []knob {
	wire := []string{"wire:" + h.Class}
	return []knob{
		{name: "server.host.link.bandwidth", causes: wire, rates: []*units.Rate{&h.Bandwidth.Read, &h.Bandwidth.Write}},
		{name: "server.host.memory", causes: wire, rates: []*units.Rate{&h.Memory}},
		{name: "server.host.reduce", causes: wire, rates: []*units.Rate{&h.Reduce}},
		{name: "server.host.nic", causes: wire, rates: []*units.Rate{&h.NIC}},
		{name: "server.host.overhead", causes: wire, times: []*units.Duration{&h.Overhead}},
		{name: "server.host.link.latency", causes: wire, times: []*units.Duration{&h.Latency}},
	}
}

func networkKnobs(t *model.Topology) []knob {
	if t.Network.Connect == model.NetworkNone {
		return nil
	}
	n, nic, wire := &t.Network, &t.NPU.NIC, []string{"wire:" + t.Network.Class, "engine"}
	list := []knob{
		{name: "npu.nic.bandwidth", causes: wire, rates: []*units.Rate{&nic.Bandwidth}},
		{name: "npu.nic.stages.fetch.bandwidth", causes: wire, rates: []*units.Rate{&nic.Fetch.Bandwidth}},
		{name: "npu.nic.stages.store.bandwidth", causes: wire, rates: []*units.Rate{&nic.Store.Bandwidth}},
		{name: "npu.nic.stages overheads", causes: []string{"setup"}, times: []*units.Duration{&nic.Fetch.Overhead, &nic.WireOverhead, &nic.Store.Overhead}},
		{name: "network.bandwidth", causes: wire, rates: []*units.Rate{&n.Bandwidth}},
		{name: "network.latency", causes: []string{"latency"}, times: []*units.Duration{&n.Latency}},
		{name: "npu.nic.request.post", causes: []string{"post"}, times: []*units.Duration{&nic.Request.Post}},
		{name: "npu.nic.request.issue", causes: []string{"post", "engine"}, times: []*units.Duration{&nic.Request.Issue}},
	}
	for i := range list {
		list[i].network = true
	}
	return list
}

// npuKnobs are those of an NPU; what moves data is its DMA engines, or under AIV its cores.
func npuKnobs(n *model.NPU, mode model.Expansion) []knob {
	launch, host := &n.Scheduler.Launch, &n.Host
	wire := []string{"wire", "sharing"}
	list := []knob{
		{name: "npu.limits.remote", causes: wire, rates: []*units.Rate{&n.Limits.Remote}},
		{name: "npu.limits.reduce", causes: wire, rates: []*units.Rate{&n.Limits.Reduce}},
		{name: "npu.memory.bandwidth", causes: wire, rates: []*units.Rate{&n.Memory.Bandwidth}},
		{name: "npu.reduce.bandwidth", causes: []string{"reduce"}, rates: []*units.Rate{&n.Reduce.Bandwidth}},
		{name: "npu.reduce.setup", causes: []string{"setup", "reduce"}, times: []*units.Duration{&n.Reduce.Setup}},
		{name: "npu.scheduler.launch", causes: []string{"launch"}, times: []*units.Duration{&launch.Record, &launch.Wait, &launch.Copy, &launch.Send, &launch.Kernel}},
		{name: "npu.scheduler.gap", causes: []string{"launch"}, times: []*units.Duration{&n.Scheduler.Gap}},
		{name: "npu.host.launch", causes: []string{"host"}, times: []*units.Duration{
			&host.Host.Collective, &host.Host.Task, &host.AICPU.Collective, &host.AICPU.Task, &host.AIV.Collective, &host.AIV.Task}},
		{name: "npu.cores", causes: []string{"engine"}, counts: []*int{&n.Cores}},
		{name: "npu.notify", causes: []string{"notify"}, times: []*units.Duration{&n.Notify.Record, &n.Notify.Wait}},
	}
	if mode == model.ExpandAIV {
		return append(list,
			knob{name: "npu.aiv.copy", causes: wire, rates: []*units.Rate{&n.AIV.Copy}},
			knob{name: "npu.aiv.reduce", causes: wire, rates: []*units.Rate{&n.AIV.Reduce}},
			knob{name: "npu.aiv.setup", causes: []string{"setup"}, times: []*units.Duration{&n.AIV.Setup}},
			knob{name: "npu.aiv.notify", causes: []string{"notify"}, times: []*units.Duration{&n.AIV.Notify}})
	}
	return append(list,
		knob{name: "npu.dma.remote", causes: wire, rates: []*units.Rate{&n.DMA.Remote}},
		knob{name: "npu.dma.reduce", causes: wire, rates: []*units.Rate{&n.DMA.Reduce}},
		knob{name: "npu.dma.local", causes: []string{"wire:local"}, rates: []*units.Rate{&n.DMA.Local}},
		knob{name: "npu.dma.setup", causes: []string{"setup"}, times: []*units.Duration{&n.DMA.Setup}},
		knob{name: "npu.dma.engines", causes: []string{"engine"}, counts: []*int{&n.DMA.Engines}})
}
