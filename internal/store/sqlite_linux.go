package store

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileIdentity tells a file from a copy of it: its inode, and when that was made.
func fileIdentity(path string) (string, error) {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Sprintf("%d/%d.%09d", s.Ino, s.Btime.Sec, s.Btime.Nsec), nil
}
