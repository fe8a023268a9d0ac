package algorithms

import "strings"

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
// largest buffer of a rank), p the number of ranks, lg the logarithm to base 2. Letters of
// our own are in Letters.
type Form struct {
	Collective Collective
	Steps      string // messages that follow each other
	Time       string // on a link of its own for every pair of ranks; empty: no closed form
	Note       string // what limits the form, or stands in its place
}

// Letters explains the letters of closed forms that are not the field's.
var Letters = [][2]string{
	{"P", "the largest power of two in p"},
	{"f", "0 where p is a power of two, else 1"},
	{"h", "the sum of min(2·2^i, 2^i+p-P) over i < lg P: the slices that RHD's largest messages have together; p-1 where p is a power of two"},
	{"S", "servers"},
	{"N", "ranks of a server"},
}

// Describe is what is to be said about an algorithm of the catalogue. Of a mix only Idea,
// Ranks and Wins are, made of its parts; ok is false for a name that is not known.
func Describe(algorithm string) (about About, ok bool) {
	if a, ok := abouts[Canonical(algorithm)]; ok {
		return a, true
	}
	return About{}, false
}

// Form is the closed form of a collective.
func (a About) Form(c Collective) (f Form, ok bool) {
	for _, f := range a.Forms {
		if f.Collective == c {
			return f, true
		}
	}
	return Form{}, false
}

// Uses are those of Letters that the form has.
func (f Form) Uses() [][2]string {
	var list [][2]string
	for _, l := range Letters {
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
