package reports

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// selection is a report of a form, with the version that the reader saw.
type selection struct {
	reference string
	version   int64
}

// selections returns the reports of a form. ok is false for a value of another form.
func selections(form url.Values) (all []selection, ok bool) {
	for _, text := range form["items"] {
		reference, number, found := strings.Cut(text, " ")
		version, err := strconv.ParseInt(number, 10, 64)
		if _, _, isReference := api.ParseReference(reference); !found || err != nil || !isReference {
			return nil, false
		}
		if s := (selection{reference, version}); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all, len(all) > 0
}

// outcome is what became of a change.
type outcome struct {
	page.Changed
	workspaceID string // of a changed report
}

// Change changes the selected reports, each if it is as the reader saw it.
func Change(q *page.Request) (page.Result, error) {
	selected, ok := selections(q.PostForm)
	if !ok {
		return show(q, "nothing_selected")
	}
	c, ok := page.ChangeOf(q.PostForm)
	if !ok {
		return show(q, "no_change")
	}
	if err := c.SetOriginal(q); err != nil {
		if page.HasCode(err, api.CodeInvalidParameter, api.CodeNotFound) {
			return show(q, "no_original")
		}
		return page.Result{}, err
	}
	var done outcome
	for part := range slices.Chunk(selected, pageLimit) {
		if err := apply(q, c, part, &done); err != nil {
			return page.Result{}, err
		}
	}
	if err := c.NameAssignee(q, done.workspaceID); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(back(q, selected), c.Notice(q, done.Changed))
}

// back returns the address of the list.
func back(q *page.Request, selected []selection) string {
	references := make([]string, len(selected))
	for i, s := range selected {
		references[i] = s.reference
	}
	return onlyRows(q, (&url.URL{Path: q.URL.Path, RawQuery: q.URL.RawQuery}).String(), references)
}

// onlyRows returns the address of a list or a board. A form with the field only asks for the rows of its reports alone, to put them into
// the list that it is in.
func onlyRows(q *page.Request, list string, references []string) string {
	to, err := url.Parse(list)
	if err != nil || to.Path != "/reports" && to.Path != "/board" || !q.PostForm.Has("only") || len(references) > maxOnly {
		return list
	}
	values := to.Query()
	values.Set("only", strings.Join(references, ","))
	to.RawQuery = values.Encode()
	return to.String()
}

// apply changes a batch of reports.
func apply(q *page.Request, c page.Change, part []selection, done *outcome) error {
	labels, err := labelsOf(q, c, part)
	if err != nil {
		return err
	}
	in := api.BatchUpdateSlices{}
	for _, s := range part {
		in.Body.Items = append(in.Body.Items,
			api.BatchUpdateItem{ID: s.reference, IfMatch: api.ETag(s.version), Patch: c.Patch(labels[s.reference])})
	}
	v, err := input.Check(in)
	if err != nil {
		return err
	}
	results, err := q.Backend.BatchUpdateSlices(q.Context(), q.Session.Caller, v)
	for i, r := range results.Results {
		switch {
		case r.Problem != nil && r.Status == http.StatusPreconditionFailed:
			done.Stale = append(done.Stale, r.ID)
		case r.Problem != nil:
			done.Refused = append(done.Refused, r.ID)
			if done.Detail = r.Problem.Detail; r.Problem.Code == api.CodeNotFound {
				done.Detail = ""
			}
		case r.Slice.Version != part[i].version:
			done.Changed.Changed, done.workspaceID = append(done.Changed.Changed, r.ID), r.Slice.WorkspaceID
		}
	}
	return err
}

// labelsOf returns the labels of reports, by reference, when the change is one of labels.
func labelsOf(q *page.Request, c page.Change, part []selection) (map[string][]string, error) {
	if !c.OfLabels() {
		return nil, nil
	}
	in := api.ListSlices{Paging: api.Paging{Limit: pageLimit}}
	for _, s := range part {
		in.Reference = append(in.Reference, s.reference)
	}
	listed, err := q.ListReports(in)
	labels := map[string][]string{}
	for _, s := range listed.Data {
		labels[s.Reference] = s.Labels
	}
	return labels, err
}

// Undo restores the values that a change has changed.
func Undo(q *page.Request) (page.Result, error) {
	done, err := q.Backend.UndoChanges(q.Context(), q.Session.Caller, q.PostForm.Get("request"))
	if err != nil {
		return page.Result{}, err
	}
	list := onlyRows(q, q.Next(q.PostForm.Get("next")), slices.Concat(done.Restored, done.Changed))
	return page.Redirect(list, page.UndoneNotice(done))
}
