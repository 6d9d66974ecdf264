package page

import (
	"errors"
	"io"

	"bugslice/internal/tracker"
)

// SendRecording files what the recipient of a recording link sends, with the first file of the form, if it has one.
func SendRecording(q *Request, r tracker.Recording) error {
	if q.Files != nil {
		up, err := q.Files.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return bodyError(err)
		}
		if err == nil {
			defer up.Memory.Release()
			r.File = up
		}
	}
	return q.Tracker.Visitors().SendRecording(q.Context(), q.Client, q.Share, r)
}
