package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"hcclsim/scenarios"
)

// studyJSON says of which study a directory holds the points.
const studyJSON = "study.json"

// study tells whether points that were finished earlier are still true: those of the same
// scenario, simulated by the same program, of the same shard.
type study struct {
	Scenario string `json:"scenario"` // SHA-256 of the resolved scenario and its files
	Program  string `json:"program"`  // SHA-256 of the binary
	Shard    shard  `json:"shard"`
}

func studyOf(p *scenarios.Plan, s shard) (study, error) {
	program, err := programSum()
	if err != nil {
		return study{}, fmt.Errorf("read the program itself: %w", err)
	}
	sum := sha256.New()
	for _, f := range append([]scenarios.File{{Name: resolvedYAML, Text: p.Resolved}}, p.Files...) {
		fmt.Fprintf(sum, "%s %d\n%s", f.Name, len(f.Text), f.Text)
	}
	return study{hex.EncodeToString(sum.Sum(nil)), program, s}, nil
}

// programSum changes when the program does: then what it found before may be wrong.
var programSum = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, f.Close())
})

// readStudy is the study that a directory holds; none if there is none, or none that can be read.
func readStudy(dir string) (s study, found bool) {
	text, err := os.ReadFile(filepath.Join(dir, studyJSON))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return study{}, false
	}
	return s, true
}

func (s study) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// differs says in words what is not as it was.
func (s study) differs(from study) string {
	switch {
	case s.Scenario != from.Scenario:
		return "the scenario has changed"
	case s.Program != from.Program:
		return "the program has changed"
	}
	return "the shard is another"
}
