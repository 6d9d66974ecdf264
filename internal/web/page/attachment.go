package page

import (
	"context"
	"net/http"

	"bugslice/api"
	"bugslice/internal/download"
	"bugslice/internal/input"
	"bugslice/internal/operations"
	"bugslice/internal/tracker"
)

// Attachment answers with the bytes of an attachment, or of its thumbnail, which open opens for c and the answer closes.
func Attachment[In any](q *Request, c tracker.Caller, in In,
	open func(context.Context, tracker.Caller, input.Valid[In]) (tracker.File, error),
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
		return download.WriteFile(w, r, f)
	}}, nil
}
