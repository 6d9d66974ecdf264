package store

import (
	"cmp"
	"errors"
	"fmt"
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
	ExternalIDs  []string
	Fingerprints []string
	Has          []api.EvidenceFilter // at least one of them
	Number       int                  // 0 for any
	IDs          []string
	FromID       string // at or after, by creation
	BeforeID     string
	UpdatedMin   *api.Time
	UpdatedEnd   *api.Time // later than the last update
	Words        []string

	Sort      SliceSort // and then by id
	Ascending bool
	AfterID   string // the last slice of the page before
	AfterKey  int64  // the key of that slice, unless the list is sorted by id
	Limit     int
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
		return 0
	}
	all := api.Priority("").Values() // urgent is the first
	return int64(len(all) - slices.Index(all, string(*p)))
}

// A list over several workspaces merges one keyset scan for each, so that its cost grows with the page and not
// with the table.
const scansPerQuery = 100

// Slices returns at most f.Limit live slices in order.
func (q Queries) Slices(f SliceFilter) ([]Slice, error) {
	var all []Slice
	for chunk := range slices.Chunk(f.Workspaces, scansPerQuery) {
		part, err := q.slicesIn(f, chunk)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	if len(f.Workspaces) > scansPerQuery {
		slices.SortFunc(all, f.compare)
		all = all[:min(len(all), f.Limit)]
	}
	return all, nil
}

func (f *SliceFilter) compare(a, b Slice) int {
	c := cmp.Compare(a.ID, b.ID)
	if f.Sort == SortByUpdate {
		c = cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt.Time), c)
	}
	if !f.Ascending {
		c = -c
	}
	return c
}

// slicesIn reads the rows and versions of the list, and then the slices that are not cached. When one of them
// changes in between, it reads the whole list with one statement.
func (q Queries) slicesIn(f SliceFilter, workspaces []string) ([]Slice, error) {
	text, args := f.statement(q.db.engine, "s.row, s.version, "+inDeletedSpace, workspaces)
	versions, err := list(q.db, scanRowVersion, text, args...)
	if err != nil {
		return nil, err
	}
	all, err := q.slicesAt(versions)
	if !errors.Is(err, errOtherVersion) {
		return all, err
	}
	text, args = f.statement(q.db.engine, sliceRecord, workspaces)
	return list(q.db, scanSlice, text, args...)
}

var errOtherVersion = errors.New("a slice has changed since its version was read")

// slicesAt returns slices at their versions, from the cache where possible; errOtherVersion when one of them has changed.
func (q Queries) slicesAt(versions []rowVersion) ([]Slice, error) {
	all := make([]Slice, len(versions))
	var missing []int // indexes
	var rows []int64
	for i, v := range versions {
		cached, ok := q.slices.get(v)
		if !ok {
			missing, rows = append(missing, i), append(rows, v.row)
			continue
		}
		all[i] = cached
	}
	if len(missing) == 0 {
		return all, nil
	}
	byRow, err := q.slicesByRow(rows)
	if err != nil {
		return nil, err
	}
	for _, i := range missing {
		s := byRow[versions[i].row]
		if s.Version != versions[i].version {
			return nil, errOtherVersion
		}
		s.WorkspaceKey = versions[i].workspaceKey
		q.slices.put(s)
		all[i] = s
	}
	return all, nil
}

// slicesByRow returns slices without the keys of their workspaces.
func (q Queries) slicesByRow(rows []int64) (map[int64]Slice, error) {
	var p params
	all, err := list(q.db, scanSlice, "SELECT "+sliceRecord+", '' FROM slices s WHERE s.row IN "+in(&p, rows), p.args...)
	byRow := make(map[int64]Slice, len(all))
	for _, s := range all {
		byRow[s.Row] = s
	}
	return byRow, err
}

// statement returns the SELECT of the first f.Limit slices of the workspaces, with the columns and the key of each slice's
// workspace. Each key is read once, and not for each row. Of several workspaces or kinds of evidence, each has a scan of its own,
// which its index orders; the scans are merged, and a slice that several of them find is listed once.
func (f *SliceFilter) statement(e *engine, columns string, workspaces []string) (string, []any) {
	var p params
	where, order, filters := f.conditions(e, &p), f.order(), evidenceConditions(f.Has)
	limit := p.add(f.Limit)
	if len(workspaces) == 1 && len(filters) == 1 {
		w := p.add(workspaces[0])
		return fmt.Sprintf("SELECT %s, %s FROM slices s WHERE s.workspace_id = %s AND %s%s ORDER BY %s LIMIT %s",
			columns, keyOf(w), w, where, filters[0], order, limit), p.args
	}
	var scans []string
	keys := ""
	for _, id := range workspaces {
		w := p.add(id)
		keys += " WHEN " + w + " THEN " + keyOf(w)
		for _, filter := range filters {
			scans = append(scans, fmt.Sprintf(`SELECT * FROM (SELECT s.row, s.id, s.updated_at FROM slices s
			WHERE s.workspace_id = %s AND %s%s ORDER BY %s LIMIT %s) AS w%d`, w, where, filter, order, limit, len(scans)))
		}
	}
	return fmt.Sprintf(`SELECT %s, CASE s.workspace_id%s END FROM slices s
		WHERE s.row IN (SELECT row FROM (%s) AS s ORDER BY %s LIMIT %s) ORDER BY %s`,
		columns, keys, strings.Join(scans, " UNION "), order, limit, order), p.args
}

