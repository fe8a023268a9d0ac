package recorded

import (
	"fmt"
	"io"

	"hcclsim/model/units"
)

// Write prints a comparison for people.
func (c *Comparison) Write(w io.Writer) error {
	p := &printer{w: w}
	p.line("AllReduce of %d B on 8 NPUs, mesh, rank 0: %d tasks, recorded beside atlas-800t-a2", int64(c.Bytes), c.Tasks)
	if len(c.Unlike) > 0 {
		for _, d := range c.Unlike {
			p.line("  differs: %s", d)
		}
		return p.err
	}
	p.line("  tasks of each plane: the same, in the same order, with the same peers and bytes")
	p.line("  %-28s %12s %12s %8s", "", "recorded us", "machine us", "error")
	for _, ph := range c.Phases {
		mark := ""
		if e := ph.Error(); e > ph.Tolerance || e < -ph.Tolerance {
			mark = fmt.Sprintf("  outside %.0f %%", 100*ph.Tolerance)
		}
		p.line("  %-28s %12s %12s %+7.1f%%%s", ph.Name, micros(ph.Recorded), micros(ph.Machine), 100*ph.Error(), mark)
	}
	p.line("  %-28s %12s %12s", "total", micros(c.Recorded.Time), micros(c.Machine.Time))
	p.line("  %-28s %12s %12s", "  waiting for late ranks", micros(c.Recorded.Waiting), micros(c.Machine.Waiting))
	rest := Phase{Recorded: c.Recorded.Time - c.Recorded.Waiting, Machine: c.Machine.Time - c.Machine.Waiting}
	p.line("  %-28s %12s %12s %+7.1f%%", "  without that", micros(rest.Recorded), micros(rest.Machine), 100*rest.Error())
	for _, b := range c.Bursts {
		p.line("  %-28s %12s %12s", "starts apart: "+b.Name, micros(b.Recorded), micros(b.Machine))
	}
	c.writeGaps(p)
	return p.err
}

// writeGaps sums up the gaps before idle tasks by kind, and names those outside.
func (c *Comparison) writeGaps(p *printer) {
	for _, name := range []string{"Notify_Record", "Notify_Wait", "Memcpy", "Reduce_Inline"} {
		var least, most, machine units.Duration
		n := 0
		for _, g := range c.Gaps {
			if g.Task.Name != name {
				continue
			}
			if n == 0 {
				least = g.Recorded
			}
			n++
			least, most, machine = min(least, g.Recorded), max(most, g.Recorded), g.Machine
		}
		p.line("  %-28s %12s %12s  (%d tasks)", "gap before: "+name, micros(least)+"-"+micros(most), micros(machine), n)
	}
	for _, g := range c.Gaps {
		if !g.Within() {
			why := ""
			if g.Late {
				why = ", after waiting for a late rank"
			}
			p.line("    outside %s: %s of plane %d at %s: %s%s", GapTolerance, g.Task.Name, g.Task.Plane, micros(g.Task.Start), micros(g.Recorded), why)
		}
	}
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// micros prints microseconds with the two decimals of the recording.
func micros(d units.Duration) string {
	return fmt.Sprintf("%.2f", float64(d)/float64(units.Microsecond))
}
