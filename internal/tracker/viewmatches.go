package tracker

import (
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/query"
	"bugslice/internal/store"
)

// viewIn is the query of a view over a workspace; empty for all workspaces of the caller.
type viewIn struct{ workspaceID, query string }

// matching returns at most limit of the slices that a caller finds by the query of a view, the newest first: of those
// with some ids, or of all. It refuses a query that a list refuses.
func (t *Tracker) matching(q access.Queries, c access.Caller, v viewIn, ids []string, limit int) ([]string, error) {
	in := searchIn(v.workspaceID, v.query)
	f, err := t.viewFilter(q, c, in, v.workspaceID)
	if err != nil || len(f.Workspaces) == 0 {
		return nil, err
	}
	if ids != nil {
		if len(f.IDs) > 0 {
			ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(f.IDs, id) })
		}
		if f.IDs = ids; len(ids) == 0 {
			return nil, nil
		}
	}
	f.Limit = limit
	rows, err := q.Slices(f)
	if err != nil {
		return nil, askToNarrow(err, in.SliceFilters, "")
	}
	all := make([]string, len(rows))
	for i, s := range rows {
		all[i] = s.ID
	}
	return all, nil
}

// unlessRefused returns err, or none of a query that is refused: what it names is gone, or there is too much of it.
func unlessRefused(err error) error {
	if _, refused := errors.AsType[*api.Problem](err); refused {
		return nil
	}
	return err
}

// searchIn returns the list of a query over a workspace, unless the query names one.
func searchIn(workspaceID, text string) api.ListSlices {
	if parsed, err := query.Parse(text); err == nil {
		if _, ok := parsed.Get(query.Workspace); ok {
			workspaceID = ""
		}
	}
	return api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: workspaceID, Q: text}}
}

// viewFilter returns the filter of a list in one workspace, or in all of the caller. It has no workspace when the list
// has none in it.
func (t *Tracker) viewFilter(q access.Queries, c access.Caller, in api.ListSlices, workspaceID string) (f store.SliceFilter, err error) {
	if in, err = withoutTerms(q, c, in); err != nil {
		return f, err
	}
	if f, _, err = t.filterWithNewest(q, c, in.SliceFilters); err != nil || workspaceID == "" {
		return f, err
	}
	if !slices.Contains(f.Workspaces, workspaceID) {
		return store.SliceFilter{}, nil
	}
	f.Workspaces = []string{workspaceID}
	return f, nil
}
