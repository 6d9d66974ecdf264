package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
)

// idsOfRow is the number of ids that are listed in the time in which a row is read.
const idsOfRow = 8

// sizedFilter is a filter with the number of slices that it selects, or nearly.
type sizedFilter struct {
	indexedFilter
	selects int
}

// intersection returns the ids of the slices that the most selective filters select together; ok is false when these are too many.
func (q Queries) intersection(f *SliceFilter, all []indexedFilter) (common []string, ok bool, err error) {
	sized, err := q.bySelectivity(f, all)
	if err != nil {
		return nil, false, err
	}
	return q.intersect(f, sized)
}

// bySelectivity returns filters, the most selective first.
func (q Queries) bySelectivity(f *SliceFilter, all []indexedFilter) ([]sizedFilter, error) {
	sized := make([]sizedFilter, len(all))
	for i, x := range all {
		n, err := q.selects(f, x)
		if err != nil {
			return nil, err
		}
		sized[i] = sizedFilter{x, n}
	}
	slices.SortStableFunc(sized, func(a, b sizedFilter) int { return cmp.Compare(a.selects, b.selects) })
	return sized, nil
}

// intersect returns the ids of the slices that filters, the most selective first, select together; ok is false when these are too many. It
// lists ids from the indexes alone, and compares them here: a database would choose how to join them. It lists those of a further filter as
// long as that takes less time than reading the rows.
func (q Queries) intersect(f *SliceFilter, sized []sizedFilter) (common []string, ok bool, err error) {
	listed := false
	for _, x := range sized {
		if x.selects > f.limit().listed || listed && x.selects > idsOfRow*len(common) {
			break
		}
		ids, complete, err := q.idsOf(f, x.indexedFilter)
		if err != nil {
			return nil, false, err
		}
		switch {
		case !complete:
		case listed:
			common = inBoth(common, ids)
		default:
			common, listed = ids, true
		}
	}
	return common, listed && len(common) <= f.limit().intersected, nil
}

// selects returns the number of slices that a filter selects, or nearly: of kept counts, which know nothing of the creation, or else as
// many as are counted.
func (q Queries) selects(f *SliceFilter, x indexedFilter) (int, error) {
	isKept, kept := x.kept.column != "", f.limit().listed
	if isKept {
		var p params
		text := "SELECT COALESCE(CAST(sum(opened) AS BIGINT), 0) FROM slice_statistics WHERE workspace_id = " + p.add(f.Workspaces[0]) +
			" AND kind = " + p.add(presentStatistic(x.kept.column)) + " AND span = 0 AND start IN " + in(&p, positionsOf(x.keptStatuses))
		if x.kept.values != nil {
			text += " AND value IN " + in(&p, x.kept.values)
		}
		var err error
		if kept, err = one(q.db, scanOne[int], text, p.args...); err != nil {
			return 0, err
		}
	}
	if isKept && (kept <= f.limit().counted || f.FromID == "" && f.BeforeID == "") {
		return kept, nil
	}
	_, counted, err := q.mostSelective(f, []indexedFilter{x}, f.limit().counted)
	if int(counted) == f.limit().counted {
		return kept, err
	}
	return int(counted), err
}

// positionsOf returns the positions of some statuses, or of all.
func positionsOf(statuses []api.Status) (positions []Quarter) {
	for i, status := range api.Status("").Values() {
		if len(statuses) == 0 || slices.Contains(statuses, api.Status(status)) {
			positions = append(positions, Quarter(i))
		}
	}
	return positions
}

// idsOf returns the ids of the slices that a filter selects, in order; complete is false when these are too many.
func (q Queries) idsOf(f *SliceFilter, x indexedFilter) (ids []string, complete bool, err error) {
	var p params
	s := f.scanOf(q.db.engine, x, &p)
	s.columns, s.limit, s.direction = x.idOfIndex()+" AS id", p.add(f.limit().listed+1), " ASC"
	if f.Sort == SortByID && x.order[0] != byPriority {
		s.where += f.afterPosition(&p)
	}
	var scans []string
	for i, condition := range x.conditions(&p) {
		scans = append(scans, fmt.Sprintf("SELECT COALESCE(string_agg(id, ' '), '') FROM (%s) AS l%d", x.keys().text(s, condition), i))
	}
	parts, err := list(q.db, scanOne[string], strings.Join(scans, " UNION ALL "), p.args...)
	for _, part := range parts {
		ids = append(ids, strings.Fields(part)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), len(ids) <= f.limit().listed, err
}

// idOfIndex is the id of a slice as the index of the filter has it.
func (x indexedFilter) idOfIndex() string {
	if x.order[0] == byPriority {
		return "substr(" + byPriority + ", 2)"
	}
	return x.id
}

// inBoth returns the values of two sorted lists that both have.
func inBoth(a, b []string) (both []string) {
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0], b[0]); {
		case c < 0:
			a = a[1:]
		case c > 0:
			b = b[1:]
		default:
			both, a, b = append(both, a[0]), a[1:], b[1:]
		}
	}
	return both
}
