package scenarios

import (
	"embed"
	"os"
	"slices"
	"strings"

	"hcclsim/topologies/document"
)

//go:embed *.yaml
var shipped embed.FS

// Info describes a built-in scenario.
type Info struct{ Name, Description string }

// Names lists the built-in scenarios, sorted.
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

// List describes the built-in scenarios, sorted by name.
func List() ([]Info, error) {
	var infos []Info
	for _, name := range Names() {
		root, err := Read(name)
		if err != nil {
			return nil, err
		}
		info := Info{Name: name}
		if d := root.Key("description"); d != nil {
			info.Description = d.Text
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// Source is the text of a scenario, comments and all: of a built-in one by its name, else
// of the file at the path. What has neither a separator nor the ending of a file is taken
// as a name.
func Source(nameOrPath string) ([]byte, error) {
	if isPath(nameOrPath) {
		text, err := os.ReadFile(nameOrPath)
		if err != nil {
			return nil, document.Fault(document.Origin{}, "%v", err)
		}
		return text, nil
	}
	text, err := shipped.ReadFile(nameOrPath + ".yaml")
	if err != nil {
		return nil, document.Fault(document.Origin{}, "there is no scenario %q%s (a file needs a path or an ending)", nameOrPath, nearest(nameOrPath, Names()))
	}
	return text, nil
}

// Read parses the scenario that Source gives the text of.
func Read(nameOrPath string) (*document.Node, error) {
	if isPath(nameOrPath) {
		return document.ReadFile(nameOrPath)
	}
	text, err := Source(nameOrPath)
	if err != nil {
		return nil, err
	}
	return document.Parse(nameOrPath+".yaml", text)
}

func isPath(nameOrPath string) bool {
	return !slices.Contains(Names(), nameOrPath) && strings.ContainsAny(nameOrPath, `/\.`)
}
