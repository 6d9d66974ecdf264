package reports

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// viewControls are what can be done with the view that a list shows, and with its query.
type viewControls struct {
	Shown     *api.View  // nil when the list shows none
	Gone      bool       // whether the address names a view that the reader does not see
	MayChange bool       // whether the reader may change the shown view
	MayShare  bool       // whether the reader may save a view for the workspace of the list
	Workspace string     // the name of that workspace
	Fault     *api.Fault // why a change of a view was refused
	Name      string     // that was posted with it
	Once      string
}

// viewControlsOf returns the controls of a list that shows the view with an id, if the reader sees it.
func viewControlsOf(q *page.Request, viewID string) viewControls {
	administers := func(workspaceID string) bool {
		return slices.ContainsFunc(q.Workspaces,
			func(w page.Workspace) bool { return w.ID == workspaceID && w.Role == api.RoleAdmin })
	}
	c := viewControls{Gone: viewID != "", Once: page.Once(), MayShare: administers(q.Workspace.ID),
		Workspace: q.Workspace.Name}
	if i := slices.IndexFunc(q.Views, func(v api.View) bool { return v.ID == viewID }); i >= 0 {
		v := q.Views[i]
		c.Gone, c.Shown, c.MayChange = false, &v, v.WorkspaceID == nil || administers(*v.WorkspaceID)
	}
	return c
}
