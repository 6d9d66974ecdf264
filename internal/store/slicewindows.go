package store

import (
	"slices"
	"time"

	"bugslice/internal/id"
	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/termindex"
)

// The index of terms has no order, so a list reads windows of it: of the first slices of the workspaces in the order
// of the list, then of more of them, until its page is full. A large window has few matches; otherwise an earlier one
// would have filled the page.
const (
	firstWindow = 250 // slices of a workspace in the first window, or twice the page
	wider       = 10  // the next window is at most so many times larger
	longer      = 8   // the next window behind lastWindow is at most so many times longer
)

// Tests have smaller ones.
var (
	lastWindow = 25_000 // size of the last window measured in slices; later ones are measured in time
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

// window is a range of places in the order of a list, both included. As a result of windowOf, a window without a
// begin is empty; for rowsIn it is unbounded.
type window struct {
	begin, end place
	isLast     bool // no slice is behind it
}

// inWindows returns the first slices of a list that a query finds. When two windows do not have them, the filters may
// select few.
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

// behind returns the first slices of a list behind a window in which some were found, in windows that become longer.
// One in which many more are found than are missing is halved.
func (r reader[T]) behind(f SliceFilter, query termindex.Query, before window, missing, n int) (
	all []found[T], err error,
) {
	rest, err := r.q.windowOf(f, 0)
	if err != nil || rest.begin.id == "" {
		return nil, err
	}
	length, most := f.timeOf(before.end)-f.timeOf(before.begin), longer
	for {
		length *= int64(min(nextSize(1, n, missing-len(all)), most))
		w := window{begin: rest.begin, end: f.placeBefore(f.timeOf(rest.begin) + length)}
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

// placeBefore returns the place before all slices of a millisecond, in ascending order. No slice has it: its id is
// lower than theirs.
func (f *SliceFilter) placeBefore(at int64) place {
	if f.Sort == SortByUpdate {
		return place{id: beforeAnyID, key: at}
	}
	return place{id: id.Lowest(id.Slice, time.UnixMilli(at))}
}

// inWindow returns the first slices in a window that a query finds.
func (r reader[T]) inWindow(f SliceFilter, query termindex.Query, w window) ([]found[T], error) {
	var p sqldb.Params
	return r.among(f, f.rowsIn(r.q, query, w, &p), w, p)
}

// rowsIn selects the rows of the slices that a query finds in a window, and of some before and behind it: all in a
// window without bounds.
func (f *SliceFilter) rowsIn(q Queries, query termindex.Query, w window, p *sqldb.Params) string {
	e := q.terms()
	if w.begin.id == "" {
		return e.Rows(p.Add(e.Expression(query)))
	}
	kind := byte(createdKind)
	if f.Sort == SortByUpdate {
		kind = updatedKind
	}
	from, to := f.timeOf(w.begin), f.timeOf(w.end)
	return e.Rows(p.Add(e.Expression(termindex.All(query, termindex.During(kind, min(from, to), max(from, to))))))
}

// among returns the first slices in a window whose rows a statement selects.
func (r reader[T]) among(f SliceFilter, rows string, w window, p sqldb.Params) ([]found[T], error) {
	where := "s.workspace_id IN " + sqldb.In(&p, f.Workspaces) + " AND " + f.inOrder(&p) + f.others(&p)
	if !w.isLast {
		where += " AND " + f.until(w.end, &p)
	}
	return r.list(r.q.db.Engine.Joined(rows, "slices", r.columns, where)+" ORDER BY "+f.order()+" LIMIT "+
		p.Add(f.Limit), p)
}

// inSparse is inWindow for a window in which at most so many slices are found; ok is false when there may be more.
func (r reader[T]) inSparse(f SliceFilter, query termindex.Query, w window, most int) (
	all []found[T], ok bool, err error,
) {
	var p sqldb.Params
	var n int
	selected := f.rowsIn(r.q, query, w, &p)
	rows, err := sqldb.One(r.q.db, func(r sqldb.Row) (rows *string, err error) { return rows, r.Scan(&n, &rows) },
		"SELECT count(*), "+r.q.db.Engine.Numbers+" FROM (SELECT row FROM ("+selected+") AS r LIMIT "+p.Add(most+1)+
			") AS r", p.Args...)
	if err != nil || n == 0 || n > most {
		return nil, n <= most, err
	}
	p = sqldb.Params{}
	all, err = r.among(f, r.q.db.Engine.NumberRows(p.Add(*rows)), w, p)
	return all, true, err
}

// until returns the condition that a slice is not behind a place.
func (f *SliceFilter) until(end place, p *sqldb.Params) string {
	operator := " >= "
	if f.Ascending {
		operator = " <= "
	}
	if f.Sort == SortByUpdate {
		return "(s.updated_at, s.id)" + operator + "(" + p.Add(end.key) + ", " + p.Add(end.id) + ")"
	}
	return "s.id" + operator + p.Add(end.id)
}

// windowOf returns the window of the first slices of a list without filters, or of all when size is 0. Of several
// workspaces, each has its share of the size, or less.
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

// placesOf returns the place of the nth slice after the first one of a list without filters, in each workspace that
// has so many. It reads the index of the order alone.
func (q Queries) placesOf(f SliceFilter, n int) ([]place, error) {
	var p sqldb.Params
	offset, where := p.Add(n), f.inOrder(&p)
	each := q.db.Engine.ForEach(p.AddAll(f.Workspaces), func(workspace string) string {
		return "SELECT s.id, " + f.key() + " FROM slices s WHERE s.workspace_id = " + workspace + " AND " + where +
			" ORDER BY s.workspace_id" + f.direction() + ", " + f.order() + " LIMIT 1 OFFSET " + offset
	})
	return sqldb.List(q.db, func(r sqldb.Row) (at place, err error) { return at, r.Scan(&at.id, &at.key) }, each,
		p.Args...)
}
