package training

// conv is a convolution of k by k on inputs of so many channels, whose output has a side of
// so many pixels.
func conv(name string, in, out, k, side int64, bias bool) Layer {
	l := Layer{Name: name, Tensors: []Tensor{{name + ".weight", in * out * k * k}}, Forward: 2 * in * out * k * k * side * side}
	if bias {
		l.Tensors = append(l.Tensors, Tensor{name + ".bias", out})
	}
	return l
}

// linear is a matrix applied to so many rows of a sample.
func linear(name string, in, out, rows int64, bias bool) Layer {
	l := Layer{Name: name, Tensors: []Tensor{{name + ".weight", in * out}}, Forward: 2 * in * out * rows}
	if bias {
		l.Tensors = append(l.Tensors, Tensor{name + ".bias", out})
	}
	return l
}

// norm scales, and shifts with a bias.
func norm(name string, n int64, bias bool) Layer {
	l := Layer{Name: name, Tensors: []Tensor{{name + ".weight", n}}, Whole: true}
	if bias {
		l.Tensors = append(l.Tensors, Tensor{name + ".bias", n})
	}
	return l
}

func embedding(name string, rows, width int64) Layer {
	return Layer{Name: name, Tensors: []Tensor{{name + ".weight", rows * width}}}
}

// attend adds what attention does beside its projections: scores of every token with every
// other, and the sums of values that they weigh.
func attend(l Layer, tokens, width int64) Layer {
	l.Forward += 2 * 2 * tokens * tokens * width
	return l
}

// enters is the first layer of a part that is divided, leaves the last.
func enters(l Layer) Layer { l.Enters = true; return l }
func leaves(l Layer) Layer { l.Leaves = true; return l }
