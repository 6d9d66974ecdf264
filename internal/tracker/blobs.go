package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// deleteFiles deletes the blobs of an attachment whose record was not stored.
func (t *Tracker) deleteFiles(ctx context.Context, a store.Attachment) {
	t.deleteBlob(ctx, a.Blob)
	if a.ThumbnailBlob != nil {
		t.deleteBlob(ctx, *a.ThumbnailBlob)
	}
}

// deleteBlob deletes a blob that this process has reserved and that no record refers to, and releases its key. When it
// cannot be deleted now, RemoveFiles deletes it after the reservation.
func (t *Tracker) deleteBlob(ctx context.Context, key string) {
	if err := t.blobs.Delete(context.WithoutCancel(ctx), key); err != nil {
		t.warn("delete a file", err)
		return
	}
	t.releaseBlobs(key)
}

// isEvidence reports whether files of a kind are parsed as evidence.
func isEvidence(k api.AttachmentKind) bool {
	return k == api.KindConsole || k == api.KindNetwork || k == api.KindActions || k == api.KindReplay
}

// openBlob opens the blob of an attachment or of its thumbnail. It returns not_found when the attachment was deleted
// meanwhile, and another error when the blob is missing.
func (t *Tracker) openBlob(ctx context.Context, a store.Attachment, key string) (blob.Reader, error) {
	r, err := t.blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		if _, err := t.access.Read(ctx).Attachment(a.ID); err != nil {
			return nil, access.OrNotFound(err, "attachment")
		}
	}
	return r, err
}

// isLost reports whether the file of an attachment is not where it was stored, and logs that.
func (t *Tracker) isLost(err error, a store.Attachment) bool {
	lost := errors.Is(err, blob.ErrNotFound)
	if lost {
		t.log.Error("a stored file is lost", "attachment", a.ID, "error", err)
	}
	return lost
}

// blobCheckInterval is the time between two checks of the storage of files, each of which may take as long.
const blobCheckInterval = 10 * time.Second

// checkBlobs checks the storage of files until ctx ends, so that this node notices when it cannot be reached, and
// when it can again.
func (t *Tracker) checkBlobs(ctx context.Context) {
	if t.blobs == nil {
		return
	}
	tick := time.NewTicker(blobCheckInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		before := t.blobs.Unavailable()
		limited, cancel := context.WithTimeout(ctx, blobCheckInterval)
		err := t.blobs.Check(limited)
		cancel()
		switch {
		case err != nil && before == nil && ctx.Err() == nil:
			t.log.Error("the storage of files cannot be reached or written", "error", err)
		case err == nil && before != nil:
			t.log.Info("the storage of files can be reached again")
		}
	}
}
