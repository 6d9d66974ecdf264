package tracker

import (
	"bytes"
	"context"
	"errors"
	"time"

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
		r, err = t.unpacked(ctx, c, r)
	}
	return File{t.showAttachment(a), r}, err
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
	return File{t.showAttachment(a), r}, err
}

// memory is a blob that was unpacked.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func (t *Tracker) unpacked(ctx context.Context, c Caller, packed blob.Reader) (blob.Reader, error) {
	defer packed.Close()
	slot, err := t.Compute(ctx, c)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	var b bytes.Buffer
	err = evidence.Each(packed, func(line []byte) (bool, error) {
		b.Write(line)
		b.WriteByte('\n')
		return true, nil
	})
	return memory{bytes.NewReader(b.Bytes())}, err
}

// OrphanAge is how old a blob must be before it is taken for an orphan: longer than an upload takes.
const OrphanAge = 2 * time.Hour

// Collect removes blobs that no record names and that are older than an age, and what broken
// uploads left behind. It returns how many it removed.
func (t *Tracker) Collect(ctx context.Context, age time.Duration) (removed int, err error) {
	if t.blobs == nil {
		return 0, nil
	}
	before := t.now().Add(-age)
	if removed, err = t.blobs.Sweep(ctx, before); err != nil {
		return removed, err
	}
	var old []string
	flush := func() error {
		if len(old) == 0 {
			return nil
		}
		known, err := t.store.Read(ctx).KnownBlobs(old)
		if err != nil {
			return err
		}
		for _, key := range old {
			if known[key] {
				continue
			}
			if err := t.blobs.Delete(ctx, key); err != nil {
				return err
			}
			removed++
		}
		old = old[:0]
		return nil
	}
	err = t.blobs.List(ctx, func(e blob.Entry) error {
		if !e.Modified.After(before) {
			old = append(old, e.Key)
		}
		if len(old) < jobBatch {
			return nil
		}
		return flush()
	})
	return removed, errors.Join(err, flush())
}
