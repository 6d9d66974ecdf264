package store

import (
	"strings"

	"bugslice/api"
	"bugslice/internal/strictjson"
	"bugslice/internal/words"
)

// Slice is a stored slice: what the API shows, and what it does not.
type Slice struct {
	api.Slice
	Row       int64     // its row in slice_search
	DeletedAt *api.Time // nil while it is live
	bytes     int64     // it counted when it was read
	Symptoms  string    // messages of errors of its evidence, by which it is found, too
}

const sliceColumns = `s.row, s.id, s.workspace_id, s.number, s.space_id, s.summary, s.description, s.status,
	s.resolution, s.priority, s.severity, s.labels, s.reporter_type, s.reporter_id, s.reporter_name,
	s.assignee_id, s.source_url, s.environment, s.metadata, s.external_id, s.duplicate_of_id,
	s.fingerprint, s.occurrence_count, s.last_seen_at, s.last_occurrence, s.redaction, s.symptoms,
	s.attachment_count, s.comment_count, s.version, s.created_at, s.updated_at, s.resolved_at, s.deleted_at`

func scanSlice(r row) (Slice, error) {
	var s Slice
	var labels, environment, metadata, redaction, occurrence string
	var created, updated, seen int64
	var resolved, deleted *int64
	err := r.Scan(&s.Row, &s.ID, &s.WorkspaceID, &s.Number, &s.SpaceID, &s.Summary, &s.Description, &s.Status,
		&s.Resolution, &s.Priority, &s.Severity, &labels, &s.Reporter.Type, &s.Reporter.ID, &s.Reporter.Name,
		&s.AssigneeID, &s.SourceURL, &environment, &metadata, &s.ExternalID, &s.DuplicateOfID,
		&s.Fingerprint, &s.OccurrenceCount, &seen, &occurrence, &redaction, &s.Symptoms,
		&s.AttachmentCount, &s.CommentCount, &s.Version, &created, &updated, &resolved, &deleted)
	if err != nil {
		return s, err
	}
	s.CreatedAt, s.UpdatedAt, s.LastSeenAt = api.FromMillis(created), api.FromMillis(updated), api.FromMillis(seen)
	s.ResolvedAt, s.DeletedAt = timeAt(resolved), timeAt(deleted)
	s.bytes = packed{labels, environment, metadata, redaction, occurrence}.bytes(&s)
	return s, unpack(labels, &s.Labels, environment, &s.Environment, metadata, &s.Metadata, redaction, &s.Redaction, occurrence, &s.LastOccurrence)
}

