package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// decodeFaults reads what is wrong with the machine.
func decodeFaults(v document.Value, ranks int) (f model.Faults) {
	for _, e := range v.Key("stragglers").List() {
		s := model.Straggler{
			Rank: e.Key("rank").Int(0, document.Required, document.Range(0, int64(max(ranks, 1))-1)),
			Late: e.Key("late").Duration(0),
			Slow: e.Key("slow").Thousandths(1000, 1, 1000),
		}
		if slices.ContainsFunc(f.Stragglers, func(o model.Straggler) bool { return o.Rank == s.Rank }) {
			e.Key("rank").Errorf("rank %d has an entry already: expected one with late and slow", s.Rank)
		}
		if !e.Key("late").Present() && !e.Key("slow").Present() {
			e.Errorf("says nothing of the rank, expected late, such as 100us, or slow, such as 1.5")
		}
		f.Stragglers = append(f.Stragglers, s)
	}
	for _, e := range v.Key("links").List() {
		l := model.LinkFault{Link: e.Key("link").Text("", document.Required)}
		cut, left := e.Key("cut"), e.Key("left")
		switch {
		case cut.Present() == left.Present():
			e.Errorf("expected either cut: true or left, the share of its bandwidth that is left, such as left: 0.5")
		case cut.Present():
			if !cut.Bool(true) {
				cut.Errorf("a link that is not cut is no fault")
			}
		default: // with nothing left it is cut too
			l.Left = left.Thousandths(1000, 0, 1)
		}
		f.Links = append(f.Links, l)
	}
	return f
}

// checkLinks reports faults of links that the machine does not have.
func (s settled) checkLinks(v document.Value) {
	for i, e := range v.Key("faults").Key("links").List() {
		if s.faults.Links[i].Link == "" {
			continue // which has been reported
		}
		if err := model.CheckWork(model.Work{Topology: s.topology, Faults: model.Faults{Links: s.faults.Links[i : i+1]}}); err != nil {
			e.Key("link").Errorf("%v", err)
		}
	}
}

// blamed is where an error belongs that comes up with an entry of run: to the fault that has
// cut a link, if that is why.
func (s settled) blamed(err error, tree, entry *document.Node) *document.Node {
	var cut *model.CutError
	if !errors.As(err, &cut) {
		return entry
	}
	i := slices.IndexFunc(s.faults.Links, func(l model.LinkFault) bool { return l.CutBy(cut.Link) })
	if i < 0 {
		return entry
	}
	return tree.Key("faults").Key("links").Items[i]
}

// wrong says in few words what is wrong with a machine, and how its times vary.
func wrong(f model.Faults, j model.Jitter) string {
	var parts []string
	thousandths := func(n int64) string { return strconv.FormatFloat(float64(n)/1000, 'g', -1, 64) }
	for _, s := range f.Stragglers {
		if s.Late > 0 {
			parts = append(parts, fmt.Sprintf("rank %d late %v", s.Rank, s.Late))
		}
		if s.Slow != 1000 {
			parts = append(parts, fmt.Sprintf("rank %d slow %s", s.Rank, thousandths(s.Slow)))
		}
	}
	for _, l := range f.Links {
		switch l.Left {
		case 0:
			parts = append(parts, l.Link+" cut")
		case 1000:
		default:
			parts = append(parts, fmt.Sprintf("%s at %s", l.Link, thousandths(l.Left)))
		}
	}
	if j.Sigma > 0 {
		parts = append(parts, "jitter "+thousandths(j.Sigma))
	}
	return strings.Join(parts, ", ")
}

// Bounds of repeated runs.
const maxRepeat = 1000

// decodeJitter reads how much times vary, and how often a point is run with other seeds.
func decodeJitter(jitter, repeat document.Value) (j model.Jitter, times int) {
	j.Sigma = jitter.Key("sigma").Thousandths(0, 0, 1)
	j.Seed = int64(jitter.Key("seed").Int(1))
	times = repeat.Int(1, document.Range(1, maxRepeat))
	return j, times
}

// idleNoise warns of faults and noise that do nothing.
func (s settled) idleNoise(v document.Value) (warnings []Warning) {
	repeat, seed := v.Key("repeat"), v.Key("jitter").Key("seed")
	for _, k := range []document.Value{repeat, seed} {
		if k.Present() && s.jitter.Sigma == 0 {
			warnings = append(warnings, noEffect(k, "here: without jitter every run is the same"))
		}
	}
	idealTasks := s.topology.NPU.Handshake == model.Ideal && s.topology.NPU.Reduce == model.ReduceUnit{} && !s.hasKernels()
	if k := v.Key("jitter"); k.Present() && idealTasks {
		warnings = append(warnings, noEffect(k, "here: the topology has no tasks whose times could vary"))
	}
	for _, e := range v.Key("faults").Key("stragglers").List() {
		if k := e.Key("slow"); k.Present() && idealTasks {
			warnings = append(warnings, noEffect(k, "here: the topology has no engines that could be slow"))
		}
	}
	return append(warnings, s.idleStreams(v)...)
}

// idleStreams warns of what streams say and nothing reads.
func (s settled) idleStreams(v document.Value) (warnings []Warning) {
	used := map[string]bool{}
	for _, set := range s.sets {
		for _, st := range set.streams {
			for _, o := range st.operators {
				used[o.comm] = true
				cores, memory := o.at.Key("cores"), o.at.Key("memory")
				if o.kind == opKernel && cores.Present() && s.topology.NPU.Cores == 0 {
					warnings = append(warnings, noEffect(cores, "here: the topology does not say how many cores there are (npu.cores)"))
				}
				if o.kind == opKernel && memory.Present() && s.topology.NPU.Memory.Bandwidth == 0 {
					warnings = append(warnings, noEffect(memory, "here: the topology says nothing of the memory (npu.memory.bandwidth)"))
				}
			}
		}
	}
	for _, c := range v.Key("communicators").Entries() {
		if !used[c.Name()] {
			warnings = append(warnings, noEffect(c, "here: no operator of a stream names it"))
		}
	}
	return warnings
}

// levels of priority by word: AscendCL counts 0, the highest, to 7.
var priorities = map[string]uint8{"high": 0, "normal": 3, "low": 7}

// decodePriority reads a word, or AscendCL's number.
func decodePriority(v document.Value, absent uint8) uint8 {
	n := v.Node()
	if n == nil {
		return absent
	}
	if p, ok := priorities[strings.ToLower(n.Text)]; ok {
		return p
	}
	if n.Kind == document.Scalar && units.Plain(n.Text) {
		return uint8(v.Int(0, document.Range(0, 7)))
	}
	v.Errorf("unknown priority %q, expected high (0), normal (3), low (7) or a number from 0, the highest, to 7", n.Text)
	return absent
}
