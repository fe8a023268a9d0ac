package scenarios

import (
	"fmt"
	"math/bits"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/scenarios/training"
	"hcclsim/topologies/document"
)

// trainingStep is an entry of run that trains a model for one step: the forward pass, the
// backward pass, which makes gradients ready in buckets, the sum of each bucket over the
// communicator beside it, and the optimizer.
type trainingStep struct {
	at        document.Value
	model     training.Model
	buckets   []training.Bucket
	forward   units.Duration
	backward  []units.Duration // of each layer
	update    units.Duration   // of the optimizer, over all parameters
	perBucket bool             // it updates each bucket's parameters when their sum is there
	cores     int
	samples   int64 // of a batch
	tensor    *tensorGroup
	comm      string
	entry     entry // of the sums, without a size
}

// PyTorch's DistributedDataParallel: kDefaultFirstBucketBytes, kDefaultBucketBytesCap.
const (
	defaultFirstBucket units.Bytes = 1 << 20
	defaultBucket      units.Bytes = 25 << 20
)

// decodeTrainingStep reads an entry of run and makes its streams.
func decodeTrainingStep(v document.Value, index int, t model.Topology, comms map[string]*communicator) *streamSet {
	step := v.Key("training-step")
	s := trainingStep{at: step, comm: step.Key("communicator").Text(world)}
	if comms[s.comm] == nil {
		step.Key("communicator").Errorf("unknown communicator %q, expected %s or one of communicators", s.comm, world)
	}
	s.entry = decodeWork(step, algorithms.AllReduce)
	s.entry.algorithms = []string{decodeCallAlgorithm(step.Key("algorithm"), algorithms.AllReduce)}
	s.decodeModel(step.Key("model").Require())
	s.decodeTensor(step.Key("tensor"), comms)
	s.decodeTimes(step)
	s.tensor.measure(step.Key("batch"), &s)
	first := step.Key("first_bucket").Bytes(defaultFirstBucket, document.Positive)
	limit := step.Key("bucket").Bytes(defaultBucket, document.Positive)
	s.buckets = s.model.Buckets(int64(first), int64(limit), int64(s.entry.dtype.size))
	for _, b := range s.buckets {
		if b.Bytes > int64(maxSize) {
			step.Key("bucket").Errorf("gives a bucket of %v, above the largest, %v", units.Bytes(b.Bytes), maxSize)
		}
	}
	s.perBucket = document.Enum(step.Key("optimizer"), "after-all", []string{"after-all", "per-bucket"}) == "per-bucket"
	s.update = step.Key("update").Duration(0)
	s.cores = step.Key("cores").Int(0, document.Range(1, 4096))
	if most := t.NPU.Cores; most > 0 && s.cores > most {
		step.Key("cores").Errorf("the kernels take %d cores, the NPU has %d (npu.cores)", s.cores, most)
	}
	if len(s.buckets) == 0 && s.model.Layers != nil {
		step.Key("model").Errorf("has no tensors: there are no gradients to sum up")
	}
	set := &streamSet{at: v, events: map[string]int{}, step: true}
	set.name = v.Key("name").Text(fmt.Sprintf("training-step-%d", index))
	set.streams = s.streams(t.Size(), step.Key("priority"), uint8(t.NPU.Streams.HCCL))
	return set
}

// decodeModel reads the name of a model that is built in, or layers.
func (s *trainingStep) decodeModel(v document.Value) {
	if n := v.Node(); n == nil || n.Kind == document.Scalar {
		if name := document.Enum(v, "", training.Names()); name != "" {
			s.model, _ = training.Built(name)
		}
		return
	}
	s.model.Name = "layers"
	s.backward = []units.Duration{}
	if v.Key("layers").Present() && len(v.Key("layers").List()) == 0 {
		v.Key("layers").Errorf("is empty, expected layers")
	}
	var passes units.Duration
	for i, l := range v.Key("layers").List(document.Required) {
		layer := training.Layer{Name: l.Key("name").Text(fmt.Sprint(i))}
		for _, e := range l.Key("tensors").List() {
			layer.Tensors = append(layer.Tensors, training.Tensor{Elements: int64(e.Int(1, document.Range(1, 1<<40)))})
		}
		forward, backward := l.Key("forward").Duration(0), l.Key("backward").Duration(0)
		s.forward, s.backward = s.forward+forward, append(s.backward, backward)
		s.model.Layers = append(s.model.Layers, layer)
		if passes += forward + backward; passes > 2*longestPass {
			l.Errorf("the passes up to this layer take %v, expected at most %v", passes, 2*longestPass)
			break
		}
	}
}

