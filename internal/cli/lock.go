package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const lockName = "serve.lock"

// lock makes this process the only server of a data directory that holds a database, until release closes the locked
// file. Its error names the process that has the lock. Nodes on one PostgreSQL need no lock, and may share a directory.
func (f *instanceFlags) lock() (release func(), err error) {
	if f.databaseURL != "" {
		return func() {}, nil
	}
	if err := f.createDirectory(); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(f.data, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, unusable(err)
	}
	if err := f.acquire(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// createDirectory creates the data directory, unless it exists.
func (f *instanceFlags) createDirectory() error {
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		return unusable(err)
	}
	return nil
}

// unusable returns the error of a data directory that this user cannot create or write.
func unusable(err error) error {
	return fmt.Errorf("cannot use the data directory: %w; name another one with --data", err)
}

// acquire locks the file and writes the id of this process to it.
func (f *instanceFlags) acquire(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		pid, _ := io.ReadAll(io.LimitReader(file, 20))
		return fmt.Errorf("process %s serves %s: stop it first, or name another directory with --data",
			strings.TrimSpace(string(pid)), f.data)
	}
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, os.Getpid())
	return err
}
