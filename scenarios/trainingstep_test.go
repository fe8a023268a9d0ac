package scenarios

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"hcclsim/model/records"
	"hcclsim/model/units"
	"hcclsim/scenarios/training"
)

// twoLayers is a training step on two ranks of a Hockney machine of 25 GB/s and 1 us: a
// ring's sum of n bytes takes 2 x (1 us + n/2 / 25 GB/s).
func twoLayers(keys string) string {
	return scenario("topology: {use: uniform, server: {npus: 2, links: [{class: ideal, connect: crossbar, npus: all, bandwidth: 25GB/s, latency: 1us}]}, npu: {reduce: null}}\n" +
		"run: [{name: step, training-step: {algorithm: ring, update: 9us, " + keys + ", model: {layers: [" +
		"{forward: 10us, backward: 100us, tensors: [500000]}, {forward: 10us, backward: 30us, tensors: [250000]}]}}}]\n")
}

// A step of two layers, by hand: forward 20 us; the last layer is ready at 50, the first at
// 150; sums of 1 and 2 MB take 42 and 82 us, one of 3 MB takes 122.
func TestTrainingStepByHand(t *testing.T) {
	for _, c := range []struct {
		name, keys                            string
		ends, compute, communication, exposed units.Duration // in ns
	}{
		{"the second sum is exposed", "first_bucket: 1MB, bucket: 1MB", 241_000, 159_000, 124_000, 82_000},
		{"one bucket hides nothing", "first_bucket: 4MB, bucket: 4MB", 281_000, 159_000, 122_000, 122_000},
		{"a third of the update is done under the second sum", "first_bucket: 1MB, bucket: 1MB, optimizer: per-bucket", 238_000, 159_000, 124_000, 79_000},
		{"half of the bytes", "first_bucket: 0.5MB, bucket: 0.5MB, dtype: fp16", 201_000, 159_000, 64_000, 42_000},
	} {
		rows := rowsOf(t, plan(t, twoLayers(c.keys)))
		whole := rows[0]
		if whole.Collective != "training-step" || whole.Time != 1000*c.ends || whole.Compute != 1000*c.compute ||
			whole.Communication != 1000*c.communication || whole.Exposed != 1000*c.exposed {
			t.Errorf("%s: ends %v, computing %v, communicating %v, exposed %v", c.name, whole.Time, whole.Compute, whole.Communication, whole.Exposed)
		}
		if want := 1 - float64(c.exposed)/float64(c.communication); math.Abs(whole.Overlap()-want) > 1e-12 {
			t.Errorf("%s: overlap %v, want %v", c.name, whole.Overlap(), want)
		}
	}
}

// whole is the row of a training step of a shipped model on a machine.
func whole(t *testing.T, machine, step string) records.Row {
	t.Helper()
	return rowsOf(t, plan(t, scenario("topology: {"+machine+"}\nrun: [{training-step: {"+step+"}}]\n")))[0]
}

// A step is never shorter than its computing or its communication, and on a machine where
// nothing else costs time never longer than one after the other.
func TestTrainingStepBounds(t *testing.T) {
	for _, model := range []string{"alexnet", "resnet50", "bert-large"} {
		for _, bucket := range []string{"1MiB", "25MiB", "1GiB"} {
			step := fmt.Sprintf("model: %s, batch: 32, rate: 100Tflop/s, algorithm: ring, update: 1ms, bucket: %s", model, bucket)
			r := whole(t, "use: uniform", step)
			if r.Time < r.Ideal() || r.Time > r.Serial() || r.Compute+r.Exposed != r.Time {
				t.Errorf("%s: takes %v, ideal %v, serial %v", step, r.Time, r.Ideal(), r.Serial())
			}
		}
	}
}