// unpack reads JSON columns, given as text and target in turns. Empty ones, which most are,
// cost no parsing.
func unpack(pairs ...any) error {
	for i := 0; i < len(pairs); i += 2 {
		switch target := pairs[i+1].(type) {
		case *[]string:
			*target = []string{}
		case *map[string]string:
			*target = map[string]string{}
		}
		if text := pairs[i].(string); text != "" {
			if err := strictjson.Unmarshal([]byte(text), pairs[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

func pack[T any](v T, empty bool) (string, error) {
	if empty {
		return "", nil
	}
	b, err := strictjson.Marshal(v)
	return string(b), err
}

func timeAt(ms *int64) *api.Time {
	if ms == nil {
		return nil
	}
	t := api.FromMillis(*ms)
	return &t
}

func millis(t *api.Time) *int64 {
	if t == nil {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

const sliceByID = "SELECT " + sliceColumns + " FROM slices s WHERE s.id = $1"

// Slice returns a slice, whoever sees it, deleted or not.
func (q Queries) Slice(id string) (Slice, error) {
	return one(q.db, scanSlice, sliceByID, id)
}

// LockSlice is Slice with a row lock.
func (tx *Tx) LockSlice(id string) (Slice, error) {
	return one(tx.db, scanSlice, sliceByID+tx.db.engine.lockRow, id)
}

// Terms returns the words a slice is found by: those of its summary, its description and its symptoms.
func Terms(f api.SliceFields, symptoms string) []string {
	text := f.Summary
	if f.Description != nil {
		text += "\n" + *f.Description
	}
	return words.Split(text + "\n" + symptoms)
}

// IndexExternalID is the unique index of TakenError when a live slice has the externalId.
const IndexExternalID = "slices_external_id"

// IndexFingerprint is the one when an open slice has the fingerprint.
const IndexFingerprint = "slices_open_fingerprint"

// InsertSlice stores a new slice whose number has been taken from its workspace, which its bytes were
// charged to, and indexes terms for search.
func (tx *Tx) InsertSlice(s *Slice, terms []string) error {
	packed, err := packSlice(s)
	if err != nil {
		return err
	}
	s.bytes = packed.bytes(s)
	s.Row, err = one(tx.db, scanOne[int64], `
		INSERT INTO slices (id, workspace_id, number, space_id, summary, description, status, resolution, priority,
			severity, labels, reporter_type, reporter_id, reporter_name, assignee_id, source_url, environment, metadata,
			external_id, duplicate_of_id, version, created_at, updated_at, resolved_at, fingerprint, occurrence_count, last_seen_at, redaction, attachment_count, symptoms,
			comment_count, last_occurrence, deleted_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30,
			$31, $32, $33)
		RETURNING row`,
		s.ID, s.WorkspaceID, s.Number, s.SpaceID, s.Summary, s.Description, s.Status, s.Resolution, s.Priority,
		s.Severity, packed.labels, s.Reporter.Type, s.Reporter.ID, s.Reporter.Name, s.AssigneeID, s.SourceURL, packed.environment, packed.metadata,
		s.ExternalID, s.DuplicateOfID, s.Version, s.CreatedAt.UnixMilli(), s.UpdatedAt.UnixMilli(), millis(s.ResolvedAt),
		s.Fingerprint, s.OccurrenceCount, s.LastSeenAt.UnixMilli(), packed.redaction, s.AttachmentCount, s.Symptoms,
		s.CommentCount, packed.occurrence, millis(s.DeletedAt))
	if err != nil {
		return err
	}
	if err := tx.insertLabels(s.ID, s.Labels); err != nil {
		return err
	}
	return tx.index(s.Row, terms)
}

// UpdateSlice stores s over the version it was read at; ErrConflict says that the slice
// has moved on since. It raises s.Version. Where the slice is found by its labels and its text stays as it is:
// UpdateSliceLabels and UpdateSliceTerms change that.
func (tx *Tx) UpdateSlice(s *Slice) error {
	packed, err := packSlice(s)
	if err != nil {
		return err
	}
	n, err := tx.db.exec(`
		UPDATE slices SET space_id = $3, summary = $4, description = $5, status = $6, resolution = $7, priority = $8,
			severity = $9, labels = $10, assignee_id = $11, source_url = $12, environment = $13, metadata = $14,
			external_id = $15, duplicate_of_id = $16, updated_at = $17, resolved_at = $18, deleted_at = $19, occurrence_count = $20, last_seen_at = $21,
			redaction = $22, last_occurrence = $23, attachment_count = $24, version = version + 1
		WHERE id = $1 AND version = $2`,
		s.ID, s.Version, s.SpaceID, s.Summary, s.Description, s.Status, s.Resolution, s.Priority,
		s.Severity, packed.labels, s.AssigneeID, s.SourceURL, packed.environment, packed.metadata,
		s.ExternalID, s.DuplicateOfID, s.UpdatedAt.UnixMilli(), millis(s.ResolvedAt), millis(s.DeletedAt),
		s.OccurrenceCount, s.LastSeenAt.UnixMilli(), packed.redaction, packed.occurrence, s.AttachmentCount)
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrConflict
	}
	s.Version++
	now := packed.bytes(s)
	tx.Charge(s.WorkspaceID, now-s.bytes)
	s.bytes = now
	return nil
}

// UpdateSliceLabels makes a slice found by the labels it has.
func (tx *Tx) UpdateSliceLabels(s *Slice) error {
	if _, err := tx.db.exec("DELETE FROM slice_labels WHERE slice_id = $1", s.ID); err != nil {
		return err
	}
	return tx.insertLabels(s.ID, s.Labels)
}

// UpdateSliceTerms makes a slice found by terms.
func (tx *Tx) UpdateSliceTerms(s *Slice, terms []string) error {
	if _, err := tx.db.exec("DELETE FROM slice_search WHERE rowid = $1", s.Row); err != nil {
		return err
	}
	return tx.index(s.Row, terms)
}

// packed are the members of a slice that are stored as JSON.
type packed struct{ labels, environment, metadata, redaction, occurrence string }

func packSlice(s *Slice) (p packed, err error) {
	if p.labels, err = pack(s.Labels, len(s.Labels) == 0); err != nil {
		return
	}
	if p.environment, err = pack(s.Environment, s.Environment == api.Environment{}); err != nil {
		return
	}
	if p.metadata, err = pack(s.Metadata, len(s.Metadata) == 0); err != nil {
		return
	}
	if p.redaction, err = pack(s.Redaction, s.Redaction == nil); err != nil {
		return
	}
	p.occurrence, err = pack(s.LastOccurrence, s.LastOccurrence == nil)
	return
}

func (tx *Tx) insertLabels(id string, labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	var p params
	slice, rows := p.add(id), make([]string, len(labels))
	for i, l := range labels {
		rows[i] = "(" + slice + ", " + p.add(l) + ")"
	}
	_, err := tx.db.exec("INSERT INTO slice_labels (slice_id, label) VALUES "+strings.Join(rows, ", "), p.args...)
	return err
}

func (tx *Tx) index(row int64, terms []string) error {
	if len(terms) == 0 {
		return nil
	}
	_, err := tx.db.exec("INSERT INTO slice_search (rowid, words) VALUES ($1, $2)", row, tx.db.engine.document(terms))
	return err
}

// DuplicateOf returns which slice a slice repeats, nil for none.
func (q Queries) DuplicateOf(id string) (*string, error) {
	return one(q.db, scanOne[*string], "SELECT duplicate_of_id FROM slices WHERE id = $1", id)
}

// LockSliceByFingerprint returns the newest live slice of a workspace with one of the forms of a fingerprint, one that
// is open or in progress before others, with a row lock. Whoever opens one or files another locks it, so that they
// come one after the other; ErrConflict says that it is another one meanwhile.
func (tx *Tx) LockSliceByFingerprint(workspaceID string, forms ...string) (Slice, error) {
	var p params
	which := " FROM slices s WHERE s.workspace_id = " + p.add(workspaceID) + " AND s.fingerprint IN " + in(&p, forms) + ` AND s.deleted_at IS NULL
		ORDER BY CASE WHEN s.status IN ('open', 'in_progress') THEN 0 ELSE 1 END, s.id DESC LIMIT 1`
	s, err := one(tx.db, scanSlice, "SELECT "+sliceColumns+which+tx.db.engine.lockRow, p.args...)
	if err != nil || tx.db.engine.lockRow == "" {
		return s, err
	}
	now, err := one(tx.db, scanOne[string], "SELECT s.id"+which, p.args...)
	if err == nil && now != s.ID {
		err = ErrConflict
	}
	return s, err
}

// SlicesAssigned returns the slices, deleted ones too, of a workspace that are assigned to a user, in order of id.
func (q Queries) SlicesAssigned(workspaceID, userID string) ([]Slice, error) {
	return list(q.db, scanSlice, "SELECT "+sliceColumns+` FROM slices s
		WHERE s.workspace_id = $1 AND s.assignee_id = $2 ORDER BY s.id`, workspaceID, userID)
}

// PurgeSlices removes for good up to limit slices deleted before the time, with their search
// rows, and scrubs their content from their events. The bytes of their files are removed at
// removeBlobsAt. It returns how many it removed.
func (tx *Tx) PurgeSlices(before, removeBlobsAt api.Time, limit int) (int, error) {
	gone, err := list(tx.db, scanSlice, "SELECT "+sliceColumns+" FROM slices s WHERE s.deleted_at < $1 ORDER BY s.id LIMIT $2"+tx.db.engine.lockRow,
		before.UnixMilli(), limit)
	if err != nil {
		return 0, err
	}
	for _, s := range gone {
		if err := tx.unreferenceBlobs("a.slice_id = $1", s.ID, removeBlobsAt); err != nil {
			return 0, err
		}
		freed, err := tx.freedBy(s)
		if err != nil {
			return 0, err
		}
		tx.Charge(s.WorkspaceID, -freed)
		for _, text := range []string{
			"DELETE FROM slice_labels WHERE slice_id = $1",
			"UPDATE slices SET duplicate_of_id = NULL, version = version + 1 WHERE duplicate_of_id = $1",
			`UPDATE events SET data = '` + purgedEvent + `', client_address = NULL WHERE subject_id = $1`,
			"DELETE FROM comments WHERE slice_id = $1",
			"DELETE FROM attachments WHERE slice_id = $1",
			"DELETE FROM slices WHERE id = $1",
		} {
			if _, err := tx.db.exec(text, s.ID); err != nil {
				return 0, err
			}
		}
		if _, err := tx.db.exec("DELETE FROM slice_search WHERE rowid = $1", s.Row); err != nil {
			return 0, err
		}
	}
	return len(gone), nil
}

// purgedEvent stands in the log where the content of a slice was.
const purgedEvent = `{"purged":true}`

// freedBy is what a slice, what hangs on it, and the content of its events count.
func (q Queries) freedBy(s Slice) (int64, error) {
	n, err := one(q.db, scanOne[int64], `SELECT CAST(COALESCE(sum(bytes), 0) AS BIGINT) FROM (
			SELECT 256 + octet_length(body) AS bytes FROM comments WHERE slice_id = $1
			UNION ALL SELECT 256 + stored FROM attachments WHERE slice_id = $1
			UNION ALL SELECT octet_length(data) - $2 FROM events WHERE subject_id = $1 AND workspace_id IS NOT NULL) AS r`, s.ID, len(purgedEvent))
	return s.bytes + n, err
}
