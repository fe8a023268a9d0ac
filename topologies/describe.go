package topologies

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/model"
)

// Describe is a summary of a topology for people, several lines: what it is made of, and
// every value that is not free or unlimited.
func Describe(t model.Topology) string {
	var s strings.Builder
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&s, "  %-12s%s\n", name, text)
		}
	}
	fmt.Fprintf(&s, "%s: %s\n", t.Name, describeServers(t))
	if t.Product != "" {
		fmt.Fprintf(&s, "product: %s\n", t.Product)
	}
	s.WriteString("\nlinks inside a server\n")
	for _, l := range t.Server.Links {
		row(l.Class, describeLink(l, t.Server.NPUs))
	}
	if len(t.Server.Links) == 0 {
		row("none", "")
	}
	if t.HasHost() {
		s.WriteString("\nhost of a server\n")
		row(t.Server.Host.Class, describeHost(t.Server.Host))
	}
	if t.Network.Connect != model.NetworkNone {
		s.WriteString("\nnetwork between servers\n")
		row(t.Network.Class, describeNetwork(t.Network))
	}
	n := t.NPU
	s.WriteString("\nNPU\n")
	row("handshake", string(n.Handshake))
	if n.Streams.Priorities > 0 {
		row("streams", fmt.Sprintf("%s, HCCL's at %d", plural(n.Streams.Priorities, "priority", "priorities"), n.Streams.HCCL))
	}
	row("expansion", describeIssuing(n))
	launch := n.Scheduler.Launch
	row("scheduler", join("; ",
		values("launch: ", "record", launch.Record, "wait", launch.Wait, "copy", launch.Copy, "send", launch.Send, "kernel", launch.Kernel),
		values("", "gap", n.Scheduler.Gap)))
	row("notify", values("", "record", n.Notify.Record, "wait", n.Notify.Wait))
	row("DMA", values("", "engines", n.DMA.Engines, "setup", n.DMA.Setup, "local", n.DMA.Local, "remote", n.DMA.Remote, "reduce", n.DMA.Reduce))
	row("limits", values("", "remote", n.Limits.Remote, "reduce", n.Limits.Reduce))
	row("memory", values("", "bandwidth", n.Memory.Bandwidth))
	row("cores", join("; ", values("", "AI cores", n.Cores), describeAIV(n)))
	row("reduce", describeReduce(n.Reduce))
	if n.NIC.Bandwidth > 0 {
		row("NIC", values("", "ports", n.NIC.Ports, "bandwidth", n.NIC.Bandwidth, "mtu", n.NIC.MTU, "header", n.NIC.Header)+describeNIC(n))
		r := n.NIC.Request
		row("requests", values("", "post", r.Post, "issue", r.Issue, "header", r.Header, "max", r.Max))
	}
	row("copies", [...]string{"none", "own slice", "all data"}[n.Copies])
	if n.SliceAlign > 0 {
		row("slices", "aligned to "+n.SliceAlign.String())
	}
	if n.SyncNotify {
		row("sync", "lanes of a rank wait for each other by notifies")
	}
	if n.Marker {
		row("marker", "4-byte reductions around the mesh")
	}
	return s.String()
}

// describeIssuing says who issues the tasks of collectives; "" where that is the host
// thread, for free.
func describeIssuing(n model.NPU) string {
	var costs []string
	for _, mode := range []struct {
		name string
		cost model.Issue
	}{{"host", n.Host.Host}, {"ai_cpu", n.Host.AICPU}, {"aiv", n.Host.AIV}} {
		costs = append(costs, values(mode.name+": ", "collective", mode.cost.Collective, "task", mode.cost.Task))
	}
	return join("; ", strings.ToLower(string(n.Expansion)), join("; ", costs...))
}

// describeAIV says how AI cores move data; "" where that is not said.
func describeAIV(n model.NPU) string {
	a := n.AIV
	text := values("", "setup", a.Setup, "notify", a.Notify, "copy", a.Copy, "reduce", a.Reduce)
	if text == "" && a.Cores <= 1 {
		return ""
	}
	return join(", ", fmt.Sprintf("aiv: %s a collective", count(a.Cores, "core")), text)
}

func describeServers(t model.Topology) string {
	text := fmt.Sprintf("%s x %s", count(t.Servers, "server"), count(t.Server.NPUs, "NPU"))
	if t.Ranks != nil {
		text += fmt.Sprintf(", of which %s take part", strings.Join(strings.Fields(strings.Trim(fmt.Sprint(t.Ranks), "[]")), " + "))
	}
	text += " = " + count(t.Size(), "rank")
	if t.Pods > 1 {
		text += fmt.Sprintf(", in %d super-pods of %s", t.Pods, count(t.Servers/t.Pods, "server"))
	}
	return text
}

