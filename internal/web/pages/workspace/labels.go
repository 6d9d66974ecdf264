package workspace

import (
	"net/url"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/schema"
	"bugslice/internal/web/page"
)

// maxLabelBatches is how many batches of reports one request changes. More would keep the reader waiting.
const maxLabelBatches = 20

// ChangeLabel renames a label of the reports, which joins it with a label that has the name, and chooses its colour, or
// removes it from them. Each report is changed as by hand: its activity, its events and its version tell. After
// maxLabelBatches the page says that some reports are left.
func ChangeLabel(q *page.Request) (page.Result, error) {
	label, name := q.PostForm.Get("label"), strings.TrimSpace(q.PostForm.Get("name"))
	remove := q.PostForm.Get("do") == "remove"
	to := pathOf(q.Workspace.Key, "labels", q.URL.Query().Get("labels"))
	if q.Workspace.Role != api.RoleAdmin {
		return page.Result{}, api.NewProblem(api.CodeForbidden, "Admins of the workspace change labels.")
	}
	if !remove && strings.TrimSpace(schema.WithoutHidden(name)) == "" {
		return finish(q, api.InvalidMember("/label", "too_short", "must not be empty"), "", "")
	}
	if !remove {
		if err := chooseColor(q, label, name); err != nil {
			return finish(q, asLabelFault(err), "", "")
		}
	}
	if name == label && !remove {
		return page.Redirect(to, "workspace-saved")
	}
	item := api.BatchUpdateItem{Patch: api.SlicePatch{}, RemoveLabels: []string{label}}
	if !remove {
		item.AddLabels = []string{name}
	}
	changed, left := 0, false
	for range maxLabelBatches {
		n, more, err := changeLabelOfBatch(q, label, item)
		if err != nil {
			return finish(q, asLabelFault(err), "", "")
		}
		changed, left = changed+n, more
		if n == 0 || !more {
			break
		}
	}
	if !left {
		if err := setColors(q, map[string]any{label: nil}); err != nil {
			return page.Result{}, err
		}
	}
	about := url.Values{"changed": {strconv.Itoa(changed)}, "label": {label}}
	if left {
		about.Set("left", "1")
	}
	return page.Redirect(to, "label-changed?"+about.Encode())
}

// changeLabelOfBatch changes the first reports with a label. It returns how many it has changed, and whether reports
// with the label are left.
func changeLabelOfBatch(q *page.Request, label string, item api.BatchUpdateItem) (changed int, more bool, err error) {
	filter := api.SliceFilters{WorkspaceID: q.Workspace.ID, Label: []string{label}}
	found, err := q.ListReports(api.ListSlices{SliceFilters: filter, Paging: api.Paging{Limit: api.MaxLimit}})
	if err != nil || len(found.Data) == 0 {
		return 0, false, err
	}
	in := api.BatchUpdateSlices{}
	for _, s := range found.Data {
		each := item
		each.ID = s.ID
		in.Body.Items = append(in.Body.Items, each)
	}
	results, err := page.Call(q, q.Tracker.BatchUpdateSlices, in)
	if err != nil {
		return 0, false, err
	}
	more = found.Pagination.HasMore
	for _, r := range results.Results {
		if r.Problem != nil {
			more, err = true, r.Problem
		} else if r.Changed {
			changed++
		}
	}
	if changed > 0 {
		err = nil // those that are refused are left, and the next batch says why
	}
	return changed, more, err
}

// asLabelFault returns the fault of a new label as that of the form.
func asLabelFault(err error) error {
	faults, invalid := page.FaultsOf(err)
	for _, f := range faults {
		if invalid {
			return api.InvalidMember("/label", f.Code, f.Detail)
		}
	}
	return err
}
