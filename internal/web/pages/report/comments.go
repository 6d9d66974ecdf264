package report

import (
	"net/url"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// Comment adds a comment.
func Comment(q *page.Request) (page.Result, error) {
	text := unixLines(q.PostForm.Get("body"))
	v, err := input.Check(api.CreateComment{Idempotency: api.Idempotency{IdempotencyKey: q.PostForm.Get("once")},
		SliceID: q.PathValue("reference"),
		Body:    api.CommentFields{Body: text, VisibleToReporter: q.PostForm.Has("visibleToReporter")}})
	var made api.Comment
	if err == nil {
		made, err = q.Tracker.CreateComment(q.Context(), q.Session.Caller, v)
	}
	if err == nil {
		return page.Redirect(address(q)+"#"+made.ID, "")
	}
	if page.HasCode(err, api.CodeNotFound, api.CodeUnauthorized) {
		return page.Result{}, err
	}
	return refuse(q, err, func(d *data) {
		d.Form = url.Values{"body": {text}}
		if q.PostForm.Has("visibleToReporter") {
			d.Form.Set("visibleToReporter", "on")
		}
	})
}

// EditComment changes a comment, unless it was changed since the reader saw it.
func EditComment(q *page.Request) (page.Result, error) {
	text := unixLines(q.PostForm.Get("body"))
	known, err := commentOf(q, q.PathValue("commentId"))
	if err != nil {
		return page.Result{}, err
	}
	if fingerprintOf(known.Body) != q.PostForm.Get("former") {
		return refuse(q, api.NewProblem(api.CodePrecondition, ""), func(d *data) {
			d.Edit, d.Form, d.Refused = known.ID, url.Values{"body": {text}}, ""
			d.Conflict = conflict{Present: true, Text: known.Body}
		})
	}
	if err = patchComment(q, known.ID, text); err == nil {
		return page.Redirect(address(q)+"#"+known.ID, "")
	}
	if page.HasCode(err, api.CodeNotFound, api.CodeUnauthorized, api.CodeForbidden) {
		return page.Result{}, err
	}
	return refuse(q, err, func(d *data) { d.Edit, d.Form = known.ID, url.Values{"body": {text}} })
}

func patchComment(q *page.Request, commentID, text string) error {
	v, err := input.Check(api.UpdateComment{CommentID: commentID, Patch: api.CommentPatch{"body": text}})
	if err == nil {
		_, err = q.Tracker.UpdateComment(q.Context(), q.Session.Caller, v)
	}
	return err
}

// commentOf returns a comment of the report.
func commentOf(q *page.Request, commentID string) (api.Comment, error) {
	if !id.Valid(id.Comment, commentID) {
		return api.Comment{}, api.NotFound("comment")
	}
	r, err := q.Tracker.ReportUntil(q.Context(), q.Session.Caller, q.PathValue("reference"), commentID)
	if err != nil {
		return api.Comment{}, err
	}
	for _, c := range r.Comments {
		if c.ID == commentID {
			return c, nil
		}
	}
	return api.Comment{}, api.NotFound("comment")
}

// DeleteComment deletes a comment.
func DeleteComment(q *page.Request) (page.Result, error) {
	v, err := input.Check(api.DeleteComment{CommentID: q.PathValue("commentId")})
	if err == nil {
		_, err = q.Tracker.DeleteComment(q.Context(), q.Session.Caller, v)
	}
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect(address(q), "comment-deleted")
}
