package records

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hcclsim/model/units"
)

// The columns of the CSV: leading, then one for each swept key, then settings, then the
// causes of the critical path, then counts, then bytes_<class> and trailing. Only the
// swept keys, the classes of links, causes beyond the usual ones, and the columns of streams,
// of faults and of repeated runs depend on the rows.
var (
	leading = []string{"scenario", "topology", "collective", "requested", "algorithm",
		"servers", "ranks", "bytes", "time_us", "algbw_GBps", "busbw_GBps"}
	settings  = []string{"dtype", "op", "root", "in_place", "iterations", "shape", "selected_by", "bound_by"}
	ofStreams = []string{"run", "operator", "start_us"}
	ofSteps   = []string{"compute_us", "communication_us", "exposed_us", "overlap"}
	ofFaults  = []string{"faults"}
	ofRepeats = []string{"repeat", "interval_us"}
	usual     = []string{"launch", "notify", "setup", "post", "latency", "sharing", "engine", "reduce"}
	counts    = []string{"messages", "requests", "tasks", "rounds", "buffer_bytes", "streams", "contexts"}
	trailing  = []string{"busiest_link", "busiest_share", "events"}
)

const wire = "wire:" // begins the cause of time on a link class

// causeColumn names the column of a cause: reduce_us, wire_hccs_us.
func causeColumn(cause string) string {
	if class, ok := strings.CutPrefix(cause, wire); ok {
		return "wire_" + class + "_us"
	}
	return cause + "_us"
}

// columnCause undoes causeColumn.
func columnCause(column string) (string, bool) {
	cause, ok := strings.CutSuffix(column, "_us")
	if class, isWire := strings.CutPrefix(cause, "wire_"); isWire {
		cause = wire + class
	}
	return cause, ok
}

// header is what the columns of a set of rows are made of.
type header struct {
	swept, causes, classes []string
	streams, repeats       bool
	faults                 bool
	steps                  bool // rows of training steps
}

// headerOf collects the keys, causes and classes that occur: keys in the order of their
// first appearance; causes as usual, then others, then wire, each by name; classes by name.
func headerOf(rows []Row) header {
	h := header{causes: slices.Clone(usual)}
	add := func(list *[]string, s string) {
		if !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, r := range rows {
		h.streams = h.streams || r.Run != ""
		h.repeats = h.repeats || r.Repeat > 0
		h.faults = h.faults || r.Faults != ""
		h.steps = h.steps || r.Compute > 0 || r.Communication > 0
		for _, f := range r.Swept {
			if f.Value != "" {
				add(&h.swept, f.Path)
			}
		}
		for _, p := range r.Critical {
			if p.Time != 0 {
				add(&h.causes, p.Cause)
			}
		}
		for _, v := range r.Volumes {
			if v.Bytes != 0 {
				add(&h.classes, v.Class)
			}
		}
	}
	slices.SortFunc(h.causes[len(usual):], func(a, b string) int {
		if x, y := strings.HasPrefix(a, wire), strings.HasPrefix(b, wire); x != y {
			if x {
				return 1
			}
			return -1
		}
		return cmp.Compare(a, b)
	})
	slices.Sort(h.classes)
	return h
}

func (h header) columns() []string {
	all := slices.Concat(leading, h.swept, settings)
	if h.streams {
		all = append(all, ofStreams...)
	}
	if h.steps {
		all = append(all, ofSteps...)
	}
	if h.faults {
		all = append(all, ofFaults...)
	}
	if h.repeats {
		all = append(all, ofRepeats...)
	}
	for _, c := range h.causes {
		all = append(all, causeColumn(c))
	}
	all = append(all, counts...)
	for _, c := range h.classes {
		all = append(all, "bytes_"+c)
	}
	return append(all, trailing...)
}

// check refuses names that the reader would take for something else.
func (h header) check() error {
	columns := h.columns()
	for i, c := range columns {
		if c == "" || slices.Contains(columns[:i], c) {
			return fmt.Errorf("%q would be the name of two columns or of none", c)
		}
	}
	for _, path := range h.swept {
		if namedSetter(path) != nil {
			return fmt.Errorf("swept key %q reads like a cause or a volume", path)
		}
	}
	for _, c := range h.causes {
		back, _ := columnCause(causeColumn(c))
		if back != c || c == "" || strings.HasPrefix(c, "bytes_") {
			return fmt.Errorf("cause %q cannot be a column", c)
		}
	}
	return nil
}

// WriteCSV writes the rows with a header line. Causes and volumes that a row lacks are
// zero, swept keys that it lacks are empty. Of the busiest links only the first is kept;
// JSONL keeps all.
func WriteCSV(w io.Writer, rows []Row) error {
	h := headerOf(rows)
	if err := h.check(); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	out := csv.NewWriter(w)
	if err := out.Write(h.columns()); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	for i, r := range rows {
		if err := valid(r); err != nil {
			return fmt.Errorf("write results: row %d: %w", i+1, err)
		}
		if err := out.Write(h.cells(r)); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

// cells are the texts of one row, in the order of columns.
func (h header) cells(r Row) []string {
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	cells := []string{r.Scenario, r.Topology, r.Collective, r.Requested, r.Algorithm,
		strconv.Itoa(r.Servers), strconv.Itoa(r.Ranks), whole(int64(r.Bytes)),
		micros(r.Time), gigabytes(r.AlgBW()), gigabytes(r.BusBW())}
	for _, path := range h.swept {
		cells = append(cells, r.swept(path))
	}
	cells = append(cells, r.DType, r.Op, strconv.Itoa(r.Root), strconv.FormatBool(r.InPlace),
		strconv.Itoa(r.Iterations), r.Shape, r.SelectedBy, r.Bound())
	if h.streams {
		cells = append(cells, r.Run, r.Operator, micros(r.Start))
	}
	if h.steps {
		cells = append(cells, micros(r.Compute), micros(r.Communication), micros(r.Exposed), share(r.Overlap()))
	}
	if h.faults {
		cells = append(cells, r.Faults)
	}
	if h.repeats {
		cells = append(cells, strconv.Itoa(r.Repeat), micros(r.Interval))
	}
	for _, cause := range h.causes {
		var sum units.Duration
		for _, p := range r.Critical {
			if p.Cause == cause {
				sum += p.Time
			}
		}
		cells = append(cells, micros(sum))
	}
	cells = append(cells, whole(r.Messages), whole(r.Requests), whole(r.Tasks),
		strconv.Itoa(r.Rounds), whole(int64(r.Buffer)), strconv.Itoa(r.Streams), whole(r.Contexts))
	for _, class := range h.classes {
		var sum units.Bytes
		for _, v := range r.Volumes {
			if v.Class == class {
				sum += v.Bytes
			}
		}
		cells = append(cells, whole(int64(sum)))
	}
	link, busy := "", ""
	if len(r.Busiest) > 0 {
		link, busy = r.Busiest[0].Link, share(r.Busiest[0].Share)
	}
	return append(cells, link, busy, whole(r.Events))
}

// swept is the row's value of a swept key; empty when it has none.
func (r Row) swept(path string) string {
	for _, f := range r.Swept {
		if f.Path == path {
			return f.Value
		}
	}
	return ""
}
