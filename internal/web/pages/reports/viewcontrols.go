package reports

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
	"bugslice/internal/words"
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
	Space     *api.Space // whose reports the list shows, without a view; nil for other lists
	Watch     api.Watch  // what the reader has chosen to be told of the view or the space
}

// loadWatch finds the space whose reports a list shows, and what the reader has chosen for it or for the view.
func (c *viewControls) loadWatch(q *page.Request, of query.Query) (err error) {
	subject := ""
	if c.Shown != nil {
		subject = c.Shown.ID
	} else if t, ok := of.Get(query.Space); ok && !t.Negated && len(t.Values) == 1 {
		i := slices.IndexFunc(q.Spaces, func(s api.Space) bool { return words.Fold(s.Name) == words.Fold(t.Values[0].Text) })
		if i < 0 {
			return nil
		}
		c.Space, subject = &q.Spaces[i], q.Spaces[i].ID
	}
	if subject != "" {
		c.Watch, err = page.Call(q, q.Tracker.GetWatch, api.GetWatch{SubjectID: subject})
	}
	return err
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
