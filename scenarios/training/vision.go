package training

import "fmt"

// alexNet is AlexNet as torchvision has it: 61,100,840 parameters.
func alexNet() Model {
	return Model{Name: "alexnet", Sample: "an image of 224 x 224", Layers: []Layer{
		conv("features.0", 3, 64, 11, 55, true),
		conv("features.3", 64, 192, 5, 27, true),
		conv("features.6", 192, 384, 3, 13, true),
		conv("features.8", 384, 256, 3, 13, true),
		conv("features.10", 256, 256, 3, 13, true),
		linear("classifier.1", 9216, 4096, 1, true),
		linear("classifier.4", 4096, 4096, 1, true),
		linear("classifier.6", 4096, 1000, 1, true),
	}}
}

// resNet50 is ResNet-50 as torchvision has it: 25,557,032 parameters.
func resNet50() Model {
	m := Model{Name: "resnet50", Sample: "an image of 224 x 224"}
	add := func(layers ...Layer) { m.Layers = append(m.Layers, layers...) }
	add(conv("conv1", 3, 64, 7, 112, false), norm("bn1", 64, true))
	in, side := int64(64), int64(56)
	for stage, blocks := range []int{3, 4, 6, 3} {
		width := int64(64) << stage
		for b := range blocks {
			name := fmt.Sprintf("layer%d.%d.", stage+1, b)
			before := side
			if b == 0 && stage > 0 { // its 3x3 convolution halves the sides
				side /= 2
			}
			add(conv(name+"conv1", in, width, 1, before, false), norm(name+"bn1", width, true),
				conv(name+"conv2", width, width, 3, side, false), norm(name+"bn2", width, true),
				conv(name+"conv3", width, 4*width, 1, side, false), norm(name+"bn3", 4*width, true))
			if b == 0 {
				add(conv(name+"downsample.0", in, 4*width, 1, side, false), norm(name+"downsample.1", 4*width, true))
			}
			in = 4 * width
		}
	}
	add(linear("fc", 2048, 1000, 1, true))
	return m
}
