package units

import (
	"math"
	"strings"
	"testing"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]Bytes{
		"82B": 82, "0B": 0, "1KB": 1000, "1KiB": 1024, "8K": 8192, "1M": 1 << 20, "1G": 1 << 30, "2T": 2 << 40,
		"1.5KiB": 1536, "2GiB": 1 << 31, "1GB": 1e9, "0.5K": 512, "-4KiB": -4096, "9223372036854775807B": math.MaxInt64,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseBytesBare(t *testing.T) {
	for text, want := range map[string]Bytes{"200": 200 << 20, "0": 0, "0.5": 512 << 10, "64KiB": 64 << 10, "82B": 82} {
		if got, err := ParseBytesBare(text, 1<<20); err != nil || got != want {
			t.Errorf("ParseBytesBare(%q, 1MiB) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]Rate{
		"20.9GB/s": 20_900_000_000, "200Gbit/s": 25_000_000_000, "200Gbps": 25_000_000_000, "1.2TB/s": 1_200_000_000_000,
		"1GiB/s": 1 << 30, "8bit/s": 1, "0GB/s": 0, "-3GB/s": -3_000_000_000,
		"19.4GiB/s": 20_830_591_386, // 20830591385.6, rounded
		"3bit/s":    0, "4bit/s": 1, "-4bit/s": -1, "-3bit/s": 0,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]Duration{
		"1.5us": 1_500_000, "0.14us": 140_000, "20ns": 20_000, "1ps": 1, "2ms": 2_000_000_000, "1s": Second, "0s": 0, "0us": 0, "-1us": -1_000_000,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	bytes := func(s string) error { _, err := ParseBytes(s); return err }
	rate := func(s string) error { _, err := ParseRate(s); return err }
	span := func(s string) error { _, err := ParseDuration(s); return err }
	for _, c := range []struct {
		parse func(string) error
		text  string
		want  string
	}{
		{rate, "25", `bandwidth "25" needs a unit, e.g. 25GB/s or 200Gbit/s`},
		{rate, "25Gb/s", `bandwidth "25Gb/s": bit or byte? write Gbit/s or GB/s`},
		{rate, "25Gb", `bandwidth "25Gb": bit or byte? write Gbit/s or GB/s`},
		{rate, "25gB/s", `bandwidth "25gB/s": unknown unit "gB/s", did you mean "GB/s"?`},
		{rate, "25GB", `bandwidth "25GB": unknown unit "GB", expected e.g. 25GB/s or 200Gbit/s`},
		{rate, "25G", `bandwidth "25G": unknown unit "G", expected e.g. 25GB/s or 200Gbit/s`},
		{rate, "25 GB/s", `bandwidth "25 GB/s": no space belongs between number and unit, expected e.g. 25GB/s or 200Gbit/s`},
		{rate, "1e9B/s", `bandwidth "1e9B/s" is not a plain decimal number with a unit, expected e.g. 25GB/s or 200Gbit/s`},
		{rate, "99999999999GB/s", `bandwidth "99999999999GB/s" is too large, the limit is about 9.2e18 bytes per second`},
		{bytes, "512", `size "512" needs a unit, e.g. 512KiB`},
		{bytes, "010K", `size "010K" is not a plain decimal number with a unit, expected e.g. 512KiB`},
		{bytes, "1_000B", `size "1_000B" is not a plain decimal number with a unit, expected e.g. 512KiB`},
		{bytes, "0x10K", `size "0x10K" is not a plain decimal number with a unit, expected e.g. 512KiB`},
		{bytes, "1.B", `size "1.B" is not a plain decimal number with a unit, expected e.g. 512KiB`},
		{bytes, "+1B", `size "+1B" is not a plain decimal number with a unit, expected e.g. 512KiB`},
		{bytes, "", `size "" is not a plain decimal number with a unit, expected e.g. 512KiB`},
		{bytes, "0.5B", `size "0.5B" is not a whole number of bytes`},
		{bytes, "8k", `size "8k": unknown unit "k", did you mean "K"?`},
		{bytes, "9223372036854775808B", `size "9223372036854775808B" is too large, the limit is about 9.2e18 bytes`},
		{bytes, strings.Repeat("9", 65), `size "9999999999999999"... is too long, expected e.g. 512KiB`},
		{span, "1.5µs", `duration "1.5µs": unknown unit "µs", did you mean "us"?`},
		{span, "1.5", `duration "1.5" needs a unit, e.g. 1.5us`},
		{span, "0.5ps", `duration "0.5ps" is not a whole number of picoseconds`},
	} {
		if err := c.parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Bytes(0).String(), "0B"}, {Bytes(82).String(), "82B"}, {Bytes(1024).String(), "1KiB"}, {Bytes(512 << 10).String(), "512KiB"},
		{Bytes(1536).String(), "1536B"}, {Bytes(3 << 19).String(), "1.5MiB"}, {Bytes(1e6).String(), "1MB"}, {Bytes(1001).String(), "1001B"},
		{Bytes(1 << 31).String(), "2GiB"}, {Bytes(-4096).String(), "-4KiB"}, {Bytes(math.MinInt64).String(), "-8388608TiB"},
		{Rate(20_900_000_000).String(), "20.9GB/s"}, {Rate(1).String(), "1B/s"}, {Rate(0).String(), "0B/s"}, {Rate(1_200_000_000_000).String(), "1.2TB/s"},
		{Rate(1 << 30).String(), "1.073741824GB/s"}, {Rate(-3e9).String(), "-3GB/s"},
		{Duration(1_500_000).String(), "1.5us"}, {Duration(0).String(), "0s"}, {Duration(20_000).String(), "20ns"}, {Second.String(), "1s"},
		{Duration(1_000_000_000_001).String(), "1.000000000001s"},
		{Bytes(8192).Short(), "8K"}, {Bytes(1 << 20).Short(), "1M"}, {Bytes(1 << 30).Short(), "1G"}, {Bytes(82).Short(), "82"},
		{Bytes(3 << 29).Short(), "1.5G"}, {Bytes(1e6).Short(), "977K"}, {Bytes(1<<20 - 1).Short(), "1024K"}, {Bytes(-8192).Short(), "-8K"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// Whatever parses prints to a text that parses to the same value, and so does every value.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"20.9GB/s", "200Gbit/s", "19.4GiB/s", "1.5us", "512KiB", "82B", "8K", "-9223372036854775808B", "0.000000000001s", "1e9B"} {
		f.Add(s, int64(len(s)))
	}
	f.Fuzz(func(t *testing.T, s string, v int64) {
		if b, err := ParseBytes(s); err == nil {
			again(t, b, ParseBytes)
		}
		if r, err := ParseRate(s); err == nil {
			again(t, r, ParseRate)
		}
		if d, err := ParseDuration(s); err == nil {
			again(t, d, ParseDuration)
		}
		again(t, Bytes(v), ParseBytes)
		again(t, Rate(v), ParseRate)
		again(t, Duration(v), ParseDuration)
	})
}

func again[Q interface {
	comparable
	String() string
}](t *testing.T, v Q, parse func(string) (Q, error)) {
	t.Helper()
	if got, err := parse(v.String()); err != nil || got != v {
		t.Fatalf("%v parses back to %v, %v", v, got, err)
	}
}
