package recorded

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"io"
	"strconv"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/units"
)

// Blocks moved between two 910B, 128 MiB in all and many at once, so that the time of a
// block is its share of a busy engine or wire. Source: xiaojia151/Hixl,
// benchmarks/A2_benchmark_performance.md; the table's times are per block.
//
//go:embed ascend910b-p2p.csv
var pointToPointCSV []byte

// PointTolerance is how close the machine has to be to a measured block.
const PointTolerance = 0.05

// Block is one measured block beside the machine's.
type Block struct {
	Path              string // as measured, e.g. "HCCS read"
	Bytes             units.Bytes
	Recorded, Machine units.Duration
}

// Error is the machine's deviation, as a share of the measured time.
func (b Block) Error() float64 { return Phase{Recorded: b.Recorded, Machine: b.Machine}.Error() }

// PointToPoint lays the machine beside measured blocks: over HCCS the time that a copy
// holds its engine, over RDMA the time that it holds the wire. Over RDMA the machine
// always writes.
func PointToPoint(ctx context.Context) ([]Block, error) {
	rows, err := csv.NewReader(bytes.NewReader(pointToPointCSV)).ReadAll()
	if err != nil {
		return nil, err
	}
	top, err := machine()
	if err != nil {
		return nil, err
	}
	var list []Block
	for _, row := range rows[1:] {
		n, err := strconv.ParseInt(row[4], 10, 64)
		if err != nil {
			return nil, err
		}
		measured, err := units.ParseDuration(row[5] + "us")
		if err != nil {
			return nil, err
		}
		b := Block{Path: row[8] + map[string]string{"p2p_write": " write", "p2p_read": " read"}[row[1]], Bytes: units.Bytes(n), Recorded: measured}
		if b.Machine, err = block(ctx, top, row[8] == "RDMA", row[1] == "p2p_read", b.Bytes); err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// block is the machine's time for one block between two NPUs.
func block(ctx context.Context, top model.Topology, rdma, read bool, n units.Bytes) (took units.Duration, err error) {
	// A Broadcast between two ranks writes, an AllGather of the mesh reads half of its bytes.
	p := model.Point{Topology: top, Collective: algorithms.Broadcast, Algorithm: "binomial", Bytes: n, Elem: 4, InPlace: true}
	p.Topology.Server.NPUs = 2
	p.Topology.Server.Links = append([]model.Link(nil), top.Server.Links...)
	p.Topology.Server.Links[0].Groups = [][]int{{0, 1}}
	if read && !rdma {
		p.Collective, p.Algorithm, p.Bytes = algorithms.AllGather, "mesh", 2*n
	}
	if rdma {
		p.Topology.Servers, p.Topology.Server = 2, model.Server{NPUs: 1}
	}
	res, err := model.Simulate(ctx, p, model.Options{Trace: func(t model.Task) {
		if t.Name == "Memcpy" && t.Class != "local" {
			took = t.End - t.Start
		}
	}})
	if rdma {
		for _, part := range res.Critical {
			if part.Name == "wire:"+top.Network.Class {
				took = part.Time
			}
		}
	}
	return took, err
}

// WriteBlocks prints measured blocks beside the machine's.
func WriteBlocks(w io.Writer, blocks []Block) error {
	p := &printer{w: w}
	p.line("Blocks between two NPUs, many at once, time of one, beside atlas-800t-a2")
	p.line("  %-28s %12s %12s %8s", "", "measured us", "machine us", "error")
	for _, b := range blocks {
		p.line("  %-28s %12s %12s %+7.1f%%", b.Path+" "+b.Bytes.Short(), micros(b.Recorded), micros(b.Machine), 100*b.Error())
	}
	return p.err
}
