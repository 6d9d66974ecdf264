package reports

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// SaveView saves the query of the list as a view.
func SaveView(q *page.Request) (page.Result, error) {
	v, err := page.Bind[api.CreateView](q, q.PostForm)
	if err != nil {
		return refuseView(q, err)
	}
	made, err := q.Tracker.CreateView(q.Context(), q.Session.Caller, v)
	if err != nil {
		return refuseView(q, err)
	}
	return page.Redirect(listOf(q, made.ID, made.Query), "view-saved")
}

// UpdateView changes the name of a view, or its query.
func UpdateView(q *page.Request) (page.Result, error) {
	in := api.UpdateView{ViewID: q.PathValue("viewId"), IfMatch: q.PostForm.Get("version"), Patch: api.ViewPatch{}}
	for _, member := range []string{"name", "query"} {
		if q.PostForm.Has(member) {
			in.Patch[member] = q.PostForm.Get(member)
		}
	}
	v, err := input.Check(in)
	if err != nil {
		return refuseView(q, err)
	}
	changed, err := q.Tracker.UpdateView(q.Context(), q.Session.Caller, v)
	if err != nil {
		return refuseView(q, err)
	}
	text := q.URL.Query().Get("q")
	if q.PostForm.Has("query") {
		text = changed.Query
	}
	return page.Redirect(listOf(q, changed.ID, text), "view-updated")
}

// DeleteView deletes a view. The list keeps its query.
func DeleteView(q *page.Request) (page.Result, error) {
	v, err := input.Check(api.DeleteView{ViewID: q.PathValue("viewId"), IfMatch: q.PostForm.Get("version")})
	if err != nil {
		return page.Result{}, err
	}
	if _, err := q.Tracker.DeleteView(q.Context(), q.Session.Caller, v); err != nil {
		return refuseView(q, err)
	}
	return page.Redirect(listOf(q, "", q.URL.Query().Get("q")), "view-deleted")
}

// listOf returns the address of the list of a form with another view and query.
func listOf(q *page.Request, viewID, text string) string {
	values := q.URL.Query()
	for name, value := range map[string]string{"view": viewID, "q": text} {
		if values.Set(name, value); value == "" {
			values.Del(name)
		}
	}
	return (&url.URL{Path: "/reports", RawQuery: values.Encode()}).String()
}

// refuseView shows the list with the reason why a change of a view was refused.
func refuseView(q *page.Request, err error) (page.Result, error) {
	var p *api.Problem
	if !errors.As(err, &p) || p.Status >= http.StatusInternalServerError || p.Code == api.CodeNotFound {
		return page.Result{}, err
	}
	fault := api.Fault{Code: p.Code, Detail: p.Detail}
	if len(p.Errors) > 0 {
		fault = p.Errors[0]
		fault.Detail, _, _ = strings.Cut(fault.Detail, " (at character ")
	}
	result, err := show(q, "")
	if d, ok := result.Data.(data); ok && err == nil {
		d.View.Fault, d.View.Name = &fault, q.PostForm.Get("name")
		result.Data, result.Status = d, http.StatusUnprocessableEntity
	}
	return result, err
}