func describeLink(l model.Link, npus int) string {
	text := fmt.Sprintf("%s, NPUs %s, %s", l.Connect, describeGroups(l.Groups, npus), describeBandwidth(l.Bandwidth))
	if l.Single != (model.Bandwidth{}) {
		text += fmt.Sprintf(" (one transfer: %s)", describeBandwidth(l.Single))
	}
	text += fmt.Sprintf(", latency %s, driven by %s", l.Latency, driver(l.Drive))
	if p := l.Pod; p.Spans && p.Read == p.Write {
		text += fmt.Sprintf(", spans the super-pod with latency %s more", p.Write)
	} else if p.Spans {
		text += fmt.Sprintf(", spans the super-pod with latency %s (read) or %s (write) more", p.Read, p.Write)
	}
	if l.Uplink.Bandwidth > 0 {
		text += fmt.Sprintf(", uplink %s and latency %s more", l.Uplink.Bandwidth, l.Uplink.Latency)
	}
	return text
}

func describeHost(h model.Host) string {
	to := "through the switches and their uplinks"
	if h.Bandwidth.Write > 0 {
		to = "a link for each NPU, " + describeBandwidth(h.Bandwidth)
	}
	return join(", ", to, "latency "+h.Latency.String(), values("memory ", "", h.Memory), values("reduces ", "at", h.Reduce), values("", "overhead of a notify", h.Overhead), values("network ", "port", h.NIC))
}

func describeGroups(groups [][]int, npus int) string {
	if len(groups) == 1 && len(groups[0]) == npus {
		return "all"
	}
	texts := make([]string, len(groups))
	for i, g := range groups {
		texts[i] = strings.Trim(strings.ReplaceAll(fmt.Sprint(g), " ", ","), "[]")
	}
	return strings.Join(texts, " | ")
}

func describeBandwidth(b model.Bandwidth) string {
	if b.Read == b.Write {
		return b.Write.String()
	}
	return fmt.Sprintf("read %s, write %s", b.Read, b.Write)
}

func describeNetwork(n model.Network) string {
	text := fmt.Sprintf("%s, latency %s", n.Connect, n.Latency)
	if n.Connect == model.NetworkRails {
		text += ", " + count(n.Rails, "rail")
		if n.Spine {
			text += " joined by a spine"
		}
	}
	switch n.Connect {
	case model.NetworkFullMesh:
		text += fmt.Sprintf(", %s between two servers", n.Bandwidth)
	case model.NetworkClos:
		text += fmt.Sprintf(", leaves of %s, %s, %s from each leaf to each", count(n.Radix, "port"), count(n.Spines, "spine"), n.Bandwidth)
	}
	if n.Within {
		text += ", also inside a server where no link joins"
	}
	return text
}

func describeReduce(r model.ReduceUnit) string {
	inline := ""
	if r.Inline {
		inline = "on the way (inline)"
	}
	on := "unit: "
	if r.Cores > 0 {
		on = fmt.Sprintf("on %s: ", count(r.Cores, "AI core"))
	}
	if text := join("; ", inline, values(on, "bandwidth", r.Bandwidth, "setup", r.Setup)); text != "" {
		return text
	}
	return "free"
}

// describeNIC says what is unusual about NICs: who shares one, who drives it, how requests
// go through it.
func describeNIC(n model.NPU) string {
	var shared, drive, staged, byRequest, grain, finack string
	nic := n.NIC
	if nic.NPUs > 1 {
		shared = fmt.Sprintf("one for %d NPUs", nic.NPUs)
	}
	if nic.Drive == algorithms.Read {
		drive = "driven by " + driver(nic.Drive)
	}
	if nic.Staged {
		staged = "staged: " + join(", ", values("fetch ", "", nic.Fetch.Bandwidth, "overhead", nic.Fetch.Overhead), values("wire ", "overhead", nic.WireOverhead), values("store ", "", nic.Store.Bandwidth, "overhead", nic.Store.Overhead))
	}
	if nic.ByRequest {
		byRequest = "a port carries one request at a time"
	}
	if nic.GrainRequest {
		grain = "requests are reduced as they land"
	}
	if nic.Finack {
		finack = "messages are acknowledged"
	}
	text := join("; ", shared, drive, staged, byRequest, grain, finack)
	if text != "" {
		text = "; " + text
	}
	return describeInline(n) + text
}

// describeInline says whether NICs reduce on the way, where DMA engines do otherwise.
func describeInline(n model.NPU) string {
	switch {
	case n.NIC.Inline == n.Reduce.Inline:
		return ""
	case n.NIC.Inline:
		return ", reduces on the way (inline)"
	}
	return ", does not reduce on the way"
}

func driver(d algorithms.Drive) string {
	if d == algorithms.Read {
		return "the receiver (read)"
	}
	return "the sender (write)"
}

// values lists names with their values, leaving out those that are zero: they are free or
// unlimited. The head stands in front if anything is left.
func values(head string, namesAndValues ...any) string {
	var parts []string
	for i := 0; i < len(namesAndValues); i += 2 {
		// Of a quantity that is not zero, its text shows at least one of the unit.
		if text := fmt.Sprint(namesAndValues[i+1]); text[0] != '0' {
			parts = append(parts, fmt.Sprint(namesAndValues[i], " ", text))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return head + strings.Join(parts, ", ")
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), separator)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

func count(n int, noun string) string { return plural(n, noun, noun+"s") }
