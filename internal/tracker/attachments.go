package tracker

import (
	"context"
	"errors"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// ListAttachments lists the attachments of a slice the caller sees, oldest first.
func (t *Tracker) ListAttachments(ctx context.Context, c access.Caller, v input.Valid[api.ListAttachments],
) (api.Page[api.Attachment], error) {
	in, err := v.Value(c.Allow(api.OpListAttachments))
	if err != nil {
		return api.Page[api.Attachment]{}, err
	}
	l := listing[api.Attachment]{operation: api.OpListAttachments, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(a api.Attachment) string { return a.ID },
		func(afterID string, limit int) ([]api.Attachment, error) {
			q := t.access.Read(ctx)
			s, err := c.Slice(q, in.SliceID)
			if err != nil {
				return nil, err
			}
			rows, err := q.Attachments(s.ID, store.AttachmentFilter{Kinds: in.Kind, Occurrence: int64(in.Occurrence)},
				afterID, limit)
			return convert(rows, t.showAttachment), err
		}))
}

// CreateAttachment stores a file and adds it to a slice the caller sees.
func (t *Tracker) CreateAttachment(ctx context.Context, c access.Caller, v input.Valid[api.CreateAttachment], up Upload,
) (api.Attachment, error) {
	in, err := v.Value(c.Allow(api.OpCreateAttachment))
	if err != nil {
		return api.Attachment{}, err
	}
	if up.Form != nil { // the parts of the form before the file
		in.Kind, in.Name, in.Occurrence = up.Form.Kind, up.Form.Name, up.Form.Occurrence
	}
	if up.Memory == nil {
		up.Memory = t.Reserve(c, func() {})
	}
	q := t.access.Read(ctx)
	s, err := c.Slice(q, in.SliceID)
	if err != nil {
		return api.Attachment{}, err
	}
	if err := access.CheckOccurrence(s, int64(in.Occurrence)); err != nil {
		return api.Attachment{}, err
	}
	if err := t.checkStorage(q, c, s.WorkspaceID); err != nil {
		return api.Attachment{}, err
	}
	r, err := t.redactorFor(ctx, c, q, s.WorkspaceID)
	if err != nil {
		return api.Attachment{}, err
	}
	if up.CopyOf != "" {
		texts, err := q.TextsWithFile(up.CopyOf)
		if err != nil {
			return api.Attachment{}, err
		}
		up.ForText = up.ForText || texts.Only
	}
	f, err := t.storeUpload(ctx, c, &in, up, r)
	if err != nil {
		return api.Attachment{}, err
	}
	return t.attachUpload(ctx, c, f)
}

// attachUpload adds a stored file to a slice in a transaction. It deletes the file unless its record is stored or may
// be stored.
func (t *Tracker) attachUpload(ctx context.Context, c access.Caller, f *upload) (api.Attachment, error) {
	hasRecord := false
	defer func() {
		if !hasRecord {
			t.deleteFiles(ctx, f.Attachment)
		}
	}()
	request := struct {
		api.CreateAttachment
		Name, SHA256 string
	}{*f.in, f.Name, f.sentSHA256}
	out, err := access.Write(ctx, t.access, c, api.OpCreateAttachment,
		func(tx *access.Tx, c access.Caller) (api.Attachment, error) {
			hasRecord = false // the transaction may run again
			replaced, texts, err := lockReplaced(tx, f.in.Replaces)
			if err != nil {
				return api.Attachment{}, err
			}
			s, err := c.LockSlice(tx, f.in.SliceID)
			if err != nil {
				return api.Attachment{}, err
			}
			return idempotent(t, tx, c, request, func() (api.Attachment, error) {
				if err := t.replace(tx, c, s, f, replaced); err != nil {
					return api.Attachment{}, err
				}
				f.OnlyInTexts = f.OnlyInTexts || texts.Only
				a, err := t.insertUpload(tx, c, s, f)
				if hasRecord, a.Repairs = err == nil, f.repairs; err != nil {
					return a, err
				}
				return a, t.renameInTexts(tx, c, texts, f.in.Replaces, a)
			})
		})
	if err == nil && f.in.Replaces != "" {
		t.wakeRemoval()
	}
	if access.IsRefusal(err) { // the transaction was rolled back; after any other error it may be committed
		hasRecord = false
	}
	return out, err
}

