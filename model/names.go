package model

import "fmt"

// linkName names a link for people.
func (f *fabric) linkName(link int32) string {
	at := func(i int32) string { return fmt.Sprintf("s%dn%d", f.places[i].server, f.places[i].npu) }
	switch {
	case f.memory >= 0 && link >= f.memory && link < f.memory+f.ranks:
		return "memory " + at(link-f.memory)
	case f.limitRemote >= 0 && link >= f.limitRemote && link < f.limitRemote+f.ranks:
		return "limit remote " + at(link-f.limitRemote)
	case f.limitReduce >= 0 && link >= f.limitReduce && link < f.limitReduce+f.ranks:
		return "limit reduce " + at(link-f.limitReduce)
	}
	for _, name := range []string{f.networkLinkName(link), f.hostLinkName(link)} {
		if name != "" {
			return name
		}
	}
	for i := range f.entries {
		e := &f.entries[i]
		if n := link - e.first; n >= 0 && n < e.perServer*int32(f.top.Servers) {
			return e.linkName(n/e.perServer, n%e.perServer)
		}
	}
	return fmt.Sprintf("link %d", link)
}

func (e *entry) linkName(server, n int32) string {
	g := len(e.start) - 1
	for e.start[g] > n {
		g--
	}
	n -= e.start[g]
	members, size := e.Groups[g], e.size[g]
	name := func(a, b int) string { return fmt.Sprintf("%s s%dn%d>n%d", e.Class, server, a, b) }
	switch {
	case e.Connect == FullMesh:
		return name(members[n/size], members[n%size])
	case e.Connect == Pairs:
		return name(members[n], members[1-n])
	case e.Connect == RingOf:
		i := n / 2
		j := (i + 1 + size - 2*(n%2)) % size
		return name(members[i], members[j])
	case n >= 2*size:
		return fmt.Sprintf("%s s%d uplink%d %s", e.Class, server, g, [2]string{"up", "down"}[n%2])
	}
	return fmt.Sprintf("%s s%dn%d %s", e.Class, server, members[n/2], [2]string{"out", "in"}[n%2])
}
