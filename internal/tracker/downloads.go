package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/fairshare"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// File is an attachment with its bytes.
type File struct {
	api.Attachment
	Bytes blob.Reader
}

// ReadAttachment opens an attachment of a slice the caller sees. The caller of ReadAttachment closes it.
func (t *Tracker) ReadAttachment(ctx context.Context, c access.Caller, v input.Valid[api.GetAttachment]) (File, error) {
	in, err := v.Value(c.Allow(api.OpGetAttachment))
	if err != nil {
		return File{}, err
	}
	a, _, err := c.Attachment(t.access.Read(ctx), in.AttachmentID)
	if err != nil {
		return File{}, err
	}
	if a.Packed {
		r, _, err := t.openEvidence(ctx, a)
		f := t.guardedFile(ctx, c, api.OpGetAttachment, a, r)
		acquire := func() (*fairshare.Slot, error) { return t.slots.Acquire(ctx, c.Organization.ID) }
		f.Bytes = &slotReader{Reader: f.Bytes, acquire: acquire}
		return f, err
	}
	r, err := t.openBlob(ctx, a, a.Blob)
	return t.guardedFile(ctx, c, api.OpGetAttachment, a, r), err
}

// guardedFile returns a file whose reader fails when the caller may not read the attachment any more.
func (t *Tracker) guardedFile(ctx context.Context, c access.Caller, operation string, a store.Attachment, r blob.Reader,
) File {
	return File{t.showAttachment(a), &guardedReader{r,
		t.access.NewGuard(ctx, c, operation, func(q access.Queries, c access.Caller) error {
			_, _, err := c.Attachment(q, a.ID)
			return err
		})}}
}

// guardedReader reads a file under a guard.
type guardedReader struct {
	blob.Reader
	guard *access.Guard
}

func (g *guardedReader) Read(b []byte) (int, error) {
	if err := g.guard.Allow(); err != nil {
		return 0, err
	}
	return g.Reader.Read(b)
}

// slotReader holds a slot during each Read, because the file is decompressed.
type slotReader struct {
	blob.Reader
	acquire func() (*fairshare.Slot, error)
}

func (r *slotReader) Read(b []byte) (int, error) {
	slot, err := r.acquire()
	if err != nil {
		return 0, err
	}
	defer slot.Release()
	return r.Reader.Read(b)
}

// ReadThumbnail opens the thumbnail of an attachment of a slice the caller sees.
func (t *Tracker) ReadThumbnail(ctx context.Context, c access.Caller, v input.Valid[api.GetThumbnail]) (File, error) {
	in, err := v.Value(c.Allow(api.OpGetThumbnail))
	if err != nil {
		return File{}, err
	}
	a, _, err := c.Attachment(t.access.Read(ctx), in.AttachmentID)
	if err == nil && a.ThumbnailBlob == nil {
		err = api.NotFound("thumbnail")
	}
	if err != nil {
		return File{}, err
	}
	r, err := t.openBlob(ctx, a, *a.ThumbnailBlob)
	return t.guardedFile(ctx, c, api.OpGetThumbnail, a, r), err
}

// openEvidence opens packed evidence as a file of lines, with its index. The index is nil when it is damaged, or when
// an earlier version stored the evidence without one.
func (t *Tracker) openEvidence(ctx context.Context, a store.Attachment) (*evidence.Reader, *evidence.Index, error) {
	r, err := t.openBlob(ctx, a, a.Blob)
	if err != nil {
		return nil, nil, err
	}
	key := "index " + a.Blob
	if index, ok := t.derived.get(key); ok {
		return evidence.NewReader(r, a.Size, index.(*evidence.Index)), index.(*evidence.Index), nil
	}
	index, err := evidence.ReadIndex(r, a.Size)
	if errors.Is(err, evidence.ErrIndex) {
		t.log.Warn("evidence is read without its index", "attachment", a.ID, "error", err)
		err = nil
	}
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	t.derived.put(&cacheEntry{key: key, value: index, bytes: index.Weight()})
	return evidence.NewReader(r, a.Size, index), index, nil
}
