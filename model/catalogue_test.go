package model

import (
	"errors"
	"fmt"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
)

// tried are the algorithms that tests run through the machine: all of the catalogue, and
// mixes in which each of them is a level, so that every part meets every recipe.
func tried() []string {
	var names []string
	for _, a := range algorithms.Catalogue() {
		if !algorithms.NeedsHosts(a.Name) { // which host_test.go has
			names = append(names, a.Name)
		}
	}
	for _, a := range algorithms.Catalogue() {
		if a.Intra && a.Name != "mesh" {
			names = append(names, a.Name+"+ring")
		}
		if a.Inter {
			names = append(names, "mesh+"+a.Name)
		}
	}
	return append(names, "mesh+ring+nhr")
}

// offering calls visit, in a test of its own, for every algorithm tried and every
// collective that it offers; but a barrier, whose schedule is that of an AllReduce.
func offering(t *testing.T, visit func(t *testing.T, name string, c algorithms.Collective)) {
	for _, name := range tried() {
		for _, c := range algorithms.Collectives() {
			if algorithms.Offers(name, c) && c != algorithms.Barrier {
				t.Run(fmt.Sprintf("%s/%s", name, c), func(t *testing.T) { visit(t, name, c) })
			}
		}
	}
}

// points are those of every algorithm and collective on a machine. Algorithms that do not
// fit the machine's shape are left out.
func points(t *testing.T, top Topology, visit func(t *testing.T, p Point)) {
	if top.HasHost() {
		t.Run("host", func(t *testing.T) {
			visit(t, Point{Topology: top, Collective: algorithms.AllReduce, Algorithm: "host", Bytes: 3_000_004, Elem: 4, InPlace: true})
		})
	}
	offering(t, func(t *testing.T, name string, c algorithms.Collective) {
		p := Point{Topology: top, Collective: c, Algorithm: name, Bytes: 3_000_004, Elem: 4, InPlace: c.HasInPlace(), Segment: 256 << 10}
		p.Blocks, p.Bytes = blocks(c, top.Size(), 3_000_004)
		var shape *algorithms.ShapeError
		if _, err := p.Schedule(); !errors.As(err, &shape) {
			visit(t, p)
		}
	})
}

// blocks are those of AlltoAllV, of several sizes and some without bytes, as multiples of
// about bytes/ranks, and the most that a rank sends; for other collectives none, and bytes.
func blocks(c algorithms.Collective, ranks int, bytes units.Bytes) (func(from, to int) int64, units.Bytes) {
	if c != algorithms.AlltoAllV {
		return nil, bytes
	}
	size := func(from, to int) int64 { return int64(bytes) / int64(4*ranks) * 4 * int64((3*from+5*to)%4) }
	var most int64
	for i := range ranks {
		var sent int64
		for j := range ranks {
			sent += size(i, j)
		}
		most = max(most, sent)
	}
	return size, units.Bytes(most)
}
