package topologies

import (
	"math/bits"
	"slices"

	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

var networks = []model.NetworkConnect{model.NetworkSwitch, model.NetworkRails, model.NetworkFullMesh, model.NetworkClos}

// onlyWith are the keys of a network that have a meaning with one shape only.
var onlyWith = []struct {
	key     string
	connect model.NetworkConnect
}{
	{"rails", model.NetworkRails}, {"spine", model.NetworkRails}, {"bandwidth", model.NetworkFullMesh},
	{"radix", model.NetworkClos}, {"spines", model.NetworkClos}, {"oversubscription", model.NetworkClos},
	{"routing", model.NetworkClos}, {"seed", model.NetworkClos},
}

// network reads what is between the servers of a machine.
func network(v document.Value, t model.Topology, c *classes) model.Network {
	if !v.Present() {
		return model.Network{}
	}
	n := model.Network{
		Class:   c.read(v.Key("class")),
		Connect: document.Enum(v.Key("connect"), model.NetworkNone, networks, document.Required),
		Latency: v.Key("latency").Duration(0),
		Within:  v.Key("within").Bool(false),
	}
	for _, only := range onlyWith {
		if k := v.Key(only.key); k.Present() && n.Connect != only.connect && n.Connect != model.NetworkNone {
			k.Errorf("has a meaning with connect: %s only", only.connect)
		}
	}
	switch n.Connect {
	case model.NetworkRails:
		n.Rails = v.Key("rails").Int(t.Server.NPUs, document.Range(1, last(t.Server.NPUs)+1))
		n.Spine = v.Key("spine").Bool(false)
	case model.NetworkFullMesh:
		n.Bandwidth = v.Key("bandwidth").Rate(0, document.Required, document.Positive)
	case model.NetworkClos:
		n.Radix = v.Key("radix").Int(1, document.Required, document.Range(1, 1<<16))
		n.Spines = v.Key("spines").Int(1, document.Required, document.Range(1, 1<<16))
		n.Seed = int64(v.Key("seed").Int(0))
		document.Enum(v.Key("routing"), "ecmp", []string{"ecmp"})
		over := v.Key("oversubscription").Thousandths(1000, 1, 1000)
		n.Bandwidth = leafLink(n, t.NPU.NIC.Bandwidth, over)
	}
	if t.NPU.NIC.Staged && !slices.Contains(*c, model.StageClass) {
		if *c = append(*c, model.StageClass); len(*c) == maxClasses+1 {
			v.Errorf("the class %q of staged NICs is one too many, a topology has at most %d", model.StageClass, maxClasses)
		}
	}
	return n
}

// leafLink is the bandwidth of a link between a leaf and a spine: those of a leaf together
// carry its ports, divided by the oversubscription in thousandths.
func leafLink(n model.Network, port units.Rate, over int64) units.Rate {
	hi, lo := bits.Mul64(uint64(port), uint64(n.Radix)*1000)
	share, _ := bits.Div64(hi, lo, uint64(n.Spines)*uint64(over))
	return max(units.Rate(share), 1)
}
