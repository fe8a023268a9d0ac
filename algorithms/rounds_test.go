package algorithms

import "testing"

// TestRoundsFill holds that the rounds of every algorithm, one after the other, bring every
// rank what the collective promises it.
func TestRoundsFill(t *testing.T) {
	for _, name := range Names() {
		for _, c := range Collectives() {
			if !Offers(name, c) {
				continue
			}
			for _, inPlace := range []bool{false, true} {
				if inPlace && !c.HasInPlace() {
					continue
				}
				fills(t, name, sample(c, []int{3, 3}, inPlace))
				if Flat(name) {
					fills(t, name, sample(c, []int{7}, inPlace))
				}
			}
		}
	}
}

// sample is a request whose slices all have bytes.
func sample(c Collective, groups []int, inPlace bool) Request {
	r := requestOf(c, groups...)
	r.InPlace = inPlace
	if c != AlltoAllV {
		r.Bytes <<= 20
	}
	r.Segment = r.Bytes
	return r
}

func fills(t *testing.T, name string, r Request) {
	t.Helper()
	s, err := New(name, r)
	if refused(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	rounds, err := Rounds(s)
	if err != nil {
		t.Fatal(err)
	}
	at := Holdings(s, rounds)
	for rank, slices := range at[len(at)-1] {
		for slice, have := range slices {
			want := 0
			for other := range s.Ranks() {
				if s.Brings(other, slice) {
					want++
				}
			}
			if s.Gets(rank, slice) && have != want {
				t.Errorf("%s %s on %v, in place %t: rank %d ends with %d of %d inputs in slice %d", name, r.Collective, r.Groups, r.InPlace, rank, have, want, slice)
				return
			}
		}
	}
}
