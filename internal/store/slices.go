package store

import (
	"errors"

	"bugslice/internal/store/sqldb"
)

var sliceByID = "SELECT " + sliceColumns + " FROM slices s WHERE s.id = $1"

// Slice returns a slice, deleted or not.
func (q Queries) Slice(id string) (Slice, error) {
	return sqldb.One(q.brief().db, scanSlice, sliceByID, id)
}

// LockSlice is Slice with a row lock.
func (tx *Tx) LockSlice(id string) (Slice, error) {
	if s, ok := tx.locked[id]; ok {
		delete(tx.locked, id)
		return *s, nil
	}
	if err := tx.ApplySlices(); err != nil {
		return Slice{}, err
	}
	return sqldb.One(tx.db, scanLocked, sliceByID+tx.db.Engine.LockRow, id)
}

// WorkspacesOfSlices returns the workspaces of slices by their ids.
func (q Queries) WorkspacesOfSlices(ids []string) (map[string]string, error) {
	var p sqldb.Params
	type slice struct{ id, workspaceID string }
	rows, err := sqldb.List(q.db, func(r sqldb.Row) (s slice, err error) { return s, r.Scan(&s.id, &s.workspaceID) },
		"SELECT id, workspace_id FROM slices WHERE id IN "+sqldb.In(&p, ids), p.Args...)
	workspaces := make(map[string]string, len(rows))
	for _, s := range rows {
		workspaces[s.id] = s.workspaceID
	}
	return workspaces, err
}

// LockSlices locks the rows of slices in the order of their ids, each of which the transaction then changes at most
// once, and returns how many of them each workspace has.
func (tx *Tx) LockSlices(ids []string) (workspaces map[string]int, err error) {
	if err := tx.ApplySlices(); err != nil {
		return nil, err
	}
	var p sqldb.Params
	text := "SELECT " + sliceColumns + " FROM slices s WHERE s.id IN " + sqldb.In(&p, ids) + " ORDER BY s.id" +
		tx.db.Engine.LockRow
	all, err := sqldb.List(tx.db, func(r sqldb.Row) (*Slice, error) {
		s, err := scanLocked(r)
		return &s, err
	}, text, p.Args...)
	tx.locked, workspaces = make(map[string]*Slice, len(all)), map[string]int{}
	for _, s := range all {
		tx.locked[s.ID] = s
		workspaces[s.WorkspaceID]++
	}
	return workspaces, err
}

// LockSliceByFingerprint returns a live slice of a workspace with one of the forms of a fingerprint, with a row lock:
// an open one or one in progress if there is one, else the newest. The transaction must have locked the forms by
// LockNewIdentifiers. It returns ErrConflict if the slice was not the first one any more when the lock was acquired.
func (tx *Tx) LockSliceByFingerprint(workspaceID string, forms ...string) (Slice, error) {
	if err := tx.ApplySlices(); err != nil { // the query must see the changes of the transaction
		return Slice{}, err
	}
	var p sqldb.Params
	from := " FROM slices s WHERE s.workspace_id = " + p.Add(workspaceID) + " AND s.fingerprint IN " + sqldb.In(&p, forms) + `
		AND s.deleted_at IS NULL ORDER BY CASE WHEN s.status IN ('open', 'in_progress') THEN 0 ELSE 1 END, s.id DESC LIMIT 1`
	s, err := sqldb.One(tx.db, scanLocked, "SELECT "+sliceColumns+from+tx.db.Engine.LockRow, p.Args...)
	if err != nil || tx.db.Engine.LockRow == "" {
		return s, err
	}
	// PostgreSQL does not sort again after it has waited for a lock: the row may have ceased to be the first one.
	first, err := sqldb.One(tx.db, sqldb.ScanOne[string], "SELECT s.id"+from, p.Args...)
	if err == nil && first != s.ID {
		err = ErrConflict
	}
	return s, err
}

