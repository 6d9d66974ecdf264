package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
)

// maxBodyTime bounds how long a JSON body may take to arrive, at any rate.
const maxBodyTime = 10 * time.Minute

// readInput reads the body of a request, and returns it with the path, the query and the headers.
func readInput(q *request) (input.Source, error) {
	raw, err := readBody(q)
	if err != nil {
		return input.Source{}, err
	}
	source := input.Source{Path: q.PathValue, Header: q.Header, Body: raw}
	source.Query, source.QueryErr = url.ParseQuery(q.URL.RawQuery)
	return source, nil
}

// readBody returns the JSON body of a request, or nil when its operation reads none. It refuses a body that is too
// large, too slow or of another media type.
func readBody(q *request) ([]byte, error) {
	op := q.call.Operation
	if op.Input.Body == nil {
		return nil, nil
	}
	if err := checkContentHeaders(q.Request); err != nil {
		return nil, err
	}
	limit := cmp.Or(op.MaxBody, api.DefaultBody)
	if q.ContentLength > limit { // refused before the client sends it
		return nil, bodyTooLarge(limit)
	}
	body := httpserver.NewBody(q.w, q.Request, q.call.Memory, limit)
	body.Deadline = time.Now().Add(maxBodyTime)
	raw, err := q.call.Memory.ReadAll(q.Context(), body, min(q.ContentLength, limit))
	if err != nil {
		return nil, jsonBodyError(err)
	}
	if len(raw) == 0 {
		return nil, nil
	}
	return raw, checkMediaType(q, op.Input.Body.Patch)
}

// jsonBodyError returns the problem of a JSON body that cannot be read.
func jsonBodyError(err error) error {
	if _, ok := errors.AsType[*api.Problem](err); ok {
		return err
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return bodyTooLarge(tooLarge.Limit)
	}
	return api.NewProblem(api.CodeMalformedBody, "The body is incomplete.")
}

func bodyTooLarge(limit int64) error {
	return api.NewProblem(api.CodeTooLarge, fmt.Sprintf("The body may have at most %d MiB.", limit>>20))
}

// checkMediaType refuses a body that is not JSON in UTF-8, or a merge patch where one is accepted.
func checkMediaType(q *request, patch bool) error {
	media, parameters, err := mime.ParseMediaType(q.Header.Get("Content-Type"))
	known := err == nil && (media == "application/json" || media == "application/merge-patch+json" && patch)
	if charset := parameters["charset"]; known && (charset == "" || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	want := "application/json"
	if patch {
		q.w.Header().Set("Accept-Patch", "application/merge-patch+json, application/json")
		want = "application/merge-patch+json or application/json"
	}
	return api.NewProblem(api.CodeMediaType, "Send the body as Content-Type: "+want+", in UTF-8.")
}

// checkContentHeaders refuses a compressed body, because it would be stored compressed, and a body with several media
// types, of which a proxy may have read another one.
func checkContentHeaders(r *http.Request) error {
	if len(r.Header.Values("Content-Type")) > 1 {
		return api.NewProblem(api.CodeMediaType, "Send one Content-Type.")
	}
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ","); coding != "" &&
		!strings.EqualFold(coding, "identity") {
		return api.NewProblem(api.CodeMediaType, "Send the body uncompressed, without Content-Encoding.")
	}
	return nil
}
