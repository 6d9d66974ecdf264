package store

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/termindex"
)

// Slices returns at most f.Limit live slices in order. When a slice changes between the reading of its version and of
// its members, it reads the list again, as of one instant; in a transaction that writes it returns ErrConflict.
func (q Queries) Slices(f SliceFilter) (all []Slice, err error) {
	all, err = q.readSlices(f)
	if !errors.Is(err, errOtherVersion) {
		return all, err
	}
	if q.snapshot == nil {
		return nil, ErrConflict
	}
	err = q.snapshot(func(instant Queries) error {
		instant.caches = q.caches
		all, err = instant.readSlices(f)
		return err
	})
	return all, err
}

func (q Queries) readSlices(f SliceFilter) ([]Slice, error) {
	found, err := q.versions(f)
	if err != nil {
		return nil, err
	}
	return q.slicesAt(values(found))
}

// versions returns the versions of the slices of a list.
func (q Queries) versions(f SliceFilter) ([]found[rowVersion], error) {
	columns := func(workspace string) string { return "s.row, s.version, " + inDeletedSpace + ", " + keyOf(workspace) }
	return first(q, f, columns, scanRowVersion)
}

// keyOf selects the key of the workspace of a column.
func keyOf(workspace string) string {
	return "(SELECT key FROM workspaces WHERE id = " + workspace + ")"
}

// found is what a list reads of a slice, and the position of the slice in the order of the list.
type found[T any] struct {
	id    string
	key   int64 // by which the list is sorted before the id, 0 when it is sorted by id
	value T
}

func values[T any](all []found[T]) []T {
	out := make([]T, len(all))
	for i, v := range all {
		out[i] = v.value
	}
	return out
}

// first returns columns of the first f.Limit live slices of a list, in order. columns gets an expression of the
// workspace of a slice.
func first[T any](q Queries, f SliceFilter, columns func(workspace string) string, scan func(sqldb.Row) (T, error)) (
	[]found[T], error,
) {
	read := func(q Queries) ([]found[T], error) {
		of := func(workspace string) string { return keys[f.Sort] + columns(workspace) }
		return reader[T]{q: q, columnsOf: of, columns: of("s.workspace_id"), scan: scan}.first(f)
	}
	if q.db.Engine.IsEmbedded && f.selectsAll() {
		return read(q.brief())
	}
	return withinLimit(q, read)
}

// selectsAll reports whether a list has every slice of a range of the index of its order.
func (f *SliceFilter) selectsAll() bool {
	return f.Sort != SortByPriority && !f.identifies() && f.others(&sqldb.Params{}) == "" &&
		f.query([]string{""}, nil).IsEverything()
}

// only returns the columns of first that do not depend on the workspace.
func only(columns string) func(string) string { return func(string) string { return columns } }

