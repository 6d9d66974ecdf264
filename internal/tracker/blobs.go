package tracker

import (
	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/store"
	"context"
	"errors"
)

// deleteFiles removes the bytes of a file that no record names.
func (t *Tracker) deleteFiles(ctx context.Context, a store.Attachment) {
	t.deleteBlob(ctx, a.Blob)
	if a.ThumbnailBlob != nil {
		t.deleteBlob(ctx, *a.ThumbnailBlob)
	}
}

// deleteBlob removes the bytes that were written under a key that this process reserved and that no record
// has come to name. What cannot be removed now is removed when the reservation ends.
func (t *Tracker) deleteBlob(ctx context.Context, key string) {
	if err := t.blobs.Delete(context.WithoutCancel(ctx), key); err != nil {
		t.warn("remove a file", err)
		return
	}
	t.releaseBlobs(key)
}

func isEvidence(k api.AttachmentKind) bool {
	return k == api.KindConsole || k == api.KindNetwork || k == api.KindActions || k == api.KindReplay
}

// openBlob opens the bytes of an attachment, or of its small picture. It tells those of one that was
// deleted meanwhile from those that are missing.
func (t *Tracker) openBlob(ctx context.Context, a store.Attachment, key string) (blob.Reader, error) {
	r, err := t.blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		if _, gone := t.store.Read(ctx).Attachment(a.ID); gone != nil {
			return nil, orNotFound(gone, "attachment")
		}
	}
	return r, storageError(err)
}
