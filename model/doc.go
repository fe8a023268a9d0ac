// Package model is the machine: it turns a topology into links, engines and
// schedulers, runs a collective's schedule on them with the kernel of package sim, and
// says how long it took and where the time went.
//
// The path of one run: Simulate builds the schedule (package algorithms), lays the
// topology out as directed links (fabric), gives every lane of every rank a small state
// machine (lane) and lets it walk through its steps. A step between two ranks is carried
// out by a recipe: ideal (ideal.go), rendezvous over DMA engines, or RDMA work requests
// (recipe.go, rdma.go). Every recipe is made of tasks (task.go) and of flows over links.
//
// docs/model.md has the equations.
package model