// evidenceConditions returns a further condition for each scan of a list: one for each kind of evidence, or an empty one.
func evidenceConditions(has []api.EvidenceFilter) []string {
	if len(has) == 0 {
		return []string{""}
	}
	all := hasEvidence(has)
	for i := range all {
		all[i] = " AND " + all[i]
	}
	return all
}

// hasEvidence returns a condition for each kind of evidence, as in the partial indexes.
func hasEvidence(has []api.EvidenceFilter) []string {
	all := make([]string, len(has))
	for i, kind := range has {
		all[i] = "s." + evidenceFilters[kind] + " > 0"
	}
	return all
}

// evidenceFilters are the columns that count the kinds of evidence by which lists are filtered.
var evidenceFilters = map[api.EvidenceFilter]string{"replay": "evidence_replays", "screenshot": "evidence_screenshots",
	"console_error": "evidence_console_errors", "failed_request": "evidence_failed_requests"}

// keyOf selects the key of the workspace of a parameter.
func keyOf(workspace string) string {
	return "(SELECT key FROM workspaces WHERE id = " + workspace + ")"
}

func (f *SliceFilter) order() string {
	direction := "DESC"
	if f.Ascending {
		direction = "ASC"
	}
	switch f.Sort {
	case SortByUpdate:
		return fmt.Sprintf("s.updated_at %[1]s, s.id %[1]s", direction)
	case SortByPriority:
		return byPriority + " " + direction
	}
	return "s.id " + direction
}

// conditions returns the filters and the position as SQL.
func (f *SliceFilter) conditions(e *engine, p *params) string {
	all := []string{"s.deleted_at IS NULL"}
	and := func(condition string) { all = append(all, condition) }
	addFilter(&all, p, "s.status", f.Statuses)
	addFilter(&all, p, "s.priority", f.Priorities)
	addFilter(&all, p, "s.severity", f.Severities)
	f.addSpaces(&all, p)
	addFilter(&all, p, "s.assignee_id", f.Assignees)
	addFilter(&all, p, "s.reporter_id", f.Reporters)
	addFilter(&all, p, "s.external_id", f.ExternalIDs)
	addFilter(&all, p, "s.fingerprint", f.Fingerprints)
	addFilter(&all, p, "s.id", f.IDs)
	if f.Number > 0 {
		and("s.number = " + p.add(f.Number))
	}
	if len(f.Mentions) > 0 {
		and("s.id IN (SELECT m.slice_id FROM mentions m WHERE m.workspace_id IN " + in(p, f.Workspaces) + " AND m.name IN " +
			in(p, f.Mentions) + ")")
	}
	if len(f.Labels) > 0 {
		and("EXISTS (SELECT 1 FROM slice_labels l WHERE l.slice_id = s.id AND l.label IN " + in(p, f.Labels) + ")")
	}
	if f.Unlabelled {
		and(unlabelled)
	}
	f.creationRange(&all, p)
	f.updateRange(&all, p)
	if len(f.Words) > 0 {
		and("s.row IN (" + fmt.Sprintf(e.match, p.add(e.query(f.Words))) + ")")
	}
	if f.AfterID != "" {
		and(f.afterPosition(p))
	}
	return strings.Join(all, " AND ")
}

// unlabelled is the condition that a slice has no labels, as in its index.
const unlabelled = "s.labels = ''"

// addSpaces appends the condition on the space of a slice. A slice of a deleted space is one without a space.
func (f *SliceFilter) addSpaces(conditions *[]string, p *params) {
	if len(f.Spaces) == 0 {
		return
	}
	var stored []string
	addFilter(&stored, p, "s.space_id", f.Spaces)
	if slices.Contains(f.Spaces, NoneValue) {
		*conditions = append(*conditions, "("+stored[0]+" OR s.space_id IN "+deletedSpaces+")")
		return
	}
	*conditions = append(*conditions, stored[0], "s.space_id NOT IN "+deletedSpaces)
}

// creationRange appends the conditions on the creation of a slice.
func (f *SliceFilter) creationRange(conditions *[]string, p *params) {
	if f.FromID != "" {
		*conditions = append(*conditions, "s.id >= "+p.add(f.FromID))
	}
	if f.BeforeID != "" {
		*conditions = append(*conditions, "s.id < "+p.add(f.BeforeID))
	}
}

// updateRange appends the conditions on the last update of a slice.
func (f *SliceFilter) updateRange(conditions *[]string, p *params) {
	if f.UpdatedMin != nil {
		*conditions = append(*conditions, "s.updated_at >= "+p.add(f.UpdatedMin.UnixMilli()))
	}
	if f.UpdatedEnd != nil {
		*conditions = append(*conditions, "s.updated_at < "+p.add(f.UpdatedEnd.UnixMilli()))
	}
}

// afterPosition returns the condition that a slice comes after AfterID, and AfterKey, in the order of the list.
func (f *SliceFilter) afterPosition(p *params) string {
	operator := " < "
	if f.Ascending {
		operator = " > "
	}
	switch f.Sort {
	case SortByUpdate:
		return "(s.updated_at, s.id)" + operator + "(" + p.add(f.AfterKey) + ", " + p.add(f.AfterID) + ")"
	case SortByPriority:
		return byPriority + operator + p.add(strconv.FormatInt(f.AfterKey, 10)+f.AfterID)
	}
	return "s.id" + operator + p.add(f.AfterID)
}
