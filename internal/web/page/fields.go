package page

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/httpserver"
)

// FieldsBounds bound the bytes of a form without files, and when they must have arrived.
type FieldsBounds struct {
	Bytes int64
	Until time.Time
}

var errNotUTF8 = api.NewProblem(api.CodeMalformedBody, "The form is not UTF-8.")

// ReadFields reads a form without files into memory that is reserved as the bytes arrive.
func ReadFields(w http.ResponseWriter, r *http.Request, memory *admission.Reservation, bounds FieldsBounds) (
	url.Values, error,
) {
	if r.ContentLength > bounds.Bytes { // refused before the client sends it
		return nil, tooLarge(bounds.Bytes)
	}
	body := httpserver.NewBody(w, r, memory, bounds.Bytes)
	body.Deadline = bounds.Until
	text, err := memory.ReadAll(r.Context(), body, r.ContentLength)
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, tooLarge(large.Limit)
	}
	if err != nil {
		return nil, bodyError(err)
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, api.NewProblem(api.CodeMalformedBody, "The form cannot be read.")
	}
	for _, values := range form {
		if slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) }) {
			return nil, errNotUTF8
		}
	}
	return form, nil
}

func tooLarge(limit int64) error {
	return api.NewProblem(api.CodeTooLarge, fmt.Sprintf("A form may have at most %d KiB.", limit>>10))
}

// bodyError returns the problem of a form that cannot be read.
func bodyError(err error) error {
	if _, ok := errors.AsType[*api.Problem](err); ok {
		return err
	}
	return api.NewProblem(api.CodeMalformedBody, "The form is incomplete.")
}
