package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// ListAttachments lists the attachments of a slice the caller sees, oldest first.
func (t *Tracker) ListAttachments(ctx context.Context, c Caller, v input.Valid[api.ListAttachments]) (api.Page[api.Attachment], error) {
	var none api.Page[api.Attachment]
	in, err := v.Value(c.Allow(api.OpListAttachments))
	if err != nil {
		return none, err
	}
	filters := in
	filters.Paging = api.Paging{}
	bind := cursorScope(api.OpListAttachments, c, filters)
	at, err := t.decodeCursor(in.Paging, bind, 1)
	if err != nil {
		return none, err
	}
	q := t.store.Read(ctx)
	if _, err := t.slice(q, c, in.SliceID); err != nil {
		return none, err
	}
	rows, err := q.Attachments(in.SliceID, in.Kind, at[0], in.Limit+1)
	if err != nil {
		return none, err
	}
	return newPage(t, convert(rows, t.showAttachment), in.Limit, bind, func(a api.Attachment) []string { return []string{a.ID} }), nil
}

// showAttachment gives a stored attachment its addresses.
func (t *Tracker) showAttachment(a store.Attachment) api.Attachment {
	a.URL = t.attachmentURL(a.ID)
	if a.ThumbnailBlob != nil {
		small := a.URL + "/thumbnail"
		a.Thumbnail = &small
	}
	return a.Attachment
}

func (t *Tracker) attachmentURL(attachmentID string) string {
	return t.baseURL + "/v1/attachments/" + attachmentID
}

// attachment returns an attachment of a slice the caller sees, and the slice.
func (t *Tracker) attachment(q store.Queries, c Caller, attachmentID string) (store.Attachment, store.Slice, error) {
	a, err := q.Attachment(attachmentID)
	if err != nil {
		return a, store.Slice{}, orNotFound(err, "attachment")
	}
	s, err := t.slice(q, c, a.SliceID)
	return a, s, maskNotFound(err, "attachment")
}

// lockAttachment is attachment with row locks on both.
func (t *Tracker) lockAttachment(tx *store.Tx, c Caller, attachmentID string) (store.Attachment, store.Slice, error) {
	a, err := tx.LockAttachment(attachmentID)
	if err != nil {
		return a, store.Slice{}, orNotFound(err, "attachment")
	}
	s, err := t.lockSlice(tx, c, a.SliceID)
	return a, s, maskNotFound(err, "attachment")
}

// CreateAttachment streams a file to the blob store, and adds it to a slice the caller sees.
func (t *Tracker) CreateAttachment(ctx context.Context, c Caller, v input.Valid[api.CreateAttachment], up Upload) (api.Attachment, error) {
	var none api.Attachment
	in, err := v.Value(c.Allow(api.OpCreateAttachment))
	if err != nil {
		return none, err
	}
	if up.Form != nil { // the parts before the file
		in.Kind, in.Name = up.Form.Kind, up.Form.Name
	}
	if up.Memory == nil {
		up.Memory = t.Reserve(c, func() {})
	}
	q := t.store.Read(ctx)
	s, err := t.slice(q, c, in.SliceID)
	if err != nil {
		return none, err
	}
	if err := t.checkRoom(q, c, s.WorkspaceID); err != nil {
		return none, err
	}
	rules, err := t.redactorFor(ctx, c, q, s.WorkspaceID)
	if err != nil {
		return none, err
	}
	a, sum, counts, err := t.storeUpload(ctx, c, &in, up, rules)
	if err != nil {
		return none, err
	}
	used := false
	defer func() {
		if !used {
			t.deleteFiles(ctx, a)
		}
	}()
	request := struct {
		api.CreateAttachment
		Name, SHA256 string
	}{in, a.Name, sum}
	out, err := write(t, ctx, c, api.OpCreateAttachment, func(tx *store.Tx, c Caller) (api.Attachment, error) {
		used = false
		s, err := t.lockSlice(tx, c, in.SliceID)
		if err != nil {
			return none, err
		}
		return idempotent(t, tx, c, api.OpCreateAttachment, in.IdempotencyKey, request, func() (api.Attachment, error) {
			a.ID, a.SliceID, a.WorkspaceID = id.New(id.Attachment), s.ID, s.WorkspaceID
			a.CreatedAt = api.At(id.Time(a.ID))
			if err := t.attach(tx, c, s, a, rules.summary(s.Redaction, counts), len(counts) > 0); err != nil {
				return none, err
			}
			used = true
			return t.showAttachment(a), nil
		})
	})
	used = used && !isRefusal(err)
	return out, err
}

