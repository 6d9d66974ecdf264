package workspace

import (
	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// SaveColors chooses the colours of labels. It changes those that the reader has changed, and no other one, so that
// nobody's choice of another label is lost.
func SaveColors(q *page.Request) (page.Result, error) {
	if q.Workspace.Role != api.RoleAdmin {
		return page.Result{}, api.NewProblem(api.CodeForbidden, "Admins of the workspace choose the colors of labels.")
	}
	labels, former, colors := q.PostForm["label"], q.PostForm["former"], map[string]any{}
	for i, label := range labels {
		chosen, ok := q.PostForm["color "+label]
		switch {
		case !ok || i >= len(former) || chosen[0] == former[i]:
		case chosen[0] == "":
			colors[label] = nil
		default:
			colors[label] = chosen[0]
		}
	}
	to := pathOf(q.Workspace.Key, "labels", q.URL.Query().Get("labels"))
	return finish(q, setColors(q, colors), to, "workspace-saved")
}

// setColors changes the chosen colours of labels, of which nil is none.
func setColors(q *page.Request, colors map[string]any) error {
	changes := map[string]any{}
	for label, color := range colors {
		if now, ok := q.Workspace.LabelColors[label]; color != nil && color != string(now) || color == nil && ok {
			changes[label] = color
		}
	}
	if len(changes) == 0 {
		return nil
	}
	v, err := input.Check(api.UpdateWorkspace{WorkspaceID: q.Workspace.ID, Patch: api.WorkspacePatch{"labelColors": changes}})
	if err == nil {
		_, err = q.Tracker.UpdateWorkspace(q.Context(), q.Session.Caller, v)
	}
	return err
}

// keepColor gives the chosen colour of a label to the name that it is about to get, unless reports have a label of that
// name, which keeps its own.
func keepColor(q *page.Request, label, name string, remove bool) error {
	color, chosen := q.Workspace.LabelColors[label]
	if remove || !chosen {
		return nil
	}
	joined, err := q.ListReports(api.ListSlices{Paging: api.Paging{Limit: 1},
		SliceFilters: api.SliceFilters{WorkspaceID: q.Workspace.ID, Label: []string{name}}})
	if _, invalid := page.FaultsOf(err); invalid || page.HasCode(err, api.CodeInvalidParameter) {
		return nil // the change of the reports refuses the name
	}
	if err != nil || len(joined.Data) > 0 {
		return err
	}
	return setColors(q, map[string]any{name: string(color)})
}
