package document

// APIVersion is the version of the documents that this package's users read.
const APIVersion = "hcclsim/v1"

// Header checks that a file is a document of the wanted kind.
func Header(n *Node, kind string) error {
	d := NewDecoder()
	d.Root(n).ReadHeader(kind, Required)
	d.opened = nil // the other keys are for others to read
	return d.Err()
}

// ReadHeader reads apiVersion and kind. They may be absent where the document is part of
// another one, unless the rules say otherwise.
func (v Value) ReadHeader(kind string, rules ...Rule) {
	Enum(v.Key("apiVersion"), APIVersion, []string{APIVersion}, rules...)
	Enum(v.Key("kind"), kind, []string{kind}, rules...)
}
