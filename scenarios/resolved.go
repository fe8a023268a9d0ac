package scenarios

import (
	"cmp"
	"slices"
	"strconv"

	"hcclsim/algorithms"
	"hcclsim/topologies/document"
)

const resolvedComment = "# Written by hcclsim: a scenario with all that it depends on. Running it gives the same results.\n"

// resolved writes the document with its overrides, its defaults and its topologies put in.
// The topology stands inline; where topology.use varies, those that it names stand under
// topologies.
func (d *draft) resolved(axes []axis) ([]byte, error) {
	root := d.document.Clone()
	fillDefaults(root.Key("run"))
	shortenFiles(root.Key("run"))
	shortenFiles(root.Key("sweep"))
	shortenFiles(root.Key("cases"))
	variants := used(axes)
	if len(variants) == 0 {
		whole, err := d.whole(root.Key("topology"))
		if err != nil {
			return nil, err
		}
		return encode(root, "topology", whole), nil
	}
	named := document.NewMapping(document.Origin{})
	for _, use := range variants {
		topology := root.Key("topology").Clone()
		if err := topology.Put("use", use.Clone(), use.Origin); err != nil {
			return nil, err
		}
		whole, err := d.whole(topology)
		if err != nil {
			return nil, err
		}
		named.Keys = append(named.Keys, document.Key{Name: use.Text, Value: whole})
	}
	base := document.NewMapping(document.Origin{})
	base.Keys = []document.Key{{Name: "use", Value: variants[0]}}
	return encode(root, "topology", base, "topologies", named), nil
}

// used are the topologies that the combinations use, when they vary.
func used(axes []axis) []*document.Node {
	var nodes []*document.Node
	for _, a := range axes {
		i := slices.Index(a.paths, useKey)
		for _, values := range a.values {
			if i >= 0 && !slices.ContainsFunc(nodes, func(n *document.Node) bool { return n.Text == values[i].Text }) {
				nodes = append(nodes, values[i])
			}
		}
	}
	return nodes
}

// fillDefaults writes out the settings that the entries of run leave open.
func fillDefaults(run *document.Node) {
	if run == nil {
		return
	}
	for _, e := range run.Items {
		if e.Kind == document.Mapping && (e.Key("streams") != nil || e.Key("training-step") != nil) {
			continue
		}
		fill := func(key, text string) {
			if e.Kind == document.Mapping && e.Key(key) == nil {
				value := &document.Node{Kind: document.Scalar, Text: text}
				e.Keys = append(e.Keys, document.Key{Name: key, Value: value})
			}
		}
		var c algorithms.Collective
		if name := e.Key("collective"); name != nil {
			c = algorithms.Collective(name.Text)
		}
		fill("dtype", dtypes[0].name)
		if c.Reduces() {
			fill("op", defaultOp)
		}
		if c.Rooted() {
			fill("root", "0")
		}
		if !usesFiles(e) { // which say so themselves
			fill("in_place", strconv.FormatBool(c.HasInPlace()))
		}
		fill("iterations", strconv.Itoa(defaultIterations))
	}
}

// encode writes the document with some keys replaced, in the order of outlineKeys.
func encode(root *document.Node, namesAndValues ...any) []byte {
	for i := 0; i < len(namesAndValues); i += 2 {
		name, value := namesAndValues[i].(string), namesAndValues[i+1].(*document.Node)
		root.Keys = slices.DeleteFunc(root.Keys, func(k document.Key) bool { return k.Name == name })
		root.Keys = append(root.Keys, document.Key{Name: name, Value: value})
	}
	slices.SortStableFunc(root.Keys, func(a, b document.Key) int {
		return cmp.Compare(slices.Index(outlineKeys, a.Name), slices.Index(outlineKeys, b.Name))
	})
	return append([]byte(resolvedComment), root.Encode()...)
}
