package store

import (
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
)

// SliceFilter is the filter, the order and the position of a list of slices. Empty members filter nothing.
type SliceFilter struct {
	Workspaces   []string // at least one; the caller has access to each
	Spaces       []string // NoneValue for slices without a space
	Statuses     []api.Status
	Priorities   []api.PriorityFilter // NoneValue for slices without a priority
	Severities   []api.SeverityFilter // NoneValue for slices without a severity
	Labels       []string
	Unlabelled   bool     // only slices without labels
	Assignees    []string // NoneValue for slices without an assignee
	Reporters    []string
	Mentions     []string // the ids and e-mail addresses of users
	DuplicatesOf []string // the ids of the originals
	ExternalIDs  []string
	Fingerprints []string
	Environment  []FactFilter
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
	Prefixes     []string // folded beginnings of words, each of which a slice must have

	// Slices with any of its values are left out; nil leaves none out. Its members Spaces, Statuses, Priorities, Severities, Labels,
	// Unlabelled, Assignees, Reporters, Mentions, Environment, Metadata, Has, Words and Prefixes count.
	Excluded *SliceFilter

	Sort      SliceSort // and then by id
	Ascending bool
	AfterID   string // the last slice of the page before
	AfterKey  int64  // the key of that slice, unless the list is sorted by id
	Limit     int

	fact    func(name string) string // of the engine
	anyWord bool                     // slices with one of the words are enough
	limits  *listLimits              // nil for defaultLimits
}

// listLimits are the limits of the slices that a list of one workspace reads beside those that it returns.
type listLimits struct {
	sorted   int // slices of a selective filter that are sorted
	compared int // of these when each filter has an index in the order of the list

	// A list with several filters compares the first slices in its order, and when these have a tenth of the page, as many as are
	// expected to have the rest of it, at most inOrder.
	first, inOrder int

	counted     int // slices of a filter without kept counts that are counted
	listed      int // of a filter, the ids of which are listed
	intersected int // of several filters, or with some words, that are read and sorted
}

var defaultLimits = listLimits{sorted: 2500, compared: 500, first: 1000, inOrder: 10_000,
	counted: 50_000, listed: 300_000, intersected: 100_000}

func (f *SliceFilter) limit() listLimits {
	if f.limits != nil {
		return *f.limits
	}
	return defaultLimits
}

// FactFilter selects the slices with one of the values of a fact about their environment: release, browser, os or viewport.
type FactFilter struct {
	Name   string
	Values []string
}

// MetadataFilter selects the slices with one of the values of a key of their metadata.
type MetadataFilter struct {
	Name   string
	Values []string
}

// condition returns the condition that a slice has one of the values.
func (m MetadataFilter) condition(p *params) string {
	return "EXISTS (SELECT 1 FROM slice_metadata t WHERE t.workspace_id = s.workspace_id AND t.name = " + p.add(m.Name) +
		" AND t.value IN " + in(p, m.Values) + " AND t.slice_id = s.id)"
}

// SliceSort is what a list is sorted by, and then by id.
type SliceSort int

// The orders of lists. A list by priority is of one workspace.
const (
	SortByID SliceSort = iota
	SortByUpdate
	SortByPriority
)

// byPriority is the priority of a slice and its id as one text, as in its index: SQLite does not look a position up that is
// an expression and a column.
const byPriority = `(CASE s.priority WHEN 'urgent' THEN '4' WHEN 'high' THEN '3' WHEN 'medium' THEN '2' WHEN 'low' THEN '1'
	ELSE '0' END || s.id)`

// PriorityKey returns the AfterKey of a slice with a priority.
func PriorityKey(p *api.Priority) int64 {
	if p == nil {
		return priorityKey(NoneValue)
	}
	return priorityKey(string(*p))
}

// priorityKey returns the number of a priority in byPriority.
func priorityKey(p string) int64 {
	if p == NoneValue {
		return 0
	}
	all := api.Priority("").Values() // urgent is the first
	return int64(len(all) - slices.Index(all, p))
}

func (f *SliceFilter) direction() string {
	if f.Ascending {
		return " ASC"
	}
	return " DESC"
}

func (f *SliceFilter) order() string {
	switch f.Sort {
	case SortByUpdate:
		return "s.updated_at" + f.direction() + ", s.id" + f.direction()
	case SortByPriority:
		return byPriority + f.direction()
	}
	return "s.id" + f.direction()
}

// position is the expression that orders the scans of a list.
func (f *SliceFilter) position() string {
	if f.Sort == SortByPriority {
		return byPriority
	}
	return "s.id"
}

