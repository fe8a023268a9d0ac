package records

import (
	"encoding/json"

	"hcclsim/model/units"
)

// Step is one thing on the critical path of a row. Steps follow each other without gaps.
type Step struct {
	Start, End units.Duration // from the beginning of the run
	Rank, Peer int            // where it ends; the other rank, or the same
	Lane, Step int            // of the schedule; -1: of a stream itself
	Name       string         // of the task, or Transfer, Notify, Request, Stream
	Operator   string         // of a stream
	Bytes      units.Bytes
	Class      string // of links, local inside the NPU; empty where nothing moves
	Critical   []Part // divides End-Start without remainder
}

// MarshalJSON writes times as rows have them: decimal numbers of microseconds.
func (s Step) MarshalJSON() ([]byte, error) {
	line := struct {
		Start    jsonMicros `json:"start_us"`
		End      jsonMicros `json:"end_us"`
		Rank     int        `json:"rank"`
		Peer     int        `json:"peer"`
		Lane     int        `json:"lane"`
		Step     int        `json:"step"`
		Name     string     `json:"name"`
		Operator string     `json:"operator,omitempty"`
		Bytes    int64      `json:"bytes"`
		Class    string     `json:"class,omitempty"`
		Critical []jsonPart `json:"critical"`
	}{jsonMicros(s.Start), jsonMicros(s.End), s.Rank, s.Peer, s.Lane, s.Step, s.Name, s.Operator, int64(s.Bytes), s.Class, []jsonPart{}}
	for _, p := range s.Critical {
		line.Critical = append(line.Critical, jsonPart{p.Cause, jsonMicros(p.Time)})
	}
	return json.Marshal(line)
}
