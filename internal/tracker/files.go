package tracker

import (
	"bytes"
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
)

// File is an attachment with its bytes.
type File struct {
	api.Attachment
	Bytes blob.Reader
}

// ReadAttachment opens the bytes of an attachment of a slice the caller sees. The caller closes it.
func (t *Tracker) ReadAttachment(ctx context.Context, c Caller, in api.GetAttachment) (File, error) {
	if err := c.Allow(api.OpGetAttachment); err != nil {
		return File{}, err
	}
	a, _, err := t.attachment(t.store.Read(ctx), c, in.AttachmentID)
	if err != nil {
		return File{}, err
	}
	r, err := t.open(ctx, a, a.Blob)
	if err == nil && a.Packed {
		r, err = unpacked(r)
	}
	return t.guardedFile(ctx, c, api.OpGetAttachment, a, r), err
}

// guardedFile is a file whose reading ends when the caller may not read it any more.
func (t *Tracker) guardedFile(ctx context.Context, c Caller, operation string, a store.Attachment, r blob.Reader) File {
	return File{t.showAttachment(a), &guardedReader{r, t.guarded(ctx, c, operation, func(tx *store.Tx, c Caller) error {
		_, _, err := t.attachment(tx, c, a.ID)
		return err
	})}}
}

// guardedReader reads a file under a guard.
type guardedReader struct {
	blob.Reader
	guard *guard
}

func (g *guardedReader) Read(b []byte) (int, error) {
	if err := g.guard.allow(); err != nil {
		return 0, err
	}
	return g.Reader.Read(b)
}

// open opens the bytes of an attachment, or of its small picture. It tells those of one that was
// deleted meanwhile from those that are missing.
func (t *Tracker) open(ctx context.Context, a store.Attachment, key string) (blob.Reader, error) {
	r, err := t.blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		if _, gone := t.store.Read(ctx).Attachment(a.ID); gone != nil {
			return nil, orNotFound(gone, "attachment")
		}
	}
	return r, storageFault(err)
}

// ReadThumbnail opens the small picture of an attachment.
func (t *Tracker) ReadThumbnail(ctx context.Context, c Caller, in api.GetThumbnail) (File, error) {
	if err := c.Allow(api.OpGetThumbnail); err != nil {
		return File{}, err
	}
	a, _, err := t.attachment(t.store.Read(ctx), c, in.AttachmentID)
	if err == nil && a.ThumbnailBlob == nil {
		err = api.NotFound("thumbnail")
	}
	if err != nil {
		return File{}, err
	}
	r, err := t.open(ctx, a, *a.ThumbnailBlob)
	return t.guardedFile(ctx, c, api.OpGetThumbnail, a, r), err
}

// memory is a blob that was unpacked.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func unpacked(packed blob.Reader) (blob.Reader, error) {
	defer packed.Close()
	var b bytes.Buffer
	err := evidence.Each(packed, func(line []byte) (bool, error) {
		b.Write(line)
		b.WriteByte('\n')
		return true, nil
	})
	return memory{bytes.NewReader(b.Bytes())}, err
}
