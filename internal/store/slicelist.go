package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Slices returns at most f.Limit live slices in order.
func (q Queries) Slices(f SliceFilter) ([]Slice, error) {
	f.fact = q.db.engine.fact
	var all []Slice
	size := f.workspacesPerQuery()
	for chunk := range slices.Chunk(f.Workspaces, size) {
		part, err := q.slicesIn(f, chunk)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	if len(f.Workspaces) > size {
		slices.SortFunc(all, f.compare)
		all = all[:min(len(all), f.Limit)]
	}
	return all, nil
}

// workspacesPerQuery returns the number of workspaces that one query reads. With words, with several filters, with a filter and another
// order, or with that of duplicates, each workspace has a plan of its own.
func (f *SliceFilter) workspacesPerQuery() int {
	filters := f.indexedFilters()
	only := f.onlyFilter()
	switch {
	case len(f.DuplicatesOf) > 0 || len(f.Words) > 0:
		return 1
	case only != nil:
		return max(scansPerQuery/len(only.conditions(&params{})), 1)
	case len(filters) > 1 || len(filters) == 1 && filters[0].from != ofSlices:
		return 1
	}
	return scansPerQuery
}

func (f *SliceFilter) compare(a, b Slice) int {
	c := cmp.Compare(a.ID, b.ID)
	if f.Sort == SortByUpdate {
		c = cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt.Time), c)
	}
	if !f.Ascending {
		c = -c
	}
	return c
}

// readingOf returns the plan of a list.
func (q Queries) readingOf(f SliceFilter) (listPlan, error) {
	if len(f.Words) > 0 {
		found, err := q.search(f, f.Workspaces[0])
		return listPlan{candidates: found}, err
	}
	return q.planOf(&f)
}

// slicesIn returns the first f.Limit slices of a list. It begins again when one of those that its plan has found leaves the list before it
// is read, because the list may have others.
func (q Queries) slicesIn(f SliceFilter, workspaces []string) ([]Slice, error) {
	f.Workspaces = workspaces
	for range maxAttempts {
		read, err := q.readingOf(f)
		if err != nil || read.candidates != nil && read.candidates.none {
			return nil, err
		}
		all, err := q.slicesOf(f, read, workspaces)
		if err != nil || read.candidates == nil || read.candidates.found < f.Limit || len(all) == f.Limit {
			return all, err
		}
	}
	return nil, fmt.Errorf("%w: the list changes too often", ErrUnavailable)
}

// slicesOf reads the rows and versions of the list, and then the slices that are not cached. When one of them
// changes in between, it reads the whole list with one statement.
func (q Queries) slicesOf(f SliceFilter, read listPlan, workspaces []string) ([]Slice, error) {
	text, args := f.statement(q.db.engine, read, "s.row, s.version, "+inDeletedSpace, workspaces)
	versions, err := list(q.db, scanRowVersion, text, args...)
	if err != nil {
		return nil, err
	}
	all, err := q.slicesAt(versions)
	if !errors.Is(err, errOtherVersion) {
		return all, err
	}
	text, args = f.statement(q.db.engine, read, sliceRecord, workspaces)
	return list(q.db, scanSlice, text, args...)
}

var errOtherVersion = errors.New("a slice has changed since its version was read")

// slicesAt returns slices at their versions, from the cache where possible; errOtherVersion when one of them has changed.
func (q Queries) slicesAt(versions []rowVersion) ([]Slice, error) {
	all := make([]Slice, len(versions))
	var missing []int // indexes
	var rows []int64
	for i, v := range versions {
		cached, ok := q.slices.get(v.row, v.version)
		if !ok {
			missing, rows = append(missing, i), append(rows, v.row)
			continue
		}
		all[i] = v.shown(cached)
	}
	if len(missing) == 0 {
		return all, nil
	}
	byRow, err := q.slicesByRow(rows)
	if err != nil {
		return nil, err
	}
	for _, i := range missing {
		s := byRow[versions[i].row]
		if s.Version != versions[i].version {
			return nil, errOtherVersion
		}
		s.WorkspaceKey = versions[i].workspaceKey
		q.slices.put(s.Row, s.Version, s, sizeOf(s))
		all[i] = s
	}
	return all, nil
}

// slicesByRow returns slices without the keys of their workspaces.
func (q Queries) slicesByRow(rows []int64) (map[int64]Slice, error) {
	var p params
	all, err := list(q.db, scanSlice, "SELECT "+sliceRecord+", '' FROM slices s WHERE s.row IN "+in(&p, rows), p.args...)
	byRow := make(map[int64]Slice, len(all))
	for _, s := range all {
		byRow[s.Row] = s
	}
	return byRow, err
}
