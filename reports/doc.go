// Package reports turns rows into text for people and programs: the table of the
// terminal, CSV and JSON lines. It reads records and never runs anything.
package reports
