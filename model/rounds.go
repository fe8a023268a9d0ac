package model

import (
	"fmt"
	"slices"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// HCCL moves data through a buffer of its own. What does not fit is moved in rounds, one
// after another: of AllGather, ReduceScatter and AlltoAll each rank's piece gets its part of
// the buffer, in whole units of 128 B; all others move a buffer a round.

// roundAlign is what HCCL aligns a rank's part of the buffer down to, bytes
// (HCCL_MIN_SLICE_ALIGN of its public sources).
const roundAlign = 128

// maxRounds bounds what a large message through a small buffer can ask for.
const maxRounds = 100_000

// Rounds makes the schedules of the point, one after another; equal ones are the same
// pointer.
func (p *Point) Rounds() ([]*algorithms.Schedule, error) {
	whole := p.Request()
	whole.Elem = max(whole.Elem, 1)
	largest := p.largestRound(&whole)
	if largest == 0 || whole.Bytes <= largest {
		s, err := p.schedule(whole)
		return []*algorithms.Schedule{s}, err
	}
	if n := (whole.Bytes + largest - 1) / largest; n > maxRounds {
		return nil, fmt.Errorf("%d rounds of %v through HCCL's buffer, expected at most %d: HCCL_BUFFSIZE is %v", n, units.Bytes(largest), maxRounds, p.Settings.Buffer)
	}
	if p.Collective == algorithms.AlltoAllV {
		return p.blockRounds(whole)
	}
	var list []*algorithms.Schedule
	for left := whole.Bytes; left > 0; left -= min(left, largest) {
		if n := len(list); n > 0 && left >= largest {
			list = append(list, list[n-1])
			continue
		}
		r := whole
		r.Bytes = min(left, largest)
		s, err := p.schedule(r)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// largestRound is S of a full round; 0: there is no limit.
func (p *Point) largestRound(r *algorithms.Request) int64 {
	buffer := int64(p.Settings.Buffer)
	if buffer == 0 || p.Make != nil {
		return 0
	}
	switch p.Collective {
	case algorithms.AllGather, algorithms.ReduceScatter, algorithms.AlltoAll, algorithms.AlltoAllV:
		ranks := int64(r.Ranks())
		return part(buffer, ranks, r.Elem) * ranks
	}
	return max(buffer/r.Elem*r.Elem, r.Elem)
}

// part is what one of p ranks gets of the buffer.
func part(buffer, ranks, elem int64) int64 {
	n := buffer / ranks / roundAlign * roundAlign
	return max(n/elem*elem, elem)
}

// blockRounds are those of AlltoAllV: each takes the next part of every block.
func (p *Point) blockRounds(whole algorithms.Request) ([]*algorithms.Schedule, error) {
	ranks := whole.Ranks()
	most := part(int64(p.Settings.Buffer), int64(ranks), whole.Elem)
	var largest int64
	for i := range ranks {
		for j := range ranks {
			largest = max(largest, whole.Blocks(i, j))
		}
	}
	var list []*algorithms.Schedule
	for done := int64(0); done < largest; done += most {
		r := whole
		r.Blocks = func(from, to int) int64 { return min(max(whole.Blocks(from, to)-done, 0), most) }
		r.Bytes = 0
		for i := range ranks {
			var sent int64
			for j := range ranks {
				sent += r.Blocks(i, j)
			}
			r.Bytes = max(r.Bytes, sent)
		}
		s, err := p.schedule(r)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// schedule asks for the program that the point names.
func (p *Point) schedule(r algorithms.Request) (*algorithms.Schedule, error) {
	if p.Make != nil {
		return p.Make(r)
	}
	return algorithms.New(p.Algorithm, r)
}

// Part is the topology as the members of a communicator see it: the servers on which they
// lie, each with so many ranks.
func (t *Topology) Part(members []int32) Topology {
	var groups, pods []int
	server, pod := -1, -1
	at := int32(0)
	bounds := t.Groups()
	perPod := t.Servers / max(t.Pods, 1)
	for s, n := range bounds {
		in := 0
		for _, r := range members {
			if r >= at && r < at+int32(n) {
				in++
			}
		}
		at += int32(n)
		if in == 0 {
			continue
		}
		if s != server {
			server = s
			groups = append(groups, in)
		}
		if s/perPod != pod {
			pod = s / perPod
			pods = append(pods, 0)
		}
		pods[len(pods)-1]++
	}
	part := *t
	part.Ranks, part.Servers, part.Pods = groups, len(groups), 1
	if !slices.ContainsFunc(pods, func(n int) bool { return n != pods[0] }) {
		part.Pods = len(pods)
	}
	return part
}

// BufferBytes is what a communicator takes of each NPU's memory for HCCL's buffers: one for
// input, one for output (docs of HCCL_BUFFSIZE).
func (s Settings) BufferBytes() units.Bytes { return 2 * s.Buffer }
