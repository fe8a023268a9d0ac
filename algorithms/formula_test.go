package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// letters are the values of the letters of a closed form.
type letters map[string]float64

// lettersOf are those of ranks in servers, with costs of a message and its bytes.
func lettersOf(groups []int, alpha, nbeta, ngamma float64) letters {
	p := Request{Groups: groups}.Ranks()
	P := blockSize(p)
	h := 0
	for b := 1; b < P; b *= 2 {
		h += min(2*b, b+p-P)
	}
	f := 0.0
	if P != p {
		f = 1
	}
	s := len(groups) - 1
	if s > 2 {
		s = doublings(len(groups))
	}
	return letters{"S": float64(len(groups)), "N": float64(slices.Max(groups)), "s": float64(s), "p": float64(p), "P": float64(P), "f": f, "h": float64(h), "n": 1, "α": alpha, "β": nbeta, "γ": ngamma}
}

// formula reads a closed form: sums of products, where a product needs no sign, with /, ·,
// ( ), ⌈ ⌉, ⌊ ⌋ and lg. Errors are panics: the forms are ours.
type formula struct {
	text string
	letters
}

// evaluate is the value of a form.
func (l letters) evaluate(text string) float64 {
	f := &formula{strings.ReplaceAll(text, " ", ""), l}
	v := f.sum()
	if f.text != "" {
		panic(fmt.Sprintf("%q: cannot read %q", text, f.text))
	}
	return v
}

// take takes a sign from the front.
func (f *formula) take(sign string) bool {
	rest, ok := strings.CutPrefix(f.text, sign)
	f.text = rest
	return ok
}

func (f *formula) sum() float64 {
	v := f.product()
	for {
		switch {
		case f.take("+"):
			v += f.product()
		case f.take("-"):
			v -= f.product()
		default:
			return v
		}
	}
}

func (f *formula) product() float64 {
	v := f.factor()
	for {
		switch next, _ := utf8.DecodeRuneInString(f.text); {
		case f.take("/"):
			v /= f.factor()
		case f.take("·"):
			v *= f.factor()
		case f.text == "" || strings.ContainsRune("+-)⌉⌋", next):
			return v
		default:
			v *= f.factor()
		}
	}
}

func (f *formula) factor() float64 {
	for open, shut := range map[string]string{"(": ")", "⌈": "⌉", "⌊": "⌋"} {
		if !f.take(open) {
			continue
		}
		v := f.sum()
		if !f.take(shut) {
			panic("no " + shut + " before " + f.text)
		}
		switch open {
		case "⌈":
			v = math.Ceil(v)
		case "⌊":
			v = math.Floor(v)
		}
		return v
	}
	if f.take("lg") {
		return math.Log2(f.factor())
	}
	digits := len(f.text) - len(strings.TrimLeft(f.text, "0123456789"))
	if digits > 0 {
		var v float64
		fmt.Sscan(f.text[:digits], &v)
		f.text = f.text[digits:]
		return v
	}
	_, size := utf8.DecodeRuneInString(f.text)
	v, ok := f.letters[f.text[:size]]
	if !ok {
		panic("no letter at " + f.text)
	}
	f.text = f.text[size:]
	return v
}

// ideal is the machine on which closed forms are compared: 1000 and 100 ps a byte.
var ideal = Hockney{Alpha: 7e6, Bandwidth: 1e9, Reduce: 1e10, PairLinks: true}

// Every form says how many messages follow each other in the schedule, and how long that
// takes: exactly what the schedule's own closed form gives on slices that divide evenly.
func TestFormsTellTheTruth(t *testing.T) {
	for _, e := range catalogue {
		about, ok := Describe(e.Name, e.Offers[0])
		if !ok || about.Idea == "" || about.Wins == "" || about.Ranks == "" || about.Source == "" {
			t.Errorf("%s lacks its text: %+v", e.Name, about)
		}
		if len(about.Forms) != len(e.Offers) {
			t.Errorf("%s has %d forms of %d collectives", e.Name, len(about.Forms), len(e.Offers))
		}
		for _, c := range e.Offers {
			form, ok := about.Form(c)
			if !ok || form.Time+form.Note == "" {
				t.Errorf("%s %s lacks its form: %+v", e.Name, c, form)
				continue
			}
			compared := 0
			shapes := ranksOfForms
			if e.Servers {
				shapes = serversOfForms
			}
			for _, groups := range shapes {
				compared += compareForm(t, e.Name, form, groups)
			}
			least := 16
			if about.Ranks == "8" {
				least = 1
			}
			if form.Time != "" && compared < least {
				t.Errorf("%s %s: only %d of %d cases have a closed form", e.Name, c, compared, len(shapes))
			}
		}
	}
	for name := range abouts {
		if _, ok := find(name); !ok {
			t.Errorf("%s is described, but there is no such algorithm", name)
		}
	}
}

