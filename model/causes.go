package model

import (
	"hcclsim/model/units"
	"hcclsim/sim"
)

// cause says what a piece of simulated time was spent on. Wire time has a cause for each
// link class: wireLocal for copies inside an NPU, then the classes of the topology.
type cause uint8

const (
	causeHost    cause = iota // waiting for the host thread, or the device's, to issue
	causeLaunch               // waiting for and being launched by the task scheduler, and the gap before
	causeNotify               // notify tasks
	causeSetup                // DMA and reduce set-up
	causePost                 // posting and issuing RDMA work requests
	causeLatency              // link and network latency
	causeSharing              // what sharing links cost against having them alone
	causeEngine               // waiting for a DMA engine, a request processor or AI cores
	causeReduce               // reductions, and waiting for the reduce unit that does others
	causeKernel               // computing
	causeLate                 // waiting for a rank that came late, or for a stream's start
	wireLocal
	wireClass0
)

// maxClasses bounds the link classes of a topology, so that a vector of causes is a
// small value.
const maxClasses = 5

// causes is the critical path up to some instant, divided by cause: its parts add up to
// that instant exactly. Every lane and every message carries one; at a join that of the
// latest goes on.
type causes [int(wireClass0) + maxClasses]sim.Time

// path is how an instant was reached: the causes that add up to it.
type path struct {
	causes
	origin int32 // of a call's lanes: the member whose beginning it goes back to
	last   int32 // the latest of its history, one higher; 0: none is kept
}

var causeNames = [wireClass0]string{"host", "launch", "notify", "setup", "post", "latency", "sharing", "engine", "reduce", "kernel", "late", "wire:local"}

// parts divides total, which is the sum of c over n or less by rounding, among the causes
// of c: each gets its share rounded down, and the largest ones a picosecond more until
// the parts add up to total.
func (c *causes) parts(total sim.Time, n int64, classes []string) []Part {
	var list []Part
	rest := total
	for i, t := range c {
		if t == 0 {
			continue
		}
		name := ""
		if i < int(wireClass0) {
			name = causeNames[i]
		} else {
			name = "wire:" + classes[i-int(wireClass0)]
		}
		share := int64(t) / n
		rest -= sim.Time(share)
		list = append(list, Part{name, units.Duration(share)})
	}
	for ; rest > 0; rest-- {
		largest := 0
		for i := range list {
			if list[i].Time > list[largest].Time {
				largest = i
			}
		}
		list[largest].Time++
	}
	return list
}

func (c *causes) sum() sim.Time {
	var s sim.Time
	for _, t := range c {
		s += t
	}
	return s
}
