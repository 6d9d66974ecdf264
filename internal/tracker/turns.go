package tracker

import (
	"context"

	"bugslice/internal/evidence"
)

// Bodies of atOnce bytes together are read and redacted at the same time: that takes many times
// their size in memory. One of fewer than uncounted is not.
const (
	atOnce    = evidence.MaxBytes
	uncounted = 64 << 10
)

// Turn waits until a body of a size may be read, redacted and kept, and returns what ends that.
func (t *Tracker) Turn(ctx context.Context, size int) (done func(), err error) {
	if size < uncounted {
		return func() {}, nil
	}
	n := int64(min(size, atOnce))
	if err := t.turns.Acquire(ctx, n); err != nil {
		return func() {}, err
	}
	return func() { t.turns.Release(n) }, nil
}
