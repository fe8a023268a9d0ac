package training

import "slices"

// Model is a network to train, its layers in forward order.
type Model struct {
	Name   string
	Sample string // what one sample of a batch is
	Layers []Layer
	// Activations is the elements between two blocks of a transformer for one sample, tokens
	// times width; 0: the model has no such blocks.
	Activations int64
}

// Layer is tensors whose gradients are ready together.
type Layer struct {
	Name    string
	Tensors []Tensor
	// Forward is the floating point operations of the forward pass for one sample, a
	// multiplication and an addition being two. The backward pass has twice as many, for the
	// gradients of inputs and of weights. Norms, activations and look-ups count as none.
	Forward int64
	// Tensor parallelism divides the matrices of a transformer among the ranks of a group: the
	// first ones of attention and of the feed-forward part by columns, the last one of each by
	// rows. At the first the inputs enter the divided part, at the last the outputs leave it.
	Enters, Leaves bool
	Whole          bool // every rank of a group has all of it, as of norms
}

// Tensor is parameters with their number.
type Tensor struct {
	Name     string
	Elements int64
}

// Parameters is the number of all parameters.
func (m *Model) Parameters() (n int64) {
	for _, l := range m.Layers {
		for _, t := range l.Tensors {
			n += t.Elements
		}
	}
	return n
}

// Forward is the operations of the forward pass for one sample.
func (m *Model) Forward() (n int64) {
	for _, l := range m.Layers {
		n += l.Forward
	}
	return n
}

// Divided is the part of the model that each of so many ranks of a group has.
func (m *Model) Divided(ranks int64) Model {
	part := *m
	part.Layers = slices.Clone(m.Layers)
	for i := range part.Layers {
		l := &part.Layers[i]
		l.Forward = (l.Forward + ranks - 1) / ranks
		if l.Whole {
			continue
		}
		l.Tensors = slices.Clone(l.Tensors)
		for j := range l.Tensors {
			l.Tensors[j].Elements = (l.Tensors[j].Elements + ranks - 1) / ranks
		}
	}
	return part
}

// makers are the models that are built in.
var makers = []func() Model{alexNet, resNet50, bertLarge, gpt2Small, gpt2XL, gpt3, llama7B}

// Names lists the models that are built in.
func Names() (names []string) {
	for _, make := range makers {
		names = append(names, make().Name)
	}
	return names
}

// Built returns a model that is built in.
func Built(name string) (m Model, ok bool) {
	i := slices.Index(Names(), name)
	if i < 0 {
		return Model{}, false
	}
	return makers[i](), true
}
