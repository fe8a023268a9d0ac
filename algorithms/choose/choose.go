package choose

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
)

// Question is one point for which an algorithm is wanted.
type Question struct {
	algorithms.Request
	DType string // fp32, fp16, int64, ...; empty: one that the product reduces inline
	Op    string // sum, max, min, prod; empty: sum
	// Product is 910a, 910b or a3; empty: not an Ascend product.
	Product string
	// InlineReduce: the machine reduces on the way, on DMA engines and NICs alike.
	InlineReduce bool
	Levels       algorithms.Levels // of the topology, for predictions
	Settings     Settings
}

// Settings are what the user sets: environment variables and the table of ranges.
type Settings struct {
	Algo          Algo   // HCCL_ALGO, see ParseAlgo
	RingThreshold *int64 // HCCL_RING_THRESHOLD, bytes; nil: not set
	TreeThreshold *int64 // HCCL_TREE_THRESHOLD, bytes; nil: not set
	Ranges        []Range
	Deterministic Deterministic
	Buffer        int64 // HCCL_BUFFSIZE, bytes; 0: unlimited
}

// Range is a row of the user's table: an algorithm for the sizes from Min to Max, both
// included.
type Range struct {
	Collective algorithms.Collective // empty: all
	Min, Max   int64                 // bytes; Max < 0: no upper end
	Algorithm  string
}

// Deterministic is HCCL_DETERMINISTIC.
type Deterministic uint8

const (
	NotDeterministic Deterministic = iota // false
	IsDeterministic                       // true
	Strict                                // strict: the order of summation is kept too
)

// Choice is the answer.
type Choice struct {
	Algorithm string // a name of the catalogue that algorithms.New takes for the request
	By        string // the chooser: hccl, threshold or model
	Rule      string // what decided
	Value     string // the numbers that the rule compared
	Source    string // where the rule is from: HCCL's file and function, this program's documentation, or "assumed"
	// Warnings say what was asked for, or what HCCL does, and what runs instead.
	Warnings []string
}

// Auto asks Threshold if a threshold or range is set, else HCCL on an Ascend product, else
// Model. HCCL_ALGO steers HCCL only.
func Auto(q Question) (Choice, error) {
	switch {
	case q.Settings.thresholds():
		return Threshold(q)
	case q.Product != "":
		return HCCL(q)
	default:
		return Model(q)
	}
}

// The choosers, as Choice.By names them.
const (
	byHCCL      = "hccl"
	byThreshold = "threshold"
	byModel     = "model"
)

// settle makes a choice that runs: where the catalogue cannot run the algorithm for this
// request, its parts from the last to the first, then the catalogue in order.
func settle(q Question, c Choice) (Choice, error) {
	why := accepts(q, c.Algorithm)
	if why == nil {
		return c, nil
	}
	parts := strings.Split(c.Algorithm, "+")
	slices.Reverse(parts)
	for _, name := range append(parts, algorithms.Names()...) {
		if accepts(q, name) == nil {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s cannot run here (%v): %s runs", c.Algorithm, why, name))
			c.Algorithm = name
			return c, nil
		}
	}
	return Choice{}, why
}

// accepts is nil if the catalogue makes a schedule of the request.
func accepts(q Question, algorithm string) error {
	_, err := algorithms.New(algorithm, q.Request)
	return err
}

// size prints bytes in the largest binary unit that divides them.
func size(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if scale := int64(1) << (30 - 10*i); n >= scale && n%scale == 0 {
			return fmt.Sprintf("%d%s", n/scale, unit)
		}
	}
	return fmt.Sprintf("%dB", n)
}
