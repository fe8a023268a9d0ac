// Package recorded lays the machine beside a recorded run: the tasks of one NPU in two
// AllReduces of a real server of eight Ascend 910B, taken with the vendor's profiler.
//
// What the machine must explain is what it causes: which tasks run on which plane, the
// gaps between local tasks, and how long reductions and copies take. What it does not
// cause is that other ranks come late; the recorded run is full of that (one rank is late
// by 79 ms), so it is measured apart and named.
package recorded
