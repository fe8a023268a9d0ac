package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hcclsim/algorithms"
	"hcclsim/reports"
)

// listed is a line of the list of algorithms.
type listed struct {
	Name        string                  `json:"name"`
	Title       string                  `json:"title"`
	Ranks       string                  `json:"ranks"`
	Mixes       []string                `json:"mixes"` // the parts that it can be of a mix
	Collectives []algorithms.Collective `json:"collectives"`
	Idea        string                  `json:"idea"`
	Wins        string                  `json:"wins"`
	Source      string                  `json:"source"`
	Forms       []listedForm            `json:"forms"`
}

type listedForm struct {
	Collective algorithms.Collective `json:"collective"`
	Steps      string                `json:"steps"`
	Time       string                `json:"time,omitempty"`
	Note       string                `json:"note,omitempty"`
}

func newAlgorithmList() *cobra.Command {
	var collective, format string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the algorithms, with what they offer and cost",
		Long: `List the algorithms that can be named, with the collectives that they offer. With
--collective, list those that offer it, with their steps and closed forms.

Two of them make a mix INTRA+INTER: the first inside every server, the other between the
ranks of the same number in all servers.`,
		Example: `  hcclsim algorithm list
  hcclsim algorithm list --collective allreduce`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(reports.Formats(), format) {
				return usagef("--format %s: expected one of %s", format, strings.Join(reports.Formats(), ", "))
			}
			var only algorithms.Collective
			if collective != "" {
				var err error
				if only, err = collectiveOf(collective); err != nil {
					return err
				}
			}
			return writeList(cmd.OutOrStdout(), listOf(only), only, format, quiet)
		},
	}
	cmd.Flags().StringVar(&collective, "collective", "", "only algorithms that offer it, with steps and closed forms")
	cmd.Flags().StringVar(&format, "format", "table", "of the list: "+strings.Join(reports.Formats(), ", "))
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "names only")
	complete(cmd, "collective", only(collectives))
	complete(cmd, "format", only(reports.Formats))
	return cmd
}

// listOf is the catalogue, or what of it offers a collective, with its form only.
func listOf(only algorithms.Collective) []listed {
	var list []listed
	for _, e := range algorithms.Catalogue() {
		if only != "" && !algorithms.Offers(e.Name, only) {
			continue
		}
		about, _ := algorithms.Describe(e.Name, only)
		l := listed{Name: e.Name, Title: e.Title, Ranks: about.Ranks, Mixes: []string{}, Idea: about.Idea, Wins: about.Wins, Source: about.Source}
		if e.Intra {
			l.Mixes = append(l.Mixes, "intra")
		}
		if e.Inter {
			l.Mixes = append(l.Mixes, "inter")
		}
		for _, c := range algorithms.Collectives() {
			if !algorithms.Offers(e.Name, c) {
				continue
			}
			l.Collectives = append(l.Collectives, c)
			if f, ok := about.Form(c); ok && (only == "" || c == only) {
				l.Forms = append(l.Forms, listedForm(f))
			}
		}
		list = append(list, l)
	}
	return list
}

func writeList(w io.Writer, list []listed, only algorithms.Collective, format string, quiet bool) error {
	switch {
	case quiet:
		for _, l := range list {
			fmt.Fprintln(w, l.Name)
		}
		return nil
	case format == "json":
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		for _, l := range list {
			if err := encoder.Encode(l); err != nil {
				return err
			}
		}
		return nil
	case format == "csv":
		return writeListCSV(w, list)
	case only != "":
		return writeForms(w, list)
	}
	return writeOffers(w, list)
}

// writeListCSV writes a line for each algorithm and collective.
func writeListCSV(w io.Writer, list []listed) error {
	out := csv.NewWriter(w)
	out.Write([]string{"name", "title", "ranks", "mixes", "collective", "steps", "time", "note"})
	for _, l := range list {
		for _, f := range l.Forms {
			out.Write([]string{l.Name, l.Title, l.Ranks, strings.Join(l.Mixes, " "), string(f.Collective), f.Steps, f.Time, f.Note})
		}
	}
	out.Flush()
	return out.Error()
}

// short are the heads of the columns of collectives.
var short = map[algorithms.Collective]string{
	algorithms.AllReduce: "AR", algorithms.AllGather: "AG", algorithms.ReduceScatter: "RS", algorithms.Broadcast: "B",
	algorithms.Reduce: "R", algorithms.Scatter: "S", algorithms.Gather: "G", algorithms.AlltoAll: "A2A",
	algorithms.AlltoAllV: "A2AV", algorithms.Barrier: "Ba", algorithms.SendRecv: "SR",
}

// writeOffers writes a line for each algorithm with a mark below each collective that it
// offers.
func writeOffers(w io.Writer, list []listed) error {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	head, legend := "name\tranks\tin mixes", []string{}
	for _, c := range algorithms.Collectives() {
		head += "\t" + short[c]
		legend = append(legend, short[c]+" "+string(c))
	}
	fmt.Fprintln(out, head+"\ttitle")
	for _, l := range list {
		line := l.Name + "\t" + l.Ranks + "\t" + strings.Join(l.Mixes, ", ")
		for _, c := range algorithms.Collectives() {
			mark := "."
			if slices.Contains(l.Collectives, c) {
				mark = "x"
			}
			line += "\t" + mark
		}
		fmt.Fprintln(out, line+"\t"+l.Title)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, line := range fill(legend, ", ", lineWidth) {
		fmt.Fprintln(w, line)
	}
	return nil
}

// writeForms writes the steps and closed forms of one collective, with notes below.
func writeForms(w io.Writer, list []listed) error {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(out, "name\tranks\tsteps\ttime")
	var used [][2]string
	var notes []string
	for _, l := range list {
		for _, f := range l.Forms {
			time := f.Time
			if time == "" {
				time = "no closed form"
			}
			if f.Note != "" {
				if !slices.Contains(notes, f.Note) {
					notes = append(notes, f.Note)
				}
				time += fmt.Sprintf("  [%d]", 1+slices.Index(notes, f.Note))
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", l.Name, l.Ranks, f.Steps, time)
			for _, letter := range algorithms.Form(f).Letters() {
				if !slices.Contains(used, letter) {
					used = append(used, letter)
				}
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for i, note := range notes {
		writeWrapped(w, fmt.Sprintf("[%d] %s", i+1, note))
	}
	writeWrapped(w, "α: a message, β: a byte of it, γ: a byte reduced, n: bytes of a rank's largest buffer, p: ranks, lg: to base 2")
	for _, l := range used {
		writeWrapped(w, l[0]+": "+l[1])
	}
	return nil
}

// writeWrapped writes a text on as many lines as it needs.
func writeWrapped(w io.Writer, text string) {
	for _, line := range fill(strings.Fields(text), " ", lineWidth) {
		fmt.Fprintln(w, line)
	}
}

// fill joins words into lines of a width.
func fill(words []string, separator string, width int) []string {
	var lines []string
	for _, word := range words {
		last := len(lines) - 1
		if last >= 0 && len([]rune(lines[last]+separator+word)) <= width {
			lines[last] += separator + word
			continue
		}
		if last >= 0 {
			lines[last] += strings.TrimRight(separator, " ")
		}
		lines = append(lines, word)
	}
	return lines
}
