package model

import (
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// The order of tasks on one NPU: the gap before a task, the scheduler's queue, and lanes
// that a join lets go.

// A rank's next iteration begins with the gap after its last task. One message on
// taskMachine ends at 55.49 at the sender, at 55.51 at the receiver (TestRecipes).
//
// Then: receiver's Record: gap 0.7, launch 0.35, 0.72, latency 0.5 -> 57.78, later than
// the sender's Wait, 55.49 + 0.7 + 0.75. From there on as the first time: 55.51 - 1.57
// later, at 111.72, the mean of two is 55.86.
func TestGapBeforeAnIteration(t *testing.T) {
	s := newScript(2, megabyte)
	s.send(0, 1, 0)
	res, ends := playPoint(t, Point{Topology: taskMachine(), Iterations: 2}, s, Options{})
	near(t, "mean of two", sim.Time(res.Time), 55_860_000, 0)
	near(t, "sender", ends[0][0], 111_700_000, 0)
	near(t, "receiver", ends[1][0], 111_720_000, 0)
}

// A synced step that receives data to reduce waits for them without a task. The gap before
// the Reduce counts from the end of the lane's own copy, however long the wait was.
//
// A copy of n bytes: launch 0.33, set-up 0.6, n at 20 GB/s, latency 0.5. The Reduce of
// 1 MB: launch 0.4, set-up 1, 10 at 100 GB/s = 11.4. The data arrive at 51.43.
func TestGapIsNotPaidAgainAfterAWait(t *testing.T) {
	for _, c := range []struct {
		name string
		own  int64 // bytes of the lane's own copy
		want sim.Time
	}{
		{"own copy ended long before, at 1.48", 1000, 51_430_000 + 11_400_000},
		{"own copy ended 0.3 before", 994_000, 51_430_000 + 400_000 + 11_400_000},
		{"own copy ended together with the data", 1_000_000, 51_430_000 + 700_000 + 11_400_000},
		{"own copy ended after the data, at 61.43", 1_200_000, 61_430_000 + 700_000 + 11_400_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(2, megabyte, c.own)
			large, back := s.send(0, 1, 0)
			own, _ := s.send(1, 0, 1)
			// Both halves of an exchange in one step of each rank.
			back.Send, back.Send.Peer.Lane = own.Send, 0
			large.Recv, large.Recv.Peer.Lane = s.steps[0][1][0].Recv, 0
			s.steps[0], s.steps[1] = s.steps[0][:1], s.steps[1][:1]
			for _, st := range []*algorithms.Step{large, back} {
				st.Synced, st.Drive = true, algorithms.Write
			}
			back.Reduce = true
			_, ends := play(t, taskMachine(), s)
			near(t, "receiver", ends[1][0], c.want, 0)
		})
	}
}

// A task whose launch costs nothing waits its turn at the scheduler like any other: here
// behind the records of three lanes, 0.35 each, until 1.05; then post 7, issue 0.14,
// 160 ps, latency 1.5. A launch of one picosecond makes a difference of one picosecond.
func TestFreeLaunchDoesNotOvertake(t *testing.T) {
	for launch := range sim.Time(2) {
		top := cluster(2)
		top.NPU.NIC = rdmaMachine().NPU.NIC
		top.NPU.Scheduler.Launch.Send = units.Duration(launch)
		s := newScript(8, 0)
		for r := 1; r < 4; r++ {
			s.signal(0, r)
		}
		s.signal(0, 4)
		_, ends := play(t, top, s)
		near(t, "third record", ends[0][2], 1_050_000+720_000, 0)
		near(t, "RDMASend", ends[0][3], 1_050_000+launch+7_000_000, 0)
		near(t, "its arrival", ends[4][0], 1_050_000+launch+7_000_000+140_000+160+1_500_000+20_000, 0)
	}
}

// Lanes that a join lets go come to the scheduler in the order in which they came to the
// join, behind the lane that joins them, which goes on at once.
//
// Copies at 100 GB/s, launch 0.33 one after the other, set-up 0.6: of lane 1 until 0.93 +
// 30 = 30.93, of lane 2 until 1.26 + 10 = 11.26, of lane 3 until 1.59 + 20 = 21.59. From
// 30.93 on: gap 0.7, then a record launched every 0.35, the first at 31.98.
func TestJoinLetsLanesGoInTheirOrder(t *testing.T) {
	top := taskMachine()
	top.NPU.DMA.Local = 100e9
	s := newScript(2, 1*megabyte, 2*megabyte, 3*megabyte)
	s.signal(0, 1) // of lane 0, behind the join
	after := []algorithms.Step{}
	for lane, slice := range []int32{2, 0, 1} {
		s.local(0, slice)
		wait := algorithms.Idle
		wait.After = algorithms.Ref{Rank: 0, Lane: int32(lane + 1), Step: 0}
		after = append(after, wait)
	}
	s.steps[0][0] = append(after, s.steps[0][0][0])
	s.steps[1][0][0].Recv.Peer.Step = 3
	for lane := int32(1); lane <= 3; lane++ {
		from, to := s.signal(0, 1)
		from.After = algorithms.Ref{Rank: 0, Lane: 0, Step: 2}
		s.steps[0][lane] = append(s.steps[0][lane], *from)
		to.Recv.Peer = algorithms.Ref{Rank: 0, Lane: lane, Step: 1}
		s.steps[0] = s.steps[0][:4]
	}

	type record struct {
		lane       int
		start, end sim.Time
	}
	var got []record
	playPoint(t, Point{Topology: top}, s, Options{Trace: func(task Task) {
		if task.Name == "Notify_Record" {
			got = append(got, record{task.Lane, sim.Time(task.Start), sim.Time(task.End)})
		}
	}})
	want := []record{{0, 31_980_000, 32_700_000}, {2, 32_330_000, 33_050_000}, {3, 32_680_000, 33_400_000}, {1, 33_030_000, 33_750_000}}
	if !slices.Equal(got, want) {
		t.Errorf("records of lanes start and end %v, want %v", got, want)
	}
}
