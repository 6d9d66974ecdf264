package store

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"bugslice/api"
)

// Record is a row of a table by its columns.
type Record map[string]any

// exported are what an export of a workspace holds, in the order that references ask for. A
// slice that is deleted is left out, and so are the addresses of clients.
var exported = []struct{ table, rows string }{
	{"workspaces", "SELECT id, name, description, redaction, last_number, created_at, updated_at FROM workspaces WHERE id = $1"},
	{"users", `SELECT u.id, u.name, u.email FROM users u WHERE u.id IN (SELECT user_id FROM memberships WHERE workspace_id = $1)
		OR u.id IN (SELECT assignee_id FROM slices WHERE workspace_id = $1) OR u.id IN (SELECT reporter_id FROM slices WHERE workspace_id = $1) ORDER BY u.id`},
	{"spaces", "SELECT * FROM spaces WHERE workspace_id = $1 ORDER BY id"},
	{"slices", "SELECT * FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id"},
	{"slice_labels", "SELECT * FROM slice_labels WHERE slice_id IN (SELECT id FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL) ORDER BY slice_id, label"},
	{"comments", "SELECT * FROM comments WHERE slice_id IN (SELECT id FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL) ORDER BY id"},
	{"attachments", "SELECT * FROM attachments WHERE slice_id IN (SELECT id FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL) ORDER BY id"},
	{"events", `SELECT id, org_id, workspace_id, sequence, type, actor_type, actor_id, actor_key_id, subject_kind, subject_id, data, created_at
		FROM events WHERE workspace_id = $1 AND subject_kind IN ('slice', 'comment', 'attachment')
		AND subject_id IN (SELECT id FROM slices WHERE workspace_id = $1 AND deleted_at IS NULL) ORDER BY id`},
}

// ExportTables names the tables of an export, in order.
func ExportTables() []string {
	names := make([]string, len(exported))
	for i, e := range exported {
		names[i] = e.table
	}
	return names
}

// Export writes the records of a workspace as of one instant: for each table a stream of JSON
// objects, a line each. It returns how many slices there are and the keys of their blobs.
func (s *Store) Export(ctx context.Context, workspaceID string, entry func(table string) (io.Writer, error)) (counts map[string]int, blobs []string, err error) {
	counts = map[string]int{}
	err = s.snapshot(ctx, func(q Queries) error {
		for _, e := range exported {
			w, err := entry(e.table)
			if err != nil {
				return err
			}
			enc := json.NewEncoder(w)
			err = q.db.records(e.rows, func(r Record) error {
				counts[e.table]++
				if e.table == "attachments" {
					blobs = append(blobs, r.blobs()...)
				}
				return enc.Encode(r)
			}, workspaceID)
			if err != nil {
				return fmt.Errorf("export %s: %w", e.table, err)
			}
		}
		return nil
	})
	return counts, blobs, err
}

// Numbered raises the counter of a workspace to a number that was given elsewhere.
func (tx *Tx) Numbered(workspaceID string, number int64) error {
	_, err := tx.db.exec("UPDATE workspaces SET last_number = CASE WHEN last_number > $2 THEN last_number ELSE $2 END WHERE id = $1", workspaceID, number)
	return err
}

// LinkDuplicate makes the next version of a slice, which repeats another one, or none.
func (tx *Tx) LinkDuplicate(sliceID string, ofID *string, version int64) error {
	_, err := tx.db.exec("UPDATE slices SET duplicate_of_id = $2, version = $3 WHERE id = $1 AND version = $3 - 1", sliceID, ofID, version)
	return err
}

// Recount makes the counts of a workspace's slices those of their records.
func (tx *Tx) Recount(workspaceID string) error {
	const attachments, comments = "(SELECT count(*) FROM attachments a WHERE a.slice_id = slices.id)", "(SELECT count(*) FROM comments c WHERE c.slice_id = slices.id)"
	_, err := tx.db.exec("UPDATE slices SET attachment_count = "+attachments+", comment_count = "+comments+", version = version + 1 WHERE workspace_id = $1 AND (attachment_count <> "+attachments+" OR comment_count <> "+comments+")", workspaceID)
	return err
}

// RemoveWorkspace removes a workspace and all that was imported into it. The bytes of its
// files are removed at the time.
func (tx *Tx) RemoveWorkspace(id string, removeBlobsAt api.Time) error {
	const slices = " IN (SELECT id FROM slices WHERE workspace_id = $1)"
	if err := tx.unreferenceBlobs("a.slice_id"+slices, id, removeBlobsAt); err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM slice_search WHERE rowid IN (SELECT row FROM slices WHERE workspace_id = $1)",
		"DELETE FROM slice_labels WHERE slice_id" + slices,
		"DELETE FROM comments WHERE slice_id" + slices,
		"DELETE FROM attachments WHERE slice_id" + slices,
		"DELETE FROM slices WHERE workspace_id = $1",
		"DELETE FROM spaces WHERE workspace_id = $1",
		"DELETE FROM events WHERE workspace_id = $1",
		"DELETE FROM memberships WHERE workspace_id = $1",
		"DELETE FROM workspaces WHERE id = $1",
	} {
		if _, err := tx.db.exec(text, id); err != nil {
			return err
		}
	}
	return nil
}

// Claimed says whether a live slice of a workspace has the externalId, or an open one the fingerprint.
func (q Queries) Claimed(workspaceID string, externalID, fingerprint *string) (external, open bool, err error) {
	n, err := list(q.db, scanOne[string], "SELECT id FROM slices WHERE workspace_id = $1 AND external_id = $2 AND deleted_at IS NULL", workspaceID, externalID)
	if err != nil {
		return false, false, err
	}
	m, err := list(q.db, scanOne[string], "SELECT id FROM slices WHERE workspace_id = $1 AND fingerprint = $2 AND deleted_at IS NULL AND status IN ('open', 'in_progress')", workspaceID, fingerprint)
	return len(n) > 0, len(m) > 0, err
}

// SliceByExternalID returns a live slice of a workspace with one of the forms of an externalId.
func (q Queries) SliceByExternalID(workspaceID string, forms ...string) (Slice, error) {
	var p params
	where := " FROM slices s WHERE s.workspace_id = " + p.add(workspaceID) + " AND s.external_id IN " + in(&p, forms) + " AND s.deleted_at IS NULL"
	return one(q.db, scanSlice, "SELECT "+sliceColumns+where+" ORDER BY s.id LIMIT 1", p.args...)
}

// Owners returns the owners of an organisation whose accounts are not disabled.
func (q Queries) Owners(orgID string) ([]string, error) {
	return list(q.db, scanOne[string], "SELECT id FROM users WHERE org_id = $1 AND role = 'owner' AND disabled_at IS NULL ORDER BY id", orgID)
}
