package tracker

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/query"
	"bugslice/internal/store"
)

// ListSlices lists the slices of one workspace, or of all workspaces the caller sees.
func (t *Tracker) ListSlices(ctx context.Context, c access.Caller, v input.Valid[api.ListSlices],
) (api.Page[api.Slice], error) {
	page, err := listSlices(ctx, t, c, v, sliceList[store.Slice]{read: access.Queries.Slices, head: store.Slice.Head})
	return api.Page[api.Slice]{Data: convert(page.Data, t.show), Pagination: page.Pagination,
		NewestRelease: page.NewestRelease}, err
}

// sliceList reads slices of lists.
type sliceList[T any] struct {
	read func(access.Queries, store.SliceFilter) ([]T, error)
	head func(T, store.SliceSort) store.SliceHead
}

// listSlices returns a page of slices in the form that l reads. A search, and a page that is larger than usual, acquire
// a slot, because they take the most time.
func listSlices[T any](ctx context.Context, t *Tracker, c access.Caller, v input.Valid[api.ListSlices], l sliceList[T],
) (api.Page[T], error) {
	var none api.Page[T]
	in, err := v.Value(c.Allow(api.OpListSlices))
	if err != nil {
		return none, err
	}
	if in.Q != "" || in.Limit > defaultPageSize {
		slot, err := t.acquireSlotFor(ctx, c, api.OpListSlices)
		if err != nil {
			return none, err
		}
		defer slot.Release()
	}
	r := slicePages[T]{sliceList: l, t: t, q: t.access.Read(ctx), c: c, in: in}
	page, err := listPage(t, c, listing[T]{operation: api.OpListSlices, parameters: in, paging: in.Paging,
		positionParts: 2, read: r.page, position: r.position})
	page.NewestRelease = r.newest
	return page, err
}

// slicePages reads pages of a list of slices.
type slicePages[T any] struct {
	sliceList[T]
	t      *Tracker
	q      access.Queries
	c      access.Caller
	in     api.ListSlices
	sort   store.SliceSort
	newest *api.ChosenRelease
	named  []string // the ids of the slices that the text of the list names
}

// byName is the second part of the position of a slice with which a list begins, because its text names the slice.
const byName = "named"

// page returns the slices after a position. Those that the text of the list names are the first ones.
func (r *slicePages[T]) page(after []string, limit int) ([]T, error) {
	in, err := withoutTerms(r.q, r.c, r.in)
	if err != nil {
		return nil, err
	}
	f, newest, err := r.t.filterWithNewest(r.q, r.c, in.SliceFilters)
	if err != nil {
		return nil, err
	}
	position := after
	if after[1] == byName {
		position = []string{"", ""}
	}
	if err := setPosition(&f, r.c, in, position); err != nil {
		return nil, err
	}
	r.newest, r.sort, f.Limit = newest, f.Sort, limit
	named, ok, err := namedBy(r.q, r.c, in, f)
	if err != nil {
		return nil, err
	}
	var rows []T
	if ok {
		rows, err = r.readWithNamed(named, f, after)
	} else {
		rows, err = r.read(r.q, f)
	}
	return rows, askToNarrow(err, in.SliceFilters, in.Sort)
}

// namedBy returns the filter of the slices whose reference or number is the text of a list; ok is false for another
// text.
func namedBy(q access.Queries, c access.Caller, in api.ListSlices, f store.SliceFilter) (
	named store.SliceFilter, ok bool, err error,
) {
	parsed, err := query.ParseText(in.Q)
	text, ok := parsed.Named()
	if err != nil || !ok || in.Number > 0 || len(in.Reference) > 0 {
		return named, false, err
	}
	f.Words, f.Prefixes, f.References, f.AfterID = nil, nil, nil, ""
	if number, err := strconv.Atoi(text); err == nil {
		f.Number = number
		return f, true, nil
	}
	ids, err := c.SliceIDs(q, []string{text})
	f.IDs = slices.Collect(maps.Values(ids))
	return f, len(ids) > 0, err
}

// readWithNamed reads the slices that are named, and then the others.
func (r *slicePages[T]) readWithNamed(named, f store.SliceFilter, after []string) ([]T, error) {
	first, err := r.read(r.q, named)
	if err != nil {
		return nil, err
	}
	r.named = nil
	for _, row := range first {
		r.named = append(r.named, r.head(row, r.sort).ID)
	}
	limit := f.Limit
	f.Limit += len(first)
	rest, err := r.read(r.q, f)
	rest = slices.DeleteFunc(rest, r.isNamed)
	switch {
	case after[1] == byName:
		rest = append(slices.Clone(first[slices.Index(r.named, after[0])+1:]), rest...)
	case after[0] == "":
		rest = append(slices.Clone(first), rest...)
	}
	return rest[:min(len(rest), limit)], err
}

func (r *slicePages[T]) isNamed(row T) bool { return slices.Contains(r.named, r.head(row, r.sort).ID) }

// position returns the position of a slice in the list.
func (r *slicePages[T]) position(row T) []string {
	h := r.head(row, r.sort)
	switch {
	case r.isNamed(row):
		return []string{h.ID, byName}
	case r.sort == store.SortByID:
		return []string{h.ID, ""}
	}
	return []string{h.ID, strconv.FormatInt(h.SortKey, 10)}
}
