package shared

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/download"
	"bugslice/internal/input"
	"bugslice/internal/operations"
	"bugslice/internal/web/page"
)

// File answers with the bytes of a file of the report.
func File(q *page.Request) (page.Result, error) {
	in := api.GetAttachment{AttachmentID: q.PathValue("attachmentId")}
	return page.Attachment(q, q.Share, in, q.Tracker.ReadAttachment, operations.Attachment)
}

// Thumbnail answers with the thumbnail of a picture of the report.
func Thumbnail(q *page.Request) (page.Result, error) {
	in := api.GetThumbnail{AttachmentID: q.PathValue("attachmentId")}
	return page.Attachment(q, q.Share, in, q.Tracker.ReadThumbnail, operations.Thumbnail)
}

// Replay answers with the rrweb events of an occurrence of the report.
func Replay(q *page.Request) (page.Result, error) {
	return stream(q, func(sliceID string, occurrence int) api.GetReplay {
		return api.GetReplay{SliceID: sliceID, Occurrence: occurrence}
	}, q.Tracker.GetReplay)
}

// Archive answers with the requests of an occurrence of the report as HAR.
func Archive(q *page.Request) (page.Result, error) {
	return stream(q, func(sliceID string, occurrence int) api.GetArchive {
		return api.GetArchive{SliceID: sliceID, Occurrence: occurrence}
	}, q.Tracker.GetArchive)
}

// stream answers with JSON that is written while it is read.
func stream[In any](q *page.Request, inputOf func(sliceID string, occurrence int) In,
	write func(context.Context, access.Caller, input.Valid[In], io.Writer) error,
) (page.Result, error) {
	s, err := q.Tracker.SharedSlice(q.Context(), q.Share)
	if err != nil {
		return page.Result{}, err
	}
	occurrence := 0
	if text := q.URL.Query().Get("occurrence"); text != "" {
		if occurrence, err = strconv.Atoi(text); err != nil || occurrence < 1 {
			return page.Result{}, api.NotFound("occurrence")
		}
	}
	v, err := input.Check(inputOf(s.ID, occurrence))
	if err != nil {
		return page.Result{}, api.NotFound("occurrence")
	}
	return page.Result{Write: func(w http.ResponseWriter, r *http.Request) error {
		return download.WriteJSON(w, r, func(to io.Writer) error { return write(r.Context(), q.Share, v, to) })
	}}, nil
}
