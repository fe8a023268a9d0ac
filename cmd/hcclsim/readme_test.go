package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// session is a command of a page, as shown behind a $, with the output shown below it.
type session struct {
	line   int
	args   []string
	output string
}

// sessions reads the commands of the console blocks of a page.
func sessions(t *testing.T, path string) (list []session) {
	t.Helper()
	inside := false
	for i, line := range strings.Split(string(read(t, path)), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case strings.HasPrefix(line, "$ hcclsim "):
			list = append(list, session{line: i + 1, args: strings.Fields(line)[2:]})
		case strings.HasPrefix(line, "$"):
			t.Errorf("%s:%d: %q is not an hcclsim command", path, i+1, line)
		case len(list) > 0:
			list[len(list)-1].output += line + "\n"
		}
	}
	return list
}

// shown says whether an output is what a page shows: line by line, where "..." stands for
// any number of lines.
func shown(page, output string) bool {
	parts := strings.Split(page, "...\n")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`^` + strings.Join(parts, `(?:.*\n)*`) + `$`).MatchString(output)
}

// The pages do not lie: every command that one shows is run, and what it prints on stdout
// is what the page shows.
func TestPagesShowWhatHappens(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	commands := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		for _, s := range sessions(t, page) {
			commands++
			stdout, stderr, code := call(s.args...)
			if code != exitDone || !shown(s.output, stdout) {
				t.Errorf("%s:%d: hcclsim %s: exit code %d\n%s%s\nthe page shows\n%s",
					filepath.Base(page), s.line, strings.Join(s.args, " "), code, stdout, stderr, s.output)
			}
		}
	}
	if commands < 7 {
		t.Errorf("found %d commands, the README alone has seven", commands)
	}
}

// The scenario that the README shows is one.
func TestReadmeScenario(t *testing.T) {
	_, after, found := strings.Cut(string(read(t, "../../README.md")), "```yaml\n")
	text, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatal("the README shows no scenario")
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("mine.yaml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := call("run", "mine.yaml"); code != exitDone {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// Every relative link of a page leads to a file.
func TestLinksOfPages(t *testing.T) {
	pages := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for _, page := range pages {
		for _, m := range link.FindAllStringSubmatch(string(read(t, page)), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}
