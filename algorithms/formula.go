package algorithms

import (
	"fmt"
	"slices"
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

// Describe is what is to be said about an algorithm, or a mix of them, of the catalogue.
// The forms of a mix are the sums of those of its phases, and not written out. ok is false
// for a name that is not known.
func Describe(algorithm string) (about About, ok bool) {
	name := Canonical(algorithm)
	if about, ok = abouts[name]; ok || !Known(name) {
		return about, ok
	}
	parts := strings.Split(name, "+")
	where := []string{"inside every server", "between the ranks of the same number in all servers of a super-pod", "between super-pods"}
	if len(parts) == 2 {
		where[1] = "between the ranks of the same number in all servers"
	}
	down, up := []string{}, []string{}
	for i, part := range parts[:len(parts)-1] {
		down = append(down, fmt.Sprintf("ReduceScatter by %s %s", part, where[i]))
		up = append(up, fmt.Sprintf("AllGather by %s %s", part, where[i]))
	}
	slices.Reverse(up)
	last := len(parts) - 1
	top := fmt.Sprintf("AllReduce by %s %s", parts[last], where[last])
	idea := "AllReduce: " + strings.Join(append(append(down, top), up...), ", then ") + ". AllGather goes from the inside out, ReduceScatter from the outside in."
	if Offers(name, AlltoAll) {
		idea = fmt.Sprintf("AlltoAll by %s %s, where a rank collects what its server has for the ranks of its own number, then by %s %s.", parts[0], where[0], parts[1], where[1])
	}
	return About{
		Idea:   idea,
		Wins:   "Servers whose links inside are faster than those between: each rank takes only its part of the buffer to the other servers, all ranks at once.",
		Ranks:  "servers of equally many",
		Source: pages + "algo_intro.md, hierarchical_comm_principle.md",
	}, true
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
