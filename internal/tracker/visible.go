package tracker

import (
	"bugslice/api"
	"bugslice/internal/store"
)

// slice returns a live slice the caller sees.
func (t *Tracker) slice(q store.Queries, c Caller, sliceID string) (store.Slice, error) {
	return live(c.visibleSlice(q, q.Slice, sliceID))
}

// live refuses a deleted slice like one that does not exist.
func live(s store.Slice, err error) (store.Slice, error) {
	if err == nil && s.DeletedAt != nil {
		err = api.NotFound("slice")
	}
	return s, err
}

// visibleSlice reads a slice of a workspace the caller sees, by its id or by a reference with a present or former key of
// the workspace. A reference of an invisible slice costs the same query as one of no slice.
func (c Caller) visibleSlice(q store.Queries, read func(id string) (store.Slice, error), sliceID string) (s store.Slice, err error) {
	if sliceID, err = c.sliceID(q, sliceID); err == nil {
		s, err = read(sliceID)
	}
	if err == nil {
		err = c.Credential.reads(q, c, s)
	}
	if err != nil {
		return store.Slice{}, maskNotFound(err, "slice")
	}
	return s, nil
}

// sliceID returns the id of a slice that is named by its id or by a reference. A reference of an invisible slice is
// store.ErrNotFound, like one of no slice.
func (c Caller) sliceID(q store.Queries, name string) (string, error) {
	key, number, ok := api.ParseReference(name)
	if !ok {
		return name, nil
	}
	return q.SliceID(c.Organization.ID, c.referenceReader(), key, number)
}

// sliceIDs returns the ids of the slices that are named by references, by these names. Names that are no references, and
// references of invisible slices, are left out.
func (c Caller) sliceIDs(q store.Queries, names []string) (map[string]string, error) {
	var references []store.Reference
	named := map[string]store.Reference{}
	for _, name := range names {
		if key, number, ok := api.ParseReference(name); ok {
			named[name] = store.Reference{Key: key, Number: number}
			references = append(references, named[name])
		}
	}
	found, err := q.SliceIDs(c.Organization.ID, c.referenceReader(), references)
	ids := map[string]string{}
	for name, r := range named {
		if id, ok := found[r]; ok {
			ids[name] = id
		}
	}
	return ids, err
}

// referenceReader returns the principal whose references are resolved: a user, or the workspace of a service.
func (c Caller) referenceReader() string {
	if c.Type == ServiceCaller {
		return c.WorkspaceID
	}
	return c.ID
}

// administeredWebhook reads a webhook, and returns it if the caller administers its workspace.
func (c Caller) administeredWebhook(q store.Queries, read func(id string) (store.Webhook, error), webhookID string) (store.Webhook, error) {
	w, err := read(webhookID)
	if err == nil {
		err = c.requireAdmin(q, w.WorkspaceID)
	}
	return w, maskNotFound(err, "webhook")
}

// lockSlice returns a live slice the caller sees, with a row lock.
func (t *Tracker) lockSlice(tx *store.Tx, c Caller, sliceID string) (store.Slice, error) {
	return live(t.lockAnySlice(tx, c, sliceID))
}

// lockAnySlice returns a slice of a workspace the caller sees, deleted or not, with a row lock.
func (t *Tracker) lockAnySlice(tx *store.Tx, c Caller, sliceID string) (store.Slice, error) {
	return c.visibleSlice(tx.Queries, tx.LockSlice, sliceID)
}

// lockAttachment returns an attachment and its slice, which the caller sees, with row locks on both.
func (t *Tracker) lockAttachment(tx *store.Tx, c Caller, attachmentID string) (store.Attachment, store.Slice, error) {
	a, err := tx.LockAttachment(attachmentID)
	if err != nil {
		return a, store.Slice{}, orNotFound(err, "attachment")
	}
	s, err := t.lockSlice(tx, c, a.SliceID)
	return a, s, maskNotFound(err, "attachment")
}

// lockComment returns a comment and its slice, which the caller sees, with row locks on both.
func (t *Tracker) lockComment(tx *store.Tx, c Caller, commentID string) (api.Comment, store.Slice, error) {
	m, err := tx.LockComment(commentID)
	if err != nil {
		return m, store.Slice{}, orNotFound(err, "comment")
	}
	s, err := t.lockSlice(tx, c, m.SliceID)
	return m, s, maskNotFound(err, "comment")
}

// lockWebhook returns a webhook of a workspace the caller administers, with a row lock.
func (t *Tracker) lockWebhook(tx *store.Tx, c Caller, webhookID string) (store.Webhook, error) {
	return c.administeredWebhook(tx.Queries, tx.LockWebhook, webhookID)
}

// attachment returns an attachment of a slice the caller sees, and the slice.
func (t *Tracker) attachment(q store.Queries, c Caller, attachmentID string) (store.Attachment, store.Slice, error) {
	a, err := q.Attachment(attachmentID)
	if err != nil {
		return a, store.Slice{}, orNotFound(err, "attachment")
	}
	s, err := t.slice(q, c, a.SliceID)
	if err == nil {
		err = c.Credential.readsFile(q, a)
	}
	return a, s, maskNotFound(err, "attachment")
}

// comment returns a comment of a slice the caller sees, and the slice.
func (t *Tracker) comment(q store.Queries, c Caller, commentID string) (api.Comment, store.Slice, error) {
	m, err := q.Comment(commentID)
	if err != nil {
		return m, store.Slice{}, orNotFound(err, "comment")
	}
	s, err := t.slice(q, c, m.SliceID)
	return m, s, maskNotFound(err, "comment")
}

// key returns a key the caller sees: a PAT of its own, or a WST of a workspace it administers.
func (t *Tracker) key(q store.Queries, c Caller, keyID string) (store.Key, error) {
	return c.visibleKey(q, q.Key, keyID)
}

// storedKey is key, also for revoked keys.
func (t *Tracker) storedKey(q store.Queries, c Caller, keyID string) (store.Key, error) {
	return c.visibleKey(q, q.StoredKey, keyID)
}

// visibleKey reads a key, and returns it if the caller sees it.
func (c Caller) visibleKey(q store.Queries, read func(id string) (store.Key, error), keyID string) (store.Key, error) {
	k, err := read(keyID)
	if err != nil {
		return k, orNotFound(err, "API key")
	}
	if k.UserID != nil {
		if c.Type == UserCaller && *k.UserID == c.ID {
			return k, nil
		}
		return store.Key{}, api.NotFound("API key")
	}
	role, err := c.role(q, *k.WorkspaceID)
	if err == nil && role != api.RoleAdmin {
		err = store.ErrNotFound
	}
	return k, maskNotFound(err, "API key")
}

// webhook returns a webhook of a workspace the caller administers.
func (t *Tracker) webhook(q store.Queries, c Caller, webhookID string) (store.Webhook, error) {
	return c.administeredWebhook(q, q.Webhook, webhookID)
}

// delivery returns a delivery of a webhook the caller manages, and the webhook.
func (t *Tracker) delivery(q store.Queries, c Caller, deliveryID string) (store.Delivery, store.Webhook, error) {
	d, err := q.Delivery(deliveryID)
	if err != nil {
		return d, store.Webhook{}, orNotFound(err, "delivery")
	}
	w, err := t.webhook(q, c, d.WebhookID)
	return d, w, maskNotFound(err, "delivery")
}
