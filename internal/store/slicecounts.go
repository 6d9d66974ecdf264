package store

import (
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
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
	maxPresent  = 4000 // counts of a value and a status that are summed up
	maxExamined = 2500 // slices that a count with filters examines
)

// sliceMember returns the expression of a member of slices other than the label.
func (e *engine) sliceMember(by string) string {
	switch by {
	case ByAssignee:
		return "s.assignee_id"
	case BySpace:
		return "s.space_id"
	case ByRelease:
		return e.fact("release")
	}
	return "s." + by
}

// Labels returns at most limit labels of the live slices of a workspace after a label, in order, with their counts.
func (q Queries) Labels(workspaceID, after string, limit int) ([]SliceCount, error) {
	var p params
	w, kind, a, n := p.add(workspaceID), p.add(presentStatistic(ByLabel)), p.add(after), p.add(limit)
	var scans []string
	for i := range api.Status("").Values() { // each is in the order of its labels
		scans = append(scans, fmt.Sprintf(`SELECT * FROM (SELECT value, opened FROM slice_statistics WHERE workspace_id = %s AND kind = %s
			AND span = 0 AND start = %d AND value > %s ORDER BY value LIMIT %s) AS s%[3]d`, w, kind, i, a, n))
	}
	text := "SELECT value, CAST(sum(opened) AS BIGINT) FROM (" + strings.Join(scans, " UNION ALL ") + ") AS l GROUP BY value" +
		" ORDER BY value LIMIT " + n
	return list(q.db, func(r row) (SliceCount, error) {
		var value string
		var slices int64
		err := r.Scan(&value, &slices)
		return newSliceCount(value, slices), err
	}, text, p.args...)
}

// newSliceCount returns the count of a value, which is empty for the slices without one.
func newSliceCount(value string, slices int64) SliceCount {
	c := SliceCount{Count: min(slices, MaxCount), More: slices > MaxCount}
	if value != "" {
		c.Value = &value
	}
	return c
}

// CountSlices counts the live slices of f by a member. Those of all statuses or of some are counted already, unless there are many
// values. With other filters it examines at most maxExamined slices: when there are more, complete is false and each count is a
// lower bound.
func (q Queries) CountSlices(f SliceFilter, by string) (all []SliceCount, complete bool, err error) {
	f.fact = q.db.engine.fact
	present := len(f.Workspaces) > 0 && f.filtersByStatusAlone()
	if present {
		all, complete, err = q.countPresent(f.Workspaces, f.Statuses, by)
	}
	if err == nil && !complete {
		all, complete, err = q.countEach(f, by, present && len(f.Workspaces) > 1)
	}
	if err != nil {
		return nil, false, err
	}
	if by == BySpace {
		err = q.hideDeletedSpaces(all)
	}
	return all, complete, err
}

// countEach counts the slices of each workspace by itself. present says that those of a workspace may be counted already.
func (q Queries) countEach(f SliceFilter, by string, present bool) (all []SliceCount, complete bool, err error) {
	complete = true
	for _, id := range f.Workspaces {
		counts, ok := []SliceCount(nil), false
		if present {
			counts, ok, err = q.countPresent([]string{id}, f.Statuses, by)
		}
		if err == nil && !ok {
			counts, ok, err = q.countExamined(f, id, by)
		}
		if err != nil {
			return nil, false, err
		}
		all, complete = append(all, counts...), complete && ok
	}
	return all, complete, nil
}

// filtersByStatusAlone returns whether f selects the live slices of its workspaces with one of its statuses, or every one.
func (f *SliceFilter) filtersByStatusAlone() bool {
	var p params
	others, unfiltered := *f, SliceFilter{}
	others.Statuses = nil
	return len(f.Words) == 0 && others.conditions(&p, true) == unfiltered.conditions(&p, true)
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

// countPresent counts by a member the slices of workspaces with one of some statuses, or with any; ok is false when they have too
// many values.
func (q Queries) countPresent(workspaces []string, statuses []api.Status, by string) (counts []SliceCount, ok bool, err error) {
	kind := presentStatistic(by)
	if by == ByStatus { // each slice has one priority, or none
		kind = presentStatistic(ByPriority)
	}
	var p params
	text := "SELECT start, value, opened FROM slice_statistics WHERE workspace_id IN " + in(&p, workspaces) + " AND kind = " + p.add(kind) +
		" AND span = 0"
	if len(statuses) > 0 {
		positions := make([]Quarter, len(statuses))
		for i, status := range statuses {
			positions[i] = statusPosition(status)
		}
		text += " AND start IN " + in(&p, positions)
	}
	type present struct {
		position, slices int64
		value            string
	}
	rows, err := list(q.db, func(r row) (c present, err error) {
		err = r.Scan(&c.position, &c.value, &c.slices)
		return c, err
	}, text+" LIMIT "+p.add(maxPresent+1), p.args...)
	sums := map[string]int64{}
	for _, r := range rows {
		if by == ByStatus {
			r.value = api.Status("").Values()[r.position]
		}
		sums[r.value] += r.slices
	}
	for value, n := range sums {
		counts = append(counts, newSliceCount(value, n))
	}
	return counts, len(rows) <= maxPresent, err
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
	keys, compared := best.keys(q.db.engine, &p), best.rest(f)
	where := strings.ReplaceAll(compared.conditions(&p, true), "{id}", "s.id")
	text := "WITH " + best.table(keys, where, value) + " SELECT " + value + ", count(*) FROM candidates s" + join +
		" WHERE s.workspace_id = " + p.add(workspaceID) + " AND " + where + " GROUP BY 1"
	counts, err = list(q.db, func(r row) (c SliceCount, err error) {
		err = r.Scan(&c.Value, &c.Count)
		c.More, c.Count = c.Count > MaxCount, min(c.Count, MaxCount)
		return c, err
	}, text, p.args...)
	ok = selected <= int64(limit)
	for i := range counts {
		counts[i].More = counts[i].More || !ok
	}
	return counts, ok, err
}

// examined returns the candidates of the most selective filter that has an index, or else of all slices, and their number. Those of
// a search are the only ones, because the words of a slice cannot be looked up by the slice.
func (q Queries) examined(f SliceFilter, workspaceID string, limit int) (*candidates, int64, error) {
	if len(f.Words) > 0 {
		newest := func(e *engine, p *params) string {
			return "SELECT rowid AS row FROM (" + fmt.Sprintf(e.newestMatches, p.add(e.query(f.Words)), p.add(limit)) + ") AS m"
		}
		var p params
		n, err := one(q.db, scanOne[int64], "SELECT count(*) FROM ("+newest(q.db.engine, &p)+") AS c", p.args...)
		return &candidates{key: "row", keys: newest}, n, err
	}
	all := f.indexedFilters()
	all = append(all, f.timeFilters()...)
	if len(all) == 0 {
		all = append(all, anySlice)
	}
	best, selected, err := q.mostSelective(&f, all, workspaceID, limit)
	return f.candidates(best, workspaceID, limit), selected, err
}
