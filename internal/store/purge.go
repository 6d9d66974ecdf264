package store

import (
	"maps"
	"slices"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// PurgeableSlices returns the ids of at most limit slices that were marked as deleted before a time, the oldest
// deletions first.
func (q Queries) PurgeableSlices(before api.Time, limit int) ([]string, error) {
	return sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT s.id FROM slices s WHERE s.deleted_at < $1 ORDER BY s.deleted_at, s.id LIMIT $2",
		before.UnixMilli(), limit)
}

// LockDuplicates returns at most limit duplicates, deleted or not, of one of some slices, by id, with row locks and
// the id of the original. It returns an empty id when none of these has a duplicate.
func (tx *Tx) LockDuplicates(of []string, limit int) (originalID string, all []Slice, err error) {
	var p sqldb.Params
	ids, err := sqldb.List(tx.db, sqldb.ScanOne[string],
		"SELECT s.duplicate_of_id FROM slices s WHERE s.duplicate_of_id IN "+sqldb.In(&p, of)+
			" ORDER BY s.duplicate_of_id LIMIT 1", p.Args...)
	if err != nil || len(ids) == 0 {
		return "", nil, err
	}
	all, err = sqldb.List(tx.db, scanLocked, "SELECT "+sliceColumns+
		" FROM slices s WHERE s.duplicate_of_id = $1 ORDER BY s.id LIMIT $2"+
		tx.db.Engine.LockRow, ids[0], limit)
	return ids[0], all, err
}

// PurgeSlices deletes slices with what belongs to them, and replaces the content of their events, in steps: it
// deletes or replaces at most limit records, and deletes the slices when none is left. It reports whether the slices
// are deleted. The bytes of their files are deleted at deleteBlobsAt.
func (tx *Tx) PurgeSlices(ids []string, deleteBlobsAt api.Time, limit int) (bool, error) {
	var p sqldb.Params
	purged, err := sqldb.List(tx.db, scanSlice, "SELECT "+sliceColumns+" FROM slices s WHERE s.id IN "+
		sqldb.In(&p, ids)+" ORDER BY s.id"+
		tx.db.Engine.LockRow, p.Args...)
	if err != nil {
		return false, err
	}
	n, err := tx.purgeEvents(ids, limit)
	if err != nil || n == limit {
		return false, err
	}
	return tx.purge(purged, deleteBlobsAt, limit-n)
}

// purgedEvent replaces the content of events about purged slices.
const purgedEvent = `{"purged":true}`

// purgeEvents replaces the content of at most limit events about slices, and returns their number.
func (tx *Tx) purgeEvents(sliceIDs []string, limit int) (int, error) {
	type event struct {
		id          string
		workspaceID *string
		bytes       int64
	}
	var p sqldb.Params
	all, err := sqldb.List(tx.db, func(r sqldb.Row) (e event, err error) {
		return e,
			r.Scan(&e.id, &e.workspaceID, &e.bytes)
	},
		"SELECT id, workspace_id, octet_length(data) FROM events WHERE subject_id IN "+sqldb.In(&p, sliceIDs)+
			" AND data <> "+
			p.Add(purgedEvent)+" LIMIT "+p.Add(limit)+tx.db.Engine.LockRow, p.Args...)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	ids := make([]string, len(all))
	for i, e := range all {
		ids[i] = e.id
		if e.workspaceID != nil {
			tx.Charge(*e.workspaceID, int64(len(purgedEvent))-e.bytes)
		}
	}
	p = sqldb.Params{}
	return len(all), tx.db.Exec("UPDATE events SET data = "+p.Add(purgedEvent)+", client_address = NULL"+
		" WHERE id IN "+sqldb.In(&p, ids), p.Args...)
}

type purgedTable struct{ name, key, size, blobs string }

