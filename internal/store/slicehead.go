package store

import "bugslice/internal/store/sqldb"

// SliceHead is what a copy of a slice is found by and compared with: its position in a list, and its version.
type SliceHead struct {
	ID      string
	SortKey int64 // by which its list is sorted before the id, 0 when it is sorted by id
	Version int64
	rowVersion
}

// SliceHeads returns the heads of the slices that Slices returns.
func (q Queries) SliceHeads(f SliceFilter) ([]SliceHead, error) {
	all, err := q.versions(f)
	heads := make([]SliceHead, len(all))
	for i, found := range all {
		heads[i] = SliceHead{found.id, found.key, found.value.version, found.value}
	}
	return heads, err
}

// SliceHead returns the head of a slice, and of the slice its id, its workspace and the time of its deletion.
func (q Queries) SliceHead(id string) (SliceHead, Slice, error) {
	var s Slice
	head, err := sqldb.One(q.brief().db, func(r sqldb.Row) (h SliceHead, err error) {
		var deletedAt *int64
		h.rowVersion, err = scanRowVersion(prefixed{r, []any{&s.ID, &s.WorkspaceID, &deletedAt}})
		h.ID, h.Version, s.DeletedAt = s.ID, h.version, sqldb.TimeAt(deletedAt)
		return h, err
	}, sliceHeadByID, id)
	return head, s, err
}

var sliceHeadByID = "SELECT s.id, s.workspace_id, s.deleted_at, s.row, s.version, " + inDeletedSpace + ", " +
	keyOf("s.workspace_id") +
	" FROM slices s WHERE s.id = $1"

// Head returns the head of a slice that was read, in a list with an order.
func (s Slice) Head(sort SliceSort) SliceHead {
	v := rowVersion{row: s.Row, version: s.Version, workspaceKey: s.WorkspaceKey}
	if s.deletedSpaceID != nil {
		v.inDeletedSpace = 1
	}
	h := SliceHead{ID: s.ID, Version: s.Version, rowVersion: v}
	switch sort {
	case SortByUpdate:
		h.SortKey = s.UpdatedAt.UnixMilli()
	case SortByPriority:
		h.SortKey = PriorityKey(s.Priority)
	}
	return h
}

// SliceEncoder encodes slices and keeps what it has encoded, within maxEncodedBytes. It is safe for concurrent use.
type SliceEncoder struct {
	encode func(Slice) ([]byte, error)
	kept   *rowCache[encodedSlice]
}

const maxEncodedBytes = 32 << 20

// encodedSlice is a slice as it was encoded at a version.
type encodedSlice struct {
	rowVersion
	text []byte
}

// NewSliceEncoder returns a SliceEncoder. What encode returns is shared, and depends on the slice alone.
func NewSliceEncoder(encode func(Slice) ([]byte, error)) *SliceEncoder {
	return &SliceEncoder{encode, newRowCache[encodedSlice](maxEncodedBytes)}
}

// Kept returns the slice with a head, if it is kept.
func (e *SliceEncoder) Kept(h SliceHead) (text []byte, ok bool) {
	kept, ok := e.kept.get(h.row, h.version)
	return kept.text, ok && kept.rowVersion == h.rowVersion
}

// Encode encodes a slice that was read outside of a transaction, and keeps it.
func (e *SliceEncoder) Encode(s Slice) ([]byte, error) {
	text, err := e.encode(s)
	if err == nil {
		v := s.Head(SortByID).rowVersion
		e.kept.put(v.row, v.version, encodedSlice{v, text}, len(text)+overheadOfKept)
	}
	return text, err
}

const overheadOfKept = 150 // bytes of an entry of the cache, without the text
