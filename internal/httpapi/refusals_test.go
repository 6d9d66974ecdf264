package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/gateway"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// counted is a server whose background work stores what was noted of keys.
type counted struct {
	http.Handler
	api     *API
	tracker *tracker.Tracker
	owner   access.Caller
	token   string
}

func newCounted(t *testing.T, requests int) *counted {
	t.Helper()
	return newCountedAt(t, requests, store.Options{Path: filepath.Join(t.TempDir(), "test.db")})
}

// newCountedAt is newCounted on a database, which it creates.
func newCountedAt(t *testing.T, requests int, o store.Options) *counted {
	t.Helper()
	_, err := store.Migrate(t.Context(), o)
	must(t, err)
	db, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	w := &counted{}
	var authority *tracker.Operator
	w.tracker, authority = tracker.New(tracker.Options{Store: access.Seal(db), Secrets: ring,
		Passwords: passwordtest.Weak()})
	instance := operator.Operator{Operator: authority}
	founded, err := instance.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Test", Workspace: "One",
		Owner: operator.NewUser{Email: "owner@test.example"}, First: true})
	must(t, err)
	w.token = founded.Token
	w.owner, err = w.tracker.Authenticate(t.Context(), w.token)
	must(t, err)
	calls, err := gateway.New(gateway.Options{Tracker: w.tracker, RateLimit: requests, Failures: 2})
	must(t, err)
	a, err := New(Options{Gateway: calls})
	must(t, err)
	w.api = a
	front := httpserver.New(httpserver.Options{Log: slog.New(slog.DiscardHandler), WriteProblem: a.WriteProblem})
	front.Mount("/", a, a.WriteProblem)
	w.Handler = front
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func valid[In any](t *testing.T, in In) input.Valid[In] {
	t.Helper()
	v, err := input.Check(in)
	must(t, err)
	return v
}

// call sends a request and returns its status.
func (w *counted) call(token, method, path string) int {
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("User-Agent", "probe/1")
	r.RemoteAddr = "203.0.113.7:1234"
	out := httptest.NewRecorder()
	w.ServeHTTP(out, r)
	return out.Code
}

// stored returns what the page of a key shows after the background work.
func (w *counted) stored(t *testing.T, k api.Key) (*tracker.Use, string) {
	t.Helper()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	w.tracker.Run(ended) // stores what was noted, and ends
	refusals, err := w.tracker.KeyRefusals(t.Context(), w.owner, k.ID, time.Now().Add(-time.Hour))
	must(t, err)
	var all []string
	for _, r := range refusals {
		all = append(all, fmt.Sprint(r.Count, " ", r.Status, " ", r.Code, " ", r.Last))
	}
	details, err := w.tracker.KeyDetails(t.Context(), w.owner, []api.Key{k})
	must(t, err)
	return details[k.ID].LastUse, strings.Join(all, "; ")
}

// TestRefusedCallsAreCounted for the key of the request, with the pattern of the path and never the path itself.
// Refused tokens count for the key that they name, also while the failures of their address are limited.
func TestRefusedCallsAreCounted(t *testing.T) {
	w := newCounted(t, 5)
	ctx := t.Context()
	fields := api.KeyFields{Name: "k", Type: api.PAT, Scopes: []api.Scope{api.WorkspacesRead}}
	k, err := w.tracker.CreateKey(ctx, w.owner, valid(t, api.CreateKey{Body: fields}))
	must(t, err)
	const secretPath = "/v1/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz"
	var statuses []int
	for _, c := range []struct{ method, path string }{{"GET", "/v1/workspaces"},
		{"GET", secretPath}, {"DELETE", secretPath + "?q=" + k.Token},
		{"DELETE", secretPath}, {"GET", "/v1/workspaces?limit=x"},
		{"GET", "/v1/workspaces/wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"},
		{"GET", "/v1/workspaces"}} {
		statuses = append(statuses, w.call(k.Token, c.method, c.path))
	}
	assert.Equal(t, "statuses", statuses, []int{200, 403, 400, 403, 400, 404, 429})
	use, got := w.stored(t, k.Key)
	assert.Equal(t, "refusals", got, "2 403 insufficient_scope DELETE /v1/slices/{sliceId}; 1 400 invalid_parameter GET /v1/workspaces; "+
		"1 404 not_found GET /v1/workspaces/{workspaceId}; 1 429 rate_limited GET /v1/workspaces")
	if use == nil || use.Address != "203.0.113.7" || use.UserAgent != "probe/1" {
		t.Errorf("the last use is %+v", use)
	}

	rotate := api.RotateKey{KeyID: k.ID, Body: &api.RotateFields{GracePeriodSeconds: 1}}
	must(t, errorOf(w.tracker.RotateKey(ctx, w.owner, valid(t, rotate))))
	time.Sleep(1100 * time.Millisecond)
	statuses = nil
	for range 4 {
		statuses = append(statuses, w.call(k.Token, "GET", secretPath))
	}
	assert.Equal(t, "statuses of the former token", statuses, []int{401, 401, 429, 429})
	_, got = w.stored(t, k.Key)
	assert.Contains(t, "refusals", got, "4 401 unauthorized GET /v1/slices/{sliceId}")
}

func errorOf[T any](_ T, err error) error { return err }