// lockReplaced returns the attachment of an id, and the texts that contain it, with row locks on it and on comments.
// It returns nil for an attachment that an earlier try of the same request has deleted.
func lockReplaced(tx *access.Tx, id string) (*store.Attachment, store.TextsWithFile, error) {
	var texts store.TextsWithFile
	if id == "" {
		return nil, texts, nil
	}
	a, err := tx.LockAttachment(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, texts, nil
	}
	if err == nil {
		texts, err = tx.TextsWithFile(id)
	}
	for _, comment := range texts.Comments { // before the slice, as other changes of a comment
		if _, locked := tx.LockComment(comment); !errors.Is(locked, store.ErrNotFound) {
			err = errors.Join(err, locked)
		}
	}
	return &a, texts, err
}

// replace deletes the screenshot that an uploaded one replaces. It refuses another file, and one of another slice.
func (t *Tracker) replace(tx *access.Tx, c access.Caller, s store.Slice, f *upload, replaced *store.Attachment) error {
	switch {
	case f.in.Replaces == "":
		return nil
	case replaced == nil || replaced.SliceID != s.ID:
		return api.InvalidParameter("replaces", "unknown", "is no attachment of this report")
	case replaced.Kind != api.KindScreenshot || f.Kind != api.KindScreenshot:
		return api.InvalidParameter("replaces", "not_allowed",
			"only a screenshot can be replaced, by another screenshot")
	}
	f.in.Occurrence = int(replaced.Occurrence)
	return t.removeAttachment(tx, c, s, *replaced)
}

