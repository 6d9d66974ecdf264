package report

import (
	"cmp"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// Change changes a field of the report. When somebody has changed the same field since the reader saw the report, it
// stays as it is.
func Change(q *page.Request) (page.Result, error) {
	c, ok := page.ChangeOf(q.PostForm)
	if !ok {
		_, err := get(q)
		return page.Result{}, cmp.Or(err,
			error(api.NewProblem(api.CodeMalformedBody, "The form does not say what to change.")))
	}
	return apply(q, c)
}

// apply carries out a change.
func apply(q *page.Request, c page.Change) (page.Result, error) {
	if err := c.SetOriginal(q); err != nil {
		if page.HasCode(err, api.CodeInvalidParameter, api.CodeNotFound) {
			return showOriginals(q, true)
		}
		return page.Result{}, err
	}
	before, err := get(q)
	if err != nil {
		return page.Result{}, err
	}
	var done page.Changed
	version, _ := strconv.ParseInt(q.PostForm.Get("version"), 10, 64) // without one, every change of the field is later
	if err := c.Apply(q, []page.Seen{{Reference: before.Reference, Version: version}}, &done); err != nil {
		return page.Result{}, err
	}
	if err := c.NameAssignee(q, before.WorkspaceID); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(address(q), c.Notice(q, done))
}

// update changes the report under the version of the form. When the report has another version, patch decides by the
// present report whether the change still applies. It returns the report before and after the change.
func update(q *page.Request, patch func(api.Slice) (p api.SlicePatch, applies bool)) (
	before, after api.Slice, err error,
) {
	const attempts = 3 // others may change the report in between
	for range attempts {
		if before, err = get(q); err != nil {
			return before, after, err
		}
		fields, applies := patch(before)
		if q.PostForm.Get("version") != strconv.FormatInt(before.Version, 10) && !applies {
			return before, after, &api.Problem{Code: api.CodePrecondition, Status: http.StatusPreconditionFailed}
		}
		var v input.Valid[api.UpdateSlice]
		if v, err = input.Check(api.UpdateSlice{SliceID: before.ID, IfMatch: api.ETag(before.Version),
			Patch: fields}); err != nil {
			return before, after, err
		}
		if after, err = q.Tracker.UpdateSlice(q.Context(), q.Session.Caller, v); !page.HasCode(err,
			api.CodePrecondition) {
			return before, after, err
		}
	}
	return before, after, err
}

// get returns the report.
func get(q *page.Request) (api.Slice, error) {
	v, err := input.Check(api.GetSlice{SliceID: q.PathValue("reference")})
	if err != nil {
		return api.Slice{}, err
	}
	return q.Tracker.GetSlice(q.Context(), q.Session.Caller, v)
}

// Delete deletes the report. The page that follows offers to restore it.
func Delete(q *page.Request) (page.Result, error) {
	s, err := get(q)
	if err != nil {
		return page.Result{}, err
	}
	v, err := input.Check(api.DeleteSlice{SliceID: s.ID})
	if err == nil {
		_, err = q.Tracker.DeleteSlice(q.Context(), q.Session.Caller, v)
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/"+s.Reference, "")
}

// Restore restores the deleted report.
func Restore(q *page.Request) (page.Result, error) {
	v, err := input.Check(api.RestoreSlice{SliceID: q.PathValue("reference")})
	if err != nil {
		return page.Result{}, err
	}
	s, err := q.Tracker.RestoreSlice(q.Context(), q.Session.Caller, v)
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/"+s.Reference, "report-restored?reference="+s.Reference)
}