// Sums that cost nothing, each rank being alone in its group, expose nothing.
func TestFreeSumsExposeNothing(t *testing.T) {
	r := rowsOf(t, plan(t, scenario(onUniform+"communicators: {alone: {size: 1}}\n"+
		"run: [{training-step: {model: resnet50, rate: 100Tflop/s, update: 1ms, communicator: alone, algorithm: ring}}]\n")))[0]
	if r.Communication != 0 || r.Exposed != 0 || r.Time != r.Compute {
		t.Errorf("takes %v, computing %v, communicating %v, exposed %v", r.Time, r.Compute, r.Communication, r.Exposed)
	}
}

// The passes of a model that is built in take its operations over the rate, the backward one
// twice the forward one; totals that are given are divided without a rest.
func TestTrainingStepTimes(t *testing.T) {
	double := whole(t, "use: uniform", "model: resnet50, batch: 64, rate: 100Tflop/s").Compute
	single := whole(t, "use: uniform", "model: resnet50, batch: 32, rate: 100Tflop/s").Compute
	// 4.089 GMAC, 2 operations each, of 32 images: 2.617 ms forward and twice that backward.
	if want := 3 * 32 * 2 * 4.089e9 / 100e12 * 1e12; math.Abs(float64(single)/want-1) > 0.001 {
		t.Errorf("a batch of 32 computes %v, want %.0f ps", single, want)
	}
	if off := double - 2*single; off < -3 || off > 3 {
		t.Errorf("a batch of 64 computes %v, of 32 %v", double, single)
	}
	if r := whole(t, "use: uniform", "model: gpt2-124m, forward: 1000.000001us, backward: 1999.999997us"); r.Compute != 2_999_999_998 {
		t.Errorf("computes %v", r.Compute)
	}
}

func TestTrainingStepErrors(t *testing.T) {
	for keys, want := range map[string]string{
		"model: gpt5, rate: 1Tflop/s":                                                                         `run.0.training-step.model: unknown value "gpt5"`,
		"model: alexnet":                                                                                      "run.0.training-step.forward: is missing",
		"model: alexnet, rate: 120TB/s":                                                                       `rate: expected operations per second such as 120Tflop/s, got "120TB/s"`,
		"model: alexnet, rate: -1flop/s":                                                                      "rate: expected operations per second",
		"model: alexnet, rate: 1Tflop/s, forward: 1ms":                                                        "forward: the rate says it: expected either rate, or forward and backward",
		"model: alexnet, forward: 1ms, backward: 1ms, batch: 2":                                               "batch: has a meaning with rate or tensor only",
		"model: alexnet, rate: 1Tflop/s, bucket: 0B":                                                          "bucket: ",
		"model: alexnet, rate: 1Tflop/s, optimizer: never":                                                    "optimizer: ",
		"model: alexnet, rate: 1Tflop/s, communicator: tp":                                                    `unknown communicator "tp", expected world or one of communicators`,
		"model: alexnet, rate: 1Tflop/s, algorithm: nope":                                                     `unknown algorithm "nope"`,
		"model: alexnet, rate: 1Tflop/s, buckets: 1MiB":                                                       `unknown key "buckets"`,
		"model: {layers: [{forward: 1us}]}":                                                                   "model: has no tensors: there are no gradients to sum up",
		"model: resnet50, rate: 1Tflop/s, communicator: world, tensor: {communicator: world}":                 "tensor: resnet50 has no layers that ranks could divide, expected a model of bert-large, gpt2-124m, gpt2-xl, gpt3-13b, llama-7b",
		"model: llama-7b, rate: 1Tflop/s, tensor: {communicator: tp}":                                         `tensor.communicator: unknown communicator "tp", expected one of communicators`,
		"model: llama-7b, rate: 1Tflop/s, tensor: {communicator: world}":                                      "tensor: the ranks of world divide the model: expected a communicator for the sums, whose ranks hold the same part",
		"model: llama-7b, rate: 1Tflop/s, tensor: {sequence: 3, dtype: fp31}":                                 "tensor.communicator: is missing",
		"model: {layers: []}":                                                                                 "layers: is empty",
		"model: {layers: [{tensors: [0]}]}":                                                                   "layers.0.tensors.0: ",
		"model: {layers: [{tensors: [1]}]}, rate: 1Tflop/s":                                                   "rate: the layers of the model have times of their own",
		"model: gpt3-13b, rate: 1Tflop/s, batch: 1048576":                                                     "rate: a batch of 1048576 takes longer than 1000s",
		"model: {layers: [" + strings.Repeat("{tensors: [1], backward: 1000s}, ", 3) + "]}":                   "layers.2: the passes up to this layer take 3000s, expected at most 2000s",
		"first_bucket: 999TiB, model: {layers: [{tensors: [" + strings.Repeat("1099511627776, ", 65) + "]}]}": "bucket: gives a bucket of 260TiB, above the largest, 256TiB",
	} {
		_, err := planOf(scenario(onUniform + "run: [{training-step: {" + keys + "}}]\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", keys, err, want)
		}
	}
}

