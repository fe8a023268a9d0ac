package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/algorithms/choose"
	"hcclsim/model"
	"hcclsim/topologies/document"
)

// Names that stand for a choice among algorithms.
const (
	auto = "auto" // what HCCL, the user's thresholds or the lowest closed form choose
	best = "best" // the fastest of the candidates, by simulating them all
)

// choices are the names that stand for a choice.
var choices = []string{auto, best}

// usualInter are the second halves of the mixes that best tries if candidates are not
// named: those that HCCL has, a tree and a star. Their variants have to be asked for.
// usualOuter are the algorithms between super-pods.
var (
	usualInter = []string{"ring", doubleTree, "nhr", "nb", "rhd", "pairwise", "star"}
	usualOuter = []string{"ring", "nhr", "rhd"}
)

const doubleTree = "double-tree"

// mostMesh is up to how many ranks best tries a mesh over several servers: the time that it
// takes to simulate grows with the third power, as all messages share ports with all.
const mostMesh = 128

// bestOf are the algorithms that best tries: in one server all, in several the usual ones,
// flat and mixed; and, last, what auto would run.
func (e entry) bestOf(p *Point, settings choose.Settings) []string {
	if len(e.candidates) > 0 {
		return e.candidates
	}
	var names []string
	for _, name := range algorithms.Names() {
		first, last, mix := strings.Cut(name, "+")
		if !mix {
			last = first
		}
		one := p.Topology.Servers == 1
		usual := slices.Contains(usualInter, last) && first != "mesh-chunk" || name == "pipeline"
		switch {
		case !algorithms.Offers(name, e.collective), algorithms.NeedsHosts(name): // a baseline
		case name == "mesh" && (one || p.Topology.Size() <= mostMesh), usual, one && !mix:
			names = append(names, name)
		}
	}
	if p.Topology.Pods > 1 {
		names = append(names, e.threeLevels(names)...)
	}
	if c, err := choose.Auto(e.question(p, settings)); err == nil {
		names = append(slices.DeleteFunc(names, func(name string) bool { return name == c.Algorithm }), c.Algorithm)
	}
	return names
}

// threeLevels are the mixes of three levels that begin with usual ones of two.
func (e entry) threeLevels(mixes []string) (names []string) {
	for _, mix := range mixes {
		_, inter, mixed := strings.Cut(mix, "+")
		for _, outer := range usualOuter {
			name := mix + "+" + outer
			if mixed && slices.Contains(usualOuter, inter) && algorithms.Offers(name, e.collective) {
				names = append(names, name)
			}
		}
	}
	return names
}

// try makes the point of best: it keeps the candidates that can run here. Those that the
// scenario names must all be able to; of the others those are left out that are predicted
// to be hopeless.
func (e entry) try(p *Point, settings choose.Settings, checked map[string]error, machine string) error {
	for _, name := range e.bestOf(p, settings) {
		p.Algorithm = algorithms.Canonical(name)
		err := p.checkOnce(checked, machine)
		if err == nil {
			p.Candidates = append(p.Candidates, p.Algorithm)
		} else if len(e.candidates) > 0 {
			return err
		}
	}
	if len(p.Candidates) == 0 {
		return fmt.Errorf("none of the candidates can run here")
	}
	if len(e.candidates) == 0 {
		if err := p.leaveOutHopeless(); err != nil {
			return err
		}
	}
	for _, name := range p.Candidates {
		p.Algorithm = name
		p.Work += p.steps()
	}
	p.Algorithm = p.Candidates[0]
	p.Row.Algorithm = p.Algorithm
	return nil
}

// hopeless is how many times the lowest predicted time an algorithm may take for best to
// try it. Predictions know nothing of tasks and sharing, which make less of a difference.
const hopeless = 4

// leaveOutHopeless keeps the candidates whose predicted times are not hopeless, and the last,
// which auto would run.
func (p *Point) leaveOutHopeless() error {
	costs := make([]int64, len(p.Candidates))
	for i, name := range p.Candidates {
		var err error
		if costs[i], err = algorithms.Estimate(name, p.Request(), p.Topology.Levels()); err != nil {
			return err
		}
	}
	lowest := slices.Min(costs)
	var kept []string
	for i, name := range p.Candidates {
		if costs[i]/hopeless <= lowest || i == len(costs)-1 {
			kept = append(kept, name)
		}
	}
	p.Candidates, p.LeftOut = kept, len(costs)-len(kept)
	return nil
}

// choose lets a chooser name the algorithm of a point.
func (e entry) choose(p *Point, settings choose.Settings) (warnings []string, err error) {
	c, err := choose.Auto(e.question(p, settings))
	if err != nil {
		return nil, err
	}
	p.Algorithm, p.Row.Algorithm = c.Algorithm, c.Algorithm
	// What HCCL would rather have run belongs to the reason.
	reasons := slices.DeleteFunc(append([]string{c.Value, c.Source}, c.Warnings...), func(s string) bool { return s == "" })
	p.Row.SelectedBy = fmt.Sprintf("%s: %s (%s)", c.By, c.Rule, strings.Join(reasons, "; "))
	return c.Warnings, nil
}

// question is what a chooser has to know.
func (e entry) question(p *Point, settings choose.Settings) choose.Question {
	settings.Ranges = e.ranges
	return choose.Question{
		Request: p.Request(), DType: e.dtype.name, Op: e.op,
		Product: p.Topology.Product, InlineReduce: p.Topology.NPU.Reduce.Inline,
		Levels: p.Topology.Levels(), Settings: settings,
	}
}

// checkOnce checks that the point's program can run on the machine, unless it has been
// checked before; sizes do not matter.
func (p *Point) checkOnce(checked map[string]error, machine string) error {
	key := fmt.Sprint(p.Collective, p.Row.Requested, p.Algorithm, p.Root, p.InPlace, p.Depth, machine)
	err, known := checked[key]
	if !known {
		if err = model.Check(p.Point); err == nil && p.Make != nil {
			err = prove(p)
		}
		checked[key] = err
	}
	return err
}

// decodeRanges reads the table that auto looks sizes up in.
func decodeRanges(v document.Value, c algorithms.Collective) []choose.Range {
	var ranges []choose.Range
	for _, e := range v.List() {
		r := choose.Range{Collective: c, Min: int64(e.Key("from").Bytes(0)), Max: -1}
		if to := e.Key("to"); to.Present() {
			if r.Max = int64(to.Bytes(0, document.Positive)); r.Max < r.Min {
				to.Errorf("to %d bytes is below from %d bytes", r.Max, r.Min)
			}
		}
		r.Algorithm = decodeAlgorithm(e.Key("algorithm"), c)
		ranges = append(ranges, r)
	}
	return ranges
}
