package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
)

// SliceFilter says which slices a list holds and where it begins. Empty members filter nothing.
type SliceFilter struct {
	Workspaces []string // at least one; the caller has been found to see each
	Spaces     []string // NoneValue for those in no space
	Statuses   []api.Status
	Priorities []api.Priority
	Severities []api.Severity
	Labels     []string
	Assignees  []string // NoneValue for those assigned to nobody
	Reporters  []string
	Externals  []string
	Prints     []string // fingerprints
	Number     int      // 0 for any
	FromID     string   // at or after, by creation
	BeforeID   string
	UpdatedMin *api.Time
	Words      []string

	ByUpdate  bool // sorted by updatedAt, then id; else by id
	Ascending bool
	AfterID   string // the position the page begins behind
	AfterTime int64  // its updatedAt, when ByUpdate
	Limit     int
}

// NoneValue stands in a filter for records without a value.
const NoneValue = "none"

// A list over many workspaces is one keyset scan a workspace, merged: its cost grows with
// the page, not with the table.
const scansPerQuery = 100

// Slices returns at most f.Limit live slices in order.
func (q Queries) Slices(f SliceFilter) ([]Slice, error) {
	var all []Slice
	for chunk := range slices.Chunk(f.Workspaces, scansPerQuery) {
		part, err := q.scanSlices(f, chunk)
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
	if f.ByUpdate {
		c = cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt.Time), c)
	}
	if !f.Ascending {
		c = -c
	}
	return c
}

// scanSlices reads which rows the list holds at which version, and then the slices. When one
// changes in between, both are read at once instead.
func (q Queries) scanSlices(f SliceFilter, workspaces []string) ([]Slice, error) {
	text, args := f.statement(q.db.engine, "s.row, s.version", workspaces)
	rows, err := list(q.db, scanRowVersion, text, args...)
	if err != nil {
		return nil, err
	}
	if all, ok, err := q.fill(rows); ok || err != nil {
		return all, err
	}
	text, args = f.statement(q.db.engine, sliceColumns, workspaces)
	return list(q.db, scanSlice, text, args...)
}

func (f *SliceFilter) statement(e *engine, columns string, workspaces []string) (string, []any) {
	var p params
	where, order := f.conditions(e, &p), f.order()
	limit := p.add(f.Limit)
	if len(workspaces) == 1 {
		return fmt.Sprintf("SELECT %s FROM slices s WHERE s.workspace_id = %s AND %s ORDER BY %s LIMIT %s",
			columns, p.add(workspaces[0]), where, order, limit), p.args
	}
	scans := make([]string, len(workspaces))
	for i, w := range workspaces {
		scans[i] = fmt.Sprintf("SELECT * FROM (SELECT s.row, s.id, s.updated_at FROM slices s WHERE s.workspace_id = %s AND %s ORDER BY %s LIMIT %s) AS w%d",
			p.add(w), where, order, limit, i)
	}
	return fmt.Sprintf(`SELECT %s FROM slices s
		WHERE s.row IN (SELECT row FROM (%s) AS s ORDER BY %s LIMIT %s) ORDER BY %s`,
		columns, strings.Join(scans, " UNION ALL "), order, limit, order), p.args
}

func (f *SliceFilter) order() string {
	direction := "DESC"
	if f.Ascending {
		direction = "ASC"
	}
	if f.ByUpdate {
		return fmt.Sprintf("s.updated_at %[1]s, s.id %[1]s", direction)
	}
	return "s.id " + direction
}

// conditions writes the filters and the position as SQL.
func (f *SliceFilter) conditions(e *engine, p *params) string {
	all := []string{"s.deleted_at IS NULL"}
	and := func(condition string) { all = append(all, condition) }
	among(&all, p, "s.status", f.Statuses)
	among(&all, p, "s.priority", f.Priorities)
	among(&all, p, "s.severity", f.Severities)
	among(&all, p, "s.space_id", f.Spaces)
	among(&all, p, "s.assignee_id", f.Assignees)
	among(&all, p, "s.reporter_id", f.Reporters)
	among(&all, p, "s.external_id", f.Externals)
	among(&all, p, "s.fingerprint", f.Prints)
	if f.Number > 0 {
		and("s.number = " + p.add(f.Number))
	}
	if len(f.Labels) > 0 {
		and("EXISTS (SELECT 1 FROM slice_labels l WHERE l.slice_id = s.id AND l.label IN " + in(p, f.Labels) + ")")
	}
	if f.FromID != "" {
		and("s.id >= " + p.add(f.FromID))
	}
	if f.BeforeID != "" {
		and("s.id < " + p.add(f.BeforeID))
	}
	if f.UpdatedMin != nil {
		and("s.updated_at >= " + p.add(f.UpdatedMin.UnixMilli()))
	}
	if len(f.Words) > 0 {
		and("s.row IN (" + fmt.Sprintf(e.match, p.add(e.query(f.Words))) + ")")
	}
	if f.AfterID != "" {
		past := " < "
		if f.Ascending {
			past = " > "
		}
		if f.ByUpdate {
			and("(s.updated_at, s.id)" + past + "(" + p.add(f.AfterTime) + ", " + p.add(f.AfterID) + ")")
		} else {
			and("s.id" + past + p.add(f.AfterID))
		}
	}
	return strings.Join(all, " AND ")
}

// among asks that column is one of vs, or null where vs holds NoneValue.
func among[T ~string](all *[]string, p *params, column string, vs []T) {
	if len(vs) == 0 {
		return
	}
	var either []string
	rest := slices.DeleteFunc(slices.Clone(vs), func(v T) bool { return v == NoneValue })
	if len(rest) < len(vs) {
		either = append(either, column+" IS NULL")
	}
	if len(rest) > 0 {
		either = append(either, column+" IN "+in(p, rest))
	}
	*all = append(*all, "("+strings.Join(either, " OR ")+")")
}

// SlicesWithAny returns the newest live slices of a workspace, at most limit, that have any of the
// words, among the newest of the instance that do.
func (q Queries) SlicesWithAny(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesWith(workspaceID, q.db.engine.anyOf(words), limit)
}

// SlicesWithAll is SlicesWithAny for all of the words.
func (q Queries) SlicesWithAll(workspaceID string, words []string, limit int) ([]Slice, error) {
	return q.slicesWith(workspaceID, q.db.engine.query(words), limit)
}

// maxMatches bounds how many of the slices that match are looked at.
const maxMatches = 20_000

// slicesWith asks the search index first, and for all that match: left to itself PostgreSQL may
// go through the table from its end instead. The index knows no workspaces.
func (q Queries) slicesWith(workspaceID, match string, limit int) ([]Slice, error) {
	return list(q.db, scanSlice, "WITH found AS MATERIALIZED ("+fmt.Sprintf(q.db.engine.match, "$2")+"), newest AS MATERIALIZED (SELECT rowid FROM found ORDER BY rowid DESC LIMIT $4), "+
		"near AS MATERIALIZED (SELECT s.row FROM newest CROSS JOIN slices s WHERE s.row = newest.rowid AND s.workspace_id = $1 AND s.deleted_at IS NULL ORDER BY s.row DESC LIMIT $3) SELECT "+
		sliceColumns+" FROM near CROSS JOIN slices s WHERE s.row = near.row ORDER BY s.id DESC",
		workspaceID, match, limit, maxMatches)
}
