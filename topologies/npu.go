package topologies

import (
	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// npu reads the parts of an NPU. A part that is absent costs nothing and limits nothing.
func npu(v document.Value, npus int) model.NPU {
	n := model.NPU{
		Handshake:  document.Enum(v.Key("handshake"), model.Rendezvous, []model.Handshake{model.Ideal, model.Rendezvous}),
		Scheduler:  scheduler(v.Key("scheduler")),
		DMA:        dma(v.Key("dma")),
		NIC:        nic(v.Key("nic"), npus),
		Copies:     copies(v.Key("copies")),
		Marker:     v.Key("marker").Bool(false),
		SliceAlign: v.Key("slice_align").Bytes(0),
	}
	if n.SliceAlign > 1<<30 {
		v.Key("slice_align").Errorf("slices are aligned to at most 1GiB, got %v", n.SliceAlign)
	}
	notify := v.Key("notify")
	n.Notify = model.Notify{Record: notify.Key("record").Duration(0), Wait: notify.Key("wait").Duration(0)}
	limits := v.Key("limits")
	n.Limits = model.Limits{Remote: rate(limits, "remote"), Reduce: rate(limits, "reduce")}
	n.Memory.Bandwidth = rate(v.Key("memory"), "bandwidth")
	unit := v.Key("reduce")
	n.Reduce = model.ReduceUnit{
		Bandwidth: rate(unit, "bandwidth"),
		Setup:     unit.Key("setup").Duration(0),
		Inline:    unit.Key("inline").Bool(v.Key("dma").Key("reduce").Present()),
	}
	n.SyncNotify = document.Enum(v.Key("sync"), "graph", []string{"graph", "notify"}) == "notify"
	levels := v.Key("streams")
	n.Streams = model.StreamLevels{
		Priorities: levels.Key("priorities").Int(0, document.Range(1, 8)),
		HCCL:       levels.Key("hccl").Int(0, document.Range(0, 7)),
	}
	issuing(v, &n)
	cores(v, &n)
	n.NIC.Inline = v.Key("nic").Key("inline").Bool(n.Reduce.Inline)
	return n
}

// rate reads an optional bandwidth. Zero is no bandwidth: to lift a limit, leave it out.
func rate(v document.Value, key string) units.Rate {
	return v.Key(key).Rate(0, document.Positive)
}

func scheduler(v document.Value) model.Scheduler {
	launch := v.Key("launch")
	return model.Scheduler{
		Launch: model.Launch{
			Record: launch.Key("record").Duration(0),
			Wait:   launch.Key("wait").Duration(0),
			Copy:   launch.Key("copy").Duration(0),
			Send:   launch.Key("send").Duration(0),
			Kernel: launch.Key("kernel").Duration(0),
		},
		Gap: v.Key("gap").Duration(0),
	}
}

func dma(v document.Value) model.DMA {
	return model.DMA{
		Engines: v.Key("engines").Int(0, document.Range(1, 4096)),
		Setup:   v.Key("setup").Duration(0),
		Local:   rate(v, "local"),
		Remote:  rate(v, "remote"),
		Reduce:  rate(v, "reduce"),
	}
}

func copies(v document.Value) algorithms.Copies {
	switch document.Enum(v, "none", []string{"none", "slice", "full"}) {
	case "slice":
		return algorithms.CopiesSlice
	case "full":
		return algorithms.CopiesFull
	}
	return algorithms.CopiesNone
}
