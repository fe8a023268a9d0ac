package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"hcclsim/algorithms"
	"hcclsim/model"
	"hcclsim/model/records"
	"hcclsim/model/units"
	"hcclsim/topologies/document"
)

// streamSet is an entry of run that writes streams out.
type streamSet struct {
	at      document.Value
	name    string
	streams []stream
	events  map[string]int
	step    bool // it is a training step
	work    model.Work
	rows    map[string]records.Row // of the operators by name, without their times
}

// stream is one element of streams, on each of its ranks.
type stream struct {
	at        document.Value
	name      string
	ranks     []int32
	priority  uint8
	set       bool // it gives its priority
	start     units.Duration
	operators []operator
}

// operator is one element of operators.
type operator struct {
	at    document.Value
	kind  string // the key that says what it is
	name  string
	of    model.Operator
	comm  string
	entry entry // of a collective, and of a message
	peer  int   // of send and recv, in the communicator
}

// Kinds of operators besides the collectives.
const (
	opKernel   = "kernel"
	opSend     = "send"
	opRecv     = "recv"
	opCopyHost = "copy-host"
	opRecord   = "record"
	opWait     = "wait"
)

var operatorKinds = []string{opKernel, opSend, opRecv, opCopyHost, opRecord, opWait}

// decodeStreams reads an entry of streams on a machine.
func decodeStreams(v document.Value, index int, t model.Topology, comms map[string]*communicator) *streamSet {
	s := &streamSet{at: v, events: map[string]int{}}
	s.name = v.Key("name").Text(fmt.Sprintf("streams-%d", index))
	list := v.Key("streams").List()
	if n := v.Key("streams").Node(); len(list) == 0 && n != nil && n.Kind == document.List {
		v.Key("streams").Errorf("is empty, expected streams such as {name: compute, operators: [{kernel: 1ms}]}")
	}
	counts := map[string]int{}
	names := map[string]bool{}
	for i, e := range list {
		st := decodeStream(e, i, t, comms, s.events, counts)
		if names[st.name] {
			for _, other := range s.streams {
				if other.name == st.name && meet(st.ranks, other.ranks) {
					e.Errorf("a rank has two streams named %s", st.name)
					break
				}
			}
		}
		names[st.name] = true
		s.streams = append(s.streams, st)
	}
	return s
}

func decodeStream(v document.Value, index int, t model.Topology, comms map[string]*communicator, events, counts map[string]int) stream {
	s := stream{at: v, name: v.Key("name").Text(fmt.Sprint(index)), ranks: decodeRanks(v.Key("ranks"), t.Size()), start: v.Key("start").Duration(0)}
	list := v.Key("operators").List(document.Required)
	if v.Key("operators").Present() && len(list) == 0 {
		v.Key("operators").Errorf("is empty: the stream does nothing")
	}
	for _, o := range list {
		s.operators = append(s.operators, decodeOperator(o, t, comms, events, counts))
	}
	s.set = v.Key("priority").Present()
	absent := uint8(0)
	if s.communicates() && !s.computes() {
		absent = uint8(t.NPU.Streams.HCCL)
	}
	s.priority = decodePriority(v.Key("priority"), absent)
	return s
}

// computes says whether the stream has kernels, communicates whether it has collectives or
// messages.
func (s *stream) computes() bool {
	return slices.ContainsFunc(s.operators, func(o operator) bool { return o.kind == opKernel })
}

func (s *stream) communicates() bool {
	return slices.ContainsFunc(s.operators, func(o operator) bool { return o.of.Kind == model.OpCall })
}

func decodeOperator(v document.Value, t model.Topology, comms map[string]*communicator, events, counts map[string]int) operator {
	o := operator{at: v}
	o.kind = operatorKind(v)
	counts[o.kind]++
	o.of.Name = v.Key("name").Text("")
	o.name = o.of.Name
	if o.name == "" && o.kind != opSend && o.kind != opRecv {
		o.name = fmt.Sprintf("%s-%d", o.kind, counts[o.kind])
	}
	if o.kind == "" {
		return o
	}
	amount := v.Key(o.kind)
	switch o.kind {
	case opKernel:
		o.of.Kind, o.of.Time = model.OpKernel, amount.Duration(0, document.Positive)
		o.of.Cores = v.Key("cores").Int(0, document.Range(1, 4096))
		if most := t.NPU.Cores; most > 0 && o.of.Cores > most {
			v.Key("cores").Errorf("the kernel takes %d cores, the NPU has %d (npu.cores)", o.of.Cores, most)
		}
		o.of.Bytes = v.Key("memory").Bytes(0, document.Positive)
	case opCopyHost:
		o.of.Kind, o.of.Bytes = model.OpCopyHost, amount.Bytes(0, document.Positive)
		o.of.ToHost = document.Enum(v.Key("direction"), "", []string{"to-host", "from-host"}, document.Required) == "to-host"
		if !t.HasHost() {
			v.Errorf("topology %s says nothing of its hosts (server.host)", t.Name)
		}
	case opRecord, opWait:
		if o.name = amount.Text("", document.Required); o.name == "" && amount.Present() && amount.Node().Kind == document.Scalar {
			amount.Errorf("the event has no name")
		}
		o.of.Kind = map[string]model.OperatorKind{opRecord: model.OpRecord, opWait: model.OpWait}[o.kind]
		if _, ok := events[o.name]; !ok {
			events[o.name] = len(events)
		}
		o.of.Event = events[o.name]
	default:
		o.decodeCall(v, amount, comms)
	}
	o.of.Name = o.name
	return o
}

