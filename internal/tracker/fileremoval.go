package tracker

import (
	"context"
	"io"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// Files are deleted in two steps. A transaction records the key of a blob as unreferenced: before the blob is written,
// or when the record of its attachment is deleted. RemoveFiles deletes the blob when it is due.

const (
	unreferencedRetention = 2 * time.Hour          // of a blob that no record refers to
	removalRetry          = 10 * time.Minute       // after a blob could not be deleted
	removalPause          = 100 * time.Millisecond // in which several deletions wake one run
	brokenUploadRetention = 24 * time.Hour         // of the parts of an upload that did not end
	sweepInterval         = time.Hour              // between two deletions of such parts
	maxReleasedKeys       = 10_000
)

// reserveBlobs records keys as unreferenced before their blobs are written.
func (t *Tracker) reserveBlobs(ctx context.Context, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return tx.ReserveBlobs(keys, api.At(t.now().Add(unreferencedRetention)))
	})
}

// reservedReader reads an upload and extends the reservation of its keys while it is slow.
type reservedReader struct {
	io.Reader
	ctx           context.Context
	t             *Tracker
	keys          []string
	reservedUntil time.Time
}

// extendWhileReading returns a reader of r that extends the reservation of keys, which has just begun.
func (t *Tracker) extendWhileReading(ctx context.Context, r io.Reader, keys ...string) io.Reader {
	return &reservedReader{Reader: r, ctx: ctx, t: t, keys: keys, reservedUntil: t.now().Add(unreferencedRetention)}
}

func (r *reservedReader) Read(b []byte) (int, error) {
	if now := r.t.now(); r.reservedUntil.Sub(now) < unreferencedRetention/2 {
		until := now.Add(unreferencedRetention)
		err := access.SystemChange(r.ctx, r.t.authority, func(tx *access.Tx) error {
			return tx.ExtendBlobReservations(r.keys, api.At(until))
		})
		if err != nil {
			return 0, err
		}
		r.reservedUntil = until
	}
	return r.Reader.Read(b)
}

// releaseBlobs ends the reservation of keys without a blob, at the next run of RemoveFiles. Keys beyond
// maxReleasedKeys stay reserved until they are due.
func (t *Tracker) releaseBlobs(keys ...string) {
	t.removal.Lock()
	defer t.removal.Unlock()
	if len(t.removal.releasedKeys)+len(keys) <= maxReleasedKeys {
		t.removal.releasedKeys = append(t.removal.releasedKeys, keys...)
	}
}

// flushReleased ends the reservations of the released keys in the database.
func (t *Tracker) flushReleased(ctx context.Context) error {
	t.removal.Lock()
	keys := t.removal.releasedKeys
	t.removal.releasedKeys = nil
	t.removal.Unlock()
	for batch := range slices.Chunk(keys, jobBatch) {
		if err := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return tx.EndBlobDeletion(batch)
		}); err != nil {
			return err
		}
	}
	return nil
}

// wakeRemoval makes this node run RemoveFiles now.
func (t *Tracker) wakeRemoval() {
	select {
	case t.removal.wake <- struct{}{}:
	default:
	}
}

// runRemoval runs RemoveFiles every fenceInterval, and when it is woken, until ctx ends.
func (t *Tracker) runRemoval(ctx context.Context) {
	if t.blobs == nil {
		return
	}
	tick := time.NewTicker(fenceInterval)
	defer tick.Stop()
	for {
		_, err := t.RemoveFiles(ctx)
		if ctx.Err() != nil {
			return
		}
		t.warn("remove files", err)
		select {
		case <-t.removal.wake:
			select {
			case <-time.After(removalPause):
			case <-ctx.Done():
				return
			}
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// RemoveFiles renews the fencing token and deletes the blobs that are recorded as unreferenced and due, on one node at
// a time. It deletes nothing while the database may be a copy, or while a backup is in progress.
func (t *Tracker) RemoveFiles(ctx context.Context) (removed int, err error) {
	if err := t.flushReleased(ctx); err != nil {
		return 0, err
	}
	if allowed, err := t.removalAllowed(ctx); err != nil || !allowed {
		return 0, err
	}
	if agrees, err := t.clockAgrees(ctx); err != nil || !agrees {
		return 0, err
	}
	err = t.runJob(ctx, job{name: "remove files", deletes: true, runsAtOnce: true,
		work: func(t *Tracker, ctx context.Context) error {
			err := t.repeatBatch(ctx, func() (int, error) {
				if err := t.renewFence(ctx); err != nil {
					return 0, err
				}
				n, err := t.removeBatch(ctx)
				if err == nil {
					removed += n
				}
				return n, err
			})
			if err != nil {
				return err
			}
			return t.sweepBrokenUploads(ctx)
		}})
	return removed, err
}

// removeBatch leases a batch of due blobs and deletes them. It returns how many it has leased.
func (t *Tracker) removeBatch(ctx context.Context) (int, error) {
	keys, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) ([]string, error) {
		if backup, err := tx.JobLeased(store.BackupJob, t.clock()); err != nil || backup {
			return nil, err
		}
		return tx.BeginBlobDeletion(t.clock(), jobBatch)
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	var deleted, failed []string
	var lastErr error
	for _, key := range keys {
		if err := t.blobs.Delete(ctx, key); err != nil {
			failed, lastErr = append(failed, key), err
			continue
		}
		deleted = append(deleted, key)
	}
	t.warn("delete a file", lastErr)
	return len(keys), access.SystemChange(ctx, t.authority, func(tx *access.Tx) (err error) {
		if len(deleted) > 0 {
			err = tx.EndBlobDeletion(deleted)
		}
		if len(failed) > 0 && err == nil {
			err = tx.PostponeBlobDeletion(failed, api.At(t.now().Add(removalRetry)))
		}
		return err
	})
}

// sweepBrokenUploads deletes the parts of uploads that did not end. They are no blobs yet.
func (t *Tracker) sweepBrokenUploads(ctx context.Context) error {
	now := t.now()
	if now.Sub(t.removal.sweptAt) < sweepInterval {
		return nil
	}
	t.removal.sweptAt = now
	_, err := t.blobs.Sweep(ctx, now.Add(-brokenUploadRetention))
	return err
}
