package page

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/download"
	"bugslice/internal/input"
	"bugslice/internal/operations"
	"bugslice/internal/tracker"
)

// Attachment answers with the bytes of an attachment, or of its thumbnail, which open opens for c and the answer
// closes.
func Attachment[In any](q *Request, c access.Caller, in In,
	open func(context.Context, access.Caller, input.Valid[In]) (tracker.File, error),
	describe func(tracker.File) (operations.File, error),
) (Result, error) {
	v, err := input.Check(in)
	if err != nil {
		return Result{}, api.NotFound("attachment")
	}
	return Result{Write: func(w http.ResponseWriter, r *http.Request) error {
		read, err := open(r.Context(), c, v)
		if err != nil {
			return err
		}
		f, err := describe(read)
		if err != nil {
			return err
		}
		if !embeds(f.ContentType) {
			f.ContentType = "application/octet-stream"
		}
		return download.WriteFile(w, r, f)
	}}, nil
}

// embeds reports whether pages embed files of a type. Others have none on the paths of pages, so that no page takes
// one for a script or a sheet of this service.
func embeds(contentType string) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	kind, _, _ := strings.Cut(mediaType, "/")
	return mediaType == "text/plain" || kind == "image" || kind == "video" || kind == "audio"
}
