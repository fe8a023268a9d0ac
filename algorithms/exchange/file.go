package exchange

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// MaxSize is the size of the largest file that is read, in bytes.
const MaxSize = 64 << 20

// ReadFile reads the file at a path, and returns its text too. Only regular files are
// opened: a pipe or a device may never end.
func ReadFile(path string) (*Algorithm, []byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is no regular file: expected one in MSCCL's format", path)
	case info.Size() > MaxSize:
		return nil, nil, tooLarge(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1)) // it may have grown
	if err != nil {
		return nil, nil, err
	}
	if len(text) > MaxSize {
		return nil, nil, tooLarge(path)
	}
	a, err := Read(path, bytes.NewReader(text))
	return a, text, err
}

func tooLarge(path string) error {
	return fmt.Errorf("%s is larger than %d MiB, which is more than is read", path, MaxSize>>20)
}
