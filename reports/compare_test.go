package reports

import (
	"bytes"
	"math"
	"testing"

	"hcclsim/model/records"
	"hcclsim/model/records/measured"
	"hcclsim/model/units"
)

// timed is a row of so many bytes and us.
func timed(bytes units.Bytes, requested string, us int) records.Row {
	r := rowOf("latency", us)
	r.Bytes, r.Requested, r.Algorithm = bytes, requested, requested
	return r
}

// Two result sets: what is the same on both sides stands side by side, the rest is counted.
func TestCompareRows(t *testing.T) {
	a := []records.Row{timed(1024, "ring", 100), timed(2048, "ring", 100), timed(1024, "mesh", 50), timed(4096, "ring", 7)}
	b := []records.Row{timed(1024, "ring", 110), timed(2048, "ring", 80), timed(1024, "nhr", 50)}
	b[0].Topology, b[0].Scenario = "another", "another"
	c := CompareRows(a, b)
	if len(c.Pairs) != 2 || c.OnlyA != 2 || c.OnlyB != 1 {
		t.Fatalf("%d pairs, %d and %d alone", len(c.Pairs), c.OnlyA, c.OnlyB)
	}
	if got, want := c.Geomean(), math.Sqrt(1.1*0.8); math.Abs(got-want) > 1e-12 || math.Abs(c.Error()-0.25) > 1e-12 {
		t.Errorf("geomean %v, want %v; error %v", got, want, c.Error())
	}
	if turned := c.Turned(); math.Abs(turned.Geomean()*c.Geomean()-1) > 1e-12 || turned.OnlyA != 1 || math.Abs(turned.Error()-c.Error()) > 1e-12 {
		t.Errorf("turned: %v", turned)
	}
	var out bytes.Buffer
	if err := WriteComparison(&out, c, 0.2); err != nil {
		t.Fatal(err)
	}
	want := `what       size  algorithm  machine    A us    B us    B/A
allreduce    1K  ring       8 NPUs   100.00  110.00  1.100
allreduce    2K  ring       8 NPUs   100.00   80.00  0.800  outside
geomean of B/A 0.938 over 2 pairs, 1 outside 20 %, at most 25 % apart
without a counterpart: 2 of A, 1 of B
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// A measurement is compared with what is of the same kind, as far as it says of which it is.
func TestCompareMeasured(t *testing.T) {
	rows := []records.Row{timed(1024, "ring", 10), timed(1024, "mesh", 20), timed(2048, "ring", 30)}
	rows[2].InPlace = false
	for _, c := range []struct {
		point measured.Point
		pairs int
	}{
		{measured.Point{Bytes: 1024}, 2},
		{measured.Point{Bytes: 1024, Algorithm: "Ring"}, 1},
		{measured.Point{Bytes: 1024, Collective: "allgather"}, 0},
		{measured.Point{Bytes: 1024, Ranks: 16}, 0},
		{measured.Point{Bytes: 1024, Ranks: 8, Servers: 1}, 2},
		{measured.Point{Bytes: 2048, Placed: true, InPlace: true}, 0},
		{measured.Point{Bytes: 2048, Placed: true}, 1},
	} {
		c.point.Time = 10 * units.Microsecond
		got := CompareMeasured([]measured.Point{c.point}, rows)
		if len(got.Pairs) != c.pairs || got.OnlyB != 3-c.pairs || (got.OnlyA == 1) != (c.pairs == 0) {
			t.Errorf("%+v: %d pairs, %d and %d alone", c.point, len(got.Pairs), got.OnlyA, got.OnlyB)
		}
	}
}
