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

// lock makes this process the only server of a data directory that holds a database, until it ends. It
// is refused with the process id of another one. Nodes on one PostgreSQL may share a directory.
func (p *place) lock() (release func(), err error) {
	if p.databaseURL != "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(p.data, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the data directory: %w", err)
	}
	name := filepath.Join(p.data, lockName)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		pid, _ := io.ReadAll(io.LimitReader(f, 20))
		err = fmt.Errorf("process %s serves %s: end it first, or name another directory with --data", strings.TrimSpace(string(pid)), p.data)
	} else if err == nil {
		if err = f.Truncate(0); err == nil {
			_, err = fmt.Fprintln(f, os.Getpid())
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
