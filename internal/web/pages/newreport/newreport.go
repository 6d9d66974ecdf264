// Package newreport is the form that files a report with its files. It shows a preview of the description and similar
// reports.
package newreport

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/demo"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("newreport", folder)

// notInForm are the members of a report that the form does not have, by the reason.
var notInForm = map[string]string{
	"status":         "a report begins open",
	"resolution":     "a report begins open",
	"fixedInRelease": "a report begins open",
	"duplicateOfId":  "set on the report, after a look at similar ones",
	"environment":    "filled in by tools, and by the browser's name",
	"metadata":       "filled in by tools",
	"externalId":     "the identifier of a client",
}

// fields are the members of a report that the form has, the workspace first.
var fields = func() []string {
	names := []string{"workspaceId"}
	for f := range reflect.TypeFor[api.SliceFields]().Fields() {
		if name := f.Tag.Get("json"); notInForm[name] == "" {
			names = append(names, name)
		}
	}
	return names
}()

// maxSimilar is the number of similar reports that are shown.
const maxSimilar = 5

type data struct {
	Form url.Values
	page.FormState
	Refused    string // why the report is not filed, when no field is at fault
	Me         string
	Workspaces page.Options
	Workspace  page.Workspace
	page.Choices

	Draft    string // names the draft of the user in the workspace, and of the link that fills in the form
	Restores bool   // whether the form shows the draft that the browser keeps
	Preview  bool
	Similar  []api.Similar
}

// Why returns the part in which a similar report is like the form; nil when its summary is.
func (data) Why(s api.Similar) *page.Reason { return page.ReasonOf(s.Matches) }

// Priorities lists the values of the field.
func (data) Priorities() []string { return api.Priority("").Values() }

// Severities lists the values of the field.
func (data) Severities() []string { return api.Severity("").Values() }

