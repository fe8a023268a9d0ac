//go:build unix

package exchange_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hcclsim/algorithms/exchange"
)

// TestReadFile: what is no regular file, or too large for one, is not read.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	pipe, large, small := filepath.Join(dir, "pipe.xml"), filepath.Join(dir, "large.xml"), filepath.Join(dir, "small.xml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{large: "", small: right} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(large, exchange.MaxSize+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe:        pipe + " is no regular file: expected one in MSCCL's format",
		dir:         dir + " is no regular file: expected one in MSCCL's format",
		"/dev/zero": "/dev/zero is no regular file: expected one in MSCCL's format",
		"none.xml":  "none.xml cannot be read: no such file or directory",
		large:       large + " is larger than 64 MiB, which is more than is read",
	} {
		if _, _, err := exchange.ReadFile(path); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	a, text, err := exchange.ReadFile(small)
	if err != nil || a.Name != "pair" || string(text) != right {
		t.Errorf("%v: %v", small, err)
	}
}
