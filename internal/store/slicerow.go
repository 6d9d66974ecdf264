package store

import (
	"errors"
	"slices"
	"strings"

	"bugslice/api"
)

// Slice is a stored slice: the record of the API and its internal columns.
type Slice struct {
	api.Slice
	Row       int64     // the number of its document in the index
	DeletedAt *api.Time // nil while it is live
	bytes     int64     // its size when it was read
	// deletedSpaceID is the space that is stored when it is deleted. SpaceID is nil then.
	deletedSpaceID *string
	// former is what UpdateSlice compares it with; nil when it was read without a lock.
	former *formerSlice
	// WorkspaceKey is the key of its workspace when it was read.
	WorkspaceKey string
	Symptoms     string // error messages of its evidence, which the search finds
}

// formerSlice is a slice as it is stored.
type formerSlice struct {
	Slice
	columns []any // the values of changeableColumns
}

// sliceColumns are the columns of a slice with the present key of its workspace. A statement that reads many slices reads
// the key once instead, after sliceRecord: the row of a workspace has many versions in PostgreSQL.
const sliceColumns = sliceRecord + ", (SELECT w.key FROM workspaces w WHERE w.id = s.workspace_id)"

const sliceRecord = `s.row, s.id, s.workspace_id, s.number, s.space_id, ` + inDeletedSpace + `, s.summary, s.description, s.status,
	s.resolution, s.priority, s.severity, s.labels, s.reporter_type, s.reporter_id, s.reporter_name,
	s.assignee_id, s.source_url, s.environment, s.metadata, s.external_id, s.duplicate_of_id,
	s.fingerprint, s.occurrence_count, s.last_seen_at, s.last_occurrence, s.redaction, s.symptoms,
	s.attachment_count, s.comment_count, s.version, s.created_at, s.updated_at, s.resolved_at, s.deleted_at,
	` + evidenceColumns

// evidenceColumns are the columns of a slice with the counts of its evidence.
const evidenceColumns = `evidence_console, evidence_console_errors, evidence_network, evidence_failed_requests, evidence_actions,
	evidence_replays, evidence_screenshots, evidence_videos`

// deletedSpaces selects the deleted spaces that may have slices.
const deletedSpaces = "(SELECT p.id FROM spaces p WHERE p.deleted_at IS NOT NULL)"

// inDeletedSpace is 1 for a slice whose space is deleted.
const inDeletedSpace = "CASE WHEN s.space_id IN " + deletedSpaces + " THEN 1 ELSE 0 END"

// counted returns what statistics know of a slice: nothing of a deleted one.
func (s *Slice) counted() *counted {
	if s.DeletedAt != nil {
		return &counted{}
	}
	var r reports
	if s.Fingerprint != nil {
		r = reports{*s.Fingerprint, s.OccurrenceCount}
	}
	return &counted{reports: r, exists: true, status: s.Status, createdAt: s.CreatedAt, resolvedAt: s.ResolvedAt, labels: s.Labels,
		release: textOf(s.Environment.Release)}
}

// hideSpace makes a slice one without a space.
func (s *Slice) hideSpace() {
	if s.SpaceID != nil {
		s.deletedSpaceID, s.SpaceID = s.SpaceID, nil
	}
}

// storedSpaceID returns the space of a slice, or the deleted one from which it is not detached yet.
func (s *Slice) storedSpaceID() *string {
	if s.SpaceID == nil {
		return s.deletedSpaceID
	}
	return s.SpaceID
}

// scanSlice scans the columns of sliceColumns.
func scanSlice(r row) (Slice, error) {
	s, _, err := scanPacked(r)
	return s, err
}

// scanLocked is scanSlice for a slice that is locked: UpdateSlice stores the columns that differ from those that were read.
func scanLocked(r row) (Slice, error) {
	s, packed, err := scanPacked(r)
	s.former = &formerSlice{s, s.changeable(packed)}
	return s, err
}

