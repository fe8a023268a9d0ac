package reports

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// column is a title and a cell for each line, aligned to the right for numbers.
type column struct {
	title string
	right bool
	cells []string
}

func (c column) width() int {
	width := utf8.RuneCountInString(c.title)
	for _, cell := range c.cells {
		width = max(width, utf8.RuneCountInString(cell))
	}
	return width
}

// align pads a cell to the width of its column.
func (c column) align(cell string, width int) string {
	pad := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if c.right {
		return pad + cell
	}
	return cell + pad
}

// writeColumns puts columns of equally many cells side by side, two spaces apart.
func writeColumns(out *bytes.Buffer, columns []column) {
	lines := make([]strings.Builder, 1+len(columns[0].cells))
	for i, c := range columns {
		width := c.width()
		for l := range lines {
			cell := c.title
			if l > 0 {
				cell = c.cells[l-1]
			}
			if i > 0 {
				lines[l].WriteString("  ")
			}
			lines[l].WriteString(c.align(cell, width))
		}
	}
	for l := range lines {
		out.WriteString(strings.TrimRight(lines[l].String(), " ") + "\n")
	}
}
