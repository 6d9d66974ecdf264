package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
)

// bind returns the validated input of an operation, an input.Valid. The rights are read again when the body took
// long to arrive.
func (a *API) bind(q *request, rt route) (any, error) {
	started := time.Now()
	in, err := a.readInput(q, rt)
	if err != nil {
		return nil, err
	}
	unchecked := rt.in.Body != nil && rt.op.Effect == api.Reads // a write reads rights in its transaction
	if unchecked || time.Since(started) > recheckEvery {
		_, err = a.Tracker.Reauthorize(q.Context(), q.caller, rt.op.ID)
	}
	return in, err
}

// readInput reads the body and binds it with the path, the query and the headers.
func (a *API) readInput(q *request, rt route) (any, error) {
	raw, err := readBody(q, rt)
	if err != nil {
		return nil, err
	}
	if err := q.memory.Process(q.Context(), len(raw)); err != nil {
		return nil, err
	}
	source := input.Source{Path: q.PathValue, Header: q.Header, Body: raw}
	source.Query, source.QueryErr = url.ParseQuery(q.URL.RawQuery)
	return a.bindSource(q, rt, source)
}

// largeBody is the size from which binding a body needs much of a processor.
const largeBody = 8 << 10

// bindSource binds and validates an input. One with a large body waits for a slot of the caller's organisation.
func (a *API) bindSource(q *request, rt route, source input.Source) (any, error) {
	if len(source.Body) >= largeBody {
		slot, err := a.Tracker.AcquireSlot(q.Context(), q.caller)
		if err != nil {
			return nil, err
		}
		defer slot.Release()
	}
	return rt.bind(source)
}

// maxBodyTime bounds the time in which a JSON body may arrive, at whatever rate.
const maxBodyTime = 10 * time.Minute

// readBody returns the whole body of a request, nil when its operation has none. It refuses a body that is too
// large, too slow or of another media type.
func readBody(q *request, rt route) ([]byte, error) {
	if rt.in.Body == nil {
		return nil, nil
	}
	if err := rejectContentEncoding(q.Request); err != nil {
		return nil, err
	}
	limit := cmp.Or(rt.op.MaxBody, api.DefaultBody)
	body := &bodyReader{r: http.MaxBytesReader(q.w, q.Body, limit), w: q.w, memory: q.memory, deadline: time.Now().Add(maxBodyTime)}
	raw, err := q.memory.ReadAll(q.Context(), body, min(q.ContentLength, limit))
	var large *http.MaxBytesError
	var refused *api.Problem
	switch {
	case errors.As(err, &large):
		return nil, api.Refuse(api.CodeTooLarge, fmt.Sprintf("A body may have at most %d MiB here.", limit>>20))
	case errors.As(err, &refused):
		return nil, err
	case err != nil:
		return nil, api.Refuse(api.CodeMalformedBody, "The body did not arrive whole.")
	case len(raw) == 0:
		return nil, nil
	}
	return raw, checkMediaType(q, rt.in.Body.Patch)
}

// checkMediaType refuses a body that is not JSON in UTF-8, or a merge patch where one is accepted.
func checkMediaType(q *request, patch bool) error {
	media, options, err := mime.ParseMediaType(q.Header.Get("Content-Type"))
	known := err == nil && (media == "application/json" || media == "application/merge-patch+json" && patch)
	if charset := options["charset"]; known && (charset == "" || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	want := "application/json"
	if patch {
		q.w.Header().Set("Accept-Patch", "application/merge-patch+json, application/json")
		want = "application/merge-patch+json or application/json"
	}
	return api.Refuse(api.CodeMediaType, "Send the body as Content-Type: "+want+", in UTF-8.")
}

// rejectContentEncoding refuses a compressed body, which would be stored as it is.
func rejectContentEncoding(r *http.Request) error {
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ","); coding != "" && !strings.EqualFold(coding, "identity") {
		return api.Refuse(api.CodeMediaType, "Send the body as it is, without Content-Encoding.")
	}
	return nil
}

// bodyReader reads a body. Each read extends the client's read deadline, until the deadline of the whole body
// if it has one. A body that was ended to free memory is refused.
type bodyReader struct {
	r        io.Reader
	w        http.ResponseWriter
	memory   *admission.Reservation
	deadline time.Time
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if b.deadline.IsZero() || time.Now().Before(b.deadline) {
		httpserver.ExtendReadDeadline(b.w)
	}
	if err := b.memory.Arrived(0); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if ended := b.memory.Arrived(n); ended != nil {
		return n, ended
	}
	if errors.Is(err, io.EOF) {
		if ended := b.memory.Complete(); ended != nil {
			return n, ended
		}
		httpserver.ClearReadDeadline(b.w)
	}
	return n, err
}
