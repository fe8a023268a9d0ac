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
// would help. Everything in them follows from the row's critical path and from the times
// that were simulated with changes.
func Words(r records.Row, changes []records.Change) []string {
	if r.Time <= 0 || len(r.Critical) == 0 {
		return []string{"Nothing takes time here."}
	}
	parts := slices.Clone(r.Critical)
	slices.SortStableFunc(parts, func(a, b records.Part) int { return cmp.Compare(b.Time, a.Time) })
	words := []string{boundBy(parts, r.Time)}
	words = append(words, fixedOrNot(parts, r.Time)...)
	words = append(words, waits(parts, r.Time)...)
	return append(words, wouldHelp(r, changes)...)
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
		return "data on the way over " + class + ", at the rate of one transfer alone"
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

// waits says what others cost: those on the same links or limits, those on the same engines or
// cores, and those that came late.
func waits(parts []records.Part, whole units.Duration) (words []string) {
	sentences := map[string]string{
		"sharing": "Transfers on the path would have been %s us (%s) shorter alone: others used the same links, limits of an NPU or memory.",
		"engine":  "%s us (%s) are waiting for an engine, a request processor or AI cores that were busy with other work.",
		"late":    "%s us (%s) are waiting for a rank that came late, or for a stream's start: no link makes them shorter.",
	}
	for _, p := range parts[1:] { // the first has been named
		share := fraction(p.Time, whole)
		if sentence := sentences[p.Cause]; sentence != "" && share >= near {
			words = append(words, fmt.Sprintf(sentence, timeText(p.Time), percentText(share)))
		}
	}
	return words
}

// wouldHelp says which of the changes saves most, and that of links on the path which do not.
func wouldHelp(r records.Row, changes []records.Change) (words []string) {
	if len(changes) == 0 {
		return nil
	}
	if saved := fraction(r.Time-changes[0].Time, r.Time); saved < notable {
		words = append(words, "No single change saves 1 %: several things bind at once, or what binds is not the machine's.")
	} else {
		words = append(words, fmt.Sprintf("Of what was tried, most is saved by %s: %s.", changes[0].What, percentText(saved)))
	}
	var idle []string
	for _, c := range changes {
		path, link := strings.CutPrefix(c.What, "twice server.links.")
		class, bandwidth := strings.CutSuffix(path, ".bandwidth")
		if link && bandwidth && fraction(r.Time-c.Time, r.Time) < notable && onPath(r, "wire:"+class) >= 0.2 {
			idle = append(idle, class)
		}
	}
	if len(idle) > 0 {
		words = append(words, fmt.Sprintf("Faster links of %s save next to nothing: another cap holds what moves over them.", strings.Join(idle, " and ")))
	}
	return words
}

// onPath is the share of a cause on the critical path.
func onPath(r records.Row, cause string) float64 {
	for _, p := range r.Critical {
		if p.Cause == cause {
			return fraction(p.Time, r.Time)
		}
	}
	return 0
}

func percentText(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
