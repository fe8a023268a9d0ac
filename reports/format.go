package reports

import (
	"fmt"
	"io"
	"strings"

	"hcclsim/model/records"
)

// Formats are the values of --format: table for people, csv with all columns, and json
// with one object a line, as in results.jsonl.
func Formats() []string { return []string{"table", "csv", "json"} }

// Write writes the rows in one of Formats. The options are those of the table.
func Write(w io.Writer, format string, rows []records.Row, o Options) error {
	switch format {
	case "table":
		return Table(w, rows, o)
	case "csv":
		return records.WriteCSV(w, rows)
	case "json":
		return records.WriteJSONL(w, rows...)
	}
	return fmt.Errorf("unknown format %q (one of %s)", format, strings.Join(Formats(), ", "))
}
