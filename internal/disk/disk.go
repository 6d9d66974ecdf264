// Package disk measures the free space of the disks on which a node stores its data.
package disk

import (
	"fmt"
	"sync"
	"syscall"
	"time"
)

// Watch watches the free space of disks. It measures at most once a second. The free space of a nil Watch is never low.
// It is safe for concurrent use.
type Watch struct {
	floor   uint64
	measure func() (uint64, error)

	mu         sync.Mutex
	measuredAt time.Time
	free       uint64
	err        error
}

const interval = time.Second

// New returns a Watch of the disks of directories. Each disk should have floor free bytes.
func New(floor int64, dirs ...string) *Watch {
	return NewFunc(floor, func() (uint64, error) { return least(dirs, free) })
}

// NewFunc returns a Watch that measures the free space by a function.
func NewFunc(floor int64, measure func() (uint64, error)) *Watch {
	return &Watch{floor: uint64(max(floor, 0)), measure: measure}
}

// least returns the free bytes of the directory that has the fewest.
func least(dirs []string, free func(dir string) (uint64, error)) (least uint64, err error) {
	for i, dir := range dirs {
		n, err := free(dir)
		if err != nil {
			return 0, err
		}
		if i == 0 || n < least {
			least = n
		}
	}
	return least, nil
}

// free returns how many bytes a process without privileges can write.
func free(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("the free disk space of %s cannot be read: %w", dir, err)
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:gosec // a block has a positive size
}

// Free returns the free bytes of the fullest disk.
func (w *Watch) Free() (uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.measuredAt.IsZero() || time.Since(w.measuredAt) >= interval {
		w.measuredAt = time.Now()
		w.free, w.err = w.measure()
	}
	return w.free, w.err
}

// Floor returns how many bytes are to stay free.
func (w *Watch) Floor() uint64 { return w.floor }

// Low reports whether a disk has fewer than floor free bytes. It is false for a disk that cannot be measured.
func (w *Watch) Low() bool {
	if w == nil || w.floor == 0 {
		return false
	}
	n, err := w.Free()
	return err == nil && n < w.floor
}
