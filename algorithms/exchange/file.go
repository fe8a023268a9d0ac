package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
		return nil, nil, unreadable(path, err)
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s is no regular file: expected one in MSCCL's format", path)
	case info.Size() > MaxSize:
		return nil, nil, tooLarge(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1)) // it may have grown
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	if len(text) > MaxSize {
		return nil, nil, tooLarge(path)
	}
	a, err := Read(path, bytes.NewReader(text))
	return a, text, err
}

func unreadable(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err // without operation and path
	}
	return fmt.Errorf("%s cannot be read: %w", path, err)
}

func tooLarge(path string) error {
	return fmt.Errorf("%s is larger than %d MiB, which is more than is read", path, MaxSize>>20)
}
