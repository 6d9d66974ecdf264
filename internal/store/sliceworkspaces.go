package store

import (
	"slices"

	"bugslice/internal/store/sqldb"
)

// NarrowWorkspaces leaves out those of several workspaces of a filter by ids, or by spaces, in which it selects
// nothing, so that a list of thousands of workspaces does not look for a few slices in each.
func (q Queries) NarrowWorkspaces(f *SliceFilter) error {
	var p sqldb.Params
	text := ""
	switch {
	case len(f.Workspaces) < 2:
		return nil
	case len(f.IDs) > 0:
		text = "SELECT DISTINCT workspace_id FROM slices WHERE id IN " + sqldb.In(&p, f.IDs)
	case len(f.Spaces) > 0 && !slices.Contains(f.Spaces, NoneValue):
		text = "SELECT DISTINCT workspace_id FROM spaces WHERE id IN " + sqldb.In(&p, f.Spaces)
	default:
		return nil
	}
	own, err := sqldb.List(q.db, sqldb.ScanOne[string], text, p.Args...)
	f.Workspaces = slices.DeleteFunc(slices.Clone(f.Workspaces),
		func(id string) bool { return !slices.Contains(own, id) })
	return err
}
