package document

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// Encode writes the tree as YAML that parses to the same tree. Keys stay in their order;
// comments and anchors are gone.
func (n *Node) Encode() []byte {
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(n.yaml()); err != nil {
		panic(err) // a tree of nodes has nothing that cannot be written
	}
	e.Close()
	return text.Bytes()
}

func (n *Node) yaml() *yaml.Node {
	y := &yaml.Node{}
	if n.flow {
		y.Style = yaml.FlowStyle
	}
	switch n.Kind {
	case Null:
		y.Kind, y.Tag, y.Value = yaml.ScalarNode, "!!null", "null"
	case Scalar:
		y.Kind, y.Value = yaml.ScalarNode, n.Text
		switch {
		case strings.Contains(n.Text, "\n"):
			y.Tag, y.Style = "!!str", yaml.DoubleQuotedStyle
		case n.Quoted:
			y.Tag, y.Style = "!!str", yaml.SingleQuotedStyle
		}
	case List:
		y.Kind = yaml.SequenceNode
		for _, item := range n.Items {
			y.Content = append(y.Content, item.yaml())
		}
	case Mapping:
		y.Kind = yaml.MappingNode
		for _, k := range n.Keys {
			y.Content = append(y.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: k.Name}, k.Value.yaml())
		}
	}
	return y
}