func (r reader[T]) first(f SliceFilter) ([]found[T], error) {
	var all []found[T]
	var err error
	if r.deletedSpaces, err = r.q.deletedSpaces(f); err != nil {
		return nil, err
	}
	if err := r.q.findSpan(&f); err != nil {
		return nil, err
	}
	size := f.workspacesPerQuery(r.deletedSpaces)
	for chunk := range slices.Chunk(f.Workspaces, size) {
		part := f
		part.Workspaces = chunk
		read := r.byTime
		if f.Sort == SortByPriority {
			read = r.byPriority
		}
		more, err := read(part)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	if len(f.Workspaces) > size {
		slices.SortFunc(all, func(a, b found[T]) int { return f.compare(a.key, b.key, a.id, b.id) })
		all = all[:min(len(all), f.Limit)]
	}
	return all, nil
}

// compare compares two positions in the order of a list.
func (f *SliceFilter) compare(keyA, keyB int64, a, b string) int {
	c := cmp.Or(cmp.Compare(keyA, keyB), cmp.Compare(a, b))
	if !f.Ascending {
		c = -c
	}
	return c
}

// deletedSpaces returns the deleted spaces of the workspaces of a filter by spaces, which may have slices.
func (q Queries) deletedSpaces(f SliceFilter) (all []string, err error) {
	if len(f.Spaces) == 0 && (f.Excluded == nil || len(f.Excluded.Spaces) == 0) {
		return nil, nil
	}
	return q.deletedSpacesOf(f.Workspaces)
}

func (q Queries) deletedSpacesOf(workspaces []string) (all []string, err error) {
	for chunk := range slices.Chunk(workspaces, workspacesPerQuery) {
		var p sqldb.Params
		some, err := sqldb.List(q.db, sqldb.ScanOne[string],
			"SELECT p.id FROM spaces p WHERE p.deleted_at IS NOT NULL AND p.workspace_id IN "+sqldb.In(&p, chunk),
			p.Args...)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// reader reads the slices of lists.
type reader[T any] struct {
	q             Queries
	deletedSpaces []string
	columns       string                        // the keys and the values of found
	columnsOf     func(workspace string) string // columns of the slices of one workspace, of which they are read once
	scan          func(sqldb.Row) (T, error)
}

// A list by priority is not sorted in memory if maxNewest of the newest firstWindow slices belong to it: then there
// are many.
const maxNewest = 10

// sorted returns the first slices of a list by priority whose filters select few; ok is false when they select many.
func (r reader[T]) sorted(f SliceFilter, query termindex.Query) (all []found[T], ok bool, err error) {
	newest := f
	newest.Sort, newest.Ascending, newest.AfterID, newest.Limit = SortByID, false, "", maxSorted+1
	if f.identifies() {
		all, err = r.byTime(newest)
		ok = len(all) <= maxSorted
	} else {
		all, ok, err = r.allOf(newest, query)
	}
	if err != nil || !ok {
		return nil, false, err
	}
	if f.AfterID != "" {
		all = slices.DeleteFunc(all, func(a found[T]) bool {
			return f.compare(a.key, f.AfterKey, a.id,
				f.AfterID) <= 0
		})
	}
	slices.SortFunc(all, func(a, b found[T]) int { return f.compare(a.key, b.key, a.id, b.id) })
	return all[:min(len(all), f.Limit)], true, nil
}

// allOf returns all slices that a query finds; ok is false when they are many.
func (r reader[T]) allOf(newest SliceFilter, query termindex.Query) (all []found[T], ok bool, err error) {
	first := newest
	first.Limit = maxNewest
	w, err := r.q.windowOf(first, firstWindow)
	if err != nil || w.begin.id == "" {
		return nil, true, err
	}
	if all, err = r.inWindow(first, query, w); err != nil || len(all) == maxNewest && !w.isLast {
		return nil, false, err
	}
	return r.inSparse(newest, query, window{isLast: true}, maxSorted)
}

// byPriority returns the first slices of a list by priority: those of one priority after those of the other.
func (r reader[T]) byPriority(f SliceFilter) (all []found[T], err error) {
	query := f.query(f.Workspaces, r.deletedSpaces)
	if query.IsNothing() {
		return nil, nil
	}
	if !query.IsEverything() || f.identifies() {
		if err := r.q.requireIndex(); err != nil {
			return nil, err
		}
		if all, ok, err := r.sorted(f, query); err != nil || ok {
			return all, err
		}
	}
	priorities := append(api.PriorityFilter("").Values()[:0:0], api.PriorityFilter("").Values()...)
	slices.SortFunc(priorities, func(a, b string) int { return cmp.Compare(priorityKey(b), priorityKey(a)) })
	if f.Ascending {
		slices.Reverse(priorities)
	}
	for _, p := range priorities {
		if len(f.Priorities) > 0 && !slices.Contains(f.Priorities, api.PriorityFilter(p)) {
			continue
		}
		part := f
		part.Sort, part.Priorities, part.Limit = SortByID, []api.PriorityFilter{api.PriorityFilter(p)}, f.Limit-len(all)
		if f.AfterID != "" {
			switch before := f.compare(priorityKey(p), f.AfterKey, "", ""); {
			case before < 0:
				continue
			case before > 0:
				part.AfterID = ""
			}
		}
		more, err := r.byTime(part)
		if all = append(all, more...); err != nil || len(all) == f.Limit {
			return all, err
		}
	}
	return all, nil
}

// byTime returns the first slices of a list by id or by update. It reads them by what identifies them; without
// filters, from the SQL index of the order; otherwise from the index of terms, in windows.
func (r reader[T]) byTime(f SliceFilter) ([]found[T], error) {
	query := f.query(f.Workspaces, r.deletedSpaces)
	switch {
	case query.IsNothing():
		return nil, nil
	case f.identifies():
		return r.identified(f, query)
	case query.IsEverything():
		return r.unfiltered(f)
	}
	if err := r.q.requireIndex(); err != nil {
		return nil, err
	}
	return r.inWindows(f, query)
}

// keys are the columns of a position in each order.
var keys = map[SliceSort]string{SortByID: "s.id, 0, ", SortByUpdate: "s.id, s.updated_at, ",
	SortByPriority: "s.id, CASE s.priority WHEN 'urgent' THEN 4 WHEN 'high' THEN 3 WHEN 'medium' THEN 2 WHEN 'low' THEN 1 ELSE 0 END, "}

func (r reader[T]) list(text string, p sqldb.Params) ([]found[T], error) {
	return sqldb.List(r.q.db, func(row sqldb.Row) (f found[T], err error) {
		f.value, err = r.scan(prefixed{row, []any{&f.id, &f.key}})
		return f, err
	}, text, p.Args...)
}

// prefixed is a row whose first columns have targets of their own.
type prefixed struct {
	sqldb.Row
	targets []any
}

func (r prefixed) Scan(dest ...any) error { return r.Row.Scan(append(r.targets, dest...)...) }

// unfiltered returns the first slices of a list that has no other filter than times, from the index of their order.
func (r reader[T]) unfiltered(f SliceFilter) ([]found[T], error) {
	var p sqldb.Params
	where, limit := f.inOrder(&p)+f.others(&p), p.Add(f.Limit)
	each := func(workspace string) string {
		return "SELECT " + r.columnsOf(workspace) + " FROM slices s WHERE s.workspace_id = " + workspace + " AND " +
			where
	}
	first := " ORDER BY s.workspace_id" + f.direction() + ", " + f.order() + " LIMIT " + limit
	workspaces := p.AddAll(f.Workspaces)
	if len(workspaces) == 1 {
		return r.list(each(workspaces[0])+first, p)
	}
	return r.list(r.q.db.Engine.Merged(workspaces, each, first)+" ORDER BY "+f.mergedOrder()+" LIMIT "+limit, p)
}

// identified returns the first slices of a list that is filtered by what identifies slices. They are few: each is
// compared with the query.
func (r reader[T]) identified(f SliceFilter, query termindex.Query) ([]found[T], error) {
	if !query.IsEverything() {
		ids, err := r.q.identifiedWith(f, query)
		if err != nil || len(ids) == 0 {
			return nil, err
		}
		f.IDs = ids
	}
	text, p := f.identified(r.columns)
	return r.list(text, p)
}

// identifiedWith returns the ids of the first slices of a list that a query finds among those that the filter
// identifies.
func (q Queries) identifiedWith(f SliceFilter, query termindex.Query) (ids []string, err error) {
	const page = 200
	missing := f.Limit
	for f.Limit = page; ; {
		text, p := f.identified(sliceRecord + ", ''")
		all, err := sqldb.List(q.db, scanSlice, text, p.Args...)
		if err != nil {
			return nil, err
		}
		further, err := q.furtherTermsOf(all)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if !query.Finds(all[i].allTerms(further[all[i].ID])) {
				continue
			}
			if ids = append(ids, all[i].ID); len(ids) == missing {
				return ids, nil
			}
		}
		if len(all) < page {
			return ids, nil
		}
		last := all[len(all)-1]
		f.AfterID, f.AfterKey = last.ID, last.UpdatedAt.UnixMilli()
	}
}

// identified returns the statement of the slices that a filter identifies.
func (f *SliceFilter) identified(columns string) (text string, p sqldb.Params) {
	from := "slices s"
	where := f.inOrder(&p) + f.others(&p) + " AND s.workspace_id IN " + sqldb.In(&p, f.Workspaces)
	if len(f.DuplicatesOf) > 0 {
		from, where = "("+f.duplicates(&p)+") AS d CROSS JOIN slices s", where+" AND s.row = d.row"
	}
	if len(f.IDs) > 0 {
		where += " AND s.id IN " + sqldb.In(&p, f.IDs)
	}
	if externalIDs := f.externalIDs(); len(externalIDs) > 0 {
		where += " AND s.external_id IN " + sqldb.In(&p, externalIDs)
	}
	if len(f.Priorities) > 0 { // a list by priority reads those of each
		where += " AND COALESCE(s.priority, '') IN " + sqldb.In(&p, emptyForNone(f.Priorities))
	}
	if f.Number > 0 {
		where += " AND s.number = " + p.Add(f.Number)
	}
	return "SELECT " + columns + " FROM " + from + " WHERE " + where + " ORDER BY " + f.order() + " LIMIT " +
		p.Add(f.Limit), p
}

// findSpan sets the bounds that replace missing ones: earliest is the first creation or update; latest is the last
// update, or a minute from now if that is later, because slices may be updated meanwhile.
func (q Queries) findSpan(f *SliceFilter) error {
	if f.UpdatedMin == nil && f.ResolvedMin == nil && f.UpdatedEnd == nil && f.ResolvedEnd == nil {
		return nil
	}
	f.latest = time.Now().Add(time.Minute).UnixMilli()
	f.earliest = f.latest
	for _, order := range []SliceFilter{{Ascending: true}, {Sort: SortByUpdate, Ascending: true},
		{Sort: SortByUpdate}} {
		times, err := q.firstTimes(order, f.Workspaces)
		if err != nil {
			return err
		}
		for _, at := range times {
			f.earliest, f.latest = min(f.earliest, at), max(f.latest, at)
		}
	}
	return nil
}

// firstTimes returns the time of the first slice of each workspace that has one, in an order.
func (q Queries) firstTimes(order SliceFilter, workspaces []string) (times []int64, err error) {
	for chunk := range slices.Chunk(workspaces, workspacesPerQuery) {
		order.Workspaces = chunk
		places, err := q.placesOf(order, 0)
		if err != nil {
			return nil, err
		}
		for _, at := range places {
			times = append(times, order.timeOf(at))
		}
	}
	return times, nil
}
