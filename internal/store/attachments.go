package store

import (
	"encoding/json"
	"errors"

	"bugslice/api"
	"bugslice/internal/media"
	"bugslice/internal/store/sqldb"
)

// Attachment is a stored attachment: the record of the API, and the location of its bytes.
type Attachment struct {
	api.Attachment
	WorkspaceID   string
	Blob          string  // its key in the blob store
	ThumbnailBlob *string // the key of its thumbnail
	Packed        bool    // the blob is gzipped
	Stored        int64   // bytes in the blob store
	Entries       *int64  // of parsed evidence
	OnlyInTexts   bool    // of a new one: whether a share shows it only with a text that contains it
	Faults        int64   // errors of the console or failed requests among the entries
	Symptoms      string  // the errors of evidence that its slice does not have among its own symptoms
}

// words returns the texts by which the slice of the attachment is found.
func (a *Attachment) words() furtherText { return furtherText{text: a.Name, symptoms: a.Symptoms} }

// review is who has reviewed an attachment and when, as it is stored.
type review struct {
	At api.Time     `json:"at"`
	By api.Reporter `json:"by"`
}

// SetReview sets the review of an attachment from its stored form, which is empty for none.
func (a *Attachment) SetReview(stored string) error {
	if stored == "" {
		return nil
	}
	var of review
	err := json.Unmarshal([]byte(stored), &of)
	a.Reviewed, a.ReviewedAt, a.ReviewedBy = true, &of.At, &of.By
	return err
}

// storedReview returns the review of an attachment as it is stored.
func (a *Attachment) storedReview() string {
	if a.ReviewedAt == nil || a.ReviewedBy == nil {
		return ""
	}
	text, _ := json.Marshal(review{*a.ReviewedAt, *a.ReviewedBy}) // of such a record it does not fail
	return string(text)
}

const attachmentColumns = `a.id, a.slice_id, a.workspace_id, a.kind, a.name, a.content_type, a.size, a.sha256, a.width, a.height,
	a.blob, a.packed, a.stored, a.thumbnail, a.entries, a.creator_type, a.creator_id, a.creator_name, a.created_at, a.occurrence, a.faults,
	a.metadata, a.symptoms, a.reviewed`

func scanAttachment(r sqldb.Row) (a Attachment, err error) {
	var packed, created int64
	var reviewed string
	err = r.Scan(&a.ID, &a.SliceID, &a.WorkspaceID, &a.Kind, &a.Name, &a.ContentType, &a.Size, &a.SHA256, &a.Width,
		&a.Height,
		&a.Blob, &packed, &a.Stored, &a.ThumbnailBlob, &a.Entries, &a.Creator.Type, &a.Creator.ID, &a.Creator.Name,
		&created,
		&a.Occurrence, &a.Faults, &a.Metadata, &a.Symptoms, &reviewed)
	if err == nil {
		err = a.SetReview(reviewed)
	}
	a.Packed, a.CreatedAt = packed == 1, api.FromMillis(created)
	if !media.HasMetadata(a.ContentType) { // also of a file that was stored before its metadata was recorded
		a.Metadata = api.MetadataNone
	}
	return a, err
}

// InsertAttachment stores the record of a file and ends the reservation of its blobs. It refuses blobs that are
// not reserved.
func (tx *Tx) InsertAttachment(a Attachment) error {
	if err := tx.referenceBlobs(a.Blob, a.ThumbnailBlob); err != nil {
		return err
	}
	err := tx.db.Exec(`INSERT INTO attachments (id, slice_id, workspace_id, kind, name, content_type, size, sha256, width, height, blob,
			packed, stored, thumbnail, entries, creator_type, creator_id, creator_name, created_at, occurrence, faults,
			metadata, symptoms, reviewed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`,
		a.ID, a.SliceID, a.WorkspaceID, a.Kind, a.Name, a.ContentType, a.Size, a.SHA256, a.Width, a.Height, a.Blob,
		sqldb.Flag(a.Packed), a.Stored, a.ThumbnailBlob, a.Entries, a.Creator.Type, a.Creator.ID, a.Creator.Name,
		a.CreatedAt.UnixMilli(),
		a.Occurrence, a.Faults, a.Metadata, a.Symptoms, a.storedReview())
	if err == nil && a.OnlyInTexts {
		err = tx.insertTextFiles(a.SliceID, onlyInTexts, []string{a.ID})
	}
	return errors.Join(err, tx.replaceFurtherText(a.SliceID, furtherText{}, a.words()))
}

