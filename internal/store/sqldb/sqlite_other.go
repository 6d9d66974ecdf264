//go:build !linux

package sqldb

import (
	"fmt"
	"os"
	"syscall"
)

// fileIdentity identifies a file among its copies in a directory: its inode.
func fileIdentity(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("the inode of %s is not known", path)
	}
	return fmt.Sprint(s.Ino), nil
}
