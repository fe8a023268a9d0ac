package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// kinds say what the causes of a critical path are about, in words.
var kinds = map[string]string{
	"host":    "waiting for the host thread (or the device's) to issue work",
	"launch":  "the task scheduler, launching tasks and the gaps between them",
	"notify":  "notify tasks",
	"setup":   "setting up copies and reductions",
	"post":    "posting and issuing RDMA requests",
	"latency": "latency of links",
	"sharing": "sharing links with other transfers",
	"engine":  "waiting for an engine, a request processor or AI cores",
	"reduce":  "reductions",
	"kernel":  "computing",
	"late":    "waiting for a rank that came late, or a stream's start",
}

// perStep are the causes that each step has once, whatever its size.
var perStep = []string{"host", "launch", "notify", "setup", "post", "latency"}

// near is how close two shares are for neither to be called the larger.
const near = 0.05

// Words say what bounds a row, what of it is fixed and what grows with the size, and what
// would help at most. Everything in them follows from the row's critical path and links.
func Words(r records.Row) []string {
	if r.Time <= 0 || len(r.Critical) == 0 {
		return []string{"Nothing takes time here."}
	}
	parts := slices.Clone(r.Critical)
	slices.SortStableFunc(parts, func(a, b records.Part) int { return cmp.Compare(b.Time, a.Time) })
	words := []string{boundBy(parts, r.Time)}
	words = append(words, fixedOrNot(parts, r.Time)...)
	if s := sharing(r, parts); s != "" {
		words = append(words, s)
	}
	return append(words, atMost(parts, r.Time)...)
}

// boundBy names the largest cause, or those that are about as large.
func boundBy(parts []records.Part, whole units.Duration) string {
	first := fraction(parts[0].Time, whole)
	if len(parts) == 1 {
		return fmt.Sprintf("All of the time is %s.", about(parts[0].Cause))
	}
	if fraction(parts[0].Time-parts[1].Time, whole) < near {
		return fmt.Sprintf("Two things weigh about the same: %s (%s) and %s (%s).",
			about(parts[0].Cause), percentText(first), about(parts[1].Cause), percentText(fraction(parts[1].Time, whole)))
	}
	verb := "Most of the time is"
	if first < 0.5 {
		verb = "The largest part is"
	}
	return fmt.Sprintf("%s %s: %s of %s us, %s.", verb, about(parts[0].Cause), timeText(parts[0].Time), timeText(whole), percentText(first))
}

// about is a cause in words.
func about(cause string) string {
	if class, ok := strings.CutPrefix(cause, "wire:"); ok {
		if class == "local" {
			return "copying inside an NPU"
		}
		return "data on the way over " + class + ", as fast as they go alone"
	}
	return cmp.Or(kinds[cause], cause)
}

// fixedOrNot weighs what every step costs against what grows with the size.
func fixedOrNot(parts []records.Part, whole units.Duration) []string {
	var fixed, moving units.Duration
	for _, p := range parts {
		switch {
		case slices.Contains(perStep, p.Cause):
			fixed += p.Time
		case strings.HasPrefix(p.Cause, "wire:"), p.Cause == "sharing", p.Cause == "reduce":
			moving += p.Time
		}
	}
	switch f, m := fraction(fixed, whole), fraction(moving, whole); {
	case f >= 0.6:
		return []string{fmt.Sprintf("%s is what each step costs whatever its size: more bytes would cost little more, fewer steps would help.", percentText(f))}
	case m >= 0.6:
		return []string{fmt.Sprintf("%s grows with the size: it is the bandwidth that counts here, not the number of steps.", percentText(m))}
	case f+m > 0.6:
		return []string{fmt.Sprintf("%s is what each step costs whatever its size, %s grows with the size.", percentText(f), percentText(m))}
	}
	return nil
}

// sharing says what meeting others on links cost, and which is the busiest.
func sharing(r records.Row, parts []records.Part) string {
	i := slices.IndexFunc(parts, func(p records.Part) bool { return p.Cause == "sharing" })
	if i < 0 || len(r.Busiest) == 0 || fraction(parts[i].Time, r.Time) < near {
		return ""
	}
	return fmt.Sprintf("Transfers on the path would have been %s us shorter alone on their links; the busiest is %s, in use for %s of the time.",
		timeText(parts[i].Time), r.Busiest[0].Link, percentText(r.Busiest[0].Share))
}

// atMost bounds what a change could win: of what takes no time at all, its share.
func atMost(parts []records.Part, whole units.Duration) (words []string) {
	for _, p := range parts {
		class, wire := strings.CutPrefix(p.Cause, "wire:")
		if share := fraction(p.Time, whole); wire && class != "local" && share >= 0.2 {
			words = append(words, fmt.Sprintf("Twice the bandwidth of %s would save at most %s, if the path stayed the same.", class, percentText(share/2)))
		}
	}
	return words
}

func percentText(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