// decodeTimes reads how long the passes take: of a model that is built in from its
// operations and a rate, or as totals that are divided by operations.
func (s *trainingStep) decodeTimes(step document.Value) {
	batch, rate, forward, backward := step.Key("batch"), step.Key("rate"), step.Key("forward"), step.Key("backward")
	if s.backward != nil { // layers have their own
		for _, k := range []document.Value{batch, rate, forward, backward} {
			if k.Present() {
				k.Errorf("the layers of the model have times of their own")
			}
		}
		return
	}
	total := s.model.Forward()
	s.samples = int64(batch.Int(1, document.Range(1, 1<<20)))
	if rate.Present() {
		for _, k := range []document.Value{forward, backward} {
			if k.Present() {
				k.Errorf("the rate says it: expected either rate, or forward and backward")
			}
		}
		if perSecond := decodeOperations(rate); perSecond > 0 {
			var ok bool
			if s.forward, ok = spent(total, s.samples, perSecond); !ok {
				rate.Errorf("a batch of %d takes longer than %v", s.samples, longestPass)
			}
		}
		s.spread(2*s.forward, total)
		return
	}
	if batch.Present() && s.tensor == nil {
		batch.Errorf("has a meaning with rate or tensor only: forward and backward are of the whole batch")
	}
	s.forward = forward.Require().Duration(0)
	s.spread(backward.Require().Duration(0), total)
}

// spread divides the time of the backward pass among the layers by their operations.
func (s *trainingStep) spread(total units.Duration, operations int64) {
	s.backward = make([]units.Duration, len(s.model.Layers))
	var done int64
	var before units.Duration
	for i := len(s.model.Layers) - 1; i >= 0 && operations > 0; i-- { // from behind
		done += s.model.Layers[i].Forward
		until := share(total, done, operations)
		s.backward[i], before = until-before, until
	}
}

// share is total * part / whole, rounded down.
func share(total units.Duration, part, whole int64) units.Duration {
	hi, lo := bits.Mul64(uint64(total), uint64(part))
	q, _ := bits.Div64(hi, lo, uint64(whole))
	return units.Duration(q)
}

// longestPass leaves room below the longest time that the clock can reach, as durations in
// scenarios do.
const longestPass = 1000 * units.Second

// spent is the time of the operations of so many samples at a rate, rounded up; false if
// the backward pass, twice that, is too long.
func spent(operations, samples, perSecond int64) (units.Duration, bool) {
	hi, all := bits.Mul64(uint64(operations), uint64(samples))
	if hi > 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(all, 1e12)
	if hi >= uint64(perSecond) {
		return 0, false
	}
	q, r := bits.Div64(hi, lo, uint64(perSecond))
	if q >= uint64(longestPass)/2 {
		return 0, false
	}
	return units.Duration(q + min(r, 1)), true
}

// decodeOperations reads floating point operations per second, such as 120Tflop/s.
func decodeOperations(v document.Value) int64 {
	text := v.Text("")
	number, ok := strings.CutSuffix(text, "flop/s")
	rate, err := units.ParseRate(number + "B/s")
	if !ok || err != nil || rate <= 0 {
		v.Errorf("expected operations per second such as 120Tflop/s, got %q", text)
		return 0
	}
	return int64(rate)
}

// alone is the work of a training step's collectives one after the other, those of the passes
// first, with nothing beside them and nothing wrong with the machine.
func alone(w model.Work) *model.Work {
	w.Faults, w.Jitter = model.Faults{}, model.Jitter{}
	var list []model.Stream
	of := map[int]int{} // stream of a rank
	for _, s := range w.Streams {
		for _, o := range s.Operators {
			if o.Kind != model.OpCall {
				continue
			}
			i, ok := of[s.Rank]
			if !ok {
				i = len(list)
				of[s.Rank] = i
				list = append(list, model.Stream{Name: "communicate", Rank: s.Rank})
			}
			list[i].Operators = append(list[i].Operators, o)
		}
	}
	w.Streams = list
	return &w
}

// computes is the time of the kernels of the rank that computes longest, of a slow one as much
// longer as it is slow; noise is left out.
func computes(w model.Work) (most units.Duration) {
	for _, s := range w.Streams {
		var sum units.Duration
		for _, o := range s.Operators {
			if o.Kind == model.OpKernel {
				sum += o.Time
			}
		}
		for _, f := range w.Faults.Stragglers {
			if f.Rank == s.Rank && f.Slow > 0 {
				sum = share(sum, f.Slow, 1000)
			}
		}
		most = max(most, sum)
	}
	return most
}
