package training

import "slices"

// Model is a network to train, its layers in forward order.
type Model struct {
	Name   string
	Sample string // what one sample of a batch is
	Layers []Layer
}

// Layer is tensors whose gradients are ready together.
type Layer struct {
	Name    string
	Tensors []Tensor
	// Forward is the floating point operations of the forward pass for one sample, a
	// multiplication and an addition being two. The backward pass has twice as many, for the
	// gradients of inputs and of weights. Norms, activations and look-ups count as none.
	Forward int64
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
