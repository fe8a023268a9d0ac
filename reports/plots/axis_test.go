package plots

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

func labels(a axis) []string {
	var list []string
	for _, t := range a.ticks {
		if t.Label != "" {
			list = append(list, t.Label)
		}
	}
	return list
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name string
		axis axis
		want []string
	}{
		{"few sizes", sizeAxis(8<<10, 1<<20), []string{"8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M"}},
		{"many sizes", sizeAxis(8<<10, 1<<30), []string{"8K", "16K", "64K", "256K", "1M", "4M", "16M", "64M", "256M", "1G"}},
		{"all sizes", sizeAxis(1, 1<<40), []string{"1", "32", "1K", "32K", "1M", "32M", "1G", "32G", "1T"}},
		{"one size", sizeAxis(1<<20, 1<<20), []string{"512K", "1M", "2M"}},
		{"decades", timeAxis(31, 111_000), []string{"100 µs", "1 ms", "10 ms", "100 ms"}},
		{"one decade", timeAxis(9, 120), []string{"10 µs", "20 µs", "50 µs", "100 µs"}},
		{"narrow", timeAxis(80_700, 111_000), []string{"80 ms", "90 ms", "100 ms", "110 ms"}},
		{"very narrow", timeAxis(1000, 1000.4), []string{"1 ms", "1.0001 ms", "1.0002 ms", "1.0003 ms", "1.0004 ms"}},
		{"small", timeAxis(0.0008, 0.2), []string{"1 ns", "10 ns", "100 ns"}},
		{"picoseconds to seconds", timeAxis(1e-6, 2e6), []string{"1 ps", "100 ps", "10 ns", "1 µs", "100 µs", "10 ms", "1 s"}},
		{"bandwidth", zeroAxis("", 24.96), []string{"0", "5", "10", "15", "20", "25", "30"}},
		{"low bandwidth", zeroAxis("", 0.11), []string{"0.00", "0.02", "0.04", "0.06", "0.08", "0.10", "0.12"}},
		{"no bandwidth", zeroAxis("", 0), []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "1.2"}},
		{"ratio", ratioAxis(4.9), []string{"1x", "1.5x", "2x", "3x", "5x"}},
		{"no ratio", ratioAxis(1), []string{"1x", "1.1x", "1.2x", "1.3x", "1.4x", "1.5x"}},
		{"large ratio", ratioAxis(3000), []string{"1x", "10x", "100x", "1000x"}},
	} {
		if got := labels(c.axis); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whatever the range: labels keep their distance, there are two or more, the data fits.
func TestTicksNeverCrowd(t *testing.T) {
	for low := 0.001; low < 1e6; low *= 1.37 {
		for factor := 1.0; factor < 1e12; factor *= 1.61 {
			high := low * factor
			size, time := sizeAxis(low*1000, high*1000), timeAxis(low, high)
			if !size.fits(room) {
				t.Fatalf("sizes %g to %g crowd: %q", low, high, labels(size))
			}
			for name, a := range map[string]axis{"time": time, "bandwidth": zeroAxis("", high), "ratio": ratioAxis(factor)} {
				if n := len(labels(a)); n < 2 || n > 11 {
					t.Fatalf("%s %g to %g: %q", name, low, high, labels(a))
				}
				if a.log != (name != "bandwidth") || a.max < high && name != "ratio" || a.min > low && name == "time" {
					t.Fatalf("%s %g to %g: axis from %g to %g", name, low, high, a.min, a.max)
				}
			}
		}
	}
}

func TestValueAxis(t *testing.T) {
	a, at := valueAxis([]string{"2", "4", "8", "16", "32", "64"}, true, 108)
	if got := labels(a); !slices.Equal(got, []string{"2", "4", "8", "16", "32", "64"}) || !a.log {
		t.Errorf("servers: %q", got)
	}
	if !slices.Equal(at, []float64{2, 4, 8, 16, 32, 64}) {
		t.Errorf("servers at %v", at)
	}
	a, _ = valueAxis([]string{"2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"}, true, 108)
	if got := labels(a); !slices.Equal(got, []string{"2", "16", "128", "1024"}) {
		t.Errorf("many servers: %q", got)
	}
	a, _ = valueAxis([]string{"a long value", "another one", "one more"}, false, 108)
	if got := labels(a); !slices.Equal(got, []string{"a long value", "one more"}) {
		t.Errorf("long values: %q", got)
	}
}

func TestFits(t *testing.T) {
	a := axis{max: 1}
	for _, at := range []float64{0, 0.5, 1} {
		a.ticks = append(a.ticks, sizeAxis(1<<20, 1<<20).ticks[0])
		a.ticks[len(a.ticks)-1].Value = at
	}
	label := text(tickSize, ink, false).Width("512K")
	if enough := 2*(label+gap) + 0.1; !a.fits(enough) || a.fits(enough-vg.Length(1)) {
		t.Errorf("three labels of %g points need %g", label, enough)
	}
}
