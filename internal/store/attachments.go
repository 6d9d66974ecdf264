package store

import (
	"bugslice/api"
)

// Attachment is a stored attachment: what the API shows, and where its bytes are.
type Attachment struct {
	api.Attachment
	WorkspaceID   string
	Blob          string  // its key in the blob store
	ThumbnailBlob *string // likewise
	Packed        bool    // the blob is gzipped
	Stored        int64   // bytes in the blob store
	Entries       *int64  // of one that was read as evidence
}

const attachmentColumns = `a.id, a.slice_id, a.workspace_id, a.kind, a.name, a.content_type, a.size, a.sha256, a.width, a.height,
	a.blob, a.packed, a.stored, a.thumbnail, a.entries, a.creator_type, a.creator_id, a.creator_name, a.created_at`

func scanAttachment(r row) (a Attachment, err error) {
	var packed, created int64
	err = r.Scan(&a.ID, &a.SliceID, &a.WorkspaceID, &a.Kind, &a.Name, &a.ContentType, &a.Size, &a.SHA256, &a.Width, &a.Height,
		&a.Blob, &packed, &a.Stored, &a.ThumbnailBlob, &a.Entries, &a.Creator.Type, &a.Creator.ID, &a.Creator.Name, &created)
	a.Packed, a.CreatedAt = packed == 1, api.FromMillis(created)
	return a, err
}

// InsertAttachment stores the record of a file whose bytes are stored under reserved keys. It refuses
// keys that are not reserved any more.
func (tx *Tx) InsertAttachment(a Attachment) error {
	if err := tx.referenceBlobs(a.Blob, a.ThumbnailBlob); err != nil {
		return err
	}
	_, err := tx.db.exec(`INSERT INTO attachments (id, slice_id, workspace_id, kind, name, content_type, size, sha256, width, height, blob, packed, stored, thumbnail,
			entries, creator_type, creator_id, creator_name, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		a.ID, a.SliceID, a.WorkspaceID, a.Kind, a.Name, a.ContentType, a.Size, a.SHA256, a.Width, a.Height, a.Blob, flag(a.Packed), a.Stored, a.ThumbnailBlob,
		a.Entries, a.Creator.Type, a.Creator.ID, a.Creator.Name, a.CreatedAt.UnixMilli())
	return err
}

const attachmentByID = "SELECT " + attachmentColumns + " FROM attachments a WHERE a.id = $1"

// Attachment returns an attachment, whoever sees it.
func (q Queries) Attachment(id string) (Attachment, error) {
	return one(q.db, scanAttachment, attachmentByID, id)
}

// LockAttachment is Attachment with a row lock.
func (tx *Tx) LockAttachment(id string) (Attachment, error) {
	return one(tx.db, scanAttachment, attachmentByID+tx.db.engine.lockRow, id)
}

// Attachments returns at most limit attachments of a slice behind afterID, of the kinds if any.
func (q Queries) Attachments(sliceID string, kinds []api.AttachmentKind, afterID string, limit int) ([]Attachment, error) {
	var p params
	where := "a.slice_id = " + p.add(sliceID) + " AND a.id > " + p.add(afterID)
	if len(kinds) > 0 {
		where += " AND a.kind IN " + in(&p, kinds)
	}
	return list(q.db, scanAttachment, "SELECT "+attachmentColumns+" FROM attachments a WHERE "+where+" ORDER BY a.id LIMIT "+p.add(limit), p.args...)
}

// UpdateAttachment stores an attachment's name and kind.
func (tx *Tx) UpdateAttachment(a Attachment) error {
	n, err := tx.db.exec("UPDATE attachments SET name = $2, kind = $3 WHERE id = $1", a.ID, a.Name, a.Kind)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// DeleteAttachment removes the record of a file. Its bytes are removed at the time.
func (tx *Tx) DeleteAttachment(id string, removeBlobsAt api.Time) error {
	if err := tx.unreferenceBlobs("a.id = $1", id, removeBlobsAt); err != nil {
		return err
	}
	n, err := tx.db.exec("DELETE FROM attachments WHERE id = $1", id)
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// Touch counts attachments and comments of a slice, and raises its version. It returns the new
// version; ErrNotFound when the slice is gone.
func (tx *Tx) Touch(sliceID string, attachments, comments int, at api.Time) (int64, error) {
	return one(tx.db, scanOne[int64], `UPDATE slices SET attachment_count = attachment_count + $2, comment_count = comment_count + $3,
			updated_at = CASE WHEN updated_at > $4 THEN updated_at ELSE $4 END, version = version + 1
		WHERE id = $1 AND deleted_at IS NULL RETURNING version`, sliceID, attachments, comments, at.UnixMilli())
}
