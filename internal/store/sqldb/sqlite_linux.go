package sqldb

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileIdentity identifies a file among its copies: its inode, and the time of creation of the inode.
func fileIdentity(path string) (string, error) {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Sprintf("%d/%d.%09d", s.Ino, s.Btime.Sec, s.Btime.Nsec), nil
}
