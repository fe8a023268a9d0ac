package records

import (
	"encoding/json"

	"hcclsim/model/units"
)

// Explanation says where the time of a row went.
type Explanation struct {
	Row       Row
	Operators []Row    // of the streams that Row is the whole of
	Steps     []Step   // of the critical path; none of an operator
	Changes   []Change // the shortest time first
}

// Change is what a row's time would be if one thing of its machine were better, simulated.
type Change struct {
	What string // twice, half or without, and the path of the topology's key: twice npu.dma.reduce
	Time units.Duration
}

// MarshalJSON writes the time as rows have it: a decimal number of microseconds.
func (c Change) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		What string     `json:"what"`
		Time jsonMicros `json:"time_us"`
	}{c.What, jsonMicros(c.Time)})
}
