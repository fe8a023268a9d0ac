package proof

import "hcclsim/algorithms"

// halves writes the slices of all steps' halves out, so that sets are counted through and
// the layout is asked once.
type halves struct {
	begin []int32          // by half, the Send and the Recv of every step: where it begins in at
	at    []int32          // slices; when they have numbers, cells, or -1 where there are no bytes
	sizes [buffers][]int64 // by slice: bytes
}

// reset forgets the former schedule's and asks for the sizes.
func (h *halves) reset(s *algorithms.Schedule) {
	h.begin, h.at = append(h.begin[:0], 0), h.at[:0]
	for b := range algorithms.Buffer(buffers) {
		h.sizes[b] = h.sizes[b][:0]
		if b != algorithms.Scratch && (b == algorithms.Data) != s.Request.InPlace {
			continue
		}
		for slice := range s.Slices(b) {
			_, bytes := s.Layout.Span(b, slice)
			h.sizes[b] = append(h.sizes[b], bytes)
		}
	}
}

// sent is what step i sends, received what it receives.
func (h *halves) sent(i int32) []int32     { return h.at[h.begin[2*i]:h.begin[2*i+1]] }
func (h *halves) received(i int32) []int32 { return h.at[h.begin[2*i+1]:h.begin[2*i+2]] }

// add writes out the next half, whose set is well-formed, and returns its slices.
func (h *halves) add(s algorithms.Set) []int32 {
	first := len(h.at)
	if s.Count > 0 {
		at, stride := positive(s.First, s.Mod), positive(s.Stride, s.Mod)
		for range s.Count {
			for w := range s.Width {
				h.at = append(h.at, s.Base+s.Width*at+w)
			}
			// The sum may be more than fits.
			if at -= s.Mod - stride; at < 0 {
				at += s.Mod
			}
		}
	}
	h.begin = append(h.begin, int32(len(h.at)))
	return h.at[first:]
}

// positive is x modulo m, from 0 on.
func positive(x, m int32) int32 {
	if x %= m; x < 0 {
		x += m
	}
	return x
}

// number turns slices into cells.
func (h *halves) number(steps []algorithms.Step, refs []algorithms.Ref, c *cells) {
	for i := range int32(len(steps)) {
		h.numberHalf(h.sent(i), refs[i].Rank, steps[i].Send.Buf, c)
		h.numberHalf(h.received(i), refs[i].Rank, steps[i].Recv.Buf, c)
	}
}

func (h *halves) numberHalf(slices []int32, rank int32, b algorithms.Buffer, c *cells) {
	for j, slice := range slices {
		if h.sizes[b][slice] == 0 {
			slices[j] = -1
		} else {
			slices[j] = int32(c.cell(rank, b, int(slice)))
		}
	}
}

// moves says whether a half, in cells, has bytes.
func moves(cells []int32) bool {
	for _, c := range cells {
		if c >= 0 {
			return true
		}
	}
	return false
}
