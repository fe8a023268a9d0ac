package scenarios

import (
	"embed"

	"hcclsim/topologies/document"
)

//go:embed *.yaml claims/*.yaml
var shipped embed.FS

var shelf = document.Shelf{Files: shipped, Unknown: unknown}

// Names lists the built-in scenarios, sorted.
func Names() []string { return shelf.Names() }

// List describes the built-in scenarios, sorted by name.
func List() ([]document.Info, error) { return shelf.List() }

// Source is the text of a scenario, comments and all: of a built-in one by its name, else
// of the file at the path. What has neither a separator nor the ending of a file is taken
// as a name.
func Source(nameOrPath string) ([]byte, error) { return shelf.Source(nameOrPath) }

// Read parses the scenario that Source gives the text of.
func Read(nameOrPath string) (*document.Node, error) { return shelf.Read(nameOrPath) }

func unknown(name string, names []string) error {
	return document.Fault(document.Origin{}, "there is no scenario %q%s (a file needs a path or an ending)", name, nearest(name, names))
}
