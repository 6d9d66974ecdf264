package store

import (
	"fmt"
	"slices"
	"strings"
)

// SliceCount is the number of live slices with a value.
type SliceCount struct {
	Value *string // nil for slices without a value
	Count int64   // at most MaxCount
	More  bool    // further slices may have the value
}

// Limits of the work of a count.
const (
	MaxCount    = 1000 // slices that are counted for a value
	maxValues   = 100  // values of a workspace of which each is counted
	maxExamined = 2500 // slices that a count with filters examines
)

// Members by which slices are counted.
const (
	ByStatus   = "status"
	ByPriority = "priority"
	BySeverity = "severity"
	ByLabel    = "label"
	ByAssignee = "assignee"
	BySpace    = "space"
	ByRelease  = "release"
)

// valueIndex is an index of the live slices of a workspace, $1, by a value.
type valueIndex struct {
	value string // the expression
	with  string // FROM and WHERE of the slices with a value
	none  string // FROM and WHERE of the slices without one
}

const liveIn = "slices s WHERE s.workspace_id = $1 AND s.deleted_at IS NULL"

func (e *engine) valueIndex(by string) valueIndex {
	if by == ByLabel {
		return valueIndex{"l.label", "live_labels l WHERE l.workspace_id = $1", liveIn + " AND " + unlabelled}
	}
	value := e.sliceMember(by)
	return valueIndex{value, liveIn, liveIn + " AND " + value + " IS NULL"}
}

// sliceMember returns the expression of a member of slices other than the label.
func (e *engine) sliceMember(by string) string {
	switch by {
	case ByAssignee:
		return "s.assignee_id"
	case BySpace:
		return "s.space_id"
	case ByRelease:
		return e.release
	}
	return "s." + by
}

// values returns the statement that reads at most limit values of the index after a value, $2, in order. Each value costs one
// lookup in the index.
func (x valueIndex) values(limit int) string {
	return fmt.Sprintf(`WITH RECURSIVE v(value, n) AS (
			SELECT (SELECT %[1]s FROM %[2]s AND %[1]s > $2 ORDER BY %[1]s LIMIT 1), 1
			UNION ALL SELECT (SELECT %[1]s FROM %[2]s AND %[1]s > v.value ORDER BY %[1]s LIMIT 1), v.n + 1
				FROM v WHERE v.value IS NOT NULL AND v.n < %[3]d)
		SELECT v.value, 0 FROM v WHERE v.value IS NOT NULL`, x.value, x.with, limit)
}

// counts is values with the number of slices for each value, to MaxCount + 1.
func (x valueIndex) counts(limit int) string {
	return strings.Replace(x.values(limit), "v.value, 0 FROM", "v.value, "+x.count()+" FROM", 1)
}

// count returns the number of slices with the value v.value, to MaxCount + 1.
func (x valueIndex) count() string {
	return fmt.Sprintf("(SELECT count(*) FROM (SELECT 1 FROM %s AND %s = v.value LIMIT %d) AS c)", x.with, x.value, MaxCount+1)
}

// without returns the statement that counts the slices without a value, to MaxCount + 1.
func (x valueIndex) without() string {
	return fmt.Sprintf("SELECT NULL, count(*) FROM (SELECT 1 FROM %s LIMIT %d) AS c", x.none, MaxCount+1)
}

func scanSliceCount(r row) (c SliceCount, err error) {
	err = r.Scan(&c.Value, &c.Count)
	c.More, c.Count = c.Count > MaxCount, min(c.Count, MaxCount)
	return c, err
}

// Labels returns at most limit labels of the live slices of a workspace after a label, in order, with their counts.
func (q Queries) Labels(workspaceID, after string, limit int) ([]SliceCount, error) {
	return list(q.db, scanSliceCount, q.db.engine.valueIndex(ByLabel).counts(limit), workspaceID, after)
}

// LabelNames returns at most limit labels of the live slices of a workspace after a label, in order.
func (q Queries) LabelNames(workspaceID, after string, limit int) ([]string, error) {
	rows, err := list(q.db, scanSliceCount, q.db.engine.valueIndex(ByLabel).values(limit), workspaceID, after)
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = *r.Value
	}
	return names, err
}

// CountLabels counts the live slices of a workspace with each of some labels, in their order.
func (q Queries) CountLabels(workspaceID string, labels []string) ([]SliceCount, error) {
	if len(labels) == 0 {
		return nil, nil
	}
	var p params
	p.add(workspaceID)
	values := make([]string, len(labels))
	for i, label := range labels {
		values[i] = "(CAST(" + p.add(label) + " AS TEXT))"
	}
	counts, err := list(q.db, scanSliceCount, "WITH v(value) AS (VALUES "+strings.Join(values, ", ")+") SELECT v.value, "+
		q.db.engine.valueIndex(ByLabel).count()+" FROM v", p.args...)
	slices.SortFunc(counts, func(a, b SliceCount) int { return slices.Index(labels, *a.Value) - slices.Index(labels, *b.Value) })
	return counts, err
}

