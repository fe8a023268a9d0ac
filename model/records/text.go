package records

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hcclsim/model/units"
)

// micros prints a duration in microseconds with six decimals, to the picosecond.
func micros(d units.Duration) string {
	sign, n := "", uint64(d)
	if d < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%06d", sign, n/1e6, n%1e6)
}

// parseMicros reads what micros prints; fewer decimals are accepted, more are not.
func parseMicros(s string) (units.Duration, error) {
	whole, decimals, dotted := strings.Cut(s, ".")
	if len(decimals) > 6 || dotted && decimals == "" {
		return 0, fmt.Errorf("%q is no time in us with at most six decimals", s)
	}
	digits := whole + decimals + strings.Repeat("0", 6-len(decimals))
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%q is no time in us with at most six decimals", s)
		}
	}
	if whole == "" {
		return 0, fmt.Errorf("%q is no time in us with at most six decimals", s)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s us is longer than any run", s)
	}
	return units.Duration(n), nil
}

// gigabytes prints a bandwidth in GB/s.
func gigabytes(rate float64) string { return strconv.FormatFloat(rate, 'f', 6, 64) }

// share prints a utilisation.
func share(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// parseShare reads a utilisation.
func parseShare(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x < 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is no share of 0 or more", s)
	}
	return x, nil
}

// parseCount reads a whole number of 0 or more.
func parseCount(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no whole number of 0 or more", s)
	}
	return n, nil
}

// valid says why the texts could not give the row back: names with control characters
// or broken UTF-8, and negative quantities.
func valid(r Row) error {
	names := []string{r.Scenario, r.Topology, r.Collective, r.Requested, r.Algorithm, r.DType, r.Op, r.Shape, r.Faults, r.SelectedBy, r.Run, r.Operator}
	counts := []int64{int64(r.Servers), int64(r.Ranks), int64(r.Bytes), int64(r.Time), int64(r.Root),
		int64(r.Iterations), r.Messages, r.Requests, r.Tasks, r.Events,
		int64(r.Start), int64(r.Compute), int64(r.Communication), int64(r.Exposed), int64(r.Repeat), int64(r.Interval), int64(r.Rounds), int64(r.Buffer), int64(r.Streams), r.Contexts}
	for _, f := range r.Swept {
		names = append(names, f.Path, f.Value)
	}
	for _, p := range r.Critical {
		names, counts = append(names, p.Cause), append(counts, int64(p.Time))
	}
	for _, v := range r.Volumes {
		names, counts = append(names, v.Class), append(counts, int64(v.Bytes))
	}
	for _, u := range r.Busiest {
		names = append(names, u.Link)
		if !(u.Share >= 0) || math.IsInf(u.Share, 0) {
			return fmt.Errorf("link %q: %v is no share of 0 or more", u.Link, u.Share)
		}
	}
	for _, s := range names {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			return fmt.Errorf("name %q holds characters that cannot be printed", s)
		}
	}
	for _, n := range counts {
		if n < 0 {
			return fmt.Errorf("negative quantity %d", n)
		}
	}
	if r.Collective == "" {
		return errors.New("a row names no collective")
	}
	return nil
}
