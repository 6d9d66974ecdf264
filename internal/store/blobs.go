package store

import (
	"fmt"
	"strings"

	"bugslice/api"
)

// ErrBlobRemoved says that the bytes of a file were removed before a record named them. It is an
// ErrUnavailable: the file can be sent again.
var ErrBlobRemoved = fmt.Errorf("%w: the bytes of the file were removed before its record was written", ErrUnavailable)

// ReserveBlobs records keys that are about to be written as unreferenced: they are removed at the
// time unless a record names them by then.
func (tx *Tx) ReserveBlobs(keys []string, removeAt api.Time) error {
	var p params
	at := p.add(removeAt.UnixMilli())
	rows := make([]string, len(keys))
	for i, key := range keys {
		rows[i] = "(" + p.add(key) + ", " + at + ")"
	}
	_, err := tx.db.exec("INSERT INTO unreferenced_blobs (key, remove_at) VALUES "+strings.Join(rows, ", "), p.args...)
	return err
}

// ExtendBlobs puts off the removal of reserved keys. It refuses keys whose removal has begun.
func (tx *Tx) ExtendBlobs(keys []string, removeAt api.Time) error {
	var p params
	n, err := tx.db.exec("UPDATE unreferenced_blobs SET remove_at = "+p.add(removeAt.UnixMilli())+
		" WHERE removing = 0 AND key IN "+in(&p, keys), p.args...)
	if err == nil && n != int64(len(keys)) {
		err = ErrBlobRemoved
	}
	return err
}

// referenceBlobs ends the reservation of the keys that a record names from this transaction on. It
// refuses keys that were never reserved and keys whose removal has begun.
func (tx *Tx) referenceBlobs(blob string, thumbnail *string) error {
	keys := []string{blob}
	if thumbnail != nil {
		keys = append(keys, *thumbnail)
	}
	var p params
	n, err := tx.db.exec("DELETE FROM unreferenced_blobs WHERE removing = 0 AND key IN "+in(&p, keys), p.args...)
	if err == nil && n != int64(len(keys)) {
		err = ErrBlobRemoved
	}
	return err
}

// unreferenceBlobs records the blobs of attachments whose records are deleted in this transaction.
// The condition has $1 for its value.
func (tx *Tx) unreferenceBlobs(condition, value string, removeAt api.Time) error {
	for _, column := range []string{"blob", "thumbnail"} {
		_, err := tx.db.exec("INSERT INTO unreferenced_blobs (key, remove_at) SELECT a."+column+", CAST($2 AS BIGINT) FROM attachments a"+ //nolint:gosec // constants
			" WHERE "+condition+" AND a."+column+" IS NOT NULL", value, removeAt.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// ClaimDueBlobs begins the removal of at most limit blobs that are due and that no record names. From
// its commit on no record can name them. A claim of before that was not finished is claimed again.
func (tx *Tx) ClaimDueBlobs(now api.Time, limit int) ([]string, error) {
	return list(tx.db, scanOne[string], `UPDATE unreferenced_blobs SET removing = 1 WHERE key IN (
			SELECT u.key FROM unreferenced_blobs u WHERE u.remove_at <= $1
				AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.blob = u.key) AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.thumbnail = u.key)
			ORDER BY u.remove_at, u.key LIMIT $2) RETURNING key`, now.UnixMilli(), limit)
}

// ForgetBlobs removes the rows of keys whose bytes are removed.
func (tx *Tx) ForgetBlobs(keys []string) error {
	var p params
	_, err := tx.db.exec("DELETE FROM unreferenced_blobs WHERE key IN "+in(&p, keys), p.args...)
	return err
}

// RetryBlobs puts off the removal of claimed keys whose bytes could not be removed.
func (tx *Tx) RetryBlobs(keys []string, at api.Time) error {
	var p params
	_, err := tx.db.exec("UPDATE unreferenced_blobs SET remove_at = "+p.add(at.UnixMilli())+" WHERE key IN "+in(&p, keys), p.args...)
	return err
}

// KnownBlobs returns, of some keys, those that a record names and those that are recorded as
// unreferenced, as of one instant.
func (q Queries) KnownBlobs(keys []string) (named, unreferenced map[string]bool, err error) {
	var p params
	some := in(&p, keys)
	named, unreferenced = map[string]bool{}, map[string]bool{}
	type known struct {
		key   string
		named bool
	}
	found, err := list(q.db, func(r row) (k known, err error) {
		var n int64
		err = r.Scan(&k.key, &n)
		k.named = n == 1
		return k, err
	}, "SELECT blob, 1 FROM attachments WHERE blob IN "+some+" UNION ALL SELECT thumbnail, 1 FROM attachments WHERE thumbnail IN "+some+
		" UNION ALL SELECT key, 0 FROM unreferenced_blobs WHERE key IN "+some, p.args...)
	for _, k := range found {
		if k.named {
			named[k.key] = true
		} else {
			unreferenced[k.key] = true
		}
	}
	return named, unreferenced, err
}

// FilesOf are the keys that the record of an attachment names.
type FilesOf struct {
	AttachmentID, Blob string
	Thumbnail          *string
}

// NamedBlobs lists the keys that at most limit records name, by the ids of attachments after afterID.
func (q Queries) NamedBlobs(afterID string, limit int) ([]FilesOf, error) {
	return list(q.db, func(r row) (f FilesOf, err error) {
		return f, r.Scan(&f.AttachmentID, &f.Blob, &f.Thumbnail)
	},
		"SELECT id, blob, thumbnail FROM attachments WHERE id > $1 ORDER BY id LIMIT $2", afterID, limit)
}

// Instance says which instance a database is, and how it is tied to the storage of its files. The
// storage holds Token, or NextToken while it is renewed. Origin is that of the database when the
// storage was bound; see Store.Origin.
type Instance struct{ ID, Token, NextToken, Origin string }

// Instance returns the database's instance; ErrNotFound before it has one.
func (q Queries) Instance() (Instance, error) {
	return one(q.db, func(r row) (i Instance, err error) {
		return i, r.Scan(&i.ID, &i.Token, &i.NextToken, &i.Origin)
	},
		"SELECT id, token, next_token, origin FROM instance WHERE row_number = 1")
}

// InsertInstance makes the database an instance, unless it is one.
func (tx *Tx) InsertInstance(i Instance) error {
	_, err := tx.db.exec(`INSERT INTO instance (row_number, id, token, next_token, origin) VALUES (1, $1, $2, $3, $4)
		ON CONFLICT (row_number) DO NOTHING`, i.ID, i.Token, i.NextToken, i.Origin)
	return err
}

// ReplaceInstance stores i when the database still has old, and says whether it did.
func (tx *Tx) ReplaceInstance(old, i Instance) (bool, error) {
	n, err := tx.db.exec(`UPDATE instance SET id = $1, token = $2, next_token = $3, origin = $4
		WHERE row_number = 1 AND id = $5 AND token = $6 AND next_token = $7 AND origin = $8`,
		i.ID, i.Token, i.NextToken, i.Origin, old.ID, old.Token, old.NextToken, old.Origin)
	return n == 1, err
}