// The forms are compared for 2 to 17 and 31 to 33 ranks, or for servers of up to 5, also of different
// sizes.
var ranksOfForms, serversOfForms [][]int

func init() {
	for p := 2; p <= 33; p++ {
		if p <= 17 || p >= 31 {
			ranksOfForms = append(ranksOfForms, []int{p})
		}
	}
	for servers := 2; servers <= 6; servers++ {
		for n := 2; n <= 5; n++ {
			serversOfForms = append(serversOfForms, slices.Repeat([]int{n}, servers))
		}
	}
	serversOfForms = append(serversOfForms, []int{3, 2}, []int{2, 4}, []int{8, 4}, []int{5, 3, 2}, []int{2, 3, 4, 5}, []int{8, 1, 1, 1, 2})
}

// compareForm compares a form with the schedule of some ranks, and counts 1 if both have a
// closed form.
func compareForm(t *testing.T, name string, form Form, groups []int) int {
	t.Helper()
	r := sample(form.Collective, groups, form.Collective.HasInPlace())
	p := r.Ranks()
	r.Bytes = int64(p*(p-1)*blockSize(p)*slices.Max(groups)) << 12
	r.Segment = r.Bytes
	if r.Blocks != nil {
		r.Blocks = func(int, int) int64 { return r.Bytes / int64(p) }
	}
	s, err := New(name, r)
	if wrong := new(ShapeError); errors.As(err, &wrong) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	rounds, err := Rounds(s)
	if err != nil {
		t.Fatal(err)
	}
	h := ideal
	if strings.Contains(form.Note, "γ = 0") {
		h.Reduce = 0
	}
	l := lettersOf(groups, float64(h.Alpha), 1000*float64(r.Bytes), 100*float64(r.Bytes))
	if want := l.evaluate(form.Steps); len(rounds) != int(want) {
		t.Errorf("%s %s of %v ranks: %d steps, but %s is %g", name, form.Collective, groups, len(rounds), form.Steps, want)
	}
	ps, ok, err := Cost(name, r, Everywhere(h))
	if err != nil {
		t.Fatal(err)
	}
	if !ok || form.Time == "" {
		if ok {
			t.Errorf("%s %s of %d ranks has a closed form, but no text", name, form.Collective, p)
		}
		return 0
	}
	if want := l.evaluate(form.Time); math.Abs(want-float64(ps)) > 1e-9*want {
		t.Errorf("%s %s of %v ranks: %d ps, but %s is %g", name, form.Collective, groups, ps, form.Time, want)
	}
	return 1
}

// The idea of a mix is that of the collective, phase by phase in the order of its messages.
func TestIdeaOfMixes(t *testing.T) {
	for _, c := range []struct {
		name       string
		collective Collective
		want       string
	}{
		{"mesh+ring", Barrier, "ReduceScatter by mesh inside every server, then AllReduce by ring between the ranks of the same number in all servers, then AllGather by mesh inside every server."},
		{"mesh+ring+nhr", AllGather, "AllGather by mesh inside every server, then AllGather by ring between the ranks of the same number in all servers of a super-pod, then AllGather by nhr between super-pods. On the A3 in the opposite order."},
		{"mesh+ring", Scatter, "Scatter by ring between the ranks of the same number in all servers, then Scatter by mesh inside every server."},
		{"mesh+tree", Broadcast, "Scatter by mesh inside the root's server, then Broadcast by double-tree between the ranks of the same number in all servers, then AllGather by mesh inside every server."},
		{"ring+ring+star", Reduce, "ReduceScatter by ring inside every server, then ReduceScatter by ring between the ranks of the same number in all servers of a super-pod, then Reduce by star between super-pods, " +
			"then Gather by ring between the ranks of the same number in the root's super-pod, then Gather by ring inside the root's server."},
		{"mesh+pairwise", AlltoAll, "AlltoAll by mesh inside every server, where a rank collects what its server has for the ranks of its own number, then AlltoAll by pairwise between the ranks of the same number in all servers."},
	} {
		if about, ok := Describe(c.name, c.collective); !ok || about.Idea != c.want {
			t.Errorf("%s %s: %q, want %q", c.name, c.collective, about.Idea, c.want)
		}
	}
}
