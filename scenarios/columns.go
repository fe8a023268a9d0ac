package scenarios

import (
	"fmt"
	"slices"
	"strconv"

	"hcclsim/model/records"
	"hcclsim/model/units"
)

// column is something that assertions select rows by. A column of numbers has number and
// parse, any other has text.
type column struct {
	name   string
	text   func(records.Row) string
	number func(records.Row) int64
	parse  func(text string) (int64, error)
	// joins: the column tells points apart, so two terms are joined on it. The others
	// follow from those: servers from topology.servers, algorithm from requested, ...
	joins bool
	// frees: who fixes this column has fixed those that it follows from.
	frees func(name string) bool
}

// columns of every row. Swept keys come on top.
var columns = []column{
	{name: "scenario", text: func(r records.Row) string { return r.Scenario }},
	{name: "topology", text: func(r records.Row) string { return r.Topology }, frees: ofTopology},
	{name: "collective", text: func(r records.Row) string { return r.Collective }, joins: true},
	{name: "requested", text: func(r records.Row) string { return r.Requested }, joins: true},
	{name: "algorithm", text: func(r records.Row) string { return r.Algorithm }, frees: isRequested},
	{name: "servers", number: func(r records.Row) int64 { return int64(r.Servers) }, parse: parseCount, frees: ofTopology},
	{name: "ranks", number: func(r records.Row) int64 { return int64(r.Ranks) }, parse: parseCount, frees: ofTopology},
	{name: "bytes", number: func(r records.Row) int64 { return int64(r.Bytes) }, parse: parseSize, joins: true},
	{name: "dtype", text: func(r records.Row) string { return r.DType }, joins: true},
	{name: "op", text: func(r records.Row) string { return r.Op }, joins: true},
	{name: "root", number: func(r records.Row) int64 { return int64(r.Root) }, parse: parseCount, joins: true},
	{name: "in_place", text: func(r records.Row) string { return strconv.FormatBool(r.InPlace) }, joins: true},
	{name: "run", text: func(r records.Row) string { return r.Run }, joins: true},
	{name: "operator", text: func(r records.Row) string { return r.Operator }, joins: true, frees: ofOperator},
	{name: "iterations", number: func(r records.Row) int64 { return int64(r.Iterations) }, parse: parseCount, joins: true},
}

func ofTopology(name string) bool { return within(name, "topology") }

// ofOperator says what follows from an operator: what it does, and with how much.
func ofOperator(name string) bool {
	return slices.Contains([]string{"collective", "requested", "algorithm", "bytes", "dtype", "op", "root", "in_place", "ranks"}, name)
}

func isRequested(name string) bool { return name == "requested" }

func parseCount(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	return n, nil
}

func parseSize(text string) (int64, error) {
	b, err := units.ParseBytes(text)
	return int64(b), err
}

// findColumn returns the column of that name, nil if neither every row has it nor it is swept.
func findColumn(name string, swept []string) *column {
	for i := range columns {
		if columns[i].name == name {
			return &columns[i]
		}
	}
	for i, path := range swept {
		if path == name {
			return &column{name: name, joins: true, text: func(r records.Row) string { return r.Swept[i].Value }}
		}
	}
	return nil
}

func columnNames(swept []string) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return append(names, swept...)
}

// otherwise are words that people use for a column, and its name.
var otherwise = map[string]string{"size": "bytes", "sizes": "bytes", "algo": "requested", "npus": "ranks", "name": "scenario"}

func nearestColumn(word string, swept []string) string {
	if name := otherwise[word]; name != "" {
		return fmt.Sprintf(", did you mean %s?", name)
	}
	return nearest(word, columnNames(swept))
}
