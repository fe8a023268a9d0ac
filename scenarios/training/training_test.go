package training

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// Totals as published, or counted from the shapes of the layers, and the numbers of tensors.
func TestParameters(t *testing.T) {
	for _, c := range []struct {
		name             string
		parameters       int64
		tensors, buckets int
	}{
		{"alexnet", 61_100_840, 16, 4},
		{"resnet50", 25_557_032, 161, 5},
		{"bert-large", 335_141_888, 391, 38},
		{"gpt2-124m", 124_439_808, 148, 13},
		{"gpt2-xl", 1_557_611_200, 580, 145},
		{"gpt3-13b", 12_853_386_240, 484, 162},
		{"llama-7b", 6_738_415_616, 291, 0},
	} {
		m, ok := Built(c.name)
		if !ok {
			t.Errorf("there is no %s", c.name)
			continue
		}
		tensors := 0
		for _, l := range m.Layers {
			tensors += len(l.Tensors)
		}
		if m.Parameters() != c.parameters || tensors != c.tensors {
			t.Errorf("%s: %d parameters in %d tensors, want %d in %d", c.name, m.Parameters(), tensors, c.parameters, c.tensors)
		}
		if got := len(m.Buckets(1<<20, 25<<20, 4)); c.buckets > 0 && got != c.buckets {
			t.Errorf("%s: %d buckets, want %d", c.name, got, c.buckets)
		}
	}
	if len(Names()) != 7 {
		t.Errorf("built in: %v", Names())
	}
	if _, ok := Built("alexne"); ok {
		t.Error("there is an alexne")
	}
}

// The buckets of AlexNet are those that a recorded step of eight 910B sums up.
func TestBucketsOfAlexNet(t *testing.T) {
	m, _ := Built("alexnet")
	var sizes []int64
	for _, b := range m.Buckets(1<<20, 25<<20, 4) {
		sizes = append(sizes, b.Bytes)
	}
	if want := []int64{16_388_000, 67_125_248, 151_011_328, 9_878_784}; !slices.Equal(sizes, want) {
		t.Errorf("buckets of %d B, want %d", sizes, want)
	}
}

// Operations of the forward pass, as published for one image: about 0.71 and 4.1 billion
// multiplications with their additions; of a language model about 2 for each parameter and
// token.
func TestOperations(t *testing.T) {
	for name, want := range map[string]float64{"alexnet": 2 * 0.71e9, "resnet50": 2 * 4.1e9, "gpt3-13b": 2 * 12.85e9 * 2048, "llama-7b": 2 * 6.6e9 * 2048} {
		m, _ := Built(name)
		if got := float64(m.Forward()); got < 0.97*want || got > 1.1*want {
			t.Errorf("%s: %.3g operations, want about %.3g", name, got, want)
		}
	}
}

// Where the lists of tensors of other tools are at hand the models have the same tensors in
// the same order.
func TestTensorsOfOtherTools(t *testing.T) {
	for file, name := range map[string]string{"alexnet": "alexnet", "resnet50": "resnet50", "bert-large": "bert-large", "gpt2-124m": "gpt2-124m", "gpt2-xl-1.5b": "gpt2-xl", "gpt3-13b": "gpt3-13b"} {
		text, err := os.ReadFile("../../../shared/samples/models/" + file + ".json")
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Tensors []struct {
				Name  string
				Numel int64
			}
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		m, _ := Built(name)
		var got []Tensor
		for _, l := range m.Layers {
			got = append(got, l.Tensors...)
		}
		if len(got) != len(list.Tensors) {
			t.Errorf("%s: %d tensors, want %d", name, len(got), len(list.Tensors))
			continue
		}
		for i, want := range list.Tensors {
			if got[i] != (Tensor{want.Name, want.Numel}) {
				t.Errorf("%s: tensor %d is %v, want %v", name, i, got[i], want)
				break
			}
		}
	}
}
