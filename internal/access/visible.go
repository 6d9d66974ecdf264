package access

import (
	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/store/sources"
)

// Slice returns a live slice the caller sees.
func (c Caller) Slice(q Queries, sliceID string) (store.Slice, error) {
	return Undeleted(c.VisibleSlice(q, q.Slice, sliceID))
}

// Undeleted refuses a deleted slice like one that does not exist.
func Undeleted(s store.Slice, err error) (store.Slice, error) {
	if err == nil && s.DeletedAt != nil {
		err = api.NotFound("slice")
	}
	return s, err
}

// VisibleSlice reads a slice of a workspace the caller sees, by its id or by a reference with a present or former key
// of the workspace. A reference of an invisible slice costs the same query as one of no slice.
func (c Caller) VisibleSlice(q Queries, read func(id string) (store.Slice, error), sliceID string,
) (s store.Slice, err error) {
	if sliceID, err = c.SliceID(q, sliceID); err == nil {
		s, err = read(sliceID)
	}
	if err == nil {
		err = c.Credential.reads(q, c, s)
	}
	if err != nil {
		return store.Slice{}, MaskNotFound(err, "slice")
	}
	return s, nil
}

// SliceID returns the id of a slice that is named by its id or by a reference. A reference of an invisible slice is
// store.ErrNotFound, like one of no slice.
func (c Caller) SliceID(q Queries, name string) (string, error) {
	key, number, ok := api.ParseReference(name)
	if !ok {
		return name, nil
	}
	return q.SliceID(c.Organization.ID, c.ReferenceReader(), key, number)
}

// SliceIDs returns the ids of the slices that are named by references, by these names. Names that are no references,
// and references of invisible slices, are left out.
func (c Caller) SliceIDs(q Queries, names []string) (map[string]string, error) {
	var references []store.Reference
	named := map[string]store.Reference{}
	for _, name := range names {
		if key, number, ok := api.ParseReference(name); ok {
			named[name] = store.Reference{Key: key, Number: number}
			references = append(references, named[name])
		}
	}
	found, err := q.SliceIDs(c.Organization.ID, c.ReferenceReader(), references)
	ids := map[string]string{}
	for name, r := range named {
		if id, ok := found[r]; ok {
			ids[name] = id
		}
	}
	return ids, err
}

// ReferenceReader returns the principal whose references are resolved: a user, or the workspace of a service.
func (c Caller) ReferenceReader() string {
	if c.Type == ServiceCaller {
		return c.WorkspaceID
	}
	return c.ID
}

// administeredWebhook reads a webhook, and returns it if the caller administers its workspace.
func (c Caller) administeredWebhook(q Queries, read func(id string) (store.Webhook, error), webhookID string,
) (store.Webhook, error) {
	w, err := read(webhookID)
	if err == nil {
		err = c.RequireAdmin(q, w.WorkspaceID)
	}
	return w, MaskNotFound(err, "webhook")
}

// LockSlice returns a live slice the caller sees, with a row lock.
func (c Caller) LockSlice(tx *Tx, sliceID string) (store.Slice, error) {
	return Undeleted(c.LockAnySlice(tx, sliceID))
}

// LockAnySlice returns a slice of a workspace the caller sees, deleted or not, with a row lock.
func (c Caller) LockAnySlice(tx *Tx, sliceID string) (store.Slice, error) {
	return c.VisibleSlice(tx.Queries, tx.LockSlice, sliceID)
}

// LockAttachment returns an attachment and its slice, which the caller sees, with row locks on both.
func (c Caller) LockAttachment(tx *Tx, attachmentID string) (store.Attachment, store.Slice, error) {
	a, err := tx.LockAttachment(attachmentID)
	if err != nil {
		return a, store.Slice{}, OrNotFound(err, "attachment")
	}
	s, err := c.LockSlice(tx, a.SliceID)
	return a, s, MaskNotFound(err, "attachment")
}

// LockComment returns a comment and its slice, which the caller sees, with row locks on both.
func (c Caller) LockComment(tx *Tx, commentID string) (api.Comment, store.Slice, error) {
	m, err := tx.LockComment(commentID)
	if err != nil {
		return m, store.Slice{}, OrNotFound(err, "comment")
	}
	s, err := c.LockSlice(tx, m.SliceID)
	return m, s, MaskNotFound(err, "comment")
}

