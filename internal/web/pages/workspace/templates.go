package workspace

import (
	"encoding/json"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// template is a template in its form.
type template struct {
	api.ReportTemplate
	Former  string // the name under which it is saved; empty for a new one
	Version string // of what the form was made from
	Fault   api.Fault
}

// LabelText returns the labels as the text of a field.
func (t template) LabelText() string { return strings.Join(t.Labels, ", ") }

// Requires returns whether the form of a report with the template requires a member.
func (t template) Requires(member string) bool {
	return slices.Contains(t.Required, api.RequiredMember(member))
}

// HasPriority returns whether the template has a priority.
func (t template) HasPriority(p string) bool { return t.Priority != nil && string(*t.Priority) == p }

// Members lists the members that a template can require.
func (template) Members() []string { return api.RequiredMember("").Values() }

// Priorities lists the priorities that a template can have.
func (template) Priorities() []string { return api.Priority("").Values() }

// templatesOf returns the forms of the templates of a workspace.
func templatesOf(w api.Workspace) (all []template) {
	for _, t := range w.ReportTemplates {
		all = append(all, template{ReportTemplate: t, Former: t.Name, Version: templateVersion(t)})
	}
	return all
}

func templateVersion(t api.ReportTemplate) string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // it has texts alone
	}
	return page.ContentVersion(string(text))
}

// posted returns the template of a form.
func posted(q *page.Request) template {
	t := template{Former: q.PostForm.Get("former"), Version: q.PostForm.Get("version")}
	t.Name, t.Summary = strings.TrimSpace(q.PostForm.Get("name")), strings.TrimLeft(q.PostForm.Get("summary"), " ")
	t.Description = strings.ReplaceAll(q.PostForm.Get("description"), "\r\n", "\n")
	for l := range strings.SplitSeq(q.PostForm.Get("labels"), ",") {
		if l = strings.TrimSpace(l); l != "" && !slices.Contains(t.Labels, l) {
			t.Labels = append(t.Labels, l)
		}
	}
	if p := api.Priority(q.PostForm.Get("priority")); p != "" {
		t.Priority = &p
	}
	for _, member := range q.PostForm["required"] {
		t.Required = append(t.Required, api.RequiredMember(member))
	}
	return t
}

// SaveTemplate changes a template, adds one, or deletes one. It refuses to change one that somebody else has changed.
func SaveTemplate(q *page.Request) (page.Result, error) {
	if q.Workspace.Role != api.RoleAdmin {
		return page.Result{}, api.NewProblem(api.CodeForbidden, "Admins of the workspace change its templates.")
	}
	t, deletes := posted(q), q.PostForm.Get("do") == "delete"
	w, err := get(q)
	if err != nil {
		return page.Result{}, err
	}
	all := slices.Clone(w.ReportTemplates)
	i := slices.IndexFunc(all, func(each api.ReportTemplate) bool { return each.Name == t.Former })
	switch {
	case t.Former != "" && (i < 0 || templateVersion(all[i]) != t.Version):
		err = api.InvalidMember("/reportTemplates", "changed",
			"somebody else has changed this template since you opened the page; save again to replace theirs with yours")
	case deletes && i >= 0:
		all = slices.Delete(all, i, i+1)
	case i >= 0:
		all[i] = t.ReportTemplate
	default:
		all = append(all, t.ReportTemplate)
	}
	if err == nil {
		err = storeTemplates(q, w, all)
	}
	notice := "template-saved"
	if deletes {
		notice = "template-deleted"
	}
	return finish(q, err, path(q.Workspace.Key)+"#templates", notice)
}

func storeTemplates(q *page.Request, w api.Workspace, all []api.ReportTemplate) error {
	patch := api.WorkspacePatch{}
	text, err := json.Marshal(map[string]any{"reportTemplates": all})
	if err == nil {
		err = json.Unmarshal(text, &patch)
	}
	if err != nil {
		return err
	}
	for _, each := range patch["reportTemplates"].([]any) { // an omitted list is an empty one
		for _, list := range []string{"labels", "required"} {
			if t := each.(map[string]any); t[list] == nil {
				t[list] = []any{}
			}
		}
	}
	v, err := input.Check(api.UpdateWorkspace{WorkspaceID: w.ID, IfMatch: w.ETag(), Patch: patch})
	if err == nil {
		_, err = q.Tracker.UpdateWorkspace(q.Context(), q.Session.Caller, v)
	}
	return err
}

// refuseTemplate puts what was typed in the place of the template that is refused, with its fault.
func (d *data) refuseTemplate(q *page.Request, fault api.Fault) {
	t := posted(q)
	t.Fault = fault
	if i := slices.IndexFunc(d.Templates, func(each template) bool { return each.Former == t.Former }); i >= 0 {
		t.Version = d.Templates[i].Version
		d.Templates[i] = t
		return
	}
	t.Former, t.Version = "", ""
	d.NewTemplate = t
}
