// Package files answers with the bytes of attachments, as the API does.
package files

import (
	"net/url"
	"strconv"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/operations"
	"bugslice/internal/web/page"
)

// Show answers with the bytes of an attachment.
func Show(q *page.Request) (page.Result, error) {
	in := api.GetAttachment{AttachmentID: q.PathValue("attachmentId")}
	return page.Attachment(q, q.Session.Caller, in, q.Tracker.ReadAttachment, operations.Attachment)
}

// ShowThumbnail answers with the thumbnail of an attachment.
func ShowThumbnail(q *page.Request) (page.Result, error) {
	in := api.GetThumbnail{AttachmentID: q.PathValue("attachmentId")}
	return page.Attachment(q, q.Session.Caller, in, q.Tracker.ReadThumbnail, operations.Thumbnail)
}

// Review says that a picture shows no secret, or takes that back, and leads to the report.
func Review(q *page.Request) (page.Result, error) {
	patch := api.AttachmentPatch{"reviewed": q.PostForm.Get("reviewed") == "true"}
	changed, err := page.Call(q, q.Tracker.UpdateAttachment, api.UpdateAttachment{AttachmentID: q.PathValue("attachmentId"),
		Patch: patch})
	if err != nil {
		return page.Result{}, err
	}
	return leadTo(changed)
}

// leadTo leads to the report that shows a picture.
func leadTo(a api.Attachment) (page.Result, error) {
	query := url.Values{"show": {a.ID}, "occurrence": {strconv.FormatInt(a.Occurrence, 10)}}
	return page.Redirect("/slices/"+a.SliceID+"?"+query.Encode(), "")
}

// Annotate stores a marked picture in place of a screenshot, or beside it, and leads to the report.
func Annotate(q *page.Request) (page.Result, error) {
	v, err := input.Check(api.GetAttachment{AttachmentID: q.PathValue("attachmentId")})
	if err != nil {
		return page.Result{}, api.NotFound("attachment")
	}
	f, err := q.Tracker.ReadAttachment(q.Context(), q.Session.Caller, v)
	if err != nil {
		return page.Result{}, err
	}
	if err := f.Bytes.Close(); err != nil {
		return page.Result{}, err
	}
	made, err := q.Annotate(f.Attachment, q.PostForm.Get("once"), q.PostForm.Get("keepOriginal") != "")
	if err != nil {
		return page.Result{}, err
	}
	return leadTo(made)
}
