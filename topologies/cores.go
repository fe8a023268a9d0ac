package topologies

import (
	"strings"

	"hcclsim/model"
	"hcclsim/topologies/document"
)

// issuing reads who issues the tasks of collectives, and what that costs.
func issuing(v document.Value, n *model.NPU) {
	n.Expansion = model.Expansion(strings.ToUpper(document.Enum(v.Key("expansion"), "", []string{"host", "ai_cpu", "aiv"})))
	launch := v.Key("host").Key("launch")
	n.Host.Host = issue(launch, model.Issue{})
	n.Host.AICPU = issue(launch.Key("ai_cpu"), n.Host.Host)
	n.Host.AIV = issue(launch.Key("aiv"), n.Host.Host)
}

// issue reads the cost of issuing in one mode.
func issue(v document.Value, absent model.Issue) model.Issue {
	return model.Issue{
		Collective: v.Key("collective").Duration(absent.Collective),
		Task:       v.Key("task").Duration(absent.Task),
	}
}

// cores reads the AI cores, and what they do besides kernels.
func cores(v document.Value, n *model.NPU) {
	most := document.Range(1, 4096)
	n.Cores = v.Key("cores").Int(0, most)
	aiv := v.Key("aiv")
	n.AIV = model.AIV{
		Cores:  aiv.Key("cores").Int(0, most),
		Setup:  aiv.Key("setup").Duration(0),
		Notify: aiv.Key("notify").Duration(0),
		Copy:   rate(aiv, "copy"),
		Reduce: rate(aiv, "reduce"),
	}
	if n.Cores > 0 && n.AIV.Cores > n.Cores {
		aiv.Key("cores").Errorf("a collective cannot hold %d of %d cores (npu.cores)", n.AIV.Cores, n.Cores)
	}
	unit := v.Key("reduce")
	on := document.Enum(unit.Key("on"), "unit", []string{"unit", "cores"})
	taken := unit.Key("cores")
	switch count := taken.Int(1, most); {
	case on == "unit":
		if taken.Present() {
			taken.Errorf("has a meaning with on: cores only")
		}
	case n.Cores > 0 && count > n.Cores:
		taken.Errorf("a reduction cannot take %d of %d cores (npu.cores)", count, n.Cores)
	default:
		n.Reduce.Cores = count
	}
}
