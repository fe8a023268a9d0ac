package model

import (
	"cmp"
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
	names := f.linkNames()
	for _, fault := range faults {
		found, err := matching(names, fault.Link)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("topology %s has no link %q; links are named like %s", f.top.Name, fault.Link, f.example(fault.Link))
		}
		for _, i := range found {
			f.harm(i, fault)
		}
	}
	return nil
}

// harm cuts a link or slows it down.
func (f *fabric) harm(link int32, fault LinkFault) {
	if fault.Left > 0 {
		f.capacity[link] = max(f.capacity[link]/1000*sim.Rate(fault.Left), 1)
		return
	}
	if f.cut == nil {
		f.cut = make([]bool, len(f.capacity))
	}
	f.cut[link] = true
}

func (f *fabric) linkNames() []string {
	names := make([]string, len(f.capacity))
	for i := range names {
		names[i] = f.linkName(int32(i))
	}
	return names
}

// matching are the links whose names match a pattern.
func matching(names []string, pattern string) (links []int32, err error) {
	for i, name := range names {
		matches, err := filepath.Match(pattern, name)
		if err != nil {
			return nil, fmt.Errorf("link %q: %v", pattern, err)
		}
		if matches {
			links = append(links, int32(i))
		}
	}
	return links, nil
}

// CutError says that a work needs a link that its faults cut.
type CutError struct {
	Link string // one of those that are cut
	Way  string // between whom
}

func (e *CutError) Error() string {
	return fmt.Sprintf("the link %s %s is cut (faults)", e.Link, e.Way)
}

// CutBy says whether a fault cuts a link of that name.
func (l LinkFault) CutBy(name string) bool {
	matches, err := filepath.Match(l.Link, name)
	return err == nil && matches && l.Left == 0
}

// example is the name of some link that can fail, of the class that a pattern begins with if
// there is one.
func (f *fabric) example(pattern string) string {
	class, _, _ := strings.Cut(pattern, " ")
	ofClass, first := "", "those of the busiest links"
	for i := len(f.capacity) - 1; i >= 0; i-- {
		name := f.linkName(int32(i))
		from, to, between := strings.Cut(name, ">")
		switch {
		case !f.isWire(int32(i)), between && strings.HasSuffix(from, to): // which would join an NPU with itself
		case strings.HasPrefix(name, class+" "):
			ofClass = fmt.Sprintf("%q", name)
		default:
			first = fmt.Sprintf("%q", name)
		}
	}
	return cmp.Or(ofClass, first)
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
