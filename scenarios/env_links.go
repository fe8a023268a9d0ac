package scenarios

import (
	"slices"
	"strings"

	"hcclsim/model"
	"hcclsim/topologies/document"
)

// linkChoice is which links HCCL is told to use: inside a server PCIe or RoCE where both
// join NPUs, between the servers of a super-pod RoCE instead of HCCS.
type linkChoice struct {
	pcie, roce  *bool
	hccsDisable bool
}

// pcieClass is the class of the links that HCCL_INTRA_PCIE_ENABLE is about.
const pcieClass = "pcie"

func decodeSwitch(v document.Value) *bool {
	on := v.Int(0, document.Range(0, 1)) == 1
	return &on
}

// decodeHCCSDisable reads a word, in which HCCL does not tell capitals apart.
func decodeHCCSDisable(v document.Value, e *environment) {
	words := []string{"false", "true"}
	i := slices.Index(words, strings.ToLower(v.Text(words[0])))
	if i < 0 {
		document.Enum(v, words[0], words)
	}
	e.links.hccsDisable = i == 1
}

// check refuses what HCCL does not support (its documentation of HCCL_INTRA_PCIE_ENABLE): both
// on, or one set to 0 and the other not set.
func (c linkChoice) check(env document.Value) {
	pcie, roce := env.Key("HCCL_INTRA_PCIE_ENABLE"), env.Key("HCCL_INTRA_ROCE_ENABLE")
	switch {
	case c.pcie != nil && c.roce != nil && *c.pcie && *c.roce:
		roce.Errorf("HCCL does not support HCCL_INTRA_PCIE_ENABLE and HCCL_INTRA_ROCE_ENABLE both being 1")
	case c.pcie != nil && !*c.pcie && c.roce == nil:
		pcie.Errorf("HCCL does not support 0 without HCCL_INTRA_ROCE_ENABLE, expected HCCL_INTRA_ROCE_ENABLE: 1 beside it")
	case c.roce != nil && !*c.roce && c.pcie == nil:
		roce.Errorf("HCCL does not support 0 without HCCL_INTRA_PCIE_ENABLE, expected HCCL_INTRA_PCIE_ENABLE: 1 beside it")
	}
}

// usesRoCE says whether RoCE takes the place of PCIe inside a server.
func (c linkChoice) usesRoCE() bool { return c.roce != nil && *c.roce }

// onto is the topology with the links that are chosen.
func (c linkChoice) onto(t model.Topology) model.Topology {
	links := slices.Clone(t.Server.Links)
	if c.usesRoCE() && choosesIntra(t) {
		links = slices.DeleteFunc(links, func(l model.Link) bool { return l.Class == pcieClass })
		t.Network.Within = true
	}
	if c.hccsDisable && t.Network.Connect != model.NetworkNone {
		for i := range links {
			links[i].Pod = model.PodLink{}
		}
	}
	t.Server.Links = links
	return t
}

// choosesIntra says whether NPUs of a server are joined by PCIe where RoCE could.
func choosesIntra(t model.Topology) bool {
	return t.Network.Connect != model.NetworkNone && len(t.Server.Links) > 1 &&
		slices.ContainsFunc(t.Server.Links, func(l model.Link) bool { return l.Class == pcieClass })
}

func idleIntra(e environment, _ []entry, t model.Topology) string {
	switch {
	case !choosesIntra(t):
		return "there is no choice between PCIe and RoCE inside a server"
	case !e.links.usesRoCE():
		return "PCIe is the default"
	}
	return ""
}

func idleHCCSDisable(e environment, _ []entry, t model.Topology) string {
	pod := slices.ContainsFunc(t.Server.Links, func(l model.Link) bool { return l.Pod.Spans })
	switch {
	case !pod || t.Servers == 1:
		return "no link joins servers of a super-pod"
	case t.Network.Connect == model.NetworkNone:
		return "without those links there is no network"
	case !e.links.hccsDisable:
		return "false is the default"
	}
	return ""
}