const attachmentByID = "SELECT " + attachmentColumns + " FROM attachments a WHERE a.id = $1"

// Attachment returns an attachment.
func (q Queries) Attachment(id string) (Attachment, error) {
	return sqldb.One(q.db, scanAttachment, attachmentByID, id)
}

// LockAttachment is Attachment with a row lock.
func (tx *Tx) LockAttachment(id string) (Attachment, error) {
	return sqldb.One(tx.db, scanAttachment, attachmentByID+tx.db.Engine.LockRow, id)
}

// AttachmentFilter selects attachments of a slice.
type AttachmentFilter struct {
	Kinds      []api.AttachmentKind // nil for all
	Occurrence int64                // 0 for all
	IDs        []string             // nil for all
}

// Attachments returns at most limit attachments of a slice that a filter selects, after afterID, by id.
func (q Queries) Attachments(sliceID string, f AttachmentFilter, afterID string, limit int) ([]Attachment, error) {
	var p sqldb.Params
	where := "a.slice_id = " + p.Add(sliceID) + " AND a.id > " + p.Add(afterID)
	if len(f.Kinds) > 0 {
		where += " AND a.kind IN " + sqldb.In(&p, f.Kinds)
	}
	if len(f.IDs) > 0 {
		where += " AND a.id IN " + sqldb.In(&p, f.IDs)
	}
	if f.Occurrence > 0 {
		where += " AND a.occurrence = " + p.Add(f.Occurrence)
	}
	return sqldb.List(q.db, scanAttachment, "SELECT "+attachmentColumns+" FROM attachments a WHERE "+where+
		" ORDER BY a.id LIMIT "+p.Add(limit), p.Args...)
}

// NewestEvidence returns the id of the newest attachment of a slice that is evidence; empty for none.
func (q Queries) NewestEvidence(sliceID string) (string, error) {
	return sqldb.One(q.db, sqldb.ScanOne[string], `SELECT COALESCE((SELECT id FROM attachments WHERE slice_id = $1 AND kind NOT IN ($2, $3)
		ORDER BY id DESC LIMIT 1), '')`, sliceID, api.KindLog, api.KindOther)
}

// UpdateAttachment stores an attachment's name, kind and review.
func (tx *Tx) UpdateAttachment(a Attachment) error {
	former, err := tx.Attachment(a.ID)
	if err != nil {
		return err
	}
	if err := tx.db.Exec("UPDATE attachments SET name = $2, kind = $3, reviewed = $4 WHERE id = $1", a.ID, a.Name,
		a.Kind, a.storedReview()); err != nil {
		return err
	}
	return tx.replaceFurtherText(a.SliceID, former.words(), a.words())
}

// DeleteAttachment deletes the record of a file. The bytes are deleted at deleteBlobsAt.
func (tx *Tx) DeleteAttachment(id string, deleteBlobsAt api.Time) error {
	if err := tx.db.Exec("DELETE FROM text_files WHERE file_id = $1", id); err != nil {
		return err
	}
	if err := tx.unreferenceBlobs(id, deleteBlobsAt); err != nil {
		return err
	}
	d, err := sqldb.One(tx.db, func(r sqldb.Row) (d Attachment, err error) {
		return d, r.Scan(&d.SliceID, &d.Name, &d.Symptoms)
	}, "DELETE FROM attachments WHERE id = $1 RETURNING slice_id, name, symptoms", id)
	if err != nil {
		return err
	}
	return tx.replaceFurtherText(d.SliceID, d.words(), furtherText{})
}
