package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/algorithms/choose"
	"hcclsim/model"
	"hcclsim/model/records"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// Plan is a scenario made explicit: every point that it spans, checked and ready to run.
type Plan struct {
	Name        string
	Description string
	Points      []Point
	Swept       []string // the keys that vary, in the order of the document
	Assertions  []Assertion
	Plots       []string
	Warnings    []Warning
	Files       []File // that the scenario depends on besides
	Resolved    []byte // the scenario as a document that depends on no other; gives the same results
}

// Work is the number of steps of all points.
func (p *Plan) Work() int64 {
	var sum int64
	for _, point := range p.Points {
		sum += point.Work
	}
	return sum
}

// Part is the plan with those of its points, numbered from 0, that takes accepts.
func (p *Plan) Part(takes func(n int) bool) *Plan {
	part := *p
	part.Points = nil
	for i, point := range p.Points {
		if takes(i) {
			part.Points = append(part.Points, point)
		}
	}
	return &part
}

// maxPoints bounds what a short document can ask for.
const maxPoints = 1_000_000

// Load plans the scenario of that name or at that path, with overrides. An error that is
// not a document.Errors is no fault of the documents.
func Load(nameOrPath string, overrides ...Override) (*Plan, error) {
	root, err := Read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return New(root, overrides...)
}

// New plans a scenario document. The document is not changed.
func New(root *document.Node, overrides ...Override) (*Plan, error) {
	d, err := newDraft(root, overrides)
	if err != nil {
		return nil, err
	}
	o, err := decodeOutline(d.document)
	p := &Plan{Name: o.name, Description: o.description, Swept: o.swept(), Assertions: o.assertions, Plots: o.plots}
	errs := []error{err}
	checked := map[string]error{}
	for _, c := range combinations(o.axes) {
		tree, err := d.combine(c)
		if err == nil {
			err = p.add(tree, c, checked)
		}
		errs = append(errs, err)
		if len(p.Points) > maxPoints {
			errs = append(errs, document.Fault(root.Origin, "more than %d points", maxPoints))
			break
		}
	}
	if err := document.Join(errs...); err != nil {
		return nil, err
	}
	p.settleWarnings(o.axes)
	p.Resolved, err = d.resolved(o.axes)
	return p, err
}

// add appends the points of one combination. checked remembers what is known of programs
// on machines.
func (p *Plan) add(tree *document.Node, c []assignment, checked map[string]error) error {
	s, err := decodeCombination(tree)
	if err != nil {
		return err
	}
	for _, w := range append(s.warnings, idleKeys(tree, c, s)...) {
		p.warn(w)
	}
	var swept []records.Field
	for _, a := range c {
		swept = append(swept, records.Field{Path: a.path, Value: flow(a.value)})
	}
	machine := "" // what routes depend on
	for _, key := range []string{"topology", "env", "faults"} {
		if n := tree.Key(key); n != nil {
			machine += string(n.Encode())
		}
	}
	var errs []error
	for _, set := range s.sets {
		errs = append(errs, p.addStreams(s, set, tree, swept))
	}
	for _, e := range s.entries {
		for _, requested := range e.algorithms {
			points := e.points(s.topology, s.env.machine, requested)
			// The largest first: if it cannot run, the others need not be tried.
			for i := len(points) - 1; i >= 0; i-- {
				points[i].Row.Scenario, points[i].Row.Swept, points[i].Row.Faults = p.Name, swept, wrong(s.faults, s.jitter)
				points[i].Faults, points[i].Jitter, points[i].Repeat = s.faults, s.jitter, s.repeat
				if err := p.settle(e, &points[i], s.env.settings, checked, machine); err != nil {
					var faults document.Errors // which know their place
					if !errors.As(err, &faults) {
						err = document.Fault(s.blamed(err, tree, e.at.Node()).Origin, "%v: %v", points[i], err)
					}
					errs = append(errs, err)
					break
				}
			}
			p.Points = append(p.Points, points...)
		}
	}
	return document.Join(errs...)
}

// warn keeps a warning that has not been given before.
func (p *Plan) warn(w Warning) {
	if !slices.Contains(p.Warnings, w) {
		p.Warnings = append(p.Warnings, w)
	}
}

