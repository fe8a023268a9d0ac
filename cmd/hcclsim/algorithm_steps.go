package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"hcclsim/algorithms"
)

// writeStepsJSON writes a list of steps, each a list of [source, destination, [slices]],
// on one line.
func writeStepsJSON(w io.Writer, rounds []algorithms.Round) error {
	out := bufio.NewWriter(w)
	out.WriteByte('[')
	for k, round := range rounds {
		if len(round.Messages) == 0 {
			continue
		}
		if k > 0 {
			out.WriteString(", ")
		}
		out.WriteByte('[')
		for i, m := range round.Messages {
			if i > 0 {
				out.WriteString(", ")
			}
			list := strings.Join(strings.Fields(fmt.Sprint(slicesOf(m))), ", ")
			fmt.Fprintf(out, "[%d, %d, %s]", m.From, m.To, list)
		}
		out.WriteByte(']')
	}
	out.WriteString("]\n")
	return out.Flush()
}

// lineWidth is the longest line of a text, where words allow.
const lineWidth = 96

// writeStepsText writes the steps for people: in each the rule that its messages follow,
// and the messages unless the rule says it all and they are many.
func writeStepsText(w io.Writer, s *algorithms.Schedule, rounds []algorithms.Round) error {
	out := bufio.NewWriter(w)
	steps, messages, requests := 0, 0, 0
	for _, round := range rounds {
		if len(round.Messages) > 0 {
			steps++
		}
		messages += len(round.Messages)
		for _, m := range round.Messages {
			requests += m.Requests
		}
	}
	writeAbout(out, s)
	p, n, slices := s.Ranks(), equalServers(s.Request.Groups), s.Slices(algorithms.Data)
	if s.Hosts() > 0 { // ranks beyond those of servers: no rule of servers holds for them
		n = 0
	}
	fmt.Fprintf(out, "%s: %d step%s, %d messages, %d requests, a buffer of %d slice%s\n",
		ranksText(s.Request.Groups), steps, plural(steps), messages, requests, slices, plural(slices))
	if h := s.Hosts(); h > 0 {
		fmt.Fprintf(out, "host%s of the server%s: %d to %d\n", plural(h), plural(h), p-h, p-1)
	}
	for k, round := range rounds {
		for _, g := range byKind(round.Messages) {
			rule := ruleOf(g.messages, p, n, slices)
			fmt.Fprintf(out, "\nstep %-3d %-6s  %s\n", k, g.verb(), describe(rule, g.messages))
			if !rule.whole() || len(g.messages) <= 16 {
				writeMessages(out, g.messages)
			}
		}
	}
	if s.Hosts() == 0 { // which have no slices of the result
		writeFirst(out, s, rounds)
	}
	return out.Flush()
}

// writeAbout writes what there is to say about the algorithm before its steps.
func writeAbout(out *bufio.Writer, s *algorithms.Schedule) {
	title := s.Algorithm + ": " + string(s.Request.Collective)
	if s.Request.Collective.Rooted() {
		title += fmt.Sprintf(", root %d", s.Request.Root)
	}
	fmt.Fprintf(out, "%s\n\n", title)
	about, ok := algorithms.Describe(s.Algorithm, s.Request.Collective)
	if !ok {
		return
	}
	write := func(label, text string) {
		for i, line := range fill(strings.Fields(text), " ", lineWidth-9) {
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(out, "%-7s  %s\n", label, line)
		}
	}
	write("idea", about.Idea)
	write("wins", about.Wins)
	write("ranks", about.Ranks)
	if form, ok := about.Form(s.Request.Collective); ok {
		write("steps", form.Steps)
		if form.Time != "" {
			write("time", form.Time)
		}
		write("note", form.Note)
		for _, l := range form.Letters() {
			write("", l[0]+": "+l[1])
		}
	}
	write("source", about.Source)
	fmt.Fprintln(out)
}

// kind are messages of a step that are all reduced, or all copied, on arrival.
type kind struct {
	reduce   bool
	messages []algorithms.Transfer
}

func (k kind) verb() string {
	if k.reduce {
		return "reduce"
	}
	return "copy"
}

func byKind(messages []algorithms.Transfer) []kind {
	var kinds []kind
	for _, reduce := range []bool{true, false} {
		k := kind{reduce: reduce}
		for _, m := range messages {
			if m.Reduce == reduce {
				k.messages = append(k.messages, m)
			}
		}
		if len(k.messages) > 0 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// describe is the rule of messages, or how many they are, and their requests.
func describe(r rule, messages []algorithms.Transfer) string {
	text := r.String()
	if text == "" {
		text = fmt.Sprintf("%d message%s", len(messages), plural(len(messages)))
	}
	least, most := messages[0].Requests, messages[0].Requests
	for _, m := range messages {
		least, most = min(least, m.Requests), max(most, m.Requests)
	}
	switch {
	case most == 1:
		return text
	case least == most:
		return fmt.Sprintf("%s; %d requests a message", text, most)
	}
	return fmt.Sprintf("%s; %d to %d requests a message", text, least, most)
}

// writeMessages lists messages, as many on a line as fit.
func writeMessages(out *bufio.Writer, messages []algorithms.Transfer) {
	const indent = "                 "
	line := ""
	for _, m := range messages {
		word := fmt.Sprintf("%d->%d: %s", m.From, m.To, listSlices(slicesOf(m)))
		if line != "" && len(indent)+len(line)+2+len(word) > lineWidth {
			fmt.Fprintln(out, indent+line)
			line = ""
		}
		if line != "" {
			line += "  "
		}
		line += word
	}
	fmt.Fprintln(out, indent+line)
}

// equalServers is the number of ranks of each server; 0: they differ.
func equalServers(groups []int) int {
	for _, g := range groups {
		if g != groups[0] {
			return 0
		}
	}
	return groups[0]
}

// ranksText says how many ranks there are, and in which servers.
func ranksText(groups []int) string {
	p := 0
	for _, g := range groups {
		p += g
	}
	n := equalServers(groups)
	switch {
	case len(groups) == 1:
		return fmt.Sprintf("%d rank%s", p, plural(p))
	case n > 0:
		return fmt.Sprintf("%d ranks in %d servers of %d", p, len(groups), n)
	}
	return fmt.Sprintf("%d ranks in servers of %s", p, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(groups)), ", "), "[]"))
}
