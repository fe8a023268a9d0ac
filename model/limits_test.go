package model

import (
	"slices"
	"testing"

	"hcclsim/algorithms"
	"hcclsim/model/units"
	"hcclsim/sim"
)

// What limits a copy over a link: the link in the manner in which it is driven, the caps of
// an engine, and the limits that all engines of the driving NPU share. Nothing else takes
// time. Links carry 10 GB/s written and 20 GB/s read: 1 MB takes 100 us or 50 us.
func TestLimitsOfCopies(t *testing.T) {
	type transfer struct {
		src, dst int
		drive    algorithms.Drive
		reduce   bool // inline
	}
	const asLink, write, read = algorithms.LinkDefault, algorithms.Write, algorithms.Read
	shared := Limits{Remote: 8e9, Reduce: 4e9}
	for _, c := range []struct {
		name      string
		link      algorithms.Drive
		dma       DMA
		limits    Limits
		transfers []transfer
		want      []sim.Time // us, of each transfer
		ideal     []sim.Time // us, where only links act
	}{
		{"written", asLink, DMA{}, Limits{}, []transfer{{0, 1, write, false}}, []sim.Time{100}, []sim.Time{100}},
		{"read", asLink, DMA{}, Limits{}, []transfer{{0, 1, read, false}}, []sim.Time{50}, []sim.Time{50}},
		{"a link is written", asLink, DMA{}, Limits{}, []transfer{{0, 1, asLink, false}}, []sim.Time{100}, []sim.Time{100}},
		{"unless it is read", read, DMA{}, Limits{}, []transfer{{0, 1, asLink, false}}, []sim.Time{50}, []sim.Time{50}},
		{"or the schedule says so", read, DMA{}, Limits{}, []transfer{{0, 1, write, false}}, []sim.Time{100}, []sim.Time{100}},
		// x + 2x = 20 GB/s for x = 20/3 GB/s, 150 us.
		{"written and read at once", asLink, DMA{}, Limits{}, []transfer{{0, 1, write, false}, {0, 1, read, false}}, []sim.Time{150, 150}, []sim.Time{150, 150}},

		{"cap of a copy", asLink, DMA{Remote: 5e9, Reduce: 4e9}, Limits{}, []transfer{{0, 1, write, false}}, []sim.Time{200}, []sim.Time{100}},
		{"cap of a reduction", asLink, DMA{Remote: 5e9, Reduce: 4e9}, Limits{}, []transfer{{0, 1, write, true}}, []sim.Time{250}, []sim.Time{100}},
		{"a copy has no cap of reductions", asLink, DMA{Reduce: 4e9}, Limits{}, []transfer{{0, 1, write, false}}, []sim.Time{100}, []sim.Time{100}},
		{"a reduction has no cap of copies", asLink, DMA{Remote: 5e9}, Limits{}, []transfer{{0, 1, write, true}}, []sim.Time{100}, []sim.Time{100}},

		{"limit of a copy", asLink, DMA{}, shared, []transfer{{0, 1, write, false}}, []sim.Time{125}, []sim.Time{100}},
		{"limit of a reduction", asLink, DMA{}, shared, []transfer{{0, 1, write, true}}, []sim.Time{250}, []sim.Time{100}},
		{"each has its own limit", asLink, DMA{}, shared, []transfer{{0, 1, write, false}, {0, 2, write, true}}, []sim.Time{125, 250}, []sim.Time{100, 100}},
		{"two written by one NPU share it", asLink, DMA{}, shared, []transfer{{0, 1, write, false}, {0, 2, write, false}}, []sim.Time{250, 250}, []sim.Time{100, 100}},
		{"two written by two do not", asLink, DMA{}, shared, []transfer{{1, 0, write, false}, {2, 0, write, false}}, []sim.Time{125, 125}, []sim.Time{100, 100}},
		{"two read by one NPU share it", asLink, DMA{}, shared, []transfer{{1, 0, read, false}, {2, 0, read, false}}, []sim.Time{250, 250}, []sim.Time{50, 50}},
		{"two read by two do not", asLink, DMA{}, shared, []transfer{{0, 1, read, false}, {0, 2, read, false}}, []sim.Time{125, 125}, []sim.Time{50, 50}},
		{"reductions share theirs", asLink, DMA{}, shared, []transfer{{0, 1, write, true}, {0, 2, write, true}}, []sim.Time{500, 500}, []sim.Time{100, 100}},
	} {
		for _, h := range []Handshake{Rendezvous, Ideal} {
			t.Run(c.name+"/"+string(h), func(t *testing.T) {
				top := memoryMachine(h, true)
				l := &top.Server.Links[0]
				l.Bandwidth, l.Drive = Bandwidth{Read: 20e9, Write: 10e9}, c.link
				top.NPU.Memory, top.NPU.DMA, top.NPU.Limits = Memory{}, c.dma, c.limits
				s := newScript(3, megabyte)
				var at []algorithms.Ref
				for _, tr := range c.transfers {
					from, to := s.send(tr.src, tr.dst, 0)
					from.Drive, to.Drive, to.Reduce = tr.drive, tr.drive, tr.reduce
					at = append(at, from.Send.Peer)
				}
				_, ends := play(t, top, s)
				want := c.want
				if h == Ideal {
					want = c.ideal
				}
				for i, r := range at {
					near(t, "receiver", ends[r.Rank][r.Lane], want[i]*sim.Microsecond, 1)
				}
			})
		}
	}
}

