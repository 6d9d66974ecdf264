// Package newreport is the form that files a report with its files. It shows a preview of the description and similar
// reports.
package newreport

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/url"
	"reflect"
	"regexp"
	"slices"
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
	"resolution":     "set on the report; a finished one begins as fixed",
	"fixedInRelease": "set on the report",
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
	Me, MyName string
	Workspaces page.Options
	Workspace  page.Workspace
	page.Choices
	Templates []api.ReportTemplate // of the workspace
	Template  api.ReportTemplate   // that is chosen; zero for none

	Next     string // the page that follows; empty for that of the report
	Another  bool   // whether the form is shown again for another report
	Address  string // of the form with its draft
	Draft    string // names the draft of the user in the workspace, and of the link that fills in the form
	Restores bool   // whether the form shows the draft that the browser keeps
	Preview  bool
	Similar  []api.Similar
}

// Why returns the part in which a similar report is like the form; nil when its summary is.
func (data) Why(s api.Similar) *page.Reason { return page.ReasonOf(s.Matches) }

// options returns the values of a field, and none where it has a place among them.
func options(values ...string) (all []page.Option) {
	for _, v := range values {
		all = append(all, page.Option{Value: v})
	}
	return all
}

// WorkspaceOptions lists the workspaces, and none while none is chosen.
func (d data) WorkspaceOptions() []page.Option {
	if d.Workspace.ID == "" {
		return append(options(""), d.Workspaces.All...)
	}
	return d.Workspaces.All
}

// Status returns the status of the form; a report begins open.
func (d data) Status() string { return cmp.Or(d.Form.Get("status"), string(api.Open)) }

// StatusOptions lists the values of the field.
func (data) StatusOptions() []page.Option { return options(api.Status("").Values()...) }

// PriorityOptions lists the values of the field, and none after them.
func (data) PriorityOptions() []page.Option { return options(append(api.Priority("").Values(), "")...) }

// SeverityOptions lists the values of the field, and none after them.
func (data) SeverityOptions() []page.Option { return options(append(api.Severity("").Values(), "")...) }

// AssigneeOptions lists the reader, nobody, and the other members.
func (d data) AssigneeOptions() []page.Option {
	all := []page.Option{{Value: d.Me, Text: d.MyName}, {}}
	for _, m := range d.Members {
		all = append(all, page.Option{Value: m.UserID, Text: m.Name})
	}
	return all
}

// SpaceOptions lists no space, and the spaces.
func (d data) SpaceOptions() []page.Option {
	all := options("")
	for _, s := range d.Spaces {
		all = append(all, page.Option{Value: s.ID, Text: s.Name})
	}
	return all
}

// draftName matches the name of a draft that was put aside.
var draftName = regexp.MustCompile(`^[a-z0-9]{1,16}$`)

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
	d.Restores, d.Another, d.Address = true, query.Get("another") != "", q.URL.RequestURI()
	if name := query.Get("draft"); draftName.MatchString(name) {
		d.Draft += " " + name
	} else if len(form) > 1 { // a form that a link fills in has a draft of its own
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
	d = data{Form: form, FormState: page.NewFormState(form), Me: q.Session.Caller.ID,
		MyName: q.Session.Profile.Name, Workspace: q.Workspace}
	if i := slices.IndexFunc(q.Workspaces,
		func(w page.Workspace) bool { return w.ID == form.Get("workspaceId") }); i >= 0 {
		d.Workspace = q.Workspaces[i]
	}
	d.Workspaces = q.Offer(page.WorkspaceOptions(q.Workspaces), d.Workspace.ID)
	d.Draft, d.Address = d.Me+" "+d.Workspace.ID, d.Path()
	d.Next, d.Another = next(q), q.PostForm.Get("another") != ""
	if err := d.chooseTemplate(q); err != nil {
		return d, err
	}
	if d.Workspace.ID != "" {
		d.Choices, err = q.FormChoices(d.Workspace.ID, form.Get("assigneeId"), form.Get("spaceId"))
	}
	return d, err
}

// listings are the pages from which a form may be opened that lead back to them.
var listings = []string{"/board", "/reports"}

// next returns the listing that follows a form, empty for the page of the report.
func next(q *page.Request) string {
	for _, text := range []string{q.PostForm.Get("next"), q.URL.Query().Get("next")} {
		to := q.Next(text)
		if path, _, _ := strings.Cut(to, "?"); slices.Contains(listings, path) {
			return to
		}
	}
	return ""
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
	if err == nil {
		err = required(q, form)
	}
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
	to := "/" + filed.Reference
	if next := next(q); next != "" {
		to = next
	}
	if q.PostForm.Get("another") != "" {
		to = another(q, form)
	}
	return page.Redirect(to, q.FiledNotice(filed.Reference, failed))
}

// another returns the address of the form for a further report, which keeps all but the texts.
func another(q *page.Request, form url.Values) string {
	kept := url.Values{"another": {"on"}}
	for name, values := range form {
		if !slices.Contains([]string{"once", "workspaceId", "summary", "description", "sourceUrl"}, name) {
			kept[name] = values
		}
	}
	if i := slices.IndexFunc(q.Workspaces, func(w page.Workspace) bool { return w.ID == form.Get("workspaceId") }); i >= 0 {
		kept.Set("workspace", q.Workspaces[i].Key)
	}
	for name, value := range map[string]string{"next": next(q), "template": q.PostForm.Get("template")} {
		if value != "" {
			kept.Set(name, value)
		}
	}
	return "/new?" + kept.Encode()
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
	return page.Redirect("/"+filed.Reference, q.FiledNotice(filed.Reference, nil))
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

// Draft shows the form with a preview of the description. A form with a title also has the reports that are similar,
// or the faults for which it would not be filed.
func Draft(q *page.Request) (page.Result, error) {
	form := values(q.PostForm)
	d, err := newData(q, form)
	if err != nil {
		return page.Result{}, err
	}
	d.Preview = !fills(q)
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
