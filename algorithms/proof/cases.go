package proof

import (
	"iter"
	"slices"

	"hcclsim/algorithms"
)

// fewRanks is up to where all kinds of requests are tried. Beyond it only the number of
// partners grows; the shapes of local copies and of empty slices have all occurred.
const fewRanks = 16

// numberType is a type of elements to move.
type numberType struct {
	bytes int64
	name  string
	move  func(*graph, Op) error // and compare with the definition
}

var numberTypes = [...]numberType{{1, "int8", compare[int8]}, {4, "int32", compare[int32]}, {8, "int64", compare[int64]}, {4, "float32", compare[float32]}}

// trial is one request to prove, and the reduction and the numbers to try it with.
type trial struct {
	request algorithms.Request
	op      Op
	numbers numberType
}

// family makes the trials of one algorithm's collective over several numbers of ranks.
type family struct {
	name       string
	collective algorithms.Collective
	made       int // trials so far: reductions and types of numbers take turns
	turns      int // variants so far that take turns
	rows       chan Row
	fault      error // that nothing was proved, when rows is closed
}

// amount is how much data a trial moves.
type amount int

const (
	// full gives all ranks something, in slices of 128 bytes, to which HCCL's NHR aligns
	// them, but the last, which is one element: an empty slice would prove nothing.
	full amount = iota
	one         // a single element
	none
	patchy // blocks of all sizes, none too: AlltoAllV only
)

// trials are those over p ranks: in place and out of place, in all shapes. Up to fewRanks
// ranks both roots, 0 and another, are tried, and local copies of all kinds and amounts
// that leave slices empty: all of them in a flat algorithm, else they take turns.
func (f *family) trials(p int) iter.Seq[trial] {
	return func(yield func(trial) bool) {
		plain, special := f.variants()
		for _, s := range shapes(f.name, p) {
			root, variants, bothRoots := s.root(), plain, f.collective.Rooted() && p <= fewRanks
			switch {
			case s.once:
				variants, bothRoots = []variant{f.next(append(plain, special...))}, false
			case p > fewRanks:
				if f.turns++; f.turns%4 == 0 {
					root = 0
				}
			case algorithms.Flat(f.name):
				variants = append(plain, special...)
			default:
				variants = append(plain, f.next(special), f.next(special))
			}
			for _, v := range variants {
				if !yield(f.trial(s, v, root)) {
					return
				}
				if bothRoots && root > 0 && !yield(f.trial(s, v, 0)) {
					return
				}
			}
		}
	}
}

// variant is what differs between the trials of a shape.
type variant struct {
	copies  algorithms.Copies
	amount  amount
	inPlace bool
}

// next lets variants take turns.
func (f *family) next(list []variant) variant {
	f.turns++
	return list[(f.turns-1)%len(list)]
}

// variants are all there are, the plain ones and those that take turns.
func (f *family) variants() (plain, special []variant) {
	amounts := []amount{full, one, none}
	switch f.collective {
	case algorithms.Barrier:
		amounts = []amount{one}
	case algorithms.AlltoAllV:
		amounts = []amount{patchy, full, none}
	}
	places := []bool{true, false}
	if !f.collective.HasInPlace() {
		places = []bool{false}
	}
	for copies := algorithms.CopiesNone; copies <= algorithms.CopiesFull; copies++ {
		for i, amount := range amounts {
			for _, inPlace := range places {
				v := variant{copies, amount, inPlace}
				if copies == algorithms.CopiesNone && (i == 0 || amount == full) {
					plain = append(plain, v)
				} else {
					special = append(special, v)
				}
			}
		}
	}
	return slices.Clip(plain), special
}

// trial makes a trial. Every reduction meets every type of numbers, in place and out of
// place, within 64 of them.
func (f *family) trial(s shape, v variant, root int) trial {
	a, b, c := f.made%4, f.made/4%4, f.made/16%4
	f.made++
	t := trial{op: Ops()[(a+b)%4], numbers: numberTypes[(b+c)%4]}
	t.request = algorithms.Request{
		Collective: f.collective, Groups: s.groups, Pods: s.pods, OutsideIn: b%2 == 1,
		Elem: t.numbers.bytes, InPlace: v.inPlace, Copies: v.copies, Marker: v.inPlace,
	}
	if f.collective.Rooted() {
		t.request.Root = root
	}
	if !v.inPlace {
		t.request.NBAlign = 192 // leaves a third of nb's slices empty
	}
	t.fill(v.amount)
	return t
}

// fill sets the sizes of a trial.
func (t *trial) fill(a amount) {
	r := &t.request
	p, elem := r.Ranks(), r.Elem
	switch a {
	case full:
		r.Bytes = 128*int64(p-1) + elem
	case one:
		r.Bytes = elem
	}
	if r.Collective == algorithms.AlltoAllV {
		r.Blocks = func(from, to int) int64 { return elements(a, from, to) * elem }
		r.Bytes = 0
		for from := range p {
			var row int64
			for to := range p {
				row += r.Blocks(from, to)
			}
			r.Bytes = max(r.Bytes, row)
		}
	}
	r.Segment = segment(r.Bytes)
}

// elements is how many elements a rank sends to another in an AlltoAllV. Where they are
// patchy some ranks send nothing to others, and some nothing at all.
func elements(a amount, from, to int) int64 {
	switch {
	case a == full:
		return 3
	case a == none, from%4 == 3:
		return 0
	}
	return int64(7*from+3*to+from*to) % 5
}

// segment cuts each half into about four, which is enough for a pipeline to run full:
// receive, pass on, and both ways at once.
func segment(bytes int64) int64 { return max(bytes/8, 1) }
