// Package newsource is the form of a source, from which visitors report.
package newsource

import (
	"embed"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("newsource", folder)

type data struct {
	Action, Back string
	Edited       bool // whether the form changes a source
	Form         url.Values
	page.FormState
	Parts  []string // that the script can record
	Spaces page.Options

	Version string      // of what the form of a source was made from
	Changed *api.Source // as somebody else has saved it since the form was shown
}

// limits are the fields of numbers, with their members. Sizes are in MiB.
var limits = []struct{ field, member string }{{"perMinute", "perMinute"}, {"perHour", "perHour"}, {"perDay", "perDay"},
	{"perAddressHour", "perAddressHour"}}

// sizes are the fields of bytes, in MiB.
var sizes = []string{"maxReportBytes", "maxDailyBytes"}

// Show shows the form of a new source to admins of the workspace.
func Show(q *page.Request) (page.Result, error) {
	if q.Workspace.Role != api.RoleAdmin {
		return page.Result{}, api.NewProblem(api.CodeForbidden, "Only admins of the workspace create sources.")
	}
	form := url.Values{"reporters": {string(api.ReportersAnyone)}, "captures": api.CapturePart("").Values(), "perMinute": {"60"},
		"perHour": {"600"}, "perDay": {"2000"}, "perAddressHour": {"10"}, "maxReportBytes": {"25"}, "maxDailyBytes": {"1024"}}
	d, err := newData(q, form)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

func newData(q *page.Request, form url.Values) (data, error) {
	list := "/settings/capture?workspace=" + q.Workspace.Key
	d := data{Action: list, Back: list, Form: form, FormState: page.NewFormState(form), Parts: api.CapturePart("").Values()}
	return d, d.addSpaces(q, q.Workspace.ID)
}

// addSpaces offers the spaces of the workspace.
func (d *data) addSpaces(q *page.Request, workspaceID string) error {
	found, err := page.Call(q, q.Tracker.ListSpaces, api.ListSpaces{WorkspaceID: workspaceID, Paging: api.Paging{Limit: 100}})
	for _, s := range found.Data {
		d.Spaces.All = append(d.Spaces.All, page.Option{Value: s.ID, Text: s.Name})
	}
	return err
}

// Create creates a source and shows its page.
func Create(q *page.Request) (page.Result, error) {
	fields, err := fieldsOf(q.PostForm)
	if err != nil {
		return refuseNew(q, err)
	}
	in := api.CreateSource{Body: api.NewSource{WorkspaceID: &q.Workspace.ID, SourceFields: fields}}
	in.IdempotencyKey = q.PostForm.Get("once")
	s, err := page.Call(q, q.Tracker.CreateSource, in)
	if err != nil {
		return refuseNew(q, err)
	}
	return page.Redirect("/settings/capture/"+s.ID, "source-created")
}

func refuseNew(q *page.Request, err error) (page.Result, error) {
	d, failed := newData(q, q.PostForm)
	if failed != nil {
		return page.Result{}, failed
	}
	return refuse(d, err)
}

// fieldsOf returns the members that a form says.
func fieldsOf(form url.Values) (f api.SourceFields, err error) {
	f = api.SourceFields{Name: strings.TrimSpace(form.Get("name")), Origins: strings.Fields(form.Get("origins")),
		Reporters: api.ReporterPolicy(form.Get("reporters")), Approval: form.Has("approval"), ReporterPage: form.Has("reporterPage"),
		Captures: []api.CapturePart{}, Labels: labelsOf(form.Get("labels")), Paused: form.Has("paused")}
	if f.Name == "" {
		return f, api.InvalidMember("/name", "required", "is required")
	}
	for _, part := range form["captures"] {
		f.Captures = append(f.Captures, api.CapturePart(part))
	}
	if space := form.Get("spaceId"); space != "" {
		f.SpaceID = &space
	}
	for _, n := range []struct {
		field string
		into  *int64
		unit  int64
	}{{"perMinute", &f.Limits.PerMinute, 1}, {"perHour", &f.Limits.PerHour, 1}, {"perDay", &f.Limits.PerDay, 1},
		{"perAddressHour", &f.Limits.PerAddressHour, 1}, {"maxReportBytes", &f.MaxReportBytes, 1 << 20},
		{"maxDailyBytes", &f.MaxDailyBytes, 1 << 20}} {
		text := strings.TrimSpace(form.Get(n.field))
		if text == "" {
			continue
		}
		value, err := strconv.ParseInt(text, 10, 32)
		if err != nil || value < 1 {
			return f, api.InvalidMember("/"+n.field, "not_a_number", "must be a whole number above 0")
		}
		*n.into = value * n.unit
	}
	return f, nil
}

// labelsOf returns labels that are separated by commas.
func labelsOf(text string) []string {
	labels := []string{}
	for label := range strings.SplitSeq(text, ",") {
		if label = strings.TrimSpace(label); label != "" && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// refuse shows the form with the faults that an error names.
func refuse(d data, cause error) (page.Result, error) {
	state, status, err := page.Refuse(d.Form, cause, api.CodeTooManySources)
	if err != nil {
		return page.Result{}, err
	}
	if p, ok := errors.AsType[*api.Problem](cause); ok {
		for _, f := range p.Errors {
			if member, ok := strings.CutPrefix(f.Pointer, "/limits/"); ok {
				state.Faults[member] = f
			}
		}
	}
	d.FormState = state
	return page.Refused(view, d, status)
}

// Edit shows the form of a source.
func Edit(q *page.Request) (page.Result, error) {
	s, err := page.Call(q, q.Tracker.GetSource, api.GetSource{SourceID: q.PathValue("sourceId")})
	if err != nil {
		return page.Result{}, err
	}
	d, err := editData(q, s)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

// editData returns what the form of a source shows.
func editData(q *page.Request, s api.Source) (data, error) {
	of := "/settings/capture/" + s.ID
	number := func(n int64) []string { return []string{strconv.FormatInt(n, 10)} }
	d := data{Action: of, Back: of, Edited: true, Version: page.SourceVersion(s), Parts: api.CapturePart("").Values(),
		Form: url.Values{"name": {s.Name}, "origins": {strings.Join(s.Origins, "\n")}, "reporters": {string(s.Reporters)},
			"labels": {strings.Join(s.Labels, ", ")}, "perMinute": number(s.Limits.PerMinute), "perHour": number(s.Limits.PerHour),
			"perDay": number(s.Limits.PerDay), "perAddressHour": number(s.Limits.PerAddressHour),
			"maxReportBytes": number(max(s.MaxReportBytes>>20, 1)), "maxDailyBytes": number(max(s.MaxDailyBytes>>20, 1))}}
	for _, part := range s.Captures {
		d.Form.Add("captures", string(part))
	}
	if s.SpaceID != nil {
		d.Form.Set("spaceId", *s.SpaceID)
	}
	for name, set := range map[string]bool{"approval": s.Approval, "reporterPage": s.ReporterPage, "paused": s.Paused} {
		if set {
			d.Form.Set(name, "on")
		}
	}
	d.FormState = page.NewFormState(d.Form)
	return d, d.addSpaces(q, s.WorkspaceID)
}

// Update changes the source. It refuses to replace what somebody else has changed since the form was shown.
func Update(q *page.Request) (page.Result, error) {
	form := maps.Clone(q.PostForm)
	stored, err := page.ChangeSource(q, func(etag string) error { return update(q, form, etag) })
	if err == nil {
		return page.Redirect("/settings/capture/"+stored.ID, "source-saved")
	}
	if stored.ID == "" {
		return page.Result{}, err
	}
	d, failed := editData(q, stored)
	if failed != nil {
		return page.Result{}, failed
	}
	d.Form = form
	if page.HasCode(err, api.CodePrecondition) {
		d.Changed = &stored
		return page.Refused(view, d, http.StatusPreconditionFailed)
	}
	return refuse(d, err)
}

// update changes the source when it has the ETag. A form without a name, such as a script's, changes the members that it has.
func update(q *page.Request, form url.Values, etag string) error {
	f, err := fieldsOf(form)
	if err != nil {
		return err
	}
	patch := api.SourcePatch{"name": f.Name, "origins": anyOf(f.Origins), "captures": anyOf(f.Captures), "labels": anyOf(f.Labels),
		"reporters": string(f.Reporters), "approval": f.Approval, "reporterPage": f.ReporterPage, "spaceId": nil}
	if f.SpaceID != nil {
		patch["spaceId"] = *f.SpaceID
	}
	of := map[string]any{}
	for _, l := range limits {
		if text := form.Get(l.field); text != "" {
			n, _ := strconv.ParseFloat(text, 64)
			of[l.member] = n
		}
	}
	if len(of) > 0 {
		patch["limits"] = of
	}
	for i, bytes := range []int64{f.MaxReportBytes, f.MaxDailyBytes} {
		if bytes > 0 {
			patch[sizes[i]] = float64(bytes)
		}
	}
	v, err := input.Check(api.UpdateSource{SourceID: q.PathValue("sourceId"), IfMatch: etag, Patch: patch})
	if err == nil {
		_, err = q.Tracker.UpdateSource(q.Context(), q.Session.Caller, v)
	}
	return err
}

func anyOf[T ~string](texts []T) []any {
	all := make([]any, len(texts))
	for i, t := range texts {
		all[i] = string(t)
	}
	return all
}