// LockWebhook returns a webhook of a workspace the caller administers, with a row lock.
func (c Caller) LockWebhook(tx *Tx, webhookID string) (store.Webhook, error) {
	return c.administeredWebhook(tx.Queries, tx.LockWebhook, webhookID)
}

// Attachment returns an attachment of a slice the caller sees, and the slice.
func (c Caller) Attachment(q Queries, attachmentID string) (store.Attachment, store.Slice, error) {
	a, err := q.Attachment(attachmentID)
	if err != nil {
		return a, store.Slice{}, OrNotFound(err, "attachment")
	}
	s, err := c.Slice(q, a.SliceID)
	if err == nil {
		err = c.Credential.readsFile(q, a)
	}
	return a, s, MaskNotFound(err, "attachment")
}

// Comment returns a comment of a slice the caller sees, and the slice.
func (c Caller) Comment(q Queries, commentID string) (api.Comment, store.Slice, error) {
	m, err := q.Comment(commentID)
	if err != nil {
		return m, store.Slice{}, OrNotFound(err, "comment")
	}
	s, err := c.Slice(q, m.SliceID)
	return m, s, MaskNotFound(err, "comment")
}

// Key returns a key the caller sees: a PAT of its own, or a WST of a workspace it administers.
func (c Caller) Key(q Queries, keyID string) (store.Key, error) {
	return c.visibleKey(q, q.Key, keyID)
}

// StoredKey is key, also for revoked keys.
func (c Caller) StoredKey(q Queries, keyID string) (store.Key, error) {
	return c.visibleKey(q, q.StoredKey, keyID)
}

// visibleKey reads a key, and returns it if the caller sees it.
func (c Caller) visibleKey(q Queries, read func(id string) (store.Key, error), keyID string) (store.Key, error) {
	k, err := read(keyID)
	if err != nil {
		return k, OrNotFound(err, "API key")
	}
	if k.UserID != nil {
		if c.Type == UserCaller && *k.UserID == c.ID {
			return k, nil
		}
		return store.Key{}, api.NotFound("API key")
	}
	role, err := c.RoleIn(q, *k.WorkspaceID)
	if err == nil && role != api.RoleAdmin {
		err = store.ErrNotFound
	}
	return k, MaskNotFound(err, "API key")
}

// Webhook returns a webhook of a workspace the caller administers.
func (c Caller) Webhook(q Queries, webhookID string) (store.Webhook, error) {
	return c.administeredWebhook(q, q.Webhook, webhookID)
}

// Delivery returns a delivery of a webhook the caller manages, and the webhook.
func (c Caller) Delivery(q Queries, deliveryID string) (store.Delivery, store.Webhook, error) {
	d, err := q.Delivery(deliveryID)
	if err != nil {
		return d, store.Webhook{}, OrNotFound(err, "delivery")
	}
	w, err := c.Webhook(q, d.WebhookID)
	return d, w, MaskNotFound(err, "delivery")
}

// Source returns a source of a workspace the caller administers.
func (c Caller) Source(q Queries, sourceID string) (sources.Source, error) {
	return c.administeredSource(q, q.Sources().Source, sourceID)
}

// LockSource is Source with a row lock.
func (c Caller) LockSource(tx *Tx, sourceID string) (sources.Source, error) {
	return c.administeredSource(tx.Queries, tx.Sources().LockSource, sourceID)
}

func (c Caller) administeredSource(q Queries, read func(id string) (sources.Source, error), sourceID string) (
	sources.Source, error,
) {
	s, err := read(sourceID)
	if err == nil {
		err = c.RequireAdmin(q, s.WorkspaceID)
	}
	return s, MaskNotFound(err, "source")
}

// LockSubmission returns a report of a visitor that waits in a workspace the caller sees, with a row lock.
func (c Caller) LockSubmission(tx *Tx, submissionID string) (sources.Submission, error) {
	u, err := tx.Sources().LockSubmission(submissionID)
	if err == nil {
		_, err = c.RoleIn(tx.Queries, u.WorkspaceID)
	}
	return u, MaskNotFound(err, "submission")
}
