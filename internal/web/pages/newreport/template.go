package newreport

import (
	"net/url"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// TemplateOptions lists no template, and the templates by name.
func (d data) TemplateOptions() []page.Option {
	all := options("")
	for _, t := range d.Templates {
		all = append(all, page.Option{Value: t.Name, Text: t.Name})
	}
	return all
}

// templates returns the templates of a workspace, none without one.
func templates(q *page.Request, workspaceID string) ([]api.ReportTemplate, error) {
	if workspaceID == "" {
		return nil, nil
	}
	v, err := input.Check(api.GetWorkspace{WorkspaceID: workspaceID})
	if err != nil {
		return nil, err
	}
	w, err := q.Tracker.GetWorkspace(q.Context(), q.Session.Caller, v)
	return w.ReportTemplates, err
}

// chosen returns the template that the request names, zero for none.
func chosen(q *page.Request, all []api.ReportTemplate) (t api.ReportTemplate) {
	name := q.PostForm.Get("template") + q.URL.Query().Get("template")
	if i := slices.IndexFunc(all, func(each api.ReportTemplate) bool { return each.Name == name }); i >= 0 {
		t = all[i]
	}
	return t
}

// fills returns whether the request fills in the form from its template: a link with one does, and a choice of one.
func fills(q *page.Request) bool {
	return q.PostForm.Get("fill") != "" || q.URL.Query().Get("template") != ""
}

// chooseTemplate finds the template of the form, and fills the form in from it when the request says so.
func (d *data) chooseTemplate(q *page.Request) (err error) {
	if d.Templates, err = templates(q, d.Workspace.ID); err != nil {
		return err
	}
	d.Template = chosen(q, d.Templates)
	if fills(q) {
		d.fill()
	}
	return nil
}

// fill puts the values of the template where nobody has written: an empty field, or one that has what another template
// begins with. Labels are added.
func (d *data) fill() {
	t := d.Template
	written := func(name string, of func(api.ReportTemplate) string) bool {
		text := strings.TrimSpace(d.Form.Get(name))
		return text != "" && !slices.ContainsFunc(d.Templates,
			func(each api.ReportTemplate) bool { return strings.TrimSpace(of(each)) == text })
	}
	if !written("summary", func(t api.ReportTemplate) string { return t.Summary }) {
		d.Form.Set("summary", t.Summary)
	}
	if !written("description", func(t api.ReportTemplate) string { return t.Description }) {
		d.Form.Set("description", t.Description)
	}
	for _, l := range t.Labels {
		if !slices.Contains(d.Form["labels"], l) {
			d.Form["labels"] = append(d.Form["labels"], l)
		}
	}
	if t.Priority != nil && d.Form.Get("priority") == "" {
		d.Form.Set("priority", string(*t.Priority))
	}
}

// required refuses a form without a field that its template requires. A text that is still that of the template counts
// as empty, and a workspace without spaces requires none.
func required(q *page.Request, form url.Values) error {
	all, err := templates(q, form.Get("workspaceId"))
	if err != nil {
		return err
	}
	t := chosen(q, all)
	if len(t.Required) == 0 {
		return nil
	}
	spaces, err := page.Call(q, q.Tracker.ListSpaces,
		api.ListSpaces{Paging: api.Paging{Limit: 1}, WorkspaceID: form.Get("workspaceId")})
	if err != nil {
		return err
	}
	var faults []api.Fault
	for _, member := range t.Required {
		if member == "spaceId" && len(spaces.Data) == 0 {
			continue
		}
		text := strings.TrimSpace(form.Get(string(member)))
		if text == "" || member == "description" && text == strings.TrimSpace(t.Description) {
			faults = append(faults, api.Fault{Pointer: "/" + string(member), Code: "required", Detail: "is required"})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return api.NewProblem(api.CodeInvalidBody, "The template requires more fields.", faults...)
}