// The slower manner of driving takes more of a link than its bytes, whichever it is. Alone
// 1 MB takes 1 MB / 27.8 GB/s = 35.971224 us or 1 MB / 20.9 GB/s = 47.846890 us. Both at
// once get x each with x (27.8/20.9) + x = 27.8 GB/s: the sum of both times, 83.818113 us.
func TestSlowerMannerTakesMoreOfALink(t *testing.T) {
	for _, fast := range []algorithms.Drive{algorithms.Read, algorithms.Write} {
		top := memoryMachine(Rendezvous, true)
		top.NPU.Memory = Memory{}
		b := &top.Server.Links[0].Bandwidth
		*b = Bandwidth{Read: 27.8e9, Write: 20.9e9}
		slow := algorithms.Write
		if fast == algorithms.Write {
			*b, slow = Bandwidth{Read: 20.9e9, Write: 27.8e9}, algorithms.Read
		}
		for _, c := range []struct {
			drives []algorithms.Drive
			want   sim.Time
		}{
			{[]algorithms.Drive{fast}, 35_971_224},
			{[]algorithms.Drive{slow}, 47_846_890},
			{[]algorithms.Drive{fast, slow}, 83_818_113},
		} {
			s := newScript(3, megabyte)
			for _, d := range c.drives {
				from, to := s.send(0, 1, 0)
				from.Drive, to.Drive = d, d
			}
			res, _ := play(t, top, s)
			near(t, "end", sim.Time(res.Time), c.want, 1)
		}
	}
}

// The reduce unit takes one reduction at a time, and waiting for it counts as reducing.
// Two messages arrive together at 50 us; a reduction takes 1 us of set-up and 100 us.
func TestReduceUnitIsOne(t *testing.T) {
	for _, h := range []Handshake{Rendezvous, Ideal} {
		t.Run(string(h), func(t *testing.T) {
			top := memoryMachine(h, false)
			top.NPU.Memory, top.NPU.Reduce = Memory{}, ReduceUnit{Bandwidth: 10e9, Setup: 1000 * ns}
			s := newScript(3, megabyte)
			for src := 1; src < 3; src++ {
				_, to := s.send(src, 0, 0)
				to.Reduce = true
			}
			res, ends := play(t, top, s)
			near(t, "first", ends[0][0], 151*sim.Microsecond, 0)
			near(t, "second", ends[0][1], 252*sim.Microsecond, 0)
			near(t, "sender", ends[2][0], 50*sim.Microsecond, 0)
			spent(t, res, Part{"setup", 1000 * ns}, Part{"reduce", 201_000 * ns}, Part{"wire:ideal", 50_000 * ns})

			top.NPU.Reduce.Inline, top.NPU.NIC.Inline = true, true // on the way, whatever the unit would take
			res, _ = play(t, top, s)
			near(t, "inline", sim.Time(res.Time), 50*sim.Microsecond, 0)
		})
	}
}

// A marker is a local inline reduction of four bytes: launch 0.33, set-up 0.6, 4 B at
// 4 GB/s 0.001. Under the ideal recipe it is nothing.
func TestMarker(t *testing.T) {
	top := taskMachine()
	top.NPU.DMA.Local = 4e9
	s := newScript(2, megabyte)
	marker := algorithms.Idle
	marker.Marker = true
	s.steps[0] = [][]algorithms.Step{{marker}}
	var rows []Task
	res, _ := playPoint(t, Point{Topology: top}, s, Options{Trace: func(row Task) { rows = append(rows, row) }})
	spent(t, res, Part{"launch", 330 * ns}, Part{"setup", 600 * ns}, Part{"wire:local", units.Nanosecond})
	if want := []Task{{Name: "Reduce_Inline", Start: 330 * ns, End: 931 * ns, Bytes: 4, Class: "local"}}; !slices.Equal(rows, want) {
		t.Errorf("tasks %v, want %v", rows, want)
	}
	top.NPU.Handshake = Ideal
	if res, _ = play(t, top, s); res.Time != 0 {
		t.Errorf("takes %s under the ideal recipe", res.Time)
	}
}