// conditions returns the filters as SQL. Those with opaque columns are served by no index, so that a planner reads the slices in
// the order of the list, or of candidates. {id} stands for the id of a slice.
func (f *SliceFilter) conditions(p *params, opaque bool) string {
	all := []string{"s.deleted_at IS NULL"}
	and := func(condition string) { all = append(all, condition) }
	text, number := "", ""
	if opaque {
		text, number = " || ''", " + 0"
	}
	addFilter(&all, p, "s.status"+text, f.Statuses)
	addFilter(&all, p, "s.priority"+text, f.Priorities)
	addFilter(&all, p, "s.severity"+text, f.Severities)
	f.addSpaces(&all, p, "s.space_id"+text)
	addFilter(&all, p, "s.assignee_id"+text, f.Assignees)
	for _, m := range append(f.facts(), memberValues{"s.reporter_id", f.Reporters}, memberValues{"s.external_id", f.ExternalIDs},
		memberValues{"s.fingerprint", f.Fingerprints}, memberValues{"s.id", f.IDs}) {
		if len(m.values) > 0 {
			and(m.column + text + " IN " + in(p, m.values))
		}
	}
	if f.Number > 0 {
		and("s.number" + number + " = " + p.add(f.Number))
	}
	if len(f.Mentions) > 0 {
		and("EXISTS (SELECT 1 FROM mentions t WHERE t.workspace_id = s.workspace_id AND t.name IN " + in(p, f.Mentions) +
			" AND t.slice_id = s.id)")
	}
	if len(f.DuplicatesOf) > 0 {
		and("s.id IN (SELECT id FROM (" + f.duplicates(p) + ") AS u)")
	}
	if len(f.Labels) > 0 {
		and("EXISTS (SELECT 1 FROM slice_labels t WHERE t.slice_id = s.id AND t.label IN " + in(p, f.Labels) + ")")
	}
	for _, m := range f.Metadata {
		and(m.condition(p))
	}
	if len(f.Has) > 0 {
		and("(" + strings.Join(hasEvidence(f.Has, number), " OR ") + ")")
	}
	if f.Unlabelled {
		and(strings.Replace(unlabelled, "s.labels", "s.labels"+text, 1))
	}
	updated := "s.updated_at" + number
	if f.Sort == SortByUpdate { // the index of the order serves it
		updated = "s.updated_at"
	}
	all = append(all, timeRange(updated, f.UpdatedMin, f.UpdatedEnd, p)...)
	all = append(all, timeRange("s.resolved_at"+number, f.ResolvedMin, f.ResolvedEnd, p)...)
	return strings.Join(all, " AND ") + f.creationRange("{id}", p)
}

// unlabelled is the condition that a slice has no labels.
const unlabelled = "s.labels = ''"

// addSpaces appends the condition on the space of a slice. A slice of a deleted space is one without a space.
func (f *SliceFilter) addSpaces(conditions *[]string, p *params, column string) {
	if len(f.Spaces) == 0 {
		return
	}
	var stored []string
	addFilter(&stored, p, column, f.Spaces)
	if slices.Contains(f.Spaces, NoneValue) {
		*conditions = append(*conditions, "("+stored[0]+" OR s.space_id IN "+deletedSpaces+")")
		return
	}
	*conditions = append(*conditions, stored[0], "s.space_id NOT IN "+deletedSpaces)
}

// creationRange returns the conditions on the creation of a slice, each after AND. The id is a column.
func (f *SliceFilter) creationRange(id string, p *params) (conditions string) {
	if f.FromID != "" {
		conditions += " AND " + id + " >= " + p.add(f.FromID)
	}
	if f.BeforeID != "" {
		conditions += " AND " + id + " < " + p.add(f.BeforeID)
	}
	return conditions
}

// timeRange returns the conditions on a column with a time: from first, and before end. A nil bound is open.
func timeRange(column string, first, end *api.Time, p *params) (conditions []string) {
	if first != nil {
		conditions = append(conditions, column+" >= "+p.add(first.UnixMilli()))
	}
	if end != nil {
		conditions = append(conditions, column+" < "+p.add(end.UnixMilli()))
	}
	return conditions
}

// afterPosition returns the condition that a slice comes after AfterID, and AfterKey, in the order of the list, after AND.
func (f *SliceFilter) afterPosition(p *params) string {
	if f.AfterID == "" {
		return ""
	}
	operator := " < "
	if f.Ascending {
		operator = " > "
	}
	switch f.Sort {
	case SortByUpdate:
		return " AND (s.updated_at, s.id)" + operator + "(" + p.add(f.AfterKey) + ", " + p.add(f.AfterID) + ")"
	case SortByPriority:
		return " AND " + byPriority + operator + p.add(strconv.FormatInt(f.AfterKey, 10)+f.AfterID)
	}
	return " AND {id}" + operator + p.add(f.AfterID)
}

// memberValues are a column, or an expression that is indexed like one, and the values that a filter selects.
type memberValues struct {
	column string
	values []string
}

// facts returns the filters by facts about the environment.
func (f *SliceFilter) facts() []memberValues {
	all := make([]memberValues, len(f.Environment))
	for i, x := range f.Environment {
		all[i] = memberValues{f.fact(x.Name), x.Values}
	}
	return all
}

// duplicates selects the slices, with rows and ids, that are duplicates of originals, or of each other in turn. Some may be deleted.
func (f *SliceFilter) duplicates(p *params) string {
	return `WITH RECURSIVE duplicates (row, id) AS (
			SELECT o.row, o.id FROM slices o WHERE o.duplicate_of_id IN ` + in(p, f.DuplicatesOf) + `
			UNION SELECT o.row, o.id FROM duplicates d JOIN slices o ON o.duplicate_of_id = d.id
		) SELECT row, id FROM duplicates`
}

// hasEvidence returns a condition for each kind of evidence: as in the partial indexes, or with a suffix after the count that
// keeps them from being used.
func hasEvidence(has []api.EvidenceFilter, suffix string) []string {
	all := make([]string, len(has))
	for i, kind := range has {
		all[i] = "s." + evidenceFilters[kind] + suffix + " > 0"
	}
	return all
}

// evidenceFilters are the columns that count the kinds of evidence by which lists are filtered.
var evidenceFilters = map[api.EvidenceFilter]string{"replay": "evidence_replays", "screenshot": "evidence_screenshots",
	"console_error": "evidence_console_errors", "failed_request": "evidence_failed_requests"}

// A list over several workspaces merges one keyset scan for each, so that its cost grows with the page and not
// with the table.
const scansPerQuery = 100
