package choose

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"hcclsim/algorithms"
)

var update = flag.Bool("update", false, "write the golden files anew")

// table prints what HCCL's rules say for sizes from 8 B to 8 GiB by powers of two, a row a
// number of servers; rows that are alike are printed once.
func table(title string, q Question, npus int, servers []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d NPUs a server\n", title, npus)
	var rows []string
	for _, m := range servers {
		q.Groups = slices.Repeat([]int{npus}, m)
		rows = append(rows, row(q))
	}
	for i := 0; i < len(rows); {
		last := i
		for last+1 < len(rows) && rows[last+1] == rows[i] {
			last++
		}
		label := strings.Trim(strings.ReplaceAll(fmt.Sprint(servers[i:last+1]), " ", ","), "[]")
		if last > i && servers[last]-servers[i] == last-i {
			label = fmt.Sprintf("%d-%d", servers[i], servers[last])
		}
		fmt.Fprintf(&b, "  %-6s %s\n", label, rows[i])
		i = last + 1
	}
	return b.String() + "\n"
}

// row is the algorithms by size: each with the largest power of two that it runs to.
func row(q Question) string {
	var parts []string
	name := ""
	for e := 3; e <= 33; e++ {
		q.Bytes = 1 << e
		s, err := newSituation(q)
		if err != nil {
			return err.Error()
		}
		if v := s.decide(); name == "" {
			name = v.algorithm
		} else if v.algorithm != name {
			parts = append(parts, fmt.Sprintf("%s to %s", name, size(q.Bytes/2)))
			name = v.algorithm
		}
	}
	return strings.Join(append(parts, name), ", ")
}

func upToServers(from, to int) []int {
	var list []int
	for m := from; m <= to; m++ {
		list = append(list, m)
	}
	return list
}

func TestChoicesOfHCCL(t *testing.T) {
	some := []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 33, 64}
	three := []algorithms.Collective{algorithms.AllReduce, algorithms.AllGather, algorithms.ReduceScatter}
	rest := []algorithms.Collective{algorithms.Broadcast, algorithms.Reduce, algorithms.Scatter, algorithms.Gather,
		algorithms.AlltoAll, algorithms.AlltoAllV, algorithms.Barrier, algorithms.SendRecv}
	files := map[string]func(*strings.Builder){
		"910b": func(b *strings.Builder) {
			for _, d := range []Deterministic{NotDeterministic, IsDeterministic} {
				for _, c := range three {
					title := fmt.Sprintf("%s%s", c, map[Deterministic]string{IsDeterministic: ", deterministic"}[d])
					b.WriteString(table(title, question("910b", c, d), 8, upToServers(1, 64)))
				}
			}
			for _, c := range rest {
				b.WriteString(table(string(c), question("910b", c, NotDeterministic), 8, some))
			}
		},
		"910a": func(b *strings.Builder) {
			for _, c := range append(three, rest...) {
				b.WriteString(table(string(c), question("910a", c, NotDeterministic), 8, some))
			}
			b.WriteString(table("allreduce", question("910a", algorithms.AllReduce, NotDeterministic), 4, some))
		},
		"a3": func(b *strings.Builder) {
			for _, c := range append(three, rest...) {
				q := question("a3", c, NotDeterministic)
				b.WriteString(table(string(c), q, 16, some))
				q.Pods = 2
				b.WriteString(table(string(c)+", two super-pods", q, 16, []int{2, 4, 6, 8, 16, 64}))
			}
		},
	}
	for _, product := range []string{"910a", "910b", "a3"} {
		var b strings.Builder
		files[product](&b)
		path := "testdata/" + product + ".txt"
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s differs; go test -update writes it anew. Got:\n%s", path, b.String())
		}
	}
}

func question(product string, c algorithms.Collective, d Deterministic) Question {
	return Question{Request: algorithms.Request{Collective: c, Elem: 4}, DType: "fp32", Product: product, InlineReduce: true,
		Settings: Settings{Deterministic: d}}
}
