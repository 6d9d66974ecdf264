package store

import (
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/termindex"
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
	maxCounted  = 3000 // slices of a filter that are all read
	maxPresent  = 4000 // kept counts of a label and a status that are summed up
	furtherSpan = 10   // times as long as maxCounted slices are looked at for a value that few of them have
)

// Labels returns at most limit labels of the live slices of a workspace after a label, in order, with their counts:
// all, or those that may have words that begin with the searched ones.
func (q Queries) Labels(workspaceID string, searched []string, after string, limit int) ([]SliceCount, error) {
	var p sqldb.Params
	may := q.mayHaveWords(&p, "value", searched)
	w, kind, a, n := p.Add(workspaceID), p.Add(presentLabel), p.Add(after), p.Add(limit)
	var scans []string
	for i := range api.Status("").Values() { // each is in the order of its labels
		scans = append(scans, fmt.Sprintf(`SELECT * FROM (SELECT value, opened FROM slice_statistics WHERE workspace_id = %s AND kind = %s
			AND span = 0 AND start = %d AND value > %s AND %s ORDER BY value LIMIT %s) AS s%[3]d`, w, kind, i, a, may, n))
	}
	text := "SELECT value, CAST(sum(opened) AS BIGINT) FROM (" + strings.Join(scans, " UNION ALL ") +
		") AS l GROUP BY value" +
		" ORDER BY value LIMIT " + n
	return sqldb.List(q.db, func(r sqldb.Row) (SliceCount, error) {
		var value string
		var slices int64
		err := r.Scan(&value, &slices)
		return newSliceCount(value, slices), err
	}, text, p.Args...)
}

// newSliceCount returns the count of a value, which is empty for the slices without one.
func newSliceCount(value string, slices int64) SliceCount {
	c := SliceCount{Count: min(slices, MaxCount), More: slices > MaxCount}
	if value != "" {
		c.Value = &value
	}
	return c
}

// CountSlices counts the live slices of f by a member. When they are at most maxCounted, the counts are exact.
// Otherwise those of statuses, priorities and severities are exact to MaxCount, and the counts of other members, or
// of the duplicates of a slice, are those of the newest maxCounted slices: complete is false, and each count is a
// lower bound. The counts of the labels of all slices, or of those with some statuses, are always exact.
func (q Queries) CountSlices(f SliceFilter, by string) (all []SliceCount, complete bool, err error) {
	all, err = withinLimit(q, func(q Queries) (all []SliceCount, err error) {
		all, complete, err = q.countSlices(f, by)
		return all, err
	})
	return all, complete, err
}

func (q Queries) countSlices(f SliceFilter, by string) (all []SliceCount, complete bool, err error) {
	if err := q.findSpan(&f); err != nil {
		return nil, false, err
	}
	if by == ByLabel && f.hasOnlyStatuses() {
		if all, complete, err = q.countLabels(f); err != nil || complete {
			return all, complete, err
		}
	}
	x := facets[slices.IndexFunc(facets, func(x facet) bool { return x.by == by })]
	f.Sort, f.Ascending, f.AfterID, f.Limit = SortByID, false, "", maxCounted+1
	newest, err := first(q, f, only("s."+x.member.column), x.scan)
	if err != nil {
		return nil, false, err
	}
	var hidden []string // values of slices without one
	if by == BySpace {
		if hidden, err = q.deletedSpacesOf(f.Workspaces); err != nil {
			return nil, false, err
		}
	}
	counts := map[string]int64{}
	for _, found := range newest {
		for _, v := range found.value {
			if slices.Contains(hidden, v) {
				v = ""
			}
			counts[v]++
		}
	}
	complete = len(newest) <= maxCounted
	if !complete && !f.identifies() && (by == ByStatus || by == ByPriority || by == BySeverity) {
		return q.countValues(f, x, counts, [2]int64{created(newest[0].id), created(newest[len(newest)-1].id)})
	}
	for value, n := range counts {
		c := newSliceCount(value, n)
		c.More = c.More || !complete
		all = append(all, c)
	}
	return all, complete, nil
}

// scan scans the column of a facet. A slice without a value has the empty one.
func (x facet) scan(r sqldb.Row) ([]string, error) {
	var value any
	var s Slice
	if err := r.Scan(&value); err != nil {
		return nil, err
	}
	err := x.member.cell.set(&s, value)
	values := x.values(&s)
	if len(values) == 0 {
		values = []string{""}
	}
	return values, err
}

