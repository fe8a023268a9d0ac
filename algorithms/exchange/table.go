package exchange

import "hcclsim/algorithms"

// table is a program that is written out: what a file says takes memory anyway.
type table struct {
	numbering
	scratch int                   // slices of Scratch
	lanes   [][][]algorithms.Step // by rank
}

// Ranks implements algorithms.Program.
func (t *table) Ranks() int { return t.ranks }

// Lanes implements algorithms.Program.
func (t *table) Lanes(rank int) int { return len(t.lanes[rank]) }

// Steps implements algorithms.Program.
func (t *table) Steps(rank, lane int) int { return len(t.lanes[rank][lane]) }

// Step implements algorithms.Program.
func (t *table) Step(rank, lane, k int) algorithms.Step { return t.lanes[rank][lane][k] }

// Slices implements algorithms.Program.
func (t *table) Slices(b algorithms.Buffer) int {
	if b == algorithms.Scratch {
		return t.scratch
	}
	return t.slices
}