// renameInTexts makes the texts that contained a replaced file contain the new one.
func (t *Tracker) renameInTexts(tx *access.Tx, c access.Caller, texts store.TextsWithFile,
	former string, a api.Attachment,
) error {
	if !texts.Description && len(texts.Comments) == 0 {
		return nil
	}
	s, err := c.LockSlice(tx, a.SliceID) // as the new file has changed it
	if err != nil {
		return err
	}
	if texts.Description && s.Description != nil {
		text := strings.ReplaceAll(*s.Description, former, a.ID)
		if err := t.updateSlice(tx, c, &s, api.SlicePatch{"description": text}, s.Redaction); err != nil {
			return err
		}
	}
	for _, id := range texts.Comments {
		comment, err := tx.LockComment(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		patch := api.CommentPatch{"body": strings.ReplaceAll(comment.Body, former, a.ID)}
		if _, err := t.patchComment(tx, c, s, comment, patch); err != nil {
			return err
		}
	}
	return nil
}

// insertUpload stores the record of an uploaded file of an occurrence, by default the newest one, and adds what was
// redacted in it to the summary of the slice.
func (t *Tracker) insertUpload(tx *access.Tx, c access.Caller, s store.Slice, f *upload) (api.Attachment, error) {
	if err := access.CheckOccurrence(s, int64(f.in.Occurrence)); err != nil {
		return api.Attachment{}, err
	}
	a := f.Attachment
	if a.Occurrence = int64(f.in.Occurrence); a.Occurrence == 0 {
		a.Occurrence = s.OccurrenceCount
	}
	a.ID, a.SliceID, a.WorkspaceID = t.newID(id.Attachment), s.ID, s.WorkspaceID
	a.CreatedAt = api.At(id.Time(a.ID))
	if a.Reviewed = f.in.Replaces != ""; a.Reviewed { // whoever marks a picture has looked at it
		t.review(c, &a)
	}
	if len(f.counts) > 0 {
		s.Removed = f.redactor.removedSums(s.ID, s.Removed)
		s.Redaction, s.UpdatedAt = f.redactor.summary(s.Redaction, f.counts), maxTime(t.clock(), s.UpdatedAt)
		if err := tx.UpdateSlice(&s); err != nil {
			return api.Attachment{}, err
		}
	}
	if err := t.attach(tx, c, s, a); err != nil {
		return api.Attachment{}, err
	}
	return t.showAttachment(a), nil
}

// attach stores the record of a file and publishes it.
func (t *Tracker) attach(tx *access.Tx, c access.Caller, s store.Slice, a store.Attachment) error {
	if _, err := tx.BumpVersion(s.ID, a.Counts(), t.clock()); err != nil {
		return access.OrNotFound(err, "slice")
	}
	if err := tx.InsertAttachment(a); err != nil {
		return err
	}
	tx.Charge(s.WorkspaceID, store.AttachmentBytes(a.Stored))
	return t.publish(tx, c, s.WorkspaceID, event{Type: api.EventAttachmentCreated, ID: s.ID,
		Subject: t.showAttachment(a)})
}

// UpdateAttachment changes the name or the kind of an attachment, and whether it was reviewed. It refuses to change the
// kind of evidence, to make another file evidence, and to review what has no picture.
func (t *Tracker) UpdateAttachment(ctx context.Context, c access.Caller, v input.Valid[api.UpdateAttachment],
) (api.Attachment, error) {
	in, err := v.Value(c.Allow(api.OpUpdateAttachment))
	if err != nil {
		return api.Attachment{}, err
	}
	_, s, err := c.Attachment(t.access.Read(ctx), in.AttachmentID)
	if err != nil {
		return api.Attachment{}, err
	}
	r, err := t.redactorForSlice(ctx, c, s.ID)
	if err != nil {
		return api.Attachment{}, err
	}
	patch, err := redactPatch[api.AttachmentFields](r, in.Patch, nil)
	if err != nil {
		return api.Attachment{}, err
	}
	if name, ok := patch["name"].(string); ok {
		patch["name"] = fileName(name)
	}
	return access.Write(ctx, t.access, c, api.OpUpdateAttachment,
		func(tx *access.Tx, c access.Caller) (api.Attachment, error) {
			a, s, err := c.LockAttachment(tx, in.AttachmentID)
			if err != nil {
				return api.Attachment{}, err
			}
			before := a.Counts()
			previous, err := applyPatch(&a.AttachmentFields, patch)
			if err != nil || len(previous) == 0 {
				return t.showAttachment(a), err
			}
			if err := checkFileChange(a, previous); err != nil {
				return api.Attachment{}, err
			}
			if hasKey(previous, "reviewed") {
				t.review(c, &a)
			}
			if err := tx.UpdateAttachment(a); err != nil {
				return api.Attachment{}, access.OrNotFound(err, "attachment")
			}
			if _, err := tx.BumpVersion(s.ID, a.Counts().Plus(-1, before), t.clock()); err != nil {
				return api.Attachment{}, access.OrNotFound(err, "attachment")
			}
			shown := t.showAttachment(a)
			return shown, t.publish(tx, c, s.WorkspaceID, event{Type: api.EventAttachmentUpdated, ID: s.ID,
				Subject: shown, Previous: previous})
		})
}

// checkFileChange refuses a changed kind of evidence or of a file of another type, and a review of what has no picture.
func checkFileChange(a store.Attachment, previous map[string]any) error {
	if hasKey(previous, "kind") {
		if a.Entries != nil || isEvidence(a.Kind) {
			return api.InvalidMember("/kind", "not_evidence",
				"only a new file is parsed as evidence; add the file again with this kind")
		}
		if mismatch := kindMismatch(a.Kind, a.ContentType); mismatch != "" {
			return api.InvalidMember("/kind", "not_allowed", mismatch)
		}
	}
	if hasKey(previous, "reviewed") && a.Kind != api.KindScreenshot && a.Kind != api.KindVideo {
		return api.InvalidMember("/reviewed", "not_allowed", "only a screenshot or a video is reviewed")
	}
	return nil
}

// review records that the caller has reviewed an attachment, or that nobody has.
func (t *Tracker) review(c access.Caller, a *store.Attachment) {
	a.ReviewedAt, a.ReviewedBy = nil, nil
	if a.Reviewed {
		now, by := t.clock(), reporter(c)
		a.ReviewedAt, a.ReviewedBy = &now, &by
	}
}

// removeAttachment deletes the record of a file and publishes it.
func (t *Tracker) removeAttachment(tx *access.Tx, c access.Caller, s store.Slice, a store.Attachment) error {
	if err := tx.DeleteAttachment(a.ID, t.clock()); err != nil {
		return access.OrNotFound(err, "attachment")
	}
	if _, err := tx.BumpVersion(s.ID, store.SliceCounts{}.Plus(-1, a.Counts()), t.clock()); err != nil {
		return access.OrNotFound(err, "attachment")
	}
	tx.Charge(s.WorkspaceID, -store.AttachmentBytes(a.Stored))
	return t.publish(tx, c, s.WorkspaceID, event{Type: api.EventAttachmentDeleted, ID: s.ID,
		Subject: t.showAttachment(a)})
}

// DeleteAttachment deletes the record of an attachment and records its blobs as unreferenced. RemoveFiles deletes them
// soon after the response.
func (t *Tracker) DeleteAttachment(ctx context.Context, c access.Caller, v input.Valid[api.DeleteAttachment],
) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpDeleteAttachment))
	if err != nil {
		return api.Nothing{}, err
	}
	err = access.Change(ctx, t.access, c, api.OpDeleteAttachment, func(tx *access.Tx, c access.Caller) error {
		a, s, err := c.LockAttachment(tx, in.AttachmentID)
		if err != nil {
			return err
		}
		return t.removeAttachment(tx, c, s, a)
	})
	if err == nil {
		t.wakeRemoval()
	}
	return api.Nothing{}, err
}
