package store

import (
	"fmt"
	"slices"
	"time"

	"bugslice/internal/id"
	"bugslice/internal/store/termindex"
)

// The index of terms has no order, so that a list reads windows of it: of the first slices of the workspaces in the order of the list,
// then of more of them, until its page is full. The windows of many slices have few with all filters, else the page was full before.
const (
	firstWindow = 250 // slices of a workspace in the first window, or twice the page
	wider       = 10  // times as many slices has the next window, at most
	longer      = 8   // times as long is the next window behind the last one, at most
)

// Tests have smaller ones.
var (
	lastWindow = 25_000 // slices in the last window whose slices are counted
	maxSpare   = 1000   // slices that are found behind the last window and not needed
	maxSorted  = 2000   // slices that a list reads and sorts
)

// place is a position in the order of a list.
type place struct {
	id  string
	key int64 // the time of the update, unless the list is sorted by id
}

// timeOf returns the time of a place in milliseconds.
func (f *SliceFilter) timeOf(p place) int64 {
	if f.Sort == SortByUpdate {
		return p.key
	}
	return created(p.id)
}

// window is a range of places in the order of a list, both included. Nothing is in a window without a begin.
type window struct {
	begin, end place
	isLast     bool // no slice is behind it
}

// inWindows returns the first slices of a list that a query finds. When two windows do not have them, the filters may select few.
func (r reader[T]) inWindows(f SliceFilter, query termindex.Query) (all []found[T], err error) {
	whole, page, size := f, f.Limit, max(firstWindow, 2*f.Limit)
	for n := 0; ; n++ {
		w, err := r.q.windowOf(f, size)
		if err != nil || w.begin.id == "" {
			return all, err
		}
		f.Limit = page - len(all)
		more, err := r.inWindow(f, query, w)
		if all = append(all, more...); err != nil || len(all) == page || w.isLast {
			return all, err
		}
		if n == 1 {
			few, ok, err := r.inSparse(whole, query, window{isLast: true}, max(maxSorted, 2*page))
			if err != nil || ok {
				return few, err
			}
		}
		f.AfterID, f.AfterKey = w.end.id, w.end.key
		if size >= lastWindow {
			rest, err := r.behind(f, query, w, page-len(all), len(more))
			return append(all, rest...), err
		}
		size = nextSize(size, len(more), page-len(all))
	}
}

// nextSize returns the number of slices of a window in which as many are expected as are missing, after one with some.
func nextSize(size, found, missing int) int {
	if found == 0 {
		return wider * size
	}
	return min(max(size*missing*3/2/found, 2*size), wider*size)
}

// behind returns the first slices of a list behind a window in which some were found, in windows that become longer. One in
// which many more are found than are missing is halved.
func (r reader[T]) behind(f SliceFilter, query termindex.Query, before window, missing, n int) (all []found[T], err error) {
	rest, err := r.q.windowOf(f, 0)
	if err != nil || rest.begin.id == "" {
		return nil, err
	}
	length, most := f.timeOf(before.end)-f.timeOf(before.begin), longer
	for {
		length *= int64(min(nextSize(1, n, missing-len(all)), most))
		w := window{begin: rest.begin, end: f.placeAt(f.timeOf(rest.begin) + length)}
		if f.compare(w.end.key, rest.end.key, w.end.id, rest.end.id) >= 0 || length == 0 {
			w, length = rest, f.timeOf(rest.end)-f.timeOf(rest.begin)
		}
		f.Limit = missing - len(all)
		more, ok, err := r.inSparse(f, query, w, f.Limit+maxSpare)
		switch {
		case ok || err != nil:
		case length/2 != 0:
			length, most, n = length/2, 1, 0
			continue
		default:
			more, err = r.inWindow(f, query, w)
		}
		if all = append(all, more...); err != nil || len(all) == missing || w.isLast {
			return all, err
		}
		f.AfterID, f.AfterKey = w.end.id, w.end.key
		rest.begin, n, most = w.end, len(more), min(2*most, longer)
	}
}

// beforeAnyID sorts before all ids.
const beforeAnyID = "0"

// placeAt returns a place at a time: no slice is there.
func (f *SliceFilter) placeAt(at int64) place {
	sliceID := id.Lowest(id.Slice, time.UnixMilli(at))
	if f.Sort == SortByUpdate {
		return place{id: beforeAnyID, key: at}
	}
	return place{id: sliceID}
}