// settleWarnings takes back warnings of values without an effect that are swept beside values
// with one: they are what the others are compared with. What is said twice is said once.
func (p *Plan) settleWarnings(axes []axis) {
	for _, a := range axes {
		for _, path := range a.paths {
			idle := func(w Warning) bool { return strings.HasPrefix(w.Text, path+" has no effect ") }
			places := map[string]bool{}
			for _, w := range p.Warnings {
				if idle(w) {
					places[w.At] = true
				}
			}
			if len(places) < len(a.values) {
				p.Warnings = slices.DeleteFunc(p.Warnings, idle)
			}
		}
	}
	var different []Warning // in what they say: a value is as idle as the next
	for _, w := range p.Warnings {
		if !slices.ContainsFunc(different, func(o Warning) bool { return o.Text == w.Text }) {
			different = append(different, w)
		}
	}
	p.Warnings = different
}

// keep remembers a file. Two of the same name cannot lie side by side.
func (p *Plan) keep(f File) error {
	i := slices.IndexFunc(p.Files, func(o File) bool { return o.Name == f.Name })
	if i < 0 {
		p.Files = append(p.Files, f)
		return nil
	}
	if !bytes.Equal(p.Files[i].Text, f.Text) {
		return fmt.Errorf("two different files are named %s", f.Name)
	}
	return nil
}

// settle decides what runs, and makes sure that it can.
func (p *Plan) settle(e entry, point *Point, settings choose.Settings, checked map[string]error, machine string) error {
	switch point.Row.Requested {
	case best:
		return e.try(point, settings, checked, machine)
	case auto:
		warnings, err := e.choose(point, settings)
		if err != nil {
			return err
		}
		for _, text := range warnings {
			p.warn(Warning{e.at.Node().Position(), text})
		}
	}
	if file, ok := e.file(point.Row.Requested); ok {
		e.runFile(point, file)
		if err := p.keep(file.File); err != nil {
			return err
		}
	}
	point.Work = point.steps()
	return point.checkOnce(checked, machine)
}

// points are the runs of one algorithm, by size.
func (e entry) points(t model.Topology, settings model.Settings, requested string) []Point {
	canonical := algorithms.Canonical(requested)
	sizes := e.sizes
	if len(e.matrix) > 0 {
		_, largest := matrixBlocks(e.matrix)
		sizes = []units.Bytes{largest}
	}
	points := make([]Point, len(sizes))
	for i, size := range sizes {
		points[i].Point = model.Point{
			Topology: t, Settings: settings, Collective: e.collective, Algorithm: canonical, Bytes: size, Elem: e.dtype.size,
			Root: e.root, InPlace: e.inPlace, Iterations: e.iterations, Segment: e.segment, Depth: e.depth,
			Blocks: e.blocks(size, t.Size()),
		}
		points[i].Row = records.Row{
			Topology: t.Name, Collective: string(e.collective), Requested: requested, Algorithm: canonical,
			Servers: t.Servers, Ranks: t.Size(), Bytes: size,
			Shape: shape(t), DType: e.dtype.name, Op: e.op, Root: e.root, InPlace: e.inPlace, Iterations: e.iterations,
		}
		if !e.collective.Reduces() {
			points[i].Row.Op = ""
		}
	}
	return points
}

// blocks are the sizes of AlltoAllV's blocks; nil for other collectives.
func (e entry) blocks(size units.Bytes, ranks int) func(from, to int) int64 {
	switch {
	case e.collective != algorithms.AlltoAllV:
		return nil
	case len(e.matrix) > 0:
		blocks, _ := matrixBlocks(e.matrix)
		return blocks
	}
	return skewedBlocks(size, e.dtype.size, ranks, e.skew)
}

// shape says how ranks lie where not all servers are alike.
func shape(t model.Topology) string {
	var parts []string
	if groups := t.Groups(); slices.ContainsFunc(groups, func(n int) bool { return n != groups[0] }) {
		var sizes []string
		for i := 0; i < len(groups); {
			j := i
			for j < len(groups) && groups[j] == groups[i] {
				j++
			}
			size := fmt.Sprint(groups[i])
			if j-i > 1 {
				size = fmt.Sprintf("%dx%s", j-i, size)
			}
			sizes = append(sizes, size)
			i = j
		}
		parts = append(parts, strings.Join(sizes, "+")+" NPUs")
	}
	if t.Pods > 1 {
		parts = append(parts, fmt.Sprintf("%d super-pods", t.Pods))
	}
	return strings.Join(parts, ", ")
}
