package units

import (
	"fmt"
	"math/big"
	"strings"
)

// quantity is what the parser must know of one kind of number.
type quantity struct {
	name    string // in errors
	example string
	base    string // what a value must be a whole number of
	units   []unit
	round   bool // to the nearest base unit, instead of refusing what is no whole number
}

var (
	size      = quantity{name: "size", example: "512KiB", base: "bytes", units: sizes}
	bandwidth = quantity{name: "bandwidth", example: "25GB/s or 200Gbit/s", base: "bytes per second", units: rates, round: true}
	duration  = quantity{name: "duration", example: "1.5us", base: "picoseconds", units: durations}
)

// ParseBytes reads a size such as 512KiB, 1GB, 8K or 82B. A bare number is an error.
func ParseBytes(s string) (Bytes, error) {
	v, err := size.parse(s)
	return Bytes(v), err
}

// ParseBytesBare reads a size as ParseBytes does, or a bare number of the given unit, as
// environment variables have it.
func ParseBytesBare(s string, bare Bytes) (Bytes, error) {
	q := size
	q.units = append([]unit{{"", int64(bare), 1}}, sizes...)
	v, err := q.parse(s)
	return Bytes(v), err
}

// ParseRate reads a bandwidth such as 20.9GB/s, 19.5GiB/s, 200Gbit/s or 200Gbps.
func ParseRate(s string) (Rate, error) {
	v, err := bandwidth.parse(s)
	return Rate(v), err
}

// ParseDuration reads a duration such as 1.5us; the units are s, ms, us, ns and ps.
func ParseDuration(s string) (Duration, error) {
	v, err := duration.parse(s)
	return Duration(v), err
}

// maxLength bounds the work that a hostile number can cause. No 64-bit value in any unit
// needs as many characters.
const maxLength = 64

func (q quantity) parse(s string) (int64, error) {
	if len(s) > maxLength {
		return 0, fmt.Errorf("%s %.16q... is too long, expected e.g. %s", q.name, s, q.example)
	}
	number, suffix := cut(s)
	if !Plain(number) {
		return 0, fmt.Errorf("%s %q is not a plain decimal number with a unit, expected e.g. %s", q.name, s, q.example)
	}
	u, err := q.unit(s, suffix)
	if err != nil {
		return 0, err
	}
	return q.scale(s, number, u)
}

// cut splits a text where its unit begins.
func cut(s string) (number, suffix string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || i == 0 && s[i] == '-') {
		i++
	}
	// What looks like other notations of a number stays with the number, to be refused
	// as such and not as an unknown unit.
	if rest := s[i:]; rest != "" && (strings.ContainsAny(rest[:1], "_,") || isExponent(rest)) {
		return s, ""
	}
	return s[:i], s[i:]
}

func isExponent(s string) bool {
	return len(s) > 1 && (s[0] == 'e' || s[0] == 'E' || s[0] == 'x') && strings.IndexByte("+-0123456789abcdefABCDEF", s[1]) >= 0
}

// Plain reports whether s is a plain decimal number: digits without a leading zero, and
// perhaps a sign before and a fraction after them.
func Plain(s string) bool {
	whole, fraction, dotted := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return digits(whole) && (whole == "0" || whole[0] != '0') && (!dotted || digits(fraction))
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func (q quantity) unit(s, suffix string) (unit, error) {
	for _, u := range q.units {
		if u.suffix == suffix {
			return u, nil
		}
	}
	if suffix == "" {
		return unit{}, fmt.Errorf("%s %q needs a unit, e.g. %s", q.name, s, q.example)
	}
	if trimmed := strings.TrimSpace(suffix); trimmed != suffix {
		return unit{}, fmt.Errorf("%s %q: no space belongs between number and unit, expected e.g. %s", q.name, s, q.example)
	}
	if q.name == bandwidth.name {
		if prefix, ok := bitOrByte(suffix); ok {
			return unit{}, fmt.Errorf("%s %q: bit or byte? write %sbit/s or %sB/s", q.name, s, prefix, prefix)
		}
	}
	plain := strings.Replace(suffix, "µ", "u", 1)
	for _, u := range q.units {
		if strings.EqualFold(u.suffix, plain) {
			return unit{}, fmt.Errorf("%s %q: unknown unit %q, did you mean %q?", q.name, s, suffix, u.suffix)
		}
	}
	return unit{}, fmt.Errorf("%s %q: unknown unit %q, expected e.g. %s", q.name, s, suffix, q.example)
}

// bitOrByte recognises Gb/s and its relatives and returns the prefix in its right case.
func bitOrByte(suffix string) (prefix string, ok bool) {
	for _, p := range []string{"", "K", "M", "G", "T"} {
		for _, form := range []string{"b/s", "bit", "b", "Bps"} {
			if suffix == p+form || suffix == strings.ToLower(p)+form {
				return p, true
			}
		}
	}
	return "", false
}

// scale computes number * u exactly.
func (q quantity) scale(s, number string, u unit) (int64, error) {
	whole, fraction, _ := strings.Cut(number, ".")
	value, _ := new(big.Int).SetString(whole+fraction, 10)
	value.Mul(value, big.NewInt(u.scale))
	per := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)
	per.Mul(per, big.NewInt(u.per))

	if q.round { // half away from zero: (2*value ± per) / (2*per), which cuts towards zero
		half := new(big.Int).Set(per)
		if value.Sign() < 0 {
			half.Neg(half)
		}
		value.Lsh(value, 1)
		value.Add(value, half)
		per.Lsh(per, 1)
	}
	rest := new(big.Int)
	value.QuoRem(value, per, rest)
	if !q.round && rest.Sign() != 0 {
		return 0, fmt.Errorf("%s %q is not a whole number of %s", q.name, s, q.base)
	}
	if !value.IsInt64() {
		return 0, fmt.Errorf("%s %q is too large, the limit is about 9.2e18 %s", q.name, s, q.base)
	}
	return value.Int64(), nil
}
