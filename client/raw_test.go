package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/client"
	"bugslice/client/clienttest"
)

// TestSend: a request without an input has the token and its body, a refusal is a problem, and a path leads to no other
// host.
func TestSend(t *testing.T) {
	server := clienttest.New(t)
	c := server.Client()
	res, err := c.Send(t.Context(), client.RawRequest{Method: http.MethodPost, Path: "/v1/slices",
		Body: []byte(`{"summary":"Cart is empty"}`)})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode != http.StatusCreated || !strings.Contains(string(body), `"reference":"WEB-1"`) {
		t.Errorf("%d %s %v", res.StatusCode, body, err)
	}
	missing := client.RawRequest{Method: http.MethodGet, Path: "/v1/slices/WEB-9"}
	res, err = c.Send(t.Context(), missing) //nolint:bodyclose // an error comes without one
	if p, ok := errors.AsType[*api.Problem](err); !ok || p.Code != api.CodeNotFound {
		t.Errorf("%v %v", res, err)
	}
	for _, path := range []string{"v1/me", "//example.com/v1/me", "@example.com/v1/me", ".example.com/"} {
		if res, err := c.Send(t.Context(), client.RawRequest{Method: http.MethodGet, Path: path}); err == nil {
			_ = res.Body.Close()
			t.Errorf("%s is sent", path)
		}
	}
}
