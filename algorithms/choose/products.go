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
		return verdict{algorithm: "rhd-oneshot", rule: "small message in one server",
			value: fmt.Sprintf("%s <= 1MiB", size(s.data)), source: sourceAllReduce + ", SelectAlgfor910A"}, true
	case s.collective == algorithms.ReduceScatter && s.data <= 256*kib:
		return verdict{algorithm: "rhd", rule: "small message in one server",
			value: fmt.Sprintf("a rank's part %s <= 256KiB", size(s.data)), source: sourceReduceScat + ", SelectAlgfor910A"}, true
	}
	return verdict{}, false
}

// level0910B: the full mesh; in deterministic mode the one that adds in a fixed order.
func level0910B(s *situation) verdict {
	v := verdict{algorithm: "mesh", rule: "mesh",
		value: fmt.Sprintf("%d NPUs, all joined by HCCS", s.npus), source: sourceConfigurator + ", GetDefaultAlgoLevel0Module"}
	ordered := s.Settings.Deterministic != NotDeterministic && s.collective.Reduces() && s.npus > 2
	switch {
	case ordered && s.collective == algorithms.Reduce:
		s.warnf("HCCL's deterministic Reduce is not simulated: the mesh adds in the order of arrival")
	case ordered && s.collective == algorithms.ReduceScatter:
		s.staged910B()
		v.algorithm, v.rule, v.source = "mesh-chunk", "deterministic mesh", sourceReduceScat+", SelectAlgfor910B"
	case ordered:
		v.algorithm, v.rule, v.source = "mesh-chunk", "deterministic mesh", sourceAllReduce+", DeterministicSelector"
	case s.servers == 1 && s.collective == algorithms.AllReduce && s.data <= 256*kib:
		// CollAllReduceMeshSmallCountExecutor reduces everything at one rank and copies the result to all.
		v.algorithm = "star"
		v.rule, v.value, v.source = "small-count mesh", fmt.Sprintf("%s <= 256KiB", size(s.data)), sourceAllReduce+", MeshTopoSelector"
	case s.servers == 1 && s.collective == algorithms.AllReduce:
		v.rule, v.value, v.source = "mesh loop", fmt.Sprintf("%s > 256KiB", size(s.data)), sourceAllReduce+", MeshTopoSelector"
	}
	return v
}

// staged910B warns of what HCCL does inside the servers for a small deterministic
// ReduceScatter over several.
func (s *situation) staged910B() {
	small := s.Settings.Deterministic == IsDeterministic && s.data <= 512*kib || s.Bytes < 512*kib
	if s.servers == 1 || !s.inline || !small {
		return
	}
	form := "NHR"
	if power2(s.npus) {
		form = "halving in stages"
	}
	s.warnf("small deterministic ReduceScatter: HCCL takes %s inside the servers, which is not simulated: mesh-chunk runs there", form)
}

// small910B: a deterministic AllReduce that moves the whole buffer by doubling: in one
// server of eight, or over several servers. Doubling inside and between them is doubling
// over all, where both are powers of two.
func small910B(s *situation) (verdict, bool) {
	if s.Settings.Deterministic == NotDeterministic || s.collective != algorithms.AllReduce || !s.inline {
		return verdict{}, false
	}
	source := sourceAllReduce + ", DeterministicSelector"
	switch {
	case s.servers == 1 && s.npus == 8 && s.data <= 128*kib:
		return verdict{algorithm: "rhd-oneshot", rule: "small deterministic message",
			value: fmt.Sprintf("%s <= 128KiB, 8 NPUs", size(s.data)), source: source}, true
	case s.servers > 1 && s.npus > 2 && s.data <= 512*kib:
		if !power2(s.npus) {
			s.warnf("%d NPUs a server: HCCL gathers, adds and broadcasts whole buffers inside the servers, which is not simulated: rhd-oneshot runs over all ranks", s.npus)
		}
		if !power2(s.servers) {
			s.warnf("%d servers: HCCL doubles inside the servers only, and takes ring, NHR or H-D_R between them, which is not simulated: rhd-oneshot runs over all ranks", s.servers)
		}
		return verdict{algorithm: "rhd-oneshot", rule: "small deterministic message",
			value: fmt.Sprintf("%s <= 512KiB", size(s.data)), source: source}, true
	}
	return verdict{}, false
}

// unequalFlat is what HCCL makes of unequal servers on the 910A and the 910B: one ring.
func unequalFlat(s *situation) verdict {
	v := verdict{algorithm: ring, rule: "servers of different size",
		value: fmt.Sprint(s.Groups, " ranks"), source: sourceConfigurator + ", SelectCurrOpAlgType"}
	s.warnf("servers of different size %v: HCCL gives up its levels, and %s runs over all ranks", s.Groups, v.algorithm)
	s.unasked(v)
	return v
}
