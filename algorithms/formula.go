package algorithms

import (
	"fmt"
	"strings"
)

// About is what a reader wants to know about an algorithm before its steps.
type About struct {
	Idea   string // in a sentence or two
	Wins   string // when it is the one to take
	Ranks  string // the numbers of ranks that it serves
	Source string // where its schedule is described
	Forms  []Form // what each collective costs
}

// Form is the closed form of a collective, in the field's notation: a message of n bytes
// takes α + nβ, and nγ more where it is reduced; n is the size as nccl-tests count it (the
// largest buffer of a rank), p the number of ranks, lg the logarithm to base 2. letters of
// our own are explained by Letters.
type Form struct {
	Collective Collective
	Steps      string // messages that follow each other
	Time       string // on a link of its own for every pair of ranks; empty: no closed form
	Note       string // what limits the form, or stands in its place
}

// ours explains the letters of closed forms that are not the field's.
var ours = [][2]string{
	{"P", "the largest power of two in p"},
	{"f", "0 where p is a power of two, else 1"},
	{"h", "the sum of min(2·2^i, 2^i+p-P) over i < lg P: the slices that RHD's largest messages have together; p-1 where p is a power of two"},
	{"S", "servers"},
	{"N", "ranks of a server"},
	{"s", "S-1 up to 3 servers, which make a ring, else ⌈lg S⌉"},
}

// Describe is what is to be said about an algorithm, or a mix of them, of the catalogue. The
// idea of a mix is that of a collective; its forms are the sums of those of its phases, and
// not written out. ok is false for a name that is not known.
func Describe(algorithm string, c Collective) (about About, ok bool) {
	name := Canonical(algorithm)
	if about, ok = abouts[name]; ok || !Known(name) {
		return about, ok
	}
	return About{
		Idea:   mixIdea(strings.Split(name, "+"), c),
		Wins:   "Servers whose links inside are faster than those between: each rank takes only its part of the buffer to the other servers, all ranks at once.",
		Ranks:  "servers of equally many",
		Source: pages + "algo_intro.md, hierarchical_comm_principle.md",
	}, true
}

// mixIdea says in which order the levels of a mix do what.
func mixIdea(parts []string, c Collective) string {
	everywhere := []string{"inside every server", "between the ranks of the same number in all servers"}
	roots := []string{"inside the root's server", "between the ranks of the same number in the root's super-pod"}
	if len(parts) == 3 {
		everywhere[1] += " of a super-pod"
		everywhere = append(everywhere, "between super-pods")
	}
	var phases []string
	add := func(does Collective, i int, where []string) {
		phases = append(phases, fmt.Sprintf("%s by %s %s", titles[does], parts[i], where[i]))
	}
	// nest is one collective on the way in, another on the way out, and c between them.
	nest := func(in Collective, whereIn []string, out Collective, whereOut []string) {
		last := len(parts) - 1
		for i := range last {
			add(in, i, whereIn)
		}
		add(c, last, everywhere)
		for i := last - 1; i >= 0; i-- {
			add(out, i, whereOut)
		}
	}
	switch c {
	case AllReduce, Barrier:
		c = AllReduce
		nest(ReduceScatter, everywhere, AllGather, everywhere)
	case Broadcast:
		nest(Scatter, roots, AllGather, everywhere)
	case Reduce:
		nest(ReduceScatter, everywhere, Gather, roots)
	case ReduceScatter, Scatter:
		for i := len(parts) - 1; i >= 0; i-- {
			add(c, i, everywhere)
		}
	default:
		for i := range parts {
			add(c, i, everywhere)
		}
	}
	if c == AlltoAll || c == AlltoAllV {
		phases[0] += ", where a rank collects what its server has for the ranks of its own number"
	}
	idea := strings.Join(phases, ", then ") + "."
	if c == AllGather || c == ReduceScatter { // Request.OutsideIn
		idea += " On the A3 in the opposite order."
	}
	return idea
}

// titles are the names of collectives in sentences.
var titles = map[Collective]string{
	AllReduce: "AllReduce", AllGather: "AllGather", ReduceScatter: "ReduceScatter", Broadcast: "Broadcast",
	Reduce: "Reduce", Scatter: "Scatter", Gather: "Gather", AlltoAll: "AlltoAll", AlltoAllV: "AlltoAllV",
}

// Form is the closed form of a collective.
func (a About) Form(c Collective) (f Form, ok bool) {
	if c == Barrier {
		f, ok = a.Form(AllReduce)
		f.Collective = Barrier
		return f, ok
	}
	for _, f := range a.Forms {
		if f.Collective == c {
			return f, true
		}
	}
	return Form{}, false
}

// Letters are those of the form that the field does not have, with what they mean.
func (f Form) Letters() [][2]string {
	var list [][2]string
	for _, l := range ours {
		if strings.Contains(f.Steps+" "+f.Time, l[0]) {
			list = append(list, l)
		}
	}
	return list
}

// forms makes a list of forms from collective, steps, time and, where there is one, note.
func forms(rows ...[]string) []Form {
	var list []Form
	for _, r := range rows {
		f := Form{Collective: Collective(r[0]), Steps: r[1], Time: r[2]}
		if len(r) > 3 {
			f.Note = r[3]
		}
		list = append(list, f)
	}
	return list
}
