package topologies

import (
	"embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"hcclsim/topologies/document"
)

//go:embed *.yaml
var shipped embed.FS

// Info describes a built-in topology.
type Info struct{ Name, Description string }

// Names lists the built-in topologies, sorted.
func Names() []string {
	entries, err := shipped.ReadDir(".")
	if err != nil {
		panic(err) // the root of an embedded file system is always there
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	slices.Sort(names)
	return names
}

// List describes the built-in topologies, sorted by name.
func List() []Info {
	var infos []Info
	for _, name := range Names() {
		info := Info{Name: name}
		if n, err := Load(name); err == nil {
			if d, ok := n.Get("description"); ok {
				info.Description = d.Text
			}
		}
		infos = append(infos, info)
	}
	return infos
}

// Source is the text of a topology, comments and all: of a built-in one by its name, else
// of the file at the path.
func Source(nameOrPath string) ([]byte, error) {
	if text, err := shipped.ReadFile(nameOrPath + ".yaml"); err == nil {
		return text, nil
	}
	if !isPath(nameOrPath) {
		return nil, unknown(nameOrPath)
	}
	text, err := os.ReadFile(nameOrPath)
	if err != nil {
		return nil, document.Fault(document.Origin{}, "%v", err)
	}
	return text, nil
}

// Load reads a topology document: a built-in one by its name, else the file at the path.
// What has neither a separator nor the ending of a file is taken as a name. Errors are
// document.Errors.
func Load(nameOrPath string) (*document.Node, error) {
	n, err := read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return n, document.Header(n, kind)
}

func read(nameOrPath string) (*document.Node, error) {
	if slices.Contains(Names(), nameOrPath) {
		text, err := Source(nameOrPath)
		if err != nil {
			return nil, err
		}
		return document.Parse(nameOrPath+".yaml", text)
	}
	if !isPath(nameOrPath) {
		return nil, unknown(nameOrPath)
	}
	return document.ReadFile(nameOrPath)
}

func isPath(nameOrPath string) bool { return strings.ContainsAny(nameOrPath, `/\.`) }

func unknown(name string) error {
	text := fmt.Sprintf("there is no topology %q", name)
	if near, ok := document.Nearest(name, Names()); ok {
		text += fmt.Sprintf(", did you mean %q?", near)
	}
	return document.Fault(document.Origin{}, "%s (built in: %s; a file needs a path or an ending)", text, strings.Join(Names(), ", "))
}