// OpenSliceWithFingerprint returns the number of the open slice of a workspace with a fingerprint, which is another
// one than a slice.
func (q Queries) OpenSliceWithFingerprint(other *Slice) (number int64, err error) {
	return sqldb.One(q.db, sqldb.ScanOne[int64], `SELECT number FROM slices WHERE workspace_id = $1 AND fingerprint = $2 AND id <> $3
		AND deleted_at IS NULL AND status IN ('open', 'in_progress')`, other.WorkspaceID, other.Fingerprint, other.ID)
}

// SliceByExternalID returns a live slice of a workspace with one of the forms of an externalId.
func (q Queries) SliceByExternalID(workspaceID string, forms ...string) (Slice, error) {
	var p sqldb.Params
	return sqldb.One(q.db, scanSlice, "SELECT "+sliceColumns+" FROM slices s WHERE s.workspace_id = "+
		p.Add(workspaceID)+
		" AND s.external_id IN "+sqldb.In(&p, forms)+" AND s.deleted_at IS NULL ORDER BY s.id LIMIT 1", p.Args...)
}

// IsExternalIDOfAnother reports whether a live slice of the workspace, beside a slice, has one of the forms of an
// externalId.
func (q Queries) IsExternalIDOfAnother(s *Slice, forms ...string) (bool, error) {
	var p sqldb.Params
	found, err := sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT id FROM slices WHERE workspace_id = "+p.Add(s.WorkspaceID)+" AND external_id IN "+
			sqldb.In(&p, forms)+" AND id <> "+p.Add(s.ID)+" AND deleted_at IS NULL", p.Args...)
	return len(found) > 0, err
}

// IdentifiersInUse reports whether a live slice of a workspace has the externalId, and whether an open one has the
// fingerprint.
func (q Queries) IdentifiersInUse(workspaceID string, externalID, fingerprint *string) (
	external, open bool, err error,
) {
	byID, err := sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT id FROM slices WHERE workspace_id = $1 AND external_id = $2 AND deleted_at IS NULL", workspaceID,
		externalID)
	if err != nil {
		return false, false, err
	}
	byFingerprint, err := sqldb.List(q.db, sqldb.ScanOne[string], `SELECT id FROM slices WHERE workspace_id = $1 AND fingerprint = $2
		AND deleted_at IS NULL AND status IN ('open', 'in_progress')`, workspaceID, fingerprint)
	return len(byID) > 0, len(byFingerprint) > 0, err
}

var slicesAssigned = "SELECT " + sliceColumns + ` FROM slices s WHERE s.row IN (
		SELECT row FROM slices WHERE workspace_id = $1 AND assignee_id = $2 AND deleted_at IS NULL
		UNION ALL SELECT row FROM slices WHERE workspace_id = $1 AND assignee_id = $2 AND deleted_at IS NOT NULL)
	ORDER BY s.id LIMIT $3`

// SlicesAssigned returns at most limit slices of a workspace that are assigned to a user, deleted or not, by id.
func (q Queries) SlicesAssigned(workspaceID, userID string, limit int) ([]Slice, error) {
	return sqldb.List(q.db, scanSlice, slicesAssigned, workspaceID, userID, limit)
}

// LockSlicesAssigned is SlicesAssigned with row locks.
func (tx *Tx) LockSlicesAssigned(workspaceID, userID string, limit int) ([]Slice, error) {
	if err := tx.ApplySlices(); err != nil {
		return nil, err
	}
	return sqldb.List(tx.db, scanLocked, slicesAssigned+tx.db.Engine.LockRow, workspaceID, userID, limit)
}

// DuplicateOf returns the id of the slice that a slice is a duplicate of, nil for none.
func (q Queries) DuplicateOf(id string) (*string, error) {
	return sqldb.One(q.db, sqldb.ScanOne[*string], "SELECT duplicate_of_id FROM slices WHERE id = $1", id)
}

