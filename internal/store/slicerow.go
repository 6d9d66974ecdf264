package store

import (
	"slices"
	"sync"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
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
	Removed      []string // keyed hashes of values that redaction has removed from it
	Symptoms     string   // error messages of its evidence, which the search finds
	// Releases are those that its later reports have named; see SeeRelease.
	Releases []SeenRelease
}

// formerSlice is a slice as it is stored.
type formerSlice struct {
	Slice
	values []any // of members
}

// sliceColumns are the columns of a slice with the present key of its workspace. A statement that reads many slices
// reads the key once instead, after sliceRecord: the row of a workspace has many versions in PostgreSQL.
var sliceColumns = sliceRecord + ", (SELECT w.key FROM workspaces w WHERE w.id = s.workspace_id)"

var sliceRecord = members.columns("s") + ", s.row, " + inDeletedSpace

// deletedSpaces selects the deleted spaces that may have slices.
const deletedSpaces = "(SELECT p.id FROM spaces p WHERE p.deleted_at IS NOT NULL)"

// inDeletedSpace is 1 for a slice whose space is deleted.
const inDeletedSpace = "CASE WHEN s.space_id IS NOT NULL AND s.space_id IN " + deletedSpaces + " THEN 1 ELSE 0 END"

// counted returns what statistics know of a slice: nothing of a deleted one.
func (s *Slice) counted() *counted {
	if s.DeletedAt != nil {
		return &counted{}
	}
	var r reports
	if s.Fingerprint != nil {
		r = reports{*s.Fingerprint, s.OccurrenceCount}
	}
	return &counted{reports: r, exists: true, status: s.Status, createdAt: s.CreatedAt, resolvedAt: s.ResolvedAt,
		labels:  s.Labels,
		release: textOf(s.Environment.Release), seen: s.seenReleases(), fixedIn: textOf(s.FixedInRelease)}
}

// SeeRelease adds the release of a later report to those of a slice; nil is none.
func (s *Slice) SeeRelease(release *string, at api.Time) {
	if name := textOf(release); name != "" {
		s.Releases = withSeen(s.Releases, name, at.UnixMilli())
	}
}

// seenReleases returns the releases of all reports of a slice, each once.
func (s *Slice) seenReleases() []SeenRelease {
	if first := textOf(s.Environment.Release); first != "" {
		return withFirst(s.Releases, first, s.CreatedAt.UnixMilli())
	}
	return s.Releases
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
func scanSlice(r sqldb.Row) (Slice, error) {
	scanned := sliceRows.Get().(*sliceRow)
	defer sliceRows.Put(scanned)
	return scanned.scan(r)
}

// scanLocked is scanSlice for a slice that is locked: UpdateSlice stores the columns that differ from those that were
// read.
func scanLocked(r sqldb.Row) (Slice, error) {
	scanned := sliceRows.Get().(*sliceRow)
	defer sliceRows.Put(scanned)
	s, err := scanned.scan(r)
	s.former = &formerSlice{s, slices.Clone(scanned.values)}
	return s, err
}

// sliceRow scans rows of sliceColumns.
type sliceRow struct {
	*memberRow
	row, inDeletedSpace int64
	workspaceKey        string
}

var sliceRows = sync.Pool{New: func() any {
	x := &sliceRow{}
	x.memberRow = members.row(&x.row, &x.inDeletedSpace, &x.workspaceKey)
	return x
}}

func (x *sliceRow) scan(r sqldb.Row) (Slice, error) {
	s, err := x.memberRow.scan(r)
	if err != nil {
		return s, err
	}
	if x.inDeletedSpace == 1 {
		s.hideSpace()
	}
	s.Row, s.WorkspaceKey, s.bytes = x.row, x.workspaceKey, members.bytes(x.values)
	return s, nil
}

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

// SliceBytes returns the size of a slice.
func SliceBytes(s *Slice) (int64, error) {
	values, err := members.values(s)
	if err != nil {
		return 0, err
	}
	return members.bytes(values), nil
}
