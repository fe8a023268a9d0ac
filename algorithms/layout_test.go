package algorithms

import (
	"slices"
	"testing"
)

// TestLayoutMatchesRecordedRun: the slices of two recorded AllReduces over 8 ranks, with
// 16 KiB alignment. See testdata/SOURCES.md.
func TestLayoutMatchesRecordedRun(t *testing.T) {
	for _, c := range []struct{ bytes, slice, last int64 }{
		{16_388_000, 2_064_384, 1_937_312},
		{151_011_328, 18_890_752, 18_776_064},
	} {
		l := newCuts(Request{Bytes: c.bytes, Elem: 4, Align: 16384}, 1, 8, 0)
		for i := range 8 {
			want := c.slice
			if i == 7 {
				want = c.last
			}
			offset, bytes := l.Span(Data, i)
			if offset != int64(i)*c.slice || bytes != want {
				t.Errorf("slice %d of %d bytes lies at %d, %d bytes: want %d, %d bytes", i, c.bytes, offset, bytes, int64(i)*c.slice, want)
			}
		}
	}
}

func TestLayoutFillsTheBuffer(t *testing.T) {
	for _, elem := range []int64{1, 2, 4, 8} {
		for _, align := range []int64{0, 8, 128} {
			for elements := range int64(60) {
				for _, shape := range [][2]int{{1, 1}, {1, 7}, {3, 1}, {3, 4}, {5, 8}} {
					l := newCuts(Request{Bytes: elements * elem, Elem: elem, Align: align}, shape[0], shape[1], 0)
					at := int64(0)
					for i := range shape[0] * shape[1] {
						offset, bytes := l.Span(Data, i)
						if offset != at || bytes < 0 || bytes%elem != 0 {
							t.Fatalf("%d elements of %d, align %d, cut %v: slice %d lies at %d, %d bytes; want at %d",
								elements, elem, align, shape, i, offset, bytes, at)
						}
						at += bytes
					}
					if at != elements*elem {
						t.Fatalf("%d elements of %d, align %d, cut %v: slices hold %d bytes", elements, elem, align, shape, at)
					}
				}
			}
		}
	}
}

func TestMessageMergesNeighbours(t *testing.T) {
	l := newCuts(Request{Bytes: 42, Elem: 4, Align: 4}, 1, 6, 0) // 8, 8, 8, 8, 8, 2: not whole, but cuts do not mind
	for _, c := range []struct {
		set   Set
		bytes int64
		runs  int
	}{
		{Set{}, 0, 0},
		{Set{First: 2, Count: 1, Stride: 1, Mod: 6, Width: 1}, 8, 1},
		{Set{First: 5, Count: 1, Stride: 1, Mod: 6, Width: 1}, 2, 1},
		{Set{First: 0, Count: 6, Stride: 1, Mod: 6, Width: 1}, 42, 1},
		{Set{First: 3, Count: 3, Stride: -1, Mod: 6, Width: 1}, 24, 1},
		{Set{First: 4, Count: 4, Stride: 1, Mod: 6, Width: 1}, 26, 2}, // 4, 5, 0, 1
		{Set{First: 0, Count: 3, Stride: 2, Mod: 6, Width: 1}, 24, 3},
		{Set{First: 0, Count: 2, Stride: 2, Mod: 3, Width: 2}, 26, 2}, // 0, 1, 4, 5
		{Set{First: 1, Count: 1, Stride: 1, Mod: 2, Base: 2, Width: 2}, 10, 1},
	} {
		bytes, runs := Message(l, Data, c.set)
		if bytes != c.bytes || runs != c.runs {
			t.Errorf("%+v: %d bytes in %d runs, want %d in %d", c.set, bytes, runs, c.bytes, c.runs)
		}
	}
}

// FuzzMessage compares with slices listed one by one.
func FuzzMessage(f *testing.F) {
	f.Add(uint16(100), uint8(4), uint8(8), uint8(1), uint8(3), uint8(2), uint8(0), uint8(1))
	f.Add(uint16(3), uint8(9), uint8(5), uint8(7), uint8(4), uint8(3), uint8(2), uint8(2))
	f.Fuzz(func(t *testing.T, bytes uint16, align, mod, first, count, stride, base, width uint8) {
		s := Set{First: int32(first), Stride: int32(stride), Mod: int32(mod%16) + 1, Base: int32(base % 8), Width: int32(width%4) + 1}
		s.First %= s.Mod
		s.Count = int32(count) % (s.Mod + 1)
		l := newCuts(Request{Bytes: int64(bytes), Align: int64(align)}, 1, int(s.Base+s.Mod*s.Width), 0)
		var want int64
		wantRuns, end := 0, int64(-1)
		for i := range s.Len() {
			o, n := l.Span(Data, s.Slice(i))
			if n == 0 {
				continue
			}
			want += n
			if o != end {
				wantRuns++
			}
			end = o + n
		}
		got, runs := Message(l, Data, s)
		// Runs also grow backwards, so that there may be fewer.
		if got != want || runs > wantRuns || (runs == 0) != (want == 0) {
			t.Errorf("%+v of %d bytes: %d bytes in %d runs, want %d in %d", s, bytes, got, runs, want, wantRuns)
		}
		var total int64
		Runs(l, Data, s, func(_, n int64) bool { total += n; return true })
		if total != want {
			t.Errorf("%+v of %d bytes: runs hold %d bytes, want %d", s, bytes, total, want)
		}
	})
}

func TestRunsStops(t *testing.T) {
	l := newCuts(Request{Bytes: 60, Elem: 4}, 1, 5, 0)
	var offsets []int64
	Runs(l, Data, Set{First: 0, Count: 3, Stride: 2, Mod: 5, Width: 1}, func(offset, _ int64) bool {
		offsets = append(offsets, offset)
		return len(offsets) < 2
	})
	if want := []int64{0, 24}; !slices.Equal(offsets, want) {
		t.Errorf("runs at %v, want %v", offsets, want)
	}
}