// countValues counts the slices with each value of a member that has few. counts are those of the newest slices of f,
// of which the first and the last one were created at the times counted. For a value that few of these have, it looks
// at the slices of a longer time, and then at all.
func (q Queries) countValues(f SliceFilter, x facet, counts map[string]int64, counted [2]int64) (
	all []SliceCount, complete bool, err error,
) {
	deleted, err := q.deletedSpaces(f)
	if err != nil {
		return nil, false, err
	}
	periods, err := q.periodsToCount(&f, counted)
	if err != nil {
		return nil, false, err
	}
	values := valuesOf(x.by)
	if x.by != ByStatus { // which each slice has
		values = append(values, "")
	}
	if selected := emptyForNone(x.selected(&f)); len(selected) > 0 {
		values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !slices.Contains(selected, v) })
	}
	for _, value := range values {
		n := counts[value]
		for _, during := range periods {
			if n > MaxCount {
				break
			}
			if n, err = q.countWith(f, x, value, during, deleted); err != nil {
				return nil, false, err
			}
		}
		if n > 0 {
			all = append(all, newSliceCount(value, n))
		}
	}
	return all, true, nil
}

// periodsToCount returns the queries of a longer time than that of the newest slices of f, when there is one, and of
// all of its time.
func (q Queries) periodsToCount(f *SliceFilter, counted [2]int64) ([]termindex.Query, error) {
	times, err := q.firstTimes(SliceFilter{Ascending: true}, f.Workspaces)
	if err != nil || len(times) == 0 {
		return nil, err
	}
	newest, begin, all := counted[0], slices.Min(times), termindex.Query{}
	if f.FromID != "" {
		begin = max(begin, created(f.FromID))
	}
	if f.FromID != "" || f.BeforeID != "" {
		all = termindex.During(createdKind, min(begin, newest), newest)
	}
	if longer := newest - furtherSpan*(newest-counted[1]); longer > begin {
		return []termindex.Query{termindex.During(createdKind, longer, newest), all}, nil
	}
	return []termindex.Query{all}, nil
}

func valuesOf(by string) []string {
	switch by {
	case ByStatus:
		return api.Status("").Values()
	case ByPriority:
		return api.Priority("").Values()
	}
	return api.Severity("").Values()
}

// countWith counts the slices of f with a value during a time: all when they are at most MaxCount.
func (q Queries) countWith(f SliceFilter, x facet, value string, during termindex.Query, deleted []string) (
	n int64, err error,
) {
	for workspaces := range slices.Chunk(f.Workspaces, f.workspacesPerQuery(deleted)) {
		with := inAny(workspaces, func(scope termindex.Scope) termindex.Query {
			return termindex.Term(termindex.Facet(scope, x.kind, value))
		})
		more, err := q.countFound(f, termindex.All(f.query(workspaces, deleted), with, during))
		if n += more; err != nil || n > MaxCount {
			return n, err
		}
	}
	return n, nil
}

// countFound counts the slices that a query of f finds, at most one more than MaxCount.
func (q Queries) countFound(f SliceFilter, query termindex.Query) (int64, error) {
	if query.IsNothing() {
		return 0, nil
	}
	e := q.terms()
	var p sqldb.Params
	rows := e.Rows(p.Add(e.Expression(query)))
	if where := f.inOrder(&p) + f.others(&p); f.isTimed() {
		rows = q.db.Engine.Joined(rows, "slices", "s.row", where)
	}
	return sqldb.One(q.db, sqldb.ScanOne[int64],
		"SELECT count(*) FROM (SELECT row FROM ("+rows+") AS r LIMIT "+p.Add(MaxCount+1)+") AS n", p.Args...)
}

// hasOnlyStatuses reports whether a filter has no other members than workspaces and statuses.
func (f *SliceFilter) hasOnlyStatuses() bool {
	others := *f
	others.Statuses = nil
	return !f.identifies() && !f.isTimed() && others.query([]string{""}, nil).IsEverything()
}

// isTimed reports whether a filter selects times.
func (f *SliceFilter) isTimed() bool {
	var p sqldb.Params
	none := SliceFilter{Sort: f.Sort}
	return f.inOrder(&p)+f.others(&p) != none.inOrder(&p)
}

// countLabels counts the labels of the slices of workspaces with one of some statuses, or with any, from kept counts;
// complete is false when these are too many.
func (q Queries) countLabels(f SliceFilter) (counts []SliceCount, complete bool, err error) {
	var positions []Quarter
	for i, status := range api.Status("").Values() {
		if len(f.Statuses) == 0 || slices.Contains(f.Statuses, api.Status(status)) {
			positions = append(positions, Quarter(i))
		}
	}
	if len(f.Workspaces) == 0 {
		return nil, true, nil
	}
	var p sqldb.Params
	type labelled struct {
		value  string
		slices int64
	}
	rows, err := sqldb.List(q.db, func(r sqldb.Row) (c labelled, err error) { return c, r.Scan(&c.value, &c.slices) },
		"SELECT value, opened FROM slice_statistics WHERE workspace_id IN "+sqldb.In(&p, f.Workspaces)+" AND kind = "+
			p.Add(presentLabel)+" AND span = 0 AND start IN "+sqldb.In(&p, positions)+" LIMIT "+p.Add(maxPresent+1),
		p.Args...)
	sums := map[string]int64{}
	for _, r := range rows {
		sums[r.value] += r.slices
	}
	for value, n := range sums {
		counts = append(counts, newSliceCount(value, n))
	}
	return counts, len(rows) <= maxPresent, err
}