// Duplicates counts the slices that are duplicates of a slice, of others or of each other in turn, and their
// occurrences. It returns the newest limit of them.
func (q Queries) Duplicates(sliceID string, limit int) (all []Slice, count, occurrences int64, err error) {
	type total struct{ count, occurrences int64 }
	const duplicates = `WITH RECURSIVE duplicates (id, occurrence_count, deleted_at) AS (
			SELECT s.id, s.occurrence_count, s.deleted_at FROM slices s WHERE s.duplicate_of_id = $1
			UNION SELECT s.id, s.occurrence_count, s.deleted_at FROM duplicates d JOIN slices s ON s.duplicate_of_id = d.id
		) `
	sum, err := sqldb.One(q.db, func(r sqldb.Row) (t total, err error) { return t, r.Scan(&t.count, &t.occurrences) },
		duplicates+"SELECT count(*), CAST(coalesce(sum(occurrence_count), 0) AS BIGINT) FROM duplicates WHERE deleted_at IS NULL", sliceID)
	if err != nil || sum.count == 0 {
		return nil, 0, 0, err
	}
	all, err = sqldb.List(q.db, scanSlice, duplicates+"SELECT "+sliceColumns+` FROM slices s
		WHERE s.id IN (SELECT id FROM duplicates WHERE deleted_at IS NULL) ORDER BY s.id DESC LIMIT $2`, sliceID, limit)
	return all, sum.count, sum.occurrences, err
}

// SlicesByID returns those of the slices that are not deleted.
func (q Queries) SlicesByID(ids []string) ([]Slice, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var p sqldb.Params
	return sqldb.List(q.db, scanSlice,
		"SELECT "+sliceColumns+" FROM slices s WHERE s.id IN "+sqldb.In(&p, ids)+" AND s.deleted_at IS NULL", p.Args...)
}

var insertSlice = members.insert() + " RETURNING row"

// InsertSlice stores a new slice with the files in its description. terms are the words of Terms. Its number is
// reserved and its size charged before.
func (tx *Tx) InsertSlice(s *Slice, terms []string) error {
	values, err := members.values(s)
	if err != nil {
		return err
	}
	s.bytes = members.bytes(values)
	s.Row, err = sqldb.One(tx.db, sqldb.ScanOne[int64], insertSlice, values...)
	if err != nil {
		return err
	}
	s.former = &formerSlice{*s, values}
	tx.recount(s, &counted{}, s.counted())
	tx.addDocument(s, terms)
	return tx.addTextFiles(s.ID, "", s.Description)
}

// UpdateSlice adds the columns of a slice that have changed to the changes, with its terms, and raises s.Version.
// SQLite writes each index of a column that a statement stores. It refuses a slice that is not new and was read
// without a lock.
func (tx *Tx) UpdateSlice(s *Slice) error {
	if s.former == nil {
		return errors.New("store: an update of a slice that is not locked")
	}
	values, err := members.values(s)
	if err != nil {
		return err
	}
	u := sliceUpdate{id: s.ID, version: s.Version}
	for i, m := range members {
		if !m.fixed && s.former.values[i] != values[i] {
			u.columns, u.values = append(u.columns, m.column), append(u.values, values[i])
		}
	}
	if err := tx.addUpdate(u, s.mayBeTaken(u.columns)); err != nil {
		return err
	}
	s.Version++
	former := s.former.Slice
	s.former = &formerSlice{*s, values}
	tx.recount(s, former.counted(), s.counted())
	bytes := members.bytes(values)
	tx.Charge(s.WorkspaceID, bytes-s.bytes)
	s.bytes = bytes
	if textOrEmpty(former.Description) != textOrEmpty(s.Description) {
		if err := tx.replaceTextFiles(s.ID, "", s.Description); err != nil {
			return err
		}
	}
	return tx.updateDocument(&former, s)
}

// LinkDuplicate stores the next version of a slice as a duplicate of another one, or of none.
func (tx *Tx) LinkDuplicate(sliceID string, ofID *string, version int64) error {
	if err := tx.ApplySlices(); err != nil {
		return err
	}
	return tx.db.Exec("UPDATE slices SET duplicate_of_id = $2, version = $3 WHERE id = $1 AND version = $3 - 1",
		sliceID, ofID, version)
}
