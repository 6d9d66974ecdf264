package tracker

import (
	"context"
	"io"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

const (
	unreferencedRetention = 2 * time.Hour    // how long bytes stay that no record names
	removalRetry          = 10 * time.Minute // after bytes could not be removed
	removalPause          = 100 * time.Millisecond
	brokenUploadRetention = 24 * time.Hour // how long the parts of an upload stay that never ended
	sweepInterval         = time.Hour
	maxReleasedKeys       = 10_000
)

// reserveBlobs records keys as unreferenced before their bytes are written.
func (t *Tracker) reserveBlobs(ctx context.Context, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	return systemChange(t, ctx, func(tx *store.Tx) error { return tx.ReserveBlobs(keys, api.At(t.now().Add(unreferencedRetention))) })
}

// reservedReader extends the reservation of keys while bytes are read that take long to come.
type reservedReader struct {
	io.Reader
	ctx           context.Context
	t             *Tracker
	keys          []string
	reservedUntil time.Time
}

// extendWhileReading is for reading what is written under keys that were reserved just now.
func (t *Tracker) extendWhileReading(ctx context.Context, r io.Reader, keys ...string) io.Reader {
	return &reservedReader{r, ctx, t, keys, t.now().Add(unreferencedRetention)}
}

func (r *reservedReader) Read(b []byte) (int, error) {
	if now := r.t.now(); r.reservedUntil.Sub(now) < unreferencedRetention/2 {
		until := now.Add(unreferencedRetention)
		if err := systemChange(r.t, r.ctx, func(tx *store.Tx) error { return tx.ExtendBlobReservations(r.keys, api.At(until)) }); err != nil {
			return 0, err
		}
		r.reservedUntil = until
	}
	return r.Reader.Read(b)
}

// releaseBlobs ends the reservation of keys whose bytes are gone, soon. What is not released is collected.
func (t *Tracker) releaseBlobs(keys ...string) {
	t.removal.Lock()
	defer t.removal.Unlock()
	if len(t.removal.releasedKeys)+len(keys) <= maxReleasedKeys {
		t.removal.releasedKeys = append(t.removal.releasedKeys, keys...)
	}
}

func (t *Tracker) flushReleased(ctx context.Context) error {
	t.removal.Lock()
	keys := t.removal.releasedKeys
	t.removal.releasedKeys = nil
	t.removal.Unlock()
	for len(keys) > 0 {
		n := min(len(keys), jobBatch)
		if err := systemChange(t, ctx, func(tx *store.Tx) error { return tx.EndBlobDeletion(keys[:n]) }); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// wakeRemoval has files removed that are due now.
func (t *Tracker) wakeRemoval() {
	select {
	case t.removal.wake <- struct{}{}:
	default:
	}
}

// runRemoval removes files when they are due, until ctx ends.
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
			select { // those who delete at the same time share one run
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

// RemoveFiles renews the fencing token and removes the bytes that this database has recorded as
// unreferenced and that are due, on one node at a time. It never looks for files by itself, and
// removes nothing where the database may be a copy, or while a backup is under way.
func (t *Tracker) RemoveFiles(ctx context.Context) (removed int, err error) {
	if err := t.flushReleased(ctx); err != nil {
		return 0, err
	}
	if may, err := t.removalAllowed(ctx); err != nil || !may {
		return 0, err
	}
	if agrees, err := t.clockAgrees(ctx); err != nil || !agrees {
		return 0, err
	}
	err = t.runJob(ctx, job{name: "remove files", deletes: true, runsAtOnce: true, work: func(t *Tracker, ctx context.Context) error {
		end := t.now().Add(jobLease / 2)
		for n := jobBatch; n == jobBatch && t.now().Before(end) && ctx.Err() == nil; {
			if err := t.renewFence(ctx); err != nil {
				return err
			}
			var err error
			if n, err = t.removeBatch(ctx); err != nil {
				return err
			}
			removed += n
		}
		return t.sweepBrokenUploads(ctx)
	}})
	return removed, err
}

// removeBatch removes some of what is due, and returns how many it claimed.
func (t *Tracker) removeBatch(ctx context.Context) (int, error) {
	keys, err := systemWrite(t, ctx, func(tx *store.Tx) ([]string, error) {
		if held, err := tx.JobLeased(store.BackupJob, t.clock()); err != nil || held {
			return nil, err
		}
		return tx.BeginBlobDeletion(t.clock(), jobBatch)
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	var gone, left []string
	var failed error
	for _, key := range keys {
		if err := t.blobs.Delete(ctx, key); err != nil {
			left, failed = append(left, key), err
			continue
		}
		gone = append(gone, key)
	}
	t.warn("remove a file", failed)
	return len(keys), systemChange(t, ctx, func(tx *store.Tx) (err error) {
		if len(gone) > 0 {
			err = tx.EndBlobDeletion(gone)
		}
		if len(left) > 0 && err == nil {
			err = tx.PostponeBlobDeletion(left, api.At(t.now().Add(removalRetry)))
		}
		return err
	})
}

// sweepBrokenUploads removes what uploads left behind that broke off long ago. They are no blobs yet.
func (t *Tracker) sweepBrokenUploads(ctx context.Context) error {
	now := t.now()
	if now.Sub(t.removal.sweptAt) < sweepInterval {
		return nil
	}
	t.removal.sweptAt = now
	_, err := t.blobs.Sweep(ctx, now.Add(-brokenUploadRetention))
	return err
}
