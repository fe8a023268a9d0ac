package algorithms

import "testing"

// request is an AllReduce of whole servers of n ranks.
func request(servers, n int) Request {
	r := Request{Collective: AllReduce, Bytes: 64 << 20, Elem: 4, InPlace: true, Segment: 1 << 20}
	for range servers {
		r.Groups = append(r.Groups, n)
	}
	return r
}

// BenchmarkStep asks for every step of one rank of 64 in turn.
func BenchmarkStep(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			s, err := New(name, request(8, 8))
			if err != nil {
				b.Fatal(err)
			}
			const rank = 13
			lane, k := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				for k >= s.Steps(rank, lane) {
					lane, k = (lane+1)%s.Lanes(rank), 0
				}
				s.Step(rank, lane, k)
				k++
			}
		})
	}
}
