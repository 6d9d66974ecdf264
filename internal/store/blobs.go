package store

import (
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// ReserveBlobs reserves keys for blobs that are written next. A blob that no record refers to at the end of its
// reservation is deleted.
func (tx *Tx) ReserveBlobs(keys []string, until api.Time) error {
	var p sqldb.Params
	at := p.Add(until.UnixMilli())
	rows := make([]string, len(keys))
	for i, key := range keys {
		rows[i] = "(" + p.Add(key) + ", " + at + ")"
	}
	return tx.db.Exec("INSERT INTO unreferenced_blobs (key, remove_at) VALUES "+strings.Join(rows, ", "), p.Args...)
}

// ExtendBlobReservations extends the reservation of keys. It refuses keys whose deletion has begun.
func (tx *Tx) ExtendBlobReservations(keys []string, until api.Time) error {
	var p sqldb.Params
	n, err := tx.db.ExecCount("UPDATE unreferenced_blobs SET remove_at = "+p.Add(until.UnixMilli())+
		" WHERE removing = 0 AND key IN "+sqldb.In(&p, keys), p.Args...)
	if err == nil && n != int64(len(keys)) {
		err = ErrBlobDeleted
	}
	return err
}

// referenceBlobs ends the reservation of the keys that a new record refers to. It refuses keys that were never
// reserved and keys whose deletion has begun.
func (tx *Tx) referenceBlobs(blob string, thumbnail *string) error {
	keys := []string{blob}
	if thumbnail != nil {
		keys = append(keys, *thumbnail)
	}
	var p sqldb.Params
	n, err := tx.db.ExecCount("DELETE FROM unreferenced_blobs WHERE removing = 0 AND key IN "+sqldb.In(&p, keys),
		p.Args...)
	if err == nil && n != int64(len(keys)) {
		err = ErrBlobDeleted
	}
	return err
}

// unreferenceBlobs marks the blobs of an attachment for deletion, before its record is deleted.
func (tx *Tx) unreferenceBlobs(attachmentID string, deleteAt api.Time) error {
	for _, column := range []string{"blob", "thumbnail"} {
		err := tx.db.Exec("INSERT INTO unreferenced_blobs (key, remove_at) SELECT a."+column+
			//nolint:gosec // constants
			", CAST($2 AS BIGINT) FROM attachments a WHERE a.id = $1 AND a."+column+" IS NOT NULL", attachmentID,
			deleteAt.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// BeginBlobDeletion begins the deletion of at most limit blobs that are due and that no record refers to, and returns
// their keys. From the commit on no record can refer to them. It returns blobs of an unfinished deletion again.
func (tx *Tx) BeginBlobDeletion(now api.Time, limit int) ([]string, error) {
	return sqldb.List(tx.db, sqldb.ScanOne[string], `UPDATE unreferenced_blobs SET removing = 1 WHERE key IN (
			SELECT u.key FROM unreferenced_blobs u WHERE u.remove_at <= $1
				AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.blob = u.key)
				AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.thumbnail = u.key)
			ORDER BY u.remove_at, u.key LIMIT $2) RETURNING key`, now.UnixMilli(), limit)
}

// EndBlobDeletion ends the deletion, or the reservation, of blobs that are deleted.
func (tx *Tx) EndBlobDeletion(keys []string) error {
	var p sqldb.Params
	return tx.db.Exec("DELETE FROM unreferenced_blobs WHERE key IN "+sqldb.In(&p, keys), p.Args...)
}

// PostponeBlobDeletion postpones the deletion of blobs that could not be deleted.
func (tx *Tx) PostponeBlobDeletion(keys []string, at api.Time) error {
	var p sqldb.Params
	return tx.db.Exec("UPDATE unreferenced_blobs SET remove_at = "+p.Add(at.UnixMilli())+" WHERE key IN "+
		sqldb.In(&p, keys), p.Args...)
}

// BlobState is what the database knows of a blob.
type BlobState int

// The states of a blob. A blob that records refer to is BlobReferenced, even while its key is reserved.
const (
	BlobUnknown      BlobState = iota
	BlobUnreferenced           // reserved, or marked for deletion
	BlobReferenced
)

// BlobStates returns the states of those of the keys that are known, as of one instant.
func (q Queries) BlobStates(keys []string) (map[string]BlobState, error) {
	var p sqldb.Params
	placeholders := sqldb.In(&p, keys)
	type blob struct {
		key   string
		state BlobState
	}
	found, err := sqldb.List(q.db, func(r sqldb.Row) (b blob, err error) { return b, r.Scan(&b.key, &b.state) },
		fmt.Sprintf(`SELECT blob, %[2]d FROM attachments WHERE blob IN %[1]s
			UNION ALL SELECT thumbnail, %[2]d FROM attachments WHERE thumbnail IN %[1]s
			UNION ALL SELECT key, %[3]d FROM unreferenced_blobs WHERE key IN %[1]s`, placeholders, BlobReferenced, BlobUnreferenced),
		p.Args...)
	states := make(map[string]BlobState, len(found))
	for _, b := range found {
		states[b.key] = max(states[b.key], b.state)
	}
	return states, err
}

// AttachmentBlobs are the keys that the record of an attachment refers to.
type AttachmentBlobs struct {
	AttachmentID, Blob string
	Thumbnail          *string
}

// ReferencedBlobs returns the keys of at most limit attachments after afterID, by id.
func (q Queries) ReferencedBlobs(afterID string, limit int) ([]AttachmentBlobs, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (f AttachmentBlobs, err error) {
		return f, r.Scan(&f.AttachmentID, &f.Blob, &f.Thumbnail)
	}, "SELECT id, blob, thumbnail FROM attachments WHERE id > $1 ORDER BY id LIMIT $2", afterID, limit)
}