// CountSlices counts the live slices of f by a member. Without filters each value is counted in an index. With filters, or
// many values, it examines at most maxExamined slices: when there are more, complete is false and each count is a lower bound.
func (q Queries) CountSlices(f SliceFilter, by string) (all []SliceCount, complete bool, err error) {
	complete = true
	for _, id := range f.Workspaces {
		counts, ok := []SliceCount(nil), f.isUnfiltered()
		if ok {
			counts, ok, err = q.countInIndex(id, by)
		}
		if err == nil && !ok {
			counts, ok, err = q.countExamined(f, id, by)
		}
		if err != nil {
			return nil, false, err
		}
		all, complete = append(all, counts...), complete && ok
	}
	if by == BySpace {
		err = q.hideDeletedSpaces(all)
	}
	return all, complete, err
}

// hideDeletedSpaces counts the slices of deleted spaces as slices without one.
func (q Queries) hideDeletedSpaces(all []SliceCount) error {
	deleted, err := list(q.db, scanOne[string], "SELECT id FROM spaces WHERE deleted_at IS NOT NULL")
	for i, n := range all {
		if n.Value != nil && slices.Contains(deleted, *n.Value) {
			all[i].Value = nil
		}
	}
	return err
}

// countInIndex counts all slices of a workspace by a member; ok is false when it has more than maxValues values.
func (q Queries) countInIndex(workspaceID, by string) (counts []SliceCount, ok bool, err error) {
	x := q.db.engine.valueIndex(by)
	values, err := list(q.db, scanSliceCount, x.values(maxValues+1), workspaceID, "")
	if err != nil || len(values) > maxValues {
		return nil, false, err
	}
	if counts, err = list(q.db, scanSliceCount, x.counts(maxValues), workspaceID, ""); err != nil {
		return nil, false, err
	}
	none, err := one(q.db, scanSliceCount, x.without(), workspaceID)
	if none.Count > 0 {
		counts = append(counts, none)
	}
	return counts, true, err
}

// countExamined counts by a member those of the newest slices of the most selective filter that the other filters select; ok is
// false when that filter selects more than it examines.
func (q Queries) countExamined(f SliceFilter, workspaceID, by string) (counts []SliceCount, ok bool, err error) {
	limit := max(maxExamined/len(f.Workspaces), 100)
	best, selected, err := q.examined(f, workspaceID, limit+1)
	if err != nil {
		return nil, false, err
	}
	var p params
	value, join := q.db.engine.sliceMember(by), ""
	if by == ByLabel {
		value, join = "l.label", " LEFT JOIN slice_labels l ON l.slice_id = s.id"
	}
	text := "WITH " + readCandidates(best(q.db.engine, &p)) + " SELECT " + value + ", count(*) FROM candidates s" + join +
		" WHERE s.workspace_id = " + p.add(workspaceID) + " AND " + strings.ReplaceAll(f.conditions(&p, true), "{id}", "s.id") +
		" GROUP BY 1"
	counts, err = list(q.db, scanSliceCount, text, p.args...)
	ok = selected <= int64(limit)
	for i := range counts {
		counts[i].More = counts[i].More || !ok
	}
	return counts, ok, err
}

// examined returns the candidates of the most selective filter that has an index, or else of all slices, and their number. Those of
// a search are the only ones, because the words of a slice cannot be looked up by the slice.
func (q Queries) examined(f SliceFilter, workspaceID string, limit int) (candidates, int64, error) {
	if len(f.Words) > 0 {
		newest := func(e *engine, p *params) string {
			return "SELECT rowid AS row FROM (" + fmt.Sprintf(e.newestMatches, p.add(e.query(f.Words)), p.add(limit)) + ") AS m"
		}
		var p params
		n, err := one(q.db, scanOne[int64], "SELECT count(*) FROM ("+newest(q.db.engine, &p)+") AS c", p.args...)
		return newest, n, err
	}
	all := f.indexedFilters()
	if f.UpdatedMin != nil || f.UpdatedEnd != nil {
		all = append(all, f.updatedWithin())
	}
	if len(all) == 0 {
		all = append(all, anySlice)
	}
	best, selected, err := q.mostSelective(&f, all, workspaceID, limit)
	return f.candidates(best, workspaceID, limit), selected, err
}

// isUnfiltered returns whether f selects every live slice of its workspaces.
func (f *SliceFilter) isUnfiltered() bool {
	var p params
	unfiltered := SliceFilter{}
	return len(f.Words) == 0 && f.conditions(&p, true) == unfiltered.conditions(&p, true)
}
