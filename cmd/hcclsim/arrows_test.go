package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says which packages of the house a package may import, and which modules from
// outside; the standard library is open to all. docs/architecture.md draws the picture.
var arrows = map[string][]string{
	"sim":                    {},
	"algorithms":             {},
	"algorithms/proof":       {"algorithms"},
	"algorithms/choose":      {"algorithms"},
	"algorithms/exchange":    {"algorithms"},
	"model/units":            {},
	"model/records":          {"model/units"},
	"model":                  {"sim", "algorithms", "model/units"},
	"topologies/document":    {"model/units", "gopkg.in/yaml.v3"},
	"topologies":             {"topologies/document", "algorithms", "model", "model/units"},
	"scenarios/recorded":     {"algorithms", "model", "model/units", "topologies"},
	"scenarios/training":     {},
	"scenarios":              {"scenarios/training", "topologies", "topologies/document", "algorithms", "algorithms/choose", "algorithms/exchange", "algorithms/proof", "model", "model/records", "model/units"},
	"model/records/measured": {"model/units"},
	"scenarios/study":        {"scenarios", "model/records", "model/units"},
	"reports":                {"model/records", "model/records/measured", "model/units"},
	"reports/plots":          {"model/records", "model/units", "gonum.org/v1/plot"},
	"cmd/hcclsim":            {"algorithms", "algorithms/exchange", "algorithms/proof", "model", "model/records", "model/records/measured", "model/units", "topologies", "topologies/document", "scenarios", "scenarios/study", "scenarios/recorded", "reports", "reports/plots", "github.com/spf13/cobra"},
}

func TestArrows(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "hcclsim/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[0], "hcclsim/")
		allowed, known := arrows[name]
		if !known {
			t.Errorf("package %s has no place in the house: add it to arrows and to docs/architecture.md", name)
		}
		for _, path := range words[1:] {
			path = strings.TrimPrefix(path, "hcclsim/")
			inside := func(a string) bool { return path == a || strings.Contains(a, ".") && strings.HasPrefix(path, a+"/") }
			_, ours := arrows[path]
			if (ours || strings.Contains(strings.Split(path, "/")[0], ".")) && !slices.ContainsFunc(allowed, inside) {
				t.Errorf("%s imports %s, which it may not", name, path)
			}
		}
	}
}