// Tensor parallelism on ideal ranks, by hand: the passes are divided, and wait for the exchanges
// of each of twelve blocks: two sums forward and two backward, or as many pairs of gathering and
// scattering sums. Nothing else costs anything, as the groups for the gradients have one rank each.
func TestTensorParallelStep(t *testing.T) {
	const machine = "topology: {use: uniform, server: {npus: 2}}\n"
	const batch, bytes = 4, 4 * 1024 * 768 * 2
	alone := func(c string) units.Duration {
		return rowsOf(t, plan(t, scenario(machine+fmt.Sprintf("run: [{collective: %s, sizes: %dB, algorithms: auto, dtype: bf16}]\n", c, bytes))))[0].Time
	}
	step := func(tensor string) records.Row {
		return rowsOf(t, plan(t, scenario(machine+"communicators: {tp: {size: 2}, dp: {stride: 2}}\n"+
			fmt.Sprintf("run: [{training-step: {model: gpt2-124m, rate: 100Tflop/s, batch: %d, communicator: dp, %s}}]\n", batch, tensor))))[0]
	}
	m, _ := training.Built("gpt2-124m")
	half := m.Divided(2)
	computing := units.Duration(3 * half.Forward() * batch / 100) // at 100 operations a picosecond
	sums, scattered, gathered := alone("allreduce"), alone("reducescatter"), alone("allgather")
	for _, c := range []struct {
		tensor string
		waits  units.Duration
	}{
		{"tensor: {communicator: tp}", 48 * sums},
		{"tensor: {communicator: tp, sequence: true}", 48 * (scattered + gathered)},
	} {
		r := step(c.tensor)
		if d := r.Compute - computing; d < 0 || d > 10 {
			t.Errorf("%s: computing %v, want %v", c.tensor, r.Compute, computing)
		}
		if r.Exposed != c.waits || r.Time != r.Compute+c.waits || r.Communication != c.waits {
			t.Errorf("%s: %v, exposed %v, alone %v; want %v more than %v", c.tensor, r.Time, r.Exposed, r.Communication, c.waits, r.Compute)
		}
	}
}

// The parts that ranks of a group have make up the model, but for rounding and what each has whole.
func TestDividedModels(t *testing.T) {
	for _, name := range transformers() {
		m, _ := training.Built(name)
		part := m.Divided(4)
		var whole int64
		for _, l := range m.Layers {
			if l.Whole {
				whole += 3 * l.Tensors[0].Elements * int64(len(l.Tensors))
			}
		}
		if d := 4*part.Parameters() - m.Parameters() - whole; d < 0 || d > 4*int64(len(m.Layers))*2 {
			t.Errorf("%s: four parts of %d are %d more than %d and the norms", name, part.Parameters(), d, m.Parameters())
		}
		enter, leave := 0, 0
		for _, l := range m.Layers {
			if l.Enters {
				enter++
			}
			if l.Leaves {
				leave++
			}
			if leave > enter {
				t.Errorf("%s: %s leaves what nothing has entered", name, l.Name)
			}
		}
		if enter != leave || enter == 0 {
			t.Errorf("%s: %d layers enter and %d leave", name, enter, leave)
		}
	}
}
