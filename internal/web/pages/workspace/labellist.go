package workspace

import (
	"net/url"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

// manyLabels is the number of labels from which on they can be searched.
const manyLabels = 10

// listLabels reads the labels after the cursor in the address, or those that a text finds. Labels that are all on the
// page stand in the order of their reports.
func (d *data) listLabels(q *page.Request, colors map[string]api.LabelColor) error {
	values := q.URL.Query()
	d.LabelsAfter, d.LabelText = values.Get("labels"), strings.TrimSpace(values.Get("search"))
	v, err := input.Check(api.ListLabels{Paging: api.Paging{Limit: api.MaxLimit, Cursor: d.LabelsAfter},
		WorkspaceID: q.Workspace.ID, Q: d.LabelText})
	if err != nil {
		return err
	}
	listed, err := q.Tracker.ListLabels(q.Context(), q.Session.Caller, v)
	if d.LabelText != "" && page.HasCode(err, api.CodeInvalidParameter) { // a text without letters finds nothing
		return nil
	}
	if d.LabelsAfter == "" && listed.Pagination.Cursor == nil {
		slices.SortStableFunc(listed.Data, func(a, b api.LabelCount) int { return int(b.Count - a.Count) })
	}
	for _, c := range listed.Data {
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(c.Label)
		d.Labels = append(d.Labels, label{c, `label:"` + quoted + `"`, string(colors[c.Label]), ui.LabelClass(c.Label, colors)})
	}
	if listed.Pagination.Cursor != nil {
		next := url.Values{"labels": {*listed.Pagination.Cursor}}
		if d.LabelText != "" {
			next.Set("search", d.LabelText)
		}
		d.MoreLabels = path(q.Workspace.Key) + "&" + next.Encode() + "#labels"
	}
	return err
}

// SearchesLabels says whether there are so many labels that they can be searched.
func (d data) SearchesLabels() bool {
	return d.LabelText != "" || len(d.Labels) > manyLabels
}