// operatorKind is the key of an operator that says what it does.
func operatorKind(v document.Value) string {
	n := v.Node()
	if n == nil || n.Kind != document.Mapping {
		v.Key("kernel") // which reports it
		return ""
	}
	kinds := slices.Clone(operatorKinds)
	for _, c := range algorithms.Collectives() {
		if c != algorithms.SendRecv && c != algorithms.AlltoAllV { // whose blocks are no single amount
			kinds = append(kinds, string(c))
		}
	}
	var found []string
	for _, kind := range kinds {
		if n.Key(kind) != nil {
			found = append(found, kind)
		}
	}
	switch len(found) {
	case 0:
		unknownOperator(v, kinds)
		return ""
	case 1:
		return found[0]
	}
	v.Errorf("says %s: expected one thing to do", strings.Join(found, " and "))
	return ""
}

// furtherKeys are what operators say besides what they do.
var furtherKeys = []string{"name", "cores", "memory", "to", "from", "direction", "communicator", "algorithm", "dtype", "op", "root", "in_place", "segment", "depth"}

// unknownOperator reports an operator that says nothing known to do: by the key that should.
func unknownOperator(v document.Value, kinds []string) {
	word := ""
	for _, k := range v.Node().Keys {
		v.Key(k.Name) // all that is wrong with it is said here
		if word == "" && !slices.Contains(furtherKeys, k.Name) {
			word = k.Name
		}
	}
	if word == "" {
		v.Errorf("says nothing to do, expected one of %s", list(kinds))
		return
	}
	v.Key(word).Errorf("unknown operator %q%s", word, nearest(word, kinds))
}

// decodeCall reads a collective, or one end of a message.
func (o *operator) decodeCall(v, amount document.Value, comms map[string]*communicator) {
	o.of.Kind = model.OpCall
	o.comm = v.Key("communicator").Text(world)
	if comms[o.comm] == nil {
		v.Key("communicator").Errorf("unknown communicator %q, expected %s or one of communicators", o.comm, world)
	}
	if o.kind == opSend || o.kind == opRecv {
		// A message is the broadcast of a communicator of two: binomial sends it whole.
		e := entry{at: v, collective: algorithms.Broadcast, dtype: dtype{"uint8", 1}, inPlace: true, iterations: 1, algorithms: []string{"binomial"}}
		e.sizes = []units.Bytes{wholeSize(amount, amount.Bytes(0, document.Positive), e.dtype)}
		o.entry = e
		key := map[string]string{opSend: "to", opRecv: "from"}[o.kind]
		o.peer = v.Key(key).Int(0, document.Required, document.NonNegative)
		return
	}
	e := decodeWork(v, algorithms.Collective(o.kind))
	e.sizes = []units.Bytes{decodeSize(amount, e.dtype)}
	e.algorithms = []string{decodeCallAlgorithm(v.Key("algorithm"), e.collective)}
	o.entry = e
}

// decodeCallAlgorithm reads the algorithm of a collective in a stream: a name, or auto.
func decodeCallAlgorithm(v document.Value, c algorithms.Collective) string {
	name := v.Text(auto)
	if name == best {
		v.Errorf("best tries algorithms one after the other, which streams cannot: expected %s or an algorithm", auto)
		return auto
	}
	if name != auto {
		name = decodeAlgorithm(v, c)
	}
	return name
}

// computeEnds is when the backward pass of a training step has ended.
func (p Point) computeEnds(result model.Result) (end units.Duration) {
	for _, s := range result.Spans {
		if s.Name == "forward" || s.Name == "backward" {
			end = max(end, s.End)
		}
	}
	return end
}

// streamRows are the rows of the operators of a run of streams.
func (p Point) streamRows(result repeated) (rows []records.Row) {
	computed := p.computeEnds(result.Result)
	for i, s := range result.Spans {
		row := p.operatorRow(s.Name)
		if row.Exposed = 0; p.Alone != nil && row.Collective == string(algorithms.AllReduce) {
			row.Exposed = max(0, s.End-max(s.Start, computed))
		}
		row.Start, row.Time = s.Start, s.End-s.Start
		if result.runs > 0 {
			row.Repeat, row.Interval = result.runs, result.spans[i]
		}
		for _, part := range s.Critical {
			row.Critical = append(row.Critical, records.Part{Cause: part.Name, Time: part.Time})
		}
		rows = append(rows, row)
	}
	return rows
}

// operatorRow is the row of an operator, without its times.
func (p Point) operatorRow(name string) records.Row {
	row, whole := p.Operators[name], &p.Row
	row.Scenario, row.Topology, row.Faults, row.Swept = whole.Scenario, whole.Topology, whole.Faults, whole.Swept
	if row.Servers == 0 { // not a communicator's, whose servers are those on which its members lie
		row.Servers, row.Shape = whole.Servers, whole.Shape
	}
	row.Run, row.Operator = whole.Run, name
	return row
}
