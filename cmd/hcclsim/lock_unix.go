//go:build unix

package main

import (
	"os"
	"syscall"
)

// lock takes a file for this process alone; it fails at once if another has it.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
