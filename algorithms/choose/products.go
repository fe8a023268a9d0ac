package choose

import (
	"fmt"

	"hcclsim/algorithms"
)

// level0910A: four rings of eight, a mesh of four, one ring of one or two; any other
// number is one plane with the other servers.
func level0910A(s *situation) verdict {
	v := verdict{rule: "level 0 by the number of NPUs", value: fmt.Sprintf("%d NPUs", s.npus), source: sourceConfigurator + ", GetDefaultAlgoLevel0Module"}
	switch s.npus {
	case 8:
		v.algorithm = "multi-ring"
	case 4:
		v.algorithm = "mesh"
	case 1, 2:
		v.algorithm = ring
	}
	return v
}

// small910A: up to 1 MiB (ReduceScatter: 256 KiB a rank) in one server of four or eight.
func small910A(s *situation) (verdict, bool) {
	if s.servers > 1 || s.npus != 4 && s.npus != 8 {
		return verdict{}, false
	}
	switch {
	case s.collective == algorithms.AllReduce && s.data <= mib:
		return verdict{"rhd", "small message in one server", fmt.Sprintf("%s <= 1MiB", size(s.data)), sourceAllReduce + ", SelectAlgfor910A"}, true
	case s.collective == algorithms.ReduceScatter && s.data <= 256*kib:
		return verdict{"rhd", "small message in one server", fmt.Sprintf("a rank's part %s <= 256KiB", size(s.data)), sourceReduceScat + ", SelectAlgfor910A"}, true
	}
	return verdict{}, false
}

// level0910B: the full mesh; in deterministic mode the one that adds in a fixed order.
func level0910B(s *situation) verdict {
	v := verdict{"mesh", "mesh", fmt.Sprintf("%d NPUs, all joined by HCCS", s.npus), sourceConfigurator + ", GetDefaultAlgoLevel0Module"}
	ordered := s.Settings.Deterministic != NotDeterministic && s.collective.Reduces() && s.npus > 2
	switch {
	case ordered && s.collective == algorithms.Reduce:
		s.warnf("HCCL's deterministic Reduce is not simulated: the mesh adds in the order of arrival")
	case ordered:
		return verdict{"mesh-chunk", "deterministic mesh", fmt.Sprintf("%s, %d NPUs", size(s.data), s.npus), sourceAllReduce + ", DeterministicSelector"}
	case s.servers == 1 && s.collective == algorithms.AllReduce && s.data <= 256*kib:
		v.rule, v.value, v.source = "small-count mesh", fmt.Sprintf("%s <= 256KiB", size(s.data)), sourceAllReduce+", MeshTopoSelector"
	case s.servers == 1 && s.collective == algorithms.AllReduce:
		v.rule, v.value, v.source = "mesh loop", fmt.Sprintf("%s > 256KiB", size(s.data)), sourceAllReduce+", MeshTopoSelector"
	}
	return v
}

// small910B: a deterministic AllReduce that moves the whole buffer by doubling: in one
// server of eight, or over servers where doubling inside and between them is doubling over
// all.
func small910B(s *situation) (verdict, bool) {
	if s.Settings.Deterministic == NotDeterministic || s.collective != algorithms.AllReduce || !s.inline {
		return verdict{}, false
	}
	source := sourceAllReduce + ", DeterministicSelector"
	switch {
	case s.servers == 1 && s.npus == 8 && s.data <= 128*kib:
		return verdict{"rhd-oneshot", "small deterministic message", fmt.Sprintf("%s <= 128KiB, 8 NPUs", size(s.data)), source}, true
	case s.servers > 1 && s.npus > 2 && power2(s.npus) && power2(s.servers) && s.data <= 512*kib:
		return verdict{"rhd-oneshot", "small deterministic message", fmt.Sprintf("%s <= 512KiB", size(s.data)), source}, true
	}
	return verdict{}, false
}

// unequalFlat is what HCCL makes of unequal servers on the 910A and the 910B: one ring.
func unequalFlat(s *situation) verdict {
	v := verdict{ring, "servers of different size", fmt.Sprint(s.Groups, " ranks"), sourceConfigurator + ", SelectCurrOpAlgType"}
	s.warnf("servers of different size %v: HCCL gives up its levels, and %s runs over all ranks", s.Groups, v.algorithm)
	s.unasked(v)
	return v
}
