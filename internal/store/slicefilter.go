package store

import (
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// SliceFilter is the filter, the order and the position of a list of slices. Empty members filter nothing.
type SliceFilter struct {
	Workspaces   []string // at least one; the caller has access to each
	Spaces       []string // NoneValue for slices without a space
	Statuses     []api.Status
	Resolutions  []api.Resolution
	Priorities   []api.PriorityFilter // NoneValue for slices without a priority
	Severities   []api.SeverityFilter // NoneValue for slices without a severity
	Labels       []string
	Unlabelled   bool     // only slices without labels; in Excluded, also those
	Assignees    []string // NoneValue for slices without an assignee
	Reporters    []string
	Mentions     []string            // the ids and e-mail addresses of users
	DuplicatesOf []string            // the ids of the originals
	Texts        map[string][]string // the values of api.TextFilter, by its word; beginnings of values have an asterisk
	Metadata     []MetadataFilter
	Has          []api.EvidenceFilter // at least one of them
	Number       int                  // 0 for any
	IDs          []string
	FromID       string // at or after, by creation
	BeforeID     string
	UpdatedMin   *api.Time
	UpdatedEnd   *api.Time // later than the last update
	ResolvedMin  *api.Time
	ResolvedEnd  *api.Time // later than the resolution
	Words        []string
	Prefixes     []string // beginnings of words, folded
	References   []ReferenceFilter
	AnyOf        [][]SliceFilter // slices with the words of one filter of each; these have words alone

	// Excluded leaves out the slices that have one of its values. Only the members count that have values of the
	// index, and words.
	Excluded *SliceFilter

	Sort      SliceSort // and then by id
	Ascending bool
	AfterID   string // the last slice of the page before
	AfterKey  int64  // the key of that slice, unless the list is sorted by id
	Limit     int

	anyWord bool // slices with one of the words are enough
	// When the first slice was created and the last one updated, for times with one bound.
	earliest, latest int64
}

// MetadataFilter selects the slices with one of the values of a key of their metadata.
type MetadataFilter struct {
	Name   string
	Values []string
}

// ReferenceFilter selects the slice that a written reference names, and the slices with all words of the reference.
type ReferenceFilter struct {
	WorkspaceID string // empty when no workspace has the key
	Number      int64
	Words       []string
}

// SliceSort is what a list is sorted by, and then by id.
type SliceSort int

// The orders of lists. A list by priority is of one workspace.
const (
	SortByID SliceSort = iota
	SortByUpdate
	SortByPriority
)

// PriorityKey returns the AfterKey of a slice with a priority.
func PriorityKey(p *api.Priority) int64 {
	if p == nil {
		return priorityKey(NoneValue)
	}
	return priorityKey(string(*p))
}

// priorityKey returns the position of a priority in the ascending order of priorities, of which NoneValue is the first.
func priorityKey(p string) int64 {
	if p == NoneValue {
		return 0
	}
	all := api.Priority("").Values() // urgent is the first
	return int64(len(all) - slices.Index(all, p))
}

// identifies reports whether a filter selects slices by what identifies one, or few.
func (f *SliceFilter) identifies() bool {
	return len(f.IDs) > 0 || f.Number > 0 || len(f.externalIDs()) > 0 || len(f.DuplicatesOf) > 0
}

func (f *SliceFilter) externalIDs() []string { return f.Texts["external"] }

func (f *SliceFilter) direction() string {
	if f.Ascending {
		return " ASC"
	}
	return " DESC"
}

// key is the time by which slices s are sorted before their ids, or 0: no other column than those of the index of the
// order.
func (f *SliceFilter) key() string {
	if f.Sort == SortByUpdate {
		return "s.updated_at"
	}
	return "0 AS updated_at"
}

// order is the ORDER BY of slices s.
func (f *SliceFilter) order() string {
	if f.Sort == SortByUpdate {
		return "s.updated_at" + f.direction() + ", s.id" + f.direction()
	}
	return "s.id" + f.direction()
}

// mergedOrder is the ORDER BY of several SELECTs that begin with the columns of a position.
func (f *SliceFilter) mergedOrder() string {
	if f.Sort == SortByUpdate {
		return "2" + f.direction() + ", 1" + f.direction()
	}
	return "1" + f.direction()
}

// inOrder returns the conditions of a filter that the index of its order serves: those on its times, and on the
// position after which the list begins.
func (f *SliceFilter) inOrder(p *sqldb.Params) string {
	all := []string{"s.deleted_at IS NULL"}
	after := " < "
	if f.Ascending {
		after = " > "
	}
	if f.Sort == SortByUpdate {
		all = append(all, timeRange("s.updated_at", f.UpdatedMin, f.UpdatedEnd, p)...)
		if f.AfterID != "" {
			all = append(all, "(s.updated_at, s.id)"+after+"("+p.Add(f.AfterKey)+", "+p.Add(f.AfterID)+")")
		}
	} else {
		all = append(all, f.creationRange("s.id", p)...)
		if f.AfterID != "" {
			all = append(all, "s.id"+after+p.Add(f.AfterID))
		}
	}
	return strings.Join(all, " AND ")
}

// others returns the further conditions on times.
func (f *SliceFilter) others(p *sqldb.Params) string {
	var all []string
	if f.Sort == SortByUpdate {
		all = f.creationRange("s.id || ''",
			p) // an expression, so that no database reads the index of ids in place of that of updates
	} else {
		all = timeRange("s.updated_at", f.UpdatedMin, f.UpdatedEnd, p)
	}
	all = append(all, timeRange("s.resolved_at", f.ResolvedMin, f.ResolvedEnd, p)...)
	if len(all) == 0 {
		return ""
	}
	return " AND " + strings.Join(all, " AND ")
}

func (f *SliceFilter) creationRange(id string, p *sqldb.Params) (conditions []string) {
	if f.FromID != "" {
		conditions = append(conditions, id+" >= "+p.Add(f.FromID))
	}
	if f.BeforeID != "" {
		conditions = append(conditions, id+" < "+p.Add(f.BeforeID))
	}
	return conditions
}

// timeRange returns the conditions on a column with a time: from first, and before end. A nil bound is open.
func timeRange(column string, first, end *api.Time, p *sqldb.Params) (conditions []string) {
	if first != nil {
		conditions = append(conditions, column+" >= "+p.Add(first.UnixMilli()))
	}
	if end != nil {
		conditions = append(conditions, column+" < "+p.Add(end.UnixMilli()))
	}
	return conditions
}

// duplicates selects the slices, with rows and ids, that are duplicates of originals, or of each other in turn. Some
// may be deleted.
func (f *SliceFilter) duplicates(p *sqldb.Params) string {
	return `WITH RECURSIVE duplicates (row, id) AS (
			SELECT o.row, o.id FROM slices o WHERE o.duplicate_of_id IN ` + sqldb.In(p, f.DuplicatesOf) + `
			UNION SELECT o.row, o.id FROM duplicates d JOIN slices o ON o.duplicate_of_id = d.id
		) SELECT row, id FROM duplicates`
}
