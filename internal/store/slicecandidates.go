package store

import (
	"fmt"
	"slices"
	"strings"
)

// indexedFilter is a filter whose values an index serves, each in the order of ids.
type indexedFilter struct {
	from, id   string   // FROM and the beginning of WHERE, and the id in the index
	order      []string // the columns of the index
	conditions func(p *params) []string
}

// scan selects the first limit slices of a workspace with a condition of an indexedFilter.
type scan struct{ workspace, columns, where, limit, direction string }

const (
	ofSlices = "slices s WHERE s"
	ofLabels = "live_labels l CROSS JOIN slices s WHERE s.id = l.slice_id AND l"
	// A slice mentions a user once, however many of its texts do.
	ofMentions = "(SELECT DISTINCT workspace_id, name, slice_id FROM mentions) m CROSS JOIN slices s WHERE s.id = m.slice_id AND m"
)

// text returns the SELECT of a scan. In its conditions {id} stands for the id of a slice.
func (x indexedFilter) text(s scan, condition string) string {
	return fmt.Sprintf("SELECT %s FROM %s.workspace_id = %s AND %s AND s.deleted_at IS NULL%s ORDER BY %s LIMIT %s",
		s.columns, x.from, s.workspace, condition, strings.ReplaceAll(s.where, "{id}", x.id),
		strings.Join(x.order, s.direction+", ")+s.direction, s.limit)
}

// union returns the UNION of a scan for each condition. A slice that several of them find is selected once.
func (x indexedFilter) union(s scan, conditions []string) string {
	parts := make([]string, len(conditions))
	for i, condition := range conditions {
		parts[i] = fmt.Sprintf("SELECT * FROM (%s) AS p%d", x.text(s, condition), i)
	}
	return strings.Join(parts, " UNION ")
}

// candidates returns the SELECT of the rows of slices among which a count or a list looks for those of all filters.
type candidates func(e *engine, p *params) string

// readCandidates returns the common table of candidates: their members that filters, orders and counts read. Each is read by its
// row, and compared afterwards: PostgreSQL takes a join with conditions that it cannot estimate for one of few slices, and repeats
// the reading of the candidates for each.
func readCandidates(rows string) string {
	return "c AS MATERIALIZED (" + rows + `), candidates AS MATERIALIZED (SELECT s.row, s.id, s.workspace_id, s.number, s.status,
			s.priority, s.severity, s.space_id, s.assignee_id, s.reporter_id, s.external_id, s.fingerprint, s.labels, s.environment,
			s.updated_at, s.deleted_at, s.evidence_replays, s.evidence_screenshots, s.evidence_console_errors, s.evidence_failed_requests
		FROM c CROSS JOIN slices s WHERE s.row = c.row)`
}

// mostSelective returns the filter that selects the fewest slices, and their number, of which at most limit are counted.
func (q Queries) mostSelective(f *SliceFilter, all []indexedFilter, workspaceID string, limit int) (
	best indexedFilter, selected int64, err error,
) {
	for i, x := range all {
		var p params
		text := f.candidates(x, workspaceID, limit)(q.db.engine, &p)
		n, err := one(q.db, scanOne[int64], "SELECT count(*) FROM ("+text+") AS c", p.args...)
		if err != nil {
			return best, 0, err
		}
		if i == 0 || n < selected {
			best, selected = x, n
		}
	}
	return best, selected, nil
}

// candidates returns the candidates of an indexed filter: at most limit, the newest first.
func (f *SliceFilter) candidates(x indexedFilter, workspaceID string, limit int) candidates {
	return func(_ *engine, p *params) string {
		n := p.add(limit)
		s := scan{workspace: p.add(workspaceID), columns: "s.row, s.id", where: f.creationRange("{id}", p), limit: n,
			direction: " DESC"}
		if x.from == ofLabels { // the labels are limited before their slices are read
			s.columns, x.from = "l.slice_id AS id", "live_labels l CROSS JOIN (SELECT NULL AS deleted_at) AS s WHERE l"
			return "SELECT s.row FROM (SELECT id FROM (" + x.union(s, x.conditions(p)) + ") AS p ORDER BY id DESC LIMIT " + n +
				") AS l CROSS JOIN slices s WHERE s.id = l.id"
		}
		return "SELECT row FROM (" + x.union(s, x.conditions(p)) + ") AS p ORDER BY id DESC LIMIT " + n
	}
}

// indexedFilters returns the filters that have an index, in the order in which one of several that are as selective is preferred.
func (f *SliceFilter) indexedFilters() (all []indexedFilter) {
	if f.Number > 0 {
		all = append(all, indexedFilter{ofSlices, "s.id", []string{"s.number"}, func(p *params) []string {
			return []string{"s.number = " + p.add(f.Number)}
		}})
	}
	for _, m := range []struct {
		column string
		values []string
	}{
		{"s.id", f.IDs}, {"s.external_id", f.ExternalIDs}, {"s.fingerprint", f.Fingerprints}, {"m.name", f.Mentions},
		{"s.assignee_id", f.Assignees}, {"s.reporter_id", f.Reporters}, {"s.space_id", f.Spaces}, {"l.label", f.Labels},
		{"s.priority", texts(f.Priorities)}, {"s.severity", texts(f.Severities)},
		{"s.status", texts(f.Statuses)},
	} {
		ofDeleted := m.column == "s.space_id" && slices.Contains(m.values, NoneValue) // slices without a space may have a deleted one
		if len(m.values) > 0 && len(m.values) <= scansPerQuery && !ofDeleted {
			all = append(all, memberFilter(m.column, m.values))
		}
	}
	if len(f.Has) > 0 {
		all = append(all, indexedFilter{ofSlices, "s.id", []string{"s.id"}, func(*params) []string { return hasEvidence(f.Has, "") }})
	}
	if f.Unlabelled {
		all = append(all, indexedFilter{ofSlices, "s.id", []string{"s.id"}, func(*params) []string { return []string{unlabelled} }})
	}
	return all
}

// memberFilter returns the filter of a column that has one of the values.
func memberFilter(column string, values []string) indexedFilter {
	from, id, order := ofSlices, "s.id", []string{column, "s.id"} // PostgreSQL needs the column for IS NULL
	if column == "s.id" {
		order = []string{column}
	}
	switch column {
	case "l.label":
		from, id, order = ofLabels, "l.slice_id", []string{"l.slice_id"}
	case "m.name":
		from, id, order = ofMentions, "m.slice_id", []string{"m.slice_id"}
	}
	return indexedFilter{from, id, order, func(p *params) (conditions []string) {
		if column == id { // one scan finds all of them in order
			return []string{column + " IN " + in(p, values)}
		}
		for _, v := range values {
			if v == NoneValue && column != "l.label" {
				conditions = append(conditions, column+" IS NULL")
			} else {
				conditions = append(conditions, column+" = "+p.add(v))
			}
		}
		return conditions
	}}
}

// updatedWithin is the filter of slices by their last updates.
func (f *SliceFilter) updatedWithin() indexedFilter {
	return indexedFilter{ofSlices, "s.id", []string{"s.updated_at"}, func(p *params) []string {
		return []string{strings.Join(f.updateRange("s.updated_at", p), " AND ")}
	}}
}

// anySlice is a filter that selects each slice.
var anySlice = indexedFilter{ofSlices, "s.id", []string{"s.id"}, func(*params) []string { return []string{"1 = 1"} }}

func texts[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = string(v)
	}
	return out
}
