package model

import (
	"fmt"
	"path/filepath"
	"strings"

	"hcclsim/sim"
)

// damage cuts links and slows them down. A pattern that names no link is an error.
func (f *fabric) damage(faults []LinkFault) error {
	if len(faults) == 0 {
		return nil
	}
	names := make([]string, len(f.capacity))
	for i := range names {
		names[i] = f.linkName(int32(i))
	}
	for _, fault := range faults {
		found := false
		for i, name := range names {
			matches, err := filepath.Match(fault.Link, name)
			if err != nil {
				return fmt.Errorf("link %q: %v", fault.Link, err)
			}
			if !matches {
				continue
			}
			found = true
			if fault.Left > 0 {
				f.capacity[i] = max(f.capacity[i]/1000*sim.Rate(fault.Left), 1)
				continue
			}
			if f.cut == nil {
				f.cut = make([]bool, len(f.capacity))
			}
			f.cut[i] = true
		}
		if !found {
			return fmt.Errorf("topology %s has no link %q; links are named like %s", f.top.Name, fault.Link, f.example())
		}
	}
	return nil
}

// example is the name of some link that can fail.
func (f *fabric) example() string {
	for i := range f.capacity {
		name := f.linkName(int32(i))
		from, to, between := strings.Cut(name, ">")
		if f.isWire(int32(i)) && !(between && strings.HasSuffix(from, to)) { // which would join an NPU with itself
			return fmt.Sprintf("%q", name)
		}
	}
	return "those of the busiest links"
}

// isWire says whether a link is a wire, and not an NPU's memory or limit.
func (f *fabric) isWire(link int32) bool {
	for _, first := range []int32{f.memory, f.limitRemote, f.limitReduce} {
		if first >= 0 && link >= first && link < first+f.ranks {
			return false
		}
	}
	return true
}
