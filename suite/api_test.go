package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"

	"bugslice/api"
	public "bugslice/client"
)

// call carries out an operation by the public client. What does not test the wire itself speaks through it.
func call[Out any](t testing.TB, c client, in api.Input[Out]) Out {
	t.Helper()
	out, err := public.Call(t.Context(), c.typed(t), in)
	if err != nil {
		t.Fatalf("%T: %v", in, err)
	}
	return out
}

// refused is call for an operation that the service refuses with a code. It returns the problem.
func refused[Out any](t testing.TB, c client, code string, in api.Input[Out]) api.Problem {
	t.Helper()
	_, err := public.Call(t.Context(), c.typed(t), in)
	p, ok := errors.AsType[*api.Problem](err)
	if !ok || p.Code != code {
		t.Fatalf("%T: %v, want %s", in, err, code)
	}
	return *p
}

// typed returns a public client that sends each request once. Its requests are recorded and held against the
// document, as those of do.
func (c client) typed(t testing.TB) *public.Client {
	t.Helper()
	o := public.Options{Attempts: 1, HTTP: &http.Client{Transport: checked{t}}}
	typed, err := public.New(c.URL, c.token, o)
	must(t, err)
	return typed
}

// checked sends requests whose responses have an end.
type checked struct{ testing.TB }

func (k checked) RoundTrip(given *http.Request) (*http.Response, error) {
	req, raw := given.Clone(given.Context()), []byte(nil)
	if given.Body != nil {
		var err error
		if raw, err = io.ReadAll(given.Body); err != nil {
			return nil, err
		}
		_ = given.Body.Close()
		req.Body = io.NopCloser(bytes.NewReader(raw))
	}
	req.Header.Set("X-Forwarded-For", stranger())
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	a := answer{request: req.Method + " " + req.URL.RequestURI(), Status: res.StatusCode, Header: res.Header}
	if a.Body, err = io.ReadAll(res.Body); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(a.Body))
	recorded := req.Clone(req.Context())
	for _, ofClient := range []string{"Accept", "Idempotency-Key", "User-Agent"} {
		recorded.Header.Del(ofClient)
	}
	record(recorded, raw, a)
	if err := conforms(req, raw, a); err != nil {
		k.Errorf("%s: %v", a.request, err)
	}
	return res, nil
}

// stranger returns an address that nobody else has, for those who are throttled by address.
func stranger() string { return fmt.Sprintf("2001:db8:%x:%x::1", rand.IntN(1<<16), rand.IntN(1<<16)) }

// file files a report in the workspace of an organisation.
func (o org) file(t testing.TB, fields api.SliceFields) api.FiledSlice {
	t.Helper()
	if fields.Summary == "" {
		fields.Summary = "Something is wrong"
	}
	return call(t, o.client, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &o.Workspace, SliceFields: fields}})
}
