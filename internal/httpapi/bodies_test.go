package httpapi

import (
	"errors"
	"io"
	"net/http/httptest"
	"regexp"
	"testing"

	"bugslice/api"
	"bugslice/internal/operations"
)

// endless is a body of spaces that does not end. It counts the bytes that are read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read += len(p); e.read > 64<<20 {
		return 0, errors.New("64 MiB were read")
	}
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

var parameter = regexp.MustCompile(`\{\w+\}`)

// TestNoBodyBeforeItsCredential: no operation reads a byte of a body without a key, with a wrong one, and with one
// without the scope. With a right one it reads no more than its limit.
func TestNoBodyBeforeItsCredential(t *testing.T) {
	w := newCounted(t, 0)
	k, err := w.tracker.CreateKey(t.Context(), w.owner, valid(t,
		api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.PAT, Scopes: []api.Scope{api.UserRead}}}))
	must(t, err)
	read := func(op operations.Operation, token string) (status, n int) {
		body := &endless{}
		r := httptest.NewRequest(op.Method, parameter.ReplaceAllString(op.Path, "none"), io.NopCloser(body))
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		out := httptest.NewRecorder()
		w.ServeHTTP(out, r)
		return out.Code, body.read
	}
	for _, op := range operations.All(w.tracker) {
		for name, token := range map[string]string{"no key": "", "a wrong key": k.Token + "x"} {
			if status, n := read(op, token); n > 0 || status != 401 && status != 429 {
				t.Errorf("%s with %s: %d after %d bytes of the body", op.ID, name, status, n)
			}
		}
		if op.Scope != api.UserRead && op.Scope != api.NoScope {
			if status, n := read(op, k.Token); n > 0 || status != 403 {
				t.Errorf("%s without the scope: %d after %d bytes of the body", op.ID, status, n)
			}
		}
		limit := 0
		if op.Input.Body != nil {
			limit = int(max(op.MaxBody, api.DefaultBody)) + 1
		}
		if _, n := read(op, w.token); n > limit && !op.Upload {
			t.Errorf("%s with a key: %d bytes of the body were read, want at most %d", op.ID, n, limit)
		}
	}
}
