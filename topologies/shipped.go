package topologies

import (
	"embed"
	"fmt"
	"strings"

	"hcclsim/topologies/document"
)

//go:embed *.yaml
var shipped embed.FS

var shelf = document.Shelf{Files: shipped, Unknown: unknown}

// Names lists the built-in topologies, sorted.
func Names() []string { return shelf.Names() }

// List describes the built-in topologies, sorted by name.
func List() ([]document.Info, error) { return shelf.List() }

// Source is the text of a topology, comments and all: of a built-in one by its name, else
// of the file at the path.
func Source(nameOrPath string) ([]byte, error) { return shelf.Source(nameOrPath) }

// Load reads a topology document: a built-in one by its name, else the file at the path.
// What has neither a separator nor the ending of a file is taken as a name. Errors are
// document.Errors.
func Load(nameOrPath string) (*document.Node, error) {
	n, err := shelf.Read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return n, document.Header(n, kind)
}

func unknown(name string, names []string) error {
	text := fmt.Sprintf("there is no topology %q", name)
	if near, ok := document.Nearest(name, names); ok {
		text += fmt.Sprintf(", did you mean %q?", near)
	}
	return document.Fault(document.Origin{}, "%s (built in: %s; a file needs a path or an ending)", text, strings.Join(names, ", "))
}