// inWindow returns the first slices in a window that a query finds.
func (r reader[T]) inWindow(f SliceFilter, query termindex.Query, w window) ([]found[T], error) {
	var p params
	return r.among(f, f.rowsIn(r.q, query, w, &p), w, p)
}

// rowsIn selects the rows of the slices that a query finds in a window, and of some before and behind it: all in a window without bounds.
func (f *SliceFilter) rowsIn(q Queries, query termindex.Query, w window, p *params) string {
	e := q.db.engine.terms
	if w.begin.id == "" {
		return e.Rows(p.add(e.Expression(query)))
	}
	kind := byte(createdKind)
	if f.Sort == SortByUpdate {
		kind = updatedKind
	}
	from, to := f.timeOf(w.begin), f.timeOf(w.end)
	return e.Rows(p.add(e.Expression(termindex.All(query, termindex.During(kind, min(from, to), max(from, to))))))
}

// among returns the first slices in a window whose rows a statement selects.
func (r reader[T]) among(f SliceFilter, rows string, w window, p params) ([]found[T], error) {
	where := "s.workspace_id IN " + in(&p, f.Workspaces) + " AND " + f.inOrder(&p) + f.others(&p)
	if !w.isLast {
		where += " AND " + f.until(w.end, &p)
	}
	return r.list(r.q.db.engine.joined(rows, r.columns, where)+" ORDER BY "+f.order()+" LIMIT "+p.add(f.Limit), p)
}

// inSparse is inWindow for a window in which at most so many slices are found; ok is false when there may be more.
func (r reader[T]) inSparse(f SliceFilter, query termindex.Query, w window, most int) (all []found[T], ok bool, err error) {
	var p params
	var n int
	selected := f.rowsIn(r.q, query, w, &p)
	rows, err := one(r.q.db, func(r row) (rows *string, err error) { return rows, r.Scan(&n, &rows) },
		"SELECT count(*), "+r.q.db.engine.rowsTo+" FROM (SELECT row FROM ("+selected+") AS r LIMIT "+p.add(most+1)+") AS r", p.args...)
	if err != nil || n == 0 || n > most {
		return nil, n <= most, err
	}
	p = params{}
	all, err = r.among(f, fmt.Sprintf(r.q.db.engine.rowsOf, p.add(*rows)), w, p)
	return all, true, err
}

// until returns the condition that a slice is not behind a place.
func (f *SliceFilter) until(end place, p *params) string {
	operator := " >= "
	if f.Ascending {
		operator = " <= "
	}
	if f.Sort == SortByUpdate {
		return "(s.updated_at, s.id)" + operator + "(" + p.add(end.key) + ", " + p.add(end.id) + ")"
	}
	return "s.id" + operator + p.add(end.id)
}

// windowOf returns the window of the first slices of a list without filters, or of all when size is 0. Of several workspaces, each has its
// share of the size, or less.
func (q Queries) windowOf(f SliceFilter, size int) (w window, err error) {
	ends, err := q.placesOf(f, 0)
	if err != nil || len(ends) == 0 {
		return w, err
	}
	compare := func(a, b place) int { return f.compare(a.key, b.key, a.id, b.id) }
	w.begin = slices.MinFunc(ends, compare)
	if size > 0 {
		if ends, err = q.placesOf(f, max(size/len(f.Workspaces), 25)); err != nil {
			return w, err
		}
		if len(ends) > 0 {
			w.end = slices.MinFunc(ends, compare)
			return w, nil
		}
	}
	reversed := f
	reversed.Ascending, reversed.AfterID = !f.Ascending, ""
	if ends, err = q.placesOf(reversed, 0); err != nil || len(ends) == 0 {
		return w, err
	}
	w.end, w.isLast = slices.MaxFunc(ends, compare), true
	return w, nil
}

// placesOf returns the place of the nth slice after the first one of a list without filters, in each workspace that has so many. It reads
// the index of the order alone.
func (q Queries) placesOf(f SliceFilter, n int) ([]place, error) {
	var p params
	offset, where := p.add(n), f.inOrder(&p)
	each := q.db.engine.forEach(p.addAll(f.Workspaces), func(workspace string) string {
		return "SELECT s.id, " + f.key() + " FROM slices s WHERE s.workspace_id = " + workspace + " AND " + where +
			" ORDER BY s.workspace_id" + f.direction() + ", " + f.order() + " LIMIT 1 OFFSET " + offset
	})
	return list(q.db, func(r row) (at place, err error) { return at, r.Scan(&at.id, &at.key) }, each, p.args...)
}
