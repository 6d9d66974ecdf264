package workspace

import (
	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// chooseColor gives a label that is about to get a name the colour of the form, when the reader has changed it, and
// otherwise the one that was chosen. Reports that have a label of that name already keep the colour of it.
func chooseColor(q *page.Request, label, name string) error {
	chosen, former := q.PostForm.Get("color"), q.PostForm.Get("former")
	changed := q.PostForm.Has("color") && chosen != former
	if !changed && name != label {
		chosen = string(q.Workspace.LabelColors[label])
	}
	if !changed && (name == label || chosen == "") {
		return nil
	}
	if name != label {
		if taken, err := isLabel(q, name); err != nil || taken {
			return err
		}
	}
	if chosen == "" {
		return setColors(q, map[string]any{name: nil})
	}
	return setColors(q, map[string]any{name: chosen})
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

// isLabel returns whether reports have a label. The change of the reports refuses a name that no label can have.
func isLabel(q *page.Request, name string) (bool, error) {
	found, err := q.ListReports(api.ListSlices{Paging: api.Paging{Limit: 1},
		SliceFilters: api.SliceFilters{WorkspaceID: q.Workspace.ID, Label: []string{name}}})
	if _, invalid := page.FaultsOf(err); invalid || page.HasCode(err, api.CodeInvalidParameter) {
		return true, nil
	}
	return len(found.Data) > 0, err
}
