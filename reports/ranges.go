package reports

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"hcclsim/model/records"
)

// WriteRanges writes a table for each setting: which algorithm is the fastest from where to
// where, by how much, and what HCCL's thresholds would have to be, or that they cannot say it.
func WriteRanges(w io.Writer, list []records.Ranges) error {
	var out bytes.Buffer
	for i, r := range list {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(heading(records.Group{Row: r.Row}))
		columns := []column{{title: "from", right: true}, {title: "to", right: true}, {title: "fastest"}, {title: "by", right: true}, {title: "next"}}
		for _, win := range r.Winners {
			for i, cell := range []string{win.From.Short(), win.To.Short(), win.Algorithm, lead(win), win.Next} {
				columns[i].cells = append(columns[i].cells, cell)
			}
		}
		writeColumns(&out, columns)
		out.WriteString(thresholds(r.Winners))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// lead is by how much the next takes longer, over the range.
func lead(w records.Winner) string {
	if w.Next == "" {
		return ""
	}
	least, most := fmt.Sprintf("%.1f", 100*w.Least), fmt.Sprintf("%.1f", 100*w.Most)
	if least == most {
		return most + "%"
	}
	return least + " to " + most + "%"
}

// thresholds says how HCCL_RING_THRESHOLD and HCCL_TREE_THRESHOLD, ours, would say who wins, where
// it is between ring and double-tree.
func thresholds(winners []records.Winner) string {
	var names []string
	for _, w := range winners {
		names = append(names, w.Algorithm)
	}
	switch tree := []string{"double-tree", "tree"}; {
	case len(names) != 2:
	case names[0] == "ring" && slices.Contains(tree, names[1]):
		return fmt.Sprintf("HCCL_RING_THRESHOLD=%d HCCL_TREE_THRESHOLD=%d say this\n", int64(winners[0].To), int64(winners[1].From))
	case names[1] == "ring" && slices.Contains(tree, names[0]):
		return "the ring wins above, the tree below: HCCL_RING_THRESHOLD, ring for a size and below, cannot say this; ranges can\n"
	}
	return ""
}

// WriteRangesYAML writes the ranges as scenarios have them, for the algorithm auto: a list for
// each setting.
func WriteRangesYAML(w io.Writer, list []records.Ranges) error {
	var out bytes.Buffer
	for _, r := range list {
		out.WriteString(heading(records.Group{Row: r.Row}))
		var parts []string
		for i, win := range r.Winners {
			keys := fmt.Sprintf("algorithm: %s", win.Algorithm)
			if i < len(r.Winners)-1 {
				keys = fmt.Sprintf("to: %dB, %s", int64(win.To), keys)
			}
			if i > 0 {
				keys = fmt.Sprintf("from: %dB, %s", int64(r.Winners[i-1].To)+1, keys)
			}
			parts = append(parts, "  - {"+keys+"}\n")
		}
		out.WriteString("ranges:\n" + strings.Join(parts, ""))
	}
	_, err := w.Write(out.Bytes())
	return err
}
