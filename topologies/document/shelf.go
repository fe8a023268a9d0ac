package document

import (
	"embed"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Shelf is the built-in documents of one kind, each in a file NAME.yaml, where NAME may have
// a directory in front, and the way to documents anywhere: what is not a built-in name but has
// a separator or the ending of a file is a path, everything else a name.
type Shelf struct {
	Files   embed.FS
	Unknown func(name string, names []string) error // of a name that is not among the built-in names
}

// Info describes a built-in document.
type Info struct{ Name, Description string }

// Names lists the built-in documents, sorted.
func (s Shelf) Names() []string {
	var names []string
	err := fs.WalkDir(s.Files, ".", func(path string, e fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(path, ".yaml"); ok {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		panic(err) // an embedded file system can always be walked
	}
	slices.Sort(names)
	return names
}

// List describes the built-in documents, sorted by name.
func (s Shelf) List() ([]Info, error) {
	var infos []Info
	for _, name := range s.Names() {
		root, err := s.Read(name)
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

// Source is the text of a document, comments and all: of a built-in one by its name, else
// of the file at the path.
func (s Shelf) Source(nameOrPath string) ([]byte, error) {
	if s.isPath(nameOrPath) {
		text, err := os.ReadFile(nameOrPath)
		if err != nil {
			return nil, Fault(Origin{}, "%v", err)
		}
		return text, nil
	}
	text, err := s.Files.ReadFile(nameOrPath + ".yaml")
	if err != nil {
		return nil, s.Unknown(nameOrPath, s.Names())
	}
	return text, nil
}

// Read parses the document that Source gives the text of.
func (s Shelf) Read(nameOrPath string) (*Node, error) {
	if s.isPath(nameOrPath) {
		return ReadFile(nameOrPath)
	}
	text, err := s.Source(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Parse(nameOrPath+".yaml", text)
}

func (s Shelf) isPath(nameOrPath string) bool {
	return strings.ContainsAny(nameOrPath, `/\.`) && !slices.Contains(s.Names(), nameOrPath)
}
