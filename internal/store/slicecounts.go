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
	MaxCount    = 1000   // slices that are counted for a value
	maxPresent  = 4000   // counts of a value and a status that are summed up
	maxExamined = 3000   // slices that a count with several filters examines
	maxListed   = 30_000 // slices of a filter whose ids it compares with those of another filter, when each selects more
	maxSampled  = 1000   // the newest slices of the most selective filter, which it examines otherwise
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

// Labels returns at most limit labels of the live slices of a workspace after a label, in order, with their counts: all, or those that may
// have words that begin with the searched ones.
func (q Queries) Labels(workspaceID string, searched []string, after string, limit int) ([]SliceCount, error) {
	var p params
	may := q.db.engine.mayHaveWords(&p, "value", searched)
	w, kind, a, n := p.add(workspaceID), p.add(presentStatistic(ByLabel)), p.add(after), p.add(limit)
	var scans []string
	for i := range api.Status("").Values() { // each is in the order of its labels
		scans = append(scans, fmt.Sprintf(`SELECT * FROM (SELECT value, opened FROM slice_statistics WHERE workspace_id = %s AND kind = %s
			AND span = 0 AND start = %d AND value > %s AND %s ORDER BY value LIMIT %s) AS s%[3]d`, w, kind, i, a, may, n))
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

// CountSlices counts the live slices of f by a member. Those of kept counts are exact, unless there are many values. With other filters it
// examines the slices of the most selective one, or of the most selective ones together. When these are more than maxExamined, it
// examines the newest maxSampled: then complete is false and each count is a lower bound.
func (q Queries) CountSlices(f SliceFilter, by string) (all []SliceCount, complete bool, err error) {
	f.fact = q.db.engine.fact
	kept, isKept := f.keptCounts(by)
	isKept = isKept && len(f.Workspaces) > 0
	if isKept {
		all, complete, err = q.countKept(f.Workspaces, f.Statuses, by, kept)
	}
	if err == nil && !complete {
		all, complete, err = q.countEach(f, by, isKept && len(f.Workspaces) > 1)
	}
	if err != nil {
		return nil, false, err
	}
	if by == BySpace {
		err = q.hideDeletedSpaces(all)
	}
	return all, complete, err
}

// countEach counts the slices of each workspace by itself. isKept says that the counts of a workspace may be kept.
func (q Queries) countEach(f SliceFilter, by string, isKept bool) (all []SliceCount, complete bool, err error) {
	complete = true
	for _, id := range f.Workspaces {
		counts, ok := []SliceCount(nil), false
		if isKept {
			kept, _ := f.keptCounts(by)
			counts, ok, err = q.countKept([]string{id}, f.Statuses, by, kept)
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

// keptCounts returns the member and the values whose counts are those of the slices of f by a member: nil values for all. The counts are
// kept by one member and the status, so ok is false when f filters by others. A slice has several labels, so the counts of several cannot
// be summed up, nor those of a label be divided.
func (f *SliceFilter) keptCounts(by string) (kept memberValues, ok bool) {
	others := *f
	others.Statuses, others.Priorities, others.Severities, others.Assignees, others.Spaces = nil, nil, nil, nil, nil
	others.Labels, others.Unlabelled, others.Environment = nil, false, nil
	filters := []memberValues{{ByPriority, emptyForNone(f.Priorities)}, {BySeverity, emptyForNone(f.Severities)},
		{ByAssignee, emptyForNone(f.Assignees)}, {BySpace, emptyForNone(f.Spaces)}, {ByLabel, f.Labels}}
	if f.Unlabelled {
		filters = append(filters, memberValues{ByLabel, []string{""}})
	}
	for _, x := range f.Environment {
		filters = append(filters, memberValues{x.Name, x.Values})
	}
	filters = slices.DeleteFunc(filters, func(m memberValues) bool { return len(m.values) == 0 })
	var p params
	switch unfiltered := (&SliceFilter{}); {
	case len(f.Words) > 0 || len(filters) > 1 || others.conditions(&p, true) != unfiltered.conditions(&p, true):
		return kept, false
	case len(filters) == 1:
		kept = filters[0]
		if kept.column == ByLabel && (by == ByLabel || len(kept.values) > 1) {
			return kept, false
		}
		return kept, slices.Contains(keptMembers, kept.column) && (by == ByStatus || by == kept.column)
	case by == ByStatus:
		return memberValues{column: ByPriority}, true // each slice has one, or none
	}
	return memberValues{column: by}, true
}

// keptMembers are the members by whose values counts are kept.
var keptMembers = []string{ByPriority, BySeverity, ByLabel, ByAssignee, BySpace, ByRelease}

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

// countKept counts by a member the slices of workspaces with one of some statuses, or with any, from kept counts; ok is false when
// these are too many.
func (q Queries) countKept(workspaces []string, statuses []api.Status, by string, kept memberValues) (
	counts []SliceCount, ok bool, err error,
) {
	var positions []Quarter
	for i, status := range api.Status("").Values() {
		if len(statuses) == 0 || slices.Contains(statuses, api.Status(status)) {
			positions = append(positions, Quarter(i))
		}
	}
	var p params
	text := "SELECT start, value, opened FROM slice_statistics WHERE workspace_id IN " + in(&p, workspaces) + " AND kind = " +
		p.add(presentStatistic(kept.column)) + " AND span = 0 AND start IN " + in(&p, positions)
	if kept.values != nil {
		text += " AND " + kept.keptValues(&p)
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

// keptValues returns the condition that a kept count is of one of the values. A slice of a deleted space is one without a space.
func (m memberValues) keptValues(p *params) string {
	condition := "value IN " + in(p, m.values)
	switch {
	case m.column != BySpace:
		return condition
	case slices.Contains(m.values, ""):
		return "(" + condition + " OR value IN " + deletedSpaces + ")"
	}
	return condition + " AND value NOT IN " + deletedSpaces
}

// countExamined counts by a member those of the examined slices that all filters select; ok is false when others may be selected, too.
func (q Queries) countExamined(f SliceFilter, workspaceID, by string) (counts []SliceCount, ok bool, err error) {
	best, ok, err := q.examined(f, workspaceID)
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
	text := "WITH " + best.table(q.db.engine, keys, where, value) + " SELECT " + value +
		", count(*) FROM candidates s" + join + " WHERE s.workspace_id = " + p.add(workspaceID) + " AND " + where + " GROUP BY " + value
	counts, err = list(q.db, func(r row) (c SliceCount, err error) { return c, r.Scan(&c.Value, &c.Count) }, text, p.args...)
	for i, c := range counts {
		counts[i].Count, counts[i].More = min(c.Count, MaxCount), !ok || c.Count > MaxCount
	}
	return counts, ok, err
}

// examined returns as candidates the slices among which all are that f selects. complete is false when they are the newest of more than
// maxExamined.
func (q Queries) examined(f SliceFilter, workspaceID string) (c *candidates, complete bool, err error) {
	most, sampled := max(maxExamined/len(f.Workspaces), 100), max(maxSampled/len(f.Workspaces), 100)
	limits := f.limit()
	limits.counted, limits.listed, limits.intersected = most+1, maxListed/len(f.Workspaces), most
	f.Workspaces, f.limits = []string{workspaceID}, &limits
	switch {
	case len(f.Words) > 0: // the words of a slice cannot be looked up by the slice
		return q.searchForCount(f, most, sampled)
	case len(f.DuplicatesOf) > 0:
		return q.duplicatesForCount(f, most, sampled)
	}
	all := append(f.indexedFilters(), f.timeFilters()...)
	if len(all) == 0 {
		all = append(all, anySlice)
	}
	sized, err := q.bySelectivity(&f, all)
	if err != nil {
		return nil, false, err
	}
	if len(sized) > 1 && sized[0].selects > most && sized[1].selects <= limits.listed {
		ids, ok, err := q.intersect(&f, sized)
		if err != nil || ok {
			return idCandidates(ids), ok, err
		}
	}
	best := sized[0].indexedFilter
	_, selected, err := q.mostSelective(&f, []indexedFilter{best}, most+1)
	if complete = selected <= int64(most); !complete {
		most = sampled
	}
	return f.candidates(best, most), complete, err
}

// duplicatesForCount returns the duplicates of f as candidates, or the newest of more than most.
func (q Queries) duplicatesForCount(f SliceFilter, most, sampled int) (c *candidates, complete bool, err error) {
	c = f.duplicateCandidates()
	var p params
	keys := c.keys(q.db.engine, &p) + " LIMIT " + p.add(most+1)
	rows, err := list(q.db, scanOne[int64], keys, p.args...)
	newest, complete := newestOf(rows, most, sampled, true)
	newest.satisfied = c.satisfied
	return newest, complete, err
}

// newestOf returns slices as candidates, the newest first, and whether they are complete: all that were found, or the first sampled ones of
// more than most.
func newestOf(rows []int64, most, sampled int, complete bool) (*candidates, bool) {
	if complete = complete && len(rows) <= most; !complete {
		rows = rows[:min(len(rows), sampled)]
	}
	return rowCandidates(rows), complete
}