// Show shows the form, filled in from the query.
func Show(q *page.Request) (page.Result, error) {
	query := q.URL.Query()
	form := url.Values{"workspaceId": {q.Workspace.ID}}
	for _, name := range fields[1:] {
		if values := query[name]; len(values) > 0 {
			form[name] = values
		}
	}
	d, err := newData(q, form)
	d.Restores = true
	if len(form) > 1 { // a form that a link fills in has a draft of its own
		sum := sha256.Sum256([]byte(form.Encode()))
		d.Draft += " " + hex.EncodeToString(sum[:8])
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

// newData returns what the form shows.
func newData(q *page.Request, form url.Values) (d data, err error) {
	form = values(form)
	d = data{Form: form, FormState: page.NewFormState(form), Me: q.Session.Caller.ID, Workspace: q.Workspace}
	if i := slices.IndexFunc(q.Workspaces,
		func(w page.Workspace) bool { return w.ID == form.Get("workspaceId") }); i >= 0 {
		d.Workspace = q.Workspaces[i]
	}
	d.Workspaces = q.Offer(page.WorkspaceOptions(q.Workspaces), d.Workspace.ID)
	d.Draft = d.Me + " " + d.Workspace.ID
	if d.Workspace.ID != "" {
		d.Choices, err = q.FormChoices(d.Workspace.ID, form.Get("assigneeId"), form.Get("spaceId"))
	}
	return d, err
}

// values returns the fields of the form that a report has, with the labels as a list.
func values(form url.Values) url.Values {
	out := url.Values{"once": form["once"]}
	for _, name := range fields {
		if len(form[name]) > 0 {
			out[name] = slices.Clone(form[name])
		}
	}
	var labels []string
	for _, list := range form["labels"] {
		for l := range strings.SplitSeq(list, ",") {
			if l = strings.TrimSpace(l); l != "" && !slices.Contains(labels, l) {
				labels = append(labels, l)
			}
		}
	}
	if out["labels"] = labels; len(labels) == 0 {
		delete(out, "labels")
	}
	if text := out["description"]; len(text) > 0 { // a form has its lines end with CR LF
		text[0] = strings.ReplaceAll(text[0], "\r\n", "\n")
	}
	return out
}

// Path returns the address of the form.
func (d data) Path() string {
	if d.Workspace.Key == "" {
		return "/new"
	}
	return "/new?workspace=" + d.Workspace.Key
}

// LabelText returns the labels of the form as the text of its field.
func (d data) LabelText() string { return strings.Join(d.Form["labels"], ", ") }

// File files the report, and then adds its files to it. A file that fails is named on the page of the report.
func File(q *page.Request) (page.Result, error) {
	form := values(q.PostForm)
	v, err := page.Bind[api.CreateSlice](q, form)
	var filed api.FiledSlice
	if err == nil {
		filed, err = q.Tracker.CreateSlice(q.Context(), q.Session.Caller, v)
	}
	if err != nil {
		return refuse(q, form, err)
	}
	_, failed, err := q.StoreFiles(filed.ID, form.Get("once"), false)
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/"+filed.Reference, Notice(filed.Reference, failed))
}

// FileDemo files a report that shows what one with evidence is. Its visit ends when the page with the form was shown,
// so that the form, sent twice, files one.
func FileDemo(q *page.Request) (page.Result, error) {
	shown, err := time.Parse(time.RFC3339, q.PostForm.Get("at"))
	if err != nil || shown.After(q.Now) || q.Now.Sub(shown) > 24*time.Hour {
		shown = q.Now
	}
	filed, err := demo.File(q.Context(), q.Tracker, q.Session.Caller,
		demo.Filing{WorkspaceID: q.Workspace.ID, Once: q.PostForm.Get("once"), EndedAt: shown})
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/"+filed.Reference, Notice(filed.Reference, nil))
}

// refuse shows the form with what was typed, and why the report is not filed.
func refuse(q *page.Request, form url.Values, cause error) (page.Result, error) {
	p := q.Problem(cause)
	d, err := newData(q, form)
	if err != nil {
		return page.Result{}, cause
	}
	if d.FormState, _, err = page.Refuse(form, cause); err != nil {
		d.Refused = p.Detail
	}
	return page.Result{Page: view, Data: d, Status: p.Status, RetryAfter: p.RetryAfter}, nil
}

// Bounds of what a notice about failed files names: it is in a cookie, of which browsers keep 4 KiB.
const (
	maxNamed  = 3
	maxName   = 50
	maxDetail = 120
)

// Notice returns the notice that a report is filed.
func Notice(reference string, failed []page.FileFailure) string {
	about := url.Values{"reference": {reference}}
	if len(failed) > 0 {
		about.Set("failed-count", strconv.Itoa(len(failed)))
	}
	for _, f := range failed[:min(len(failed), maxNamed)] {
		text := page.Shorten(f.Detail, maxDetail)
		if f.Name != "" {
			text = page.Shorten(f.Name, maxName) + ": " + text
		}
		about.Add("failed", text)
	}
	return "report-filed?" + about.Encode()
}

// Draft shows the form with a preview of the description. A form with a title also has the reports that are similar,
// or the faults for which it would not be filed.
func Draft(q *page.Request) (page.Result, error) {
	form := values(q.PostForm)
	d, err := newData(q, form)
	if err != nil {
		return page.Result{}, err
	}
	d.Preview = true
	if d.Workspace.ID != "" && strings.TrimSpace(form.Get("summary")) != "" {
		d.Similar, err = similar(q, form)
	}
	if d.FormState, _, err = page.Refuse(form, err); err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

// similar returns the reports that are similar to that of a form. It refuses a form that would not be filed.
func similar(q *page.Request, form url.Values) ([]api.Similar, error) {
	if _, err := page.Bind[api.CreateSlice](q, form); err != nil {
		return nil, err
	}
	v, err := page.Bind[api.ListSimilarToDraft](q, form)
	if err != nil {
		return nil, err
	}
	listed, err := q.Tracker.ListSimilarToDraft(q.Context(), q.Session.Caller, v)
	return listed.Data[:min(len(listed.Data), maxSimilar)], err
}
