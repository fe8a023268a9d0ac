package scenarios

import (
	"fmt"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
	"hcclsim/scenarios/training"
	"hcclsim/topologies/document"
)

// streams are those of every rank: one computes, one communicates.
func (s *trainingStep) streams(ranks int, priority document.Value, hccl uint8) []stream {
	all := make([]int32, ranks)
	for i := range all {
		all[i] = int32(i)
	}
	compute := stream{at: s.at, name: "compute", ranks: all, priority: decodePriority(priority.Key("compute"), 0)}
	sums := stream{at: s.at, name: "communicate", ranks: all, priority: decodePriority(priority.Key("communicate"), hccl)}
	compute.set, sums.set = priority.Key("compute").Present(), priority.Key("communicate").Present()
	s.forwardPass(&compute)
	back := pass{s: s, st: &compute, name: "backward"}
	at := len(s.model.Layers)
	until := func(layer int) {
		for ; at > layer; at-- {
			s.backwardLayer(&back, at-1)
		}
		back.compute()
	}
	for b, bucket := range s.buckets {
		until(bucket.Layer)
		s.event(&compute, model.OpRecord, 2*b)
		s.event(&sums, model.OpWait, 2*b)
		sums.operators = append(sums.operators, s.sum(b, bucket))
		s.event(&sums, model.OpRecord, 2*b+1)
	}
	until(0) // layers in front that have no tensors
	s.optimizer(&compute)
	return []stream{compute, sums}
}

// pass is the forward or the backward pass as far as it has been put into the stream.
type pass struct {
	s    *trainingStep
	st   *stream
	name string
	took units.Duration // of layers whose kernel is still to come
}

// compute appends a kernel for the layers since the last one, if they take time.
func (p *pass) compute() {
	p.s.kernel(p.st, p.name, p.took)
	p.took = 0
}

// forwardPass appends the layers in order, and what the ranks of a tensor group exchange.
func (s *trainingStep) forwardPass(st *stream) {
	p := pass{s: s, st: st, name: "forward"}
	if s.tensor == nil {
		p.took = s.forward
		p.compute()
		return
	}
	operations := s.model.Forward()
	var done int64
	var before units.Duration
	for _, l := range s.model.Layers {
		if l.Enters && s.tensor.sequence {
			s.exchange(&p, l, algorithms.AllGather)
		}
		done += l.Forward
		now := share(s.forward, done, operations)
		p.took, before = p.took+now-before, now
		if l.Leaves {
			s.exchange(&p, l, s.tensor.sums())
		}
	}
	p.compute()
}

// backwardLayer appends the backward pass of a layer: what is summed forward is only passed on
// backward, and the other way round.
func (s *trainingStep) backwardLayer(p *pass, i int) {
	l := s.model.Layers[i]
	if s.tensor != nil && l.Leaves && s.tensor.sequence {
		s.exchange(p, l, algorithms.AllGather)
	}
	p.took += s.backward[i]
	if s.tensor != nil && l.Enters {
		s.exchange(p, l, s.tensor.sums())
	}
}

// exchange appends a collective of the tensor group, which the pass waits for.
func (s *trainingStep) exchange(p *pass, l training.Layer, c algorithms.Collective) {
	p.compute()
	name := p.name + "." + l.Name
	p.st.operators = append(p.st.operators, operator{at: s.at, kind: string(c), name: name, comm: s.tensor.comm,
		entry: s.tensor.entries[c], of: model.Operator{Name: name, Kind: model.OpCall}})
}

func (s *trainingStep) event(st *stream, kind model.OperatorKind, number int) {
	st.operators = append(st.operators, operator{at: s.at, of: model.Operator{Kind: kind, Event: number, Name: fmt.Sprintf("event-%d", number)}})
}

// optimizer updates the parameters when their gradients are summed up.
func (s *trainingStep) optimizer(compute *stream) {
	var whole, done int64
	for _, b := range s.buckets {
		whole += b.Bytes
	}
	var before units.Duration
	for b, bucket := range s.buckets {
		s.event(compute, model.OpWait, 2*b+1)
		if done += bucket.Bytes; s.perBucket {
			until := share(s.update, done, whole)
			s.kernel(compute, "update", until-before)
			before = until
		}
	}
	if !s.perBucket {
		s.kernel(compute, "update", s.update)
	}
}

// kernel appends a kernel, if it takes time.
func (s *trainingStep) kernel(st *stream, name string, took units.Duration) {
	if took > 0 {
		st.operators = append(st.operators, operator{at: s.at, kind: opKernel, name: name, of: model.Operator{Name: name, Kind: model.OpKernel, Time: took, Cores: s.cores}})
	}
}

// sum is the AllReduce of a bucket.
func (s *trainingStep) sum(b int, bucket training.Bucket) operator {
	name := fmt.Sprintf("bucket-%d", b+1)
	e := s.entry
	e.sizes = []units.Bytes{units.Bytes(bucket.Bytes)}
	return operator{at: s.at, kind: string(algorithms.AllReduce), name: name, comm: s.comm, entry: e, of: model.Operator{Name: name, Kind: model.OpCall}}
}
