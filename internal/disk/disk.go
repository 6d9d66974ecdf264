// Package disk knows how much room is left on the disks where a node keeps its data.
package disk

import (
	"fmt"
	"sync"
	"syscall"
	"time"
)

// Watch looks at directories at most once a second. A nil Watch finds room everywhere. It is safe for
// concurrent use.
type Watch struct {
	floor uint64
	dirs  []string
	stat  func(dir string) (free uint64, err error)

	mu   sync.Mutex
	at   time.Time
	free uint64
	err  error
}

const every = time.Second

// New returns a Watch of directories, on the disks of which so many bytes are to stay free.
func New(floor int64, dirs ...string) *Watch {
	return &Watch{floor: uint64(max(floor, 0)), dirs: dirs, stat: free}
}

// Fake returns a Watch for tests, of a disk that has as much room as a function says.
func Fake(floor int64, free func() uint64) *Watch {
	w := New(floor, "fake")
	w.stat = func(string) (uint64, error) { return free(), nil }
	return w
}

// free is what a process without privileges can still write.
func free(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("the free disk of %s cannot be read: %w", dir, err)
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:gosec // a block has a positive size
}

// Free returns how many bytes are free where there are the fewest.
func (w *Watch) Free() (uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.at.IsZero() && time.Since(w.at) < every {
		return w.free, w.err
	}
	w.at, w.err = time.Now(), nil
	for i, dir := range w.dirs {
		n, err := w.stat(dir)
		if err != nil {
			w.err = err
			break
		}
		if i == 0 || n < w.free {
			w.free = n
		}
	}
	return w.free, w.err
}

// Floor is how many bytes are to stay free.
func (w *Watch) Floor() uint64 { return w.floor }

// Low says whether fewer bytes are free than are to stay so. A disk that cannot be asked is not low.
func (w *Watch) Low() bool {
	if w == nil || w.floor == 0 {
		return false
	}
	n, err := w.Free()
	return err == nil && n < w.floor
}