func scanPacked(r row) (s Slice, p packedSlice, err error) {
	var created, updated, seen, inDeletedSpace int64
	var resolved, deleted *int64
	e := &s.Evidence
	err = r.Scan(&s.Row, &s.ID, &s.WorkspaceID, &s.Number, &s.SpaceID, &inDeletedSpace, &s.Summary, &s.Description, &s.Status,
		&s.Resolution, &s.Priority, &s.Severity, &p.labels, &s.Reporter.Type, &s.Reporter.ID, &s.Reporter.Name,
		&s.AssigneeID, &s.SourceURL, &p.environment, &p.metadata, &s.ExternalID, &s.DuplicateOfID,
		&s.Fingerprint, &s.OccurrenceCount, &seen, &p.occurrence, &p.redaction, &s.Symptoms,
		&s.AttachmentCount, &s.CommentCount, &s.Version, &created, &updated, &resolved, &deleted,
		&e.Console, &e.ConsoleErrors, &e.Network, &e.FailedRequests, &e.Actions, &e.Replays, &e.Screenshots, &e.Videos,
		&s.WorkspaceKey)
	if err != nil {
		return s, p, err
	}
	if inDeletedSpace == 1 {
		s.hideSpace()
	}
	s.CreatedAt, s.UpdatedAt, s.LastSeenAt = api.FromMillis(created), api.FromMillis(updated), api.FromMillis(seen)
	s.ResolvedAt, s.DeletedAt = timeAt(resolved), timeAt(deleted)
	s.bytes = p.bytes(&s)
	err = errors.Join(
		unpack(p.labels, &s.Labels),
		unpack(p.environment, &s.Environment),
		unpack(p.metadata, &s.Metadata),
		unpack(p.redaction, &s.Redaction),
		unpack(p.occurrence, &s.LastOccurrence))
	return s, p, err
}

// changeableColumns are the columns that UpdateSlice stores.
var changeableColumns = strings.Fields(`space_id summary description status resolution priority severity labels assignee_id source_url
	environment metadata external_id duplicate_of_id updated_at resolved_at deleted_at occurrence_count last_seen_at redaction
	last_occurrence attachment_count comment_count evidence_console evidence_console_errors evidence_network evidence_failed_requests
	evidence_actions evidence_replays evidence_screenshots evidence_videos`)

// mayBeTaken reports whether another slice may have an identifier that a slice gets by a change of some columns.
func (s *Slice) mayBeTaken(changed []string) bool {
	if s.DeletedAt != nil {
		return false
	}
	isOpen := s.Status == api.Open || s.Status == api.InProgress
	return slices.ContainsFunc(changed, func(column string) bool {
		switch column {
		case "external_id":
			return s.ExternalID != nil
		case "status":
			return s.Fingerprint != nil && isOpen
		case "deleted_at":
			return s.ExternalID != nil || s.Fingerprint != nil && isOpen
		}
		return false
	})
}

// changeable returns the values of changeableColumns.
func (s *Slice) changeable(p packedSlice) []any {
	e := s.Evidence
	return []any{orNull(s.storedSpaceID()), s.Summary, orNull(s.Description), s.Status, orNull(s.Resolution), orNull(s.Priority),
		orNull(s.Severity), p.labels, orNull(s.AssigneeID), orNull(s.SourceURL), p.environment, p.metadata, orNull(s.ExternalID),
		orNull(s.DuplicateOfID), s.UpdatedAt.UnixMilli(), orNull(millis(s.ResolvedAt)), orNull(millis(s.DeletedAt)), s.OccurrenceCount,
		s.LastSeenAt.UnixMilli(), p.redaction, p.occurrence, s.AttachmentCount, s.CommentCount, e.Console, e.ConsoleErrors,
		e.Network, e.FailedRequests, e.Actions, e.Replays, e.Screenshots, e.Videos}
}

// orNull returns a value, or nil for none.
func orNull[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// packedSlice are the JSON columns of a slice.
type packedSlice struct{ labels, environment, metadata, redaction, occurrence string }

// packSlice encodes the JSON columns of a slice.
func packSlice(s *Slice) (p packedSlice, err error) {
	err = errors.Join(
		pack(&p.labels, s.Labels, len(s.Labels) == 0),
		pack(&p.environment, s.Environment, s.Environment == api.Environment{}),
		pack(&p.metadata, s.Metadata, len(s.Metadata) == 0),
		pack(&p.redaction, s.Redaction, s.Redaction == nil),
		pack(&p.occurrence, s.LastOccurrence, s.LastOccurrence == nil))
	return p, err
}

func (p packedSlice) bytes(s *Slice) int64 {
	return bytesOf(s.Summary, textOrEmpty(s.Description), p.labels, p.environment, p.metadata, p.redaction, p.occurrence, s.Symptoms,
		textOrEmpty(s.SourceURL), textOrEmpty(s.ExternalID), textOrEmpty(s.Fingerprint))
}

// SliceBytes returns the size of a slice.
func SliceBytes(s *Slice) (int64, error) {
	p, err := packSlice(s)
	return p.bytes(s), err
}

// textOf returns a text, or the empty one for none.
func textOf[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}
