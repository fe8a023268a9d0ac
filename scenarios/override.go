package scenarios

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"hcclsim/topologies"
	"hcclsim/topologies/document"
)

// Override puts a value at a path of a scenario from outside, as --set does. It replaces
// what the document has there; of a swept key it replaces all values.
type Override struct {
	Path, Value string
	Origin      string // names it in errors, e.g. "--set topology.servers=4"
}

// draft is a scenario document with its overrides. Its topology is put together anew for
// each combination, because the combination may say which one to use.
type draft struct {
	document *document.Node
	over     []Override // of keys inside the topology
	loaded   map[string]*document.Node
}

func newDraft(root *document.Node, overrides []Override) (*draft, error) {
	d := &draft{document: root.Clone(), loaded: map[string]*document.Node{}}
	var errs []error
	for _, o := range overrides {
		path, value := o.Path, o.Value
		swept := d.document.Key("sweep").Key(path) != nil
		if key, sweeps := strings.CutPrefix(path, "sweep."); sweeps && !d.sweeps(key) {
			errs = append(errs, d.sweep(key, value, o.Origin))
			continue
		}
		switch {
		case inCases(d.document.Key("cases"), path):
			errs = append(errs, document.Fault(document.Origin{Label: o.Origin}, "the scenario's cases give this key"))
			continue
		case swept:
			path, value = "sweep."+path, "["+value+"]"
		case path != "topology" && path != "topology.use" && within(path, "topology"):
			d.over = append(d.over, o)
			continue
		}
		errs = append(errs, d.document.Set(path, value, o.Origin))
	}
	return d, document.Join(errs...)
}

// sweeps says whether the document sweeps a key, or one that the path begins with.
func (d *draft) sweeps(path string) bool {
	sweep := d.document.Key("sweep")
	return sweep != nil && slices.ContainsFunc(sweep.Keys, func(k document.Key) bool { return within(path, k.Name) })
}

// sweep puts the values of a key that has not been swept: its path is one key, dots and all.
func (d *draft) sweep(path, values, origin string) error {
	at := document.Origin{Label: origin}
	holder := document.NewMapping(at)
	if err := holder.Set("values", values, origin); err != nil {
		return err
	}
	if sweep := d.document.Key("sweep"); sweep == nil || sweep.Kind == document.Null {
		if err := d.document.Put("sweep", document.NewMapping(at), at); err != nil {
			return err
		}
	}
	d.document.Key("sweep").PutKey(document.Key{Name: path, Origin: at, Value: holder.Key("values")})
	return nil
}

func inCases(cases *document.Node, path string) bool {
	return cases != nil && slices.ContainsFunc(cases.Items, func(c *document.Node) bool { return c.Key(path) != nil })
}

// combine returns the document of one combination, with its topology written out.
func (d *draft) combine(c []assignment) (*document.Node, error) {
	tree := d.document.Clone()
	rest := c[:0:0]
	for _, a := range c {
		if a.path != useKey {
			rest = append(rest, a)
		} else if err := tree.Put(a.path, a.value.Clone(), a.value.Origin); err != nil {
			return nil, err
		}
	}
	if t := tree.Key("topology"); t != nil {
		whole, err := d.whole(t)
		if err != nil {
			return nil, err
		}
		if err := tree.Put("topology", whole, t.Origin); err != nil {
			return nil, err
		}
	}
	for _, a := range rest {
		if err := tree.Put(a.path, a.value.Clone(), a.value.Origin); err != nil {
			return nil, err
		}
	}
	return tree, nil
}

const useKey = "topology.use"

// whole writes out the scenario's topology, with the overrides of its keys.
func (d *draft) whole(t *document.Node) (*document.Node, error) {
	whole, err := d.overlay(t, d.document.Key("topologies"))
	if err != nil || whole.Kind != document.Mapping {
		return whole, err // what is no mapping, the decoder refuses
	}
	var errs []error
	for _, o := range d.over {
		errs = append(errs, whole.Set(strings.TrimPrefix(o.Path, "topology."), o.Value, o.Origin))
	}
	return whole, document.Join(errs...)
}

// overlay lays the keys of t over those of the topology that it uses, if any: one of
// named, a built-in one, or a file.
func (d *draft) overlay(t, named *document.Node) (*document.Node, error) {
	use := t.Key("use")
	if use == nil {
		return t.Clone(), nil
	}
	var base *document.Node
	var err error
	if entry := named.Key(use.Text); entry != nil {
		base, err = d.overlay(entry, nil)
	} else {
		base, err = d.load(use)
	}
	if err != nil {
		return nil, err
	}
	keys := t.Clone()
	keys.Keys = slices.DeleteFunc(keys.Keys, func(k document.Key) bool { return k.Name == "use" })
	return document.Overlay(base, keys), nil
}

// load reads a topology by name or path. A path is seen from the directory of the document
// that has it, or from the working directory if it comes from the command line.
func (d *draft) load(use *document.Node) (*document.Node, error) {
	ref := use.Text
	if use.Kind != document.Scalar {
		return nil, document.Fault(use.Origin, "topology.use: expected the name or path of a topology, got %v", use.Kind)
	}
	if !slices.Contains(topologies.Names(), ref) && strings.ContainsAny(ref, `/\.`) && !filepath.IsAbs(ref) && use.Origin.Label == "" {
		ref = filepath.Join(filepath.Dir(use.Origin.File), ref)
	}
	if n, ok := d.loaded[ref]; ok {
		return n, nil
	}
	n, err := topologies.Load(ref)
	if err != nil {
		return nil, placed(err, use.Origin)
	}
	d.loaded[ref] = n
	return n, nil
}

// placed gives errors that know no place the one that they were caused at.
func placed(err error, at document.Origin) error {
	var faults document.Errors
	if !errors.As(err, &faults) {
		return err
	}
	faults = slices.Clone(faults)
	for i := range faults {
		if faults[i].Origin == (document.Origin{}) {
			faults[i].Origin = at
		}
	}
	return faults
}