func (t *Tracker) attach(tx *store.Tx, c Caller, s store.Slice, a store.Attachment, told *api.Redaction, redacted bool) error {
	if redacted {
		s.Redaction, s.UpdatedAt = told, maxTime(t.clock(), s.UpdatedAt)
		if err := tx.UpdateSlice(&s); err != nil {
			return err
		}
	}
	if _, err := tx.Touch(s.ID, 1, 0, t.clock()); err != nil {
		return orNotFound(err, "slice")
	}
	if err := tx.InsertAttachment(a); err != nil {
		return err
	}
	tx.Charge(s.WorkspaceID, store.AttachmentBytes(a.Stored))
	return t.announce(tx, c, s.WorkspaceID, event{api.EventAttachmentCreated, s.ID, t.showAttachment(a), nil})
}

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

// UpdateAttachment changes the name or the kind of an attachment. What was read as evidence
// stays evidence, and nothing becomes it.
func (t *Tracker) UpdateAttachment(ctx context.Context, c Caller, v input.Valid[api.UpdateAttachment]) (api.Attachment, error) {
	in, err := v.Value(c.Allow(api.OpUpdateAttachment))
	if err != nil {
		return api.Attachment{}, err
	}
	_, s, err := t.attachment(t.store.Read(ctx), c, in.AttachmentID)
	if err != nil {
		return api.Attachment{}, err
	}
	r, err := t.redactorForSlice(ctx, c, s.ID)
	if err != nil {
		return api.Attachment{}, err
	}
	patch, err := redactPatch(r, in.Patch, nil)
	if err != nil {
		return api.Attachment{}, err
	}
	return write(t, ctx, c, api.OpUpdateAttachment, func(tx *store.Tx, c Caller) (api.Attachment, error) {
		a, s, err := t.lockAttachment(tx, c, in.AttachmentID)
		if err != nil {
			return api.Attachment{}, err
		}
		previous, err := apply(&a.AttachmentFields, patch)
		if err != nil || len(previous) == 0 {
			return t.showAttachment(a), err
		}
		if hasKey(previous, "kind") && (a.Entries != nil || isEvidence(a.Kind)) {
			return api.Attachment{}, api.InvalidMember("/kind", "not_evidence", "a file is read as evidence when it is added, and not later; add it again with this kind")
		}
		if why := kindMismatch(a.Kind, a.ContentType); why != "" && hasKey(previous, "kind") {
			return api.Attachment{}, api.InvalidMember("/kind", "not_allowed", why)
		}
		if err := tx.UpdateAttachment(a); err != nil {
			return api.Attachment{}, orNotFound(err, "attachment")
		}
		if _, err := tx.Touch(s.ID, 0, 0, t.clock()); err != nil {
			return api.Attachment{}, orNotFound(err, "attachment")
		}
		shown := t.showAttachment(a)
		return shown, t.announce(tx, c, s.WorkspaceID, event{api.EventAttachmentUpdated, s.ID, shown, previous})
	})
}

func isEvidence(k api.AttachmentKind) bool {
	return k == api.KindConsole || k == api.KindNetwork || k == api.KindActions || k == api.KindReplay
}

// DeleteAttachment removes an attachment. Its bytes are recorded as unreferenced with it, and removed
// behind the answer, at once; see RemoveFiles.
func (t *Tracker) DeleteAttachment(ctx context.Context, c Caller, v input.Valid[api.DeleteAttachment]) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpDeleteAttachment))
	if err != nil {
		return api.Nothing{}, err
	}
	err = change(t, ctx, c, api.OpDeleteAttachment, func(tx *store.Tx, c Caller) error {
		a, s, err := t.lockAttachment(tx, c, in.AttachmentID)
		if err != nil {
			return err
		}
		if err := tx.DeleteAttachment(a.ID, t.clock()); err != nil {
			return orNotFound(err, "attachment")
		}
		if _, err := tx.Touch(s.ID, -1, 0, t.clock()); err != nil {
			return orNotFound(err, "attachment")
		}
		tx.Charge(s.WorkspaceID, -store.AttachmentBytes(a.Stored))
		return t.announce(tx, c, s.WorkspaceID, event{api.EventAttachmentDeleted, s.ID, t.showAttachment(a), nil})
	})
	if err == nil {
		t.wakeRemoval()
	}
	return api.Nothing{}, err
}
