package algorithms

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// letters are the values of the letters of a closed form.
type letters map[string]float64

// lettersOf are those of p ranks, with costs of a message and its bytes.
func lettersOf(p int, alpha, nbeta, ngamma float64) letters {
	P := blockSize(p)
	h := 0
	for b := 1; b < P; b *= 2 {
		h += min(2*b, b+p-P)
	}
	f := 0.0
	if P != p {
		f = 1
	}
	return letters{"p": float64(p), "P": float64(P), "f": f, "h": float64(h), "n": 1, "α": alpha, "β": nbeta, "γ": ngamma}
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

// Every form says how many messages follow each other in the schedule, and how long that
// takes: exactly what the schedule's own closed form gives on slices that divide evenly.
func TestFormsTellTheTruth(t *testing.T) {
	h := Hockney{Alpha: 7e6, Bandwidth: 1e9, Reduce: 1e10, PairLinks: true} // 1000 and 100 ps a byte
	for name, about := range abouts {
		for _, form := range about.Forms {
			for p := 2; p <= 33; p++ {
				r := sample(form.Collective, []int{p}, form.Collective.HasInPlace())
				r.Bytes = int64(p*blockSize(p)) << 17
				r.Segment = r.Bytes
				s := schedule(t, name, r)
				l := lettersOf(p, float64(h.Alpha), 1000*float64(r.Bytes), 100*float64(r.Bytes))
				rounds, err := Rounds(s)
				if err != nil {
					t.Fatal(err)
				}
				if want := l.evaluate(form.Steps); len(rounds) != int(want) {
					t.Errorf("%s %s of %d ranks: %d steps, but %s is %g", name, form.Collective, p, len(rounds), form.Steps, want)
				}
				ps, ok, err := Cost(name, r, Everywhere(h))
				if err != nil {
					t.Fatal(err)
				}
				if ok != (form.Time != "") {
					t.Errorf("%s %s of %d ranks: closed form %t, but the text is %q", name, form.Collective, p, ok, form.Time)
					continue
				}
				if !ok {
					continue
				}
				if want := l.evaluate(form.Time); math.Abs(want-float64(ps)) > 1e-9*want {
					t.Errorf("%s %s of %d ranks: %d ps, but %s is %g", name, form.Collective, p, ps, form.Time, want)
				}
			}
		}
	}
}