// purgedTables are the tables of which a slice may have thousands of rows, with their primary keys, the sizes that
// are charged, and the keys of blobs.
var purgedTables = []purgedTable{
	{"notices", "id", "0", noBlobs},
	{"view_matches", "slice_id, view_id, user_id", "0", noBlobs},
	{"text_files", "file_id, comment_id", "0", noBlobs},
	{"reactions", "slice_id, comment_id, kind, user_id", "0", noBlobs},
	{"comments", "id", "256 + octet_length(body) + octet_length(via)", noBlobs},
	{"occurrences", "slice_id, number", occurrenceSize, noBlobs},
	{"attachments", "id", "256 + stored", "blob, thumbnail"},
}

const noBlobs = "CAST(NULL AS TEXT), CAST(NULL AS TEXT)"

// purge deletes at most limit records that belong to slices, and the slices when none is left. It reports whether
// they are deleted.
func (tx *Tx) purge(purged []Slice, deleteBlobsAt api.Time, limit int) (bool, error) {
	if len(purged) == 0 {
		return true, nil
	}
	ids, workspaces := make([]string, len(purged)), map[string]string{}
	for i, s := range purged {
		ids[i], workspaces[s.ID] = s.ID, s.WorkspaceID
	}
	for _, t := range purgedTables {
		n, blobs, err := tx.purgeFrom(t, workspaces, limit)
		if err == nil && len(blobs) > 0 {
			err = tx.ReserveBlobs(blobs, deleteBlobsAt)
		}
		if limit -= n; err != nil || limit == 0 {
			return false, err
		}
	}
	var p sqldb.Params
	n, err := tx.db.ExecCount(`UPDATE slices SET duplicate_of_id = NULL, version = version + 1 WHERE id IN
		(SELECT id FROM slices WHERE duplicate_of_id IN `+sqldb.In(&p, ids)+" ORDER BY id LIMIT "+p.Add(limit)+")", p.Args...)
	if err != nil || n == int64(limit) {
		return false, err
	}
	for _, s := range purged {
		tx.Charge(s.WorkspaceID, -s.bytes)
	}
	return true, tx.deleteSlices(ids)
}

// purgeFrom deletes at most limit rows of slices, given with their workspaces, from a table. It returns the number of
// the rows and the keys of their blobs.
func (tx *Tx) purgeFrom(t purgedTable, workspaces map[string]string, limit int) (n int, blobs []string, err error) {
	var p sqldb.Params
	deleted, err := sqldb.List(tx.db, func(r sqldb.Row) (_ struct{}, err error) {
		var sliceID string
		var bytes int64
		var blob, thumbnail *string
		err = r.Scan(&sliceID, &bytes, &blob, &thumbnail)
		tx.Charge(workspaces[sliceID], -bytes)
		for _, key := range []*string{blob, thumbnail} {
			if key != nil {
				blobs = append(blobs, *key)
			}
		}
		return struct{}{}, err
	}, "DELETE FROM "+t.name+" WHERE ("+t.key+") IN (SELECT "+t.key+" FROM "+t.name+" WHERE slice_id IN "+
		sqldb.In(&p, slices.Sorted(maps.Keys(workspaces)))+
		" LIMIT "+p.Add(limit)+") RETURNING slice_id, CAST("+t.size+" AS BIGINT), "+t.blobs, p.Args...)
	return len(deleted), blobs, err
}

// deleteSlices deletes slices with the records of which they have few.
func (tx *Tx) deleteSlices(ids []string) error {
	var byID sqldb.Params
	withID := sqldb.In(&byID, ids)
	for _, of := range []string{"recurring_slices WHERE slice_id", "shares WHERE slice_id", "reporter_pages WHERE slice_id",
		"watches WHERE subject_id",
		"slices WHERE id"} {
		if err := tx.db.Exec("DELETE FROM "+of+" IN "+withID, byID.Args...); err != nil {
			return err
		}
	}
	return nil
}

// execEach runs statements about one id.
func (tx *Tx) execEach(id string, statements ...string) error {
	for _, text := range statements {
		if err := tx.db.Exec(text, id); err != nil {
			return err
		}
	}
	return nil
}
