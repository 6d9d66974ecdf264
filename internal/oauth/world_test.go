package oauth_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/input"
	"bugslice/internal/oauth"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/safehttp"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

const base = "https://bugs.example.com"

// world is an authorisation server with a clock that the test moves. The owner administers a workspace, of which the
// member is one.
type world struct {
	*oauth.Server
	tracker   *tracker.Tracker
	operator  operator.Operator
	store     *store.Store
	now       time.Time
	org       api.OrganizationRef
	workspace string
	users     map[string]string
}

const (
	owner  = "owner@test.example"
	member = "member@test.example"
)

// engines runs a test on both databases.
func engines(t *testing.T, test func(t *testing.T, w *world)) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, err := storetest.Reused(t, engine)
			must(t, err)
			test(t, newWorld(t, o))
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	w := &world{now: time.Now(), users: map[string]string{}}
	w.open(t, o)
	first, err := w.operator.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Test", Workspace: "Web",
		Owner: operator.NewUser{Email: owner, WithToken: true}})
	must(t, err)
	c, err := w.tracker.Authenticate(t.Context(), first.Token)
	must(t, err)
	w.org, w.workspace = c.Organization, first.WorkspaceID
	added, err := w.operator.In(w.org).AddUser(t.Context(),
		operator.NewUser{Email: member, Workspaces: []string{w.workspace}})
	must(t, err)
	w.users[owner], w.users[member] = first.UserID, added.UserID
	return w
}

// open opens the server on a database, as a process does when it starts.
func (w *world) open(t *testing.T, o store.Options) {
	t.Helper()
	s, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	files, err := blob.Open("", t.TempDir(), os.Getenv)
	must(t, err)
	clock := func() time.Time { return w.now }
	tr, authority := tracker.New(tracker.Options{Store: access.Seal(s), Secrets: ring, Passwords: passwordtest.Weak(),
		BaseURL: base, Blobs: files,
		Now: clock, DatabaseClock: func(context.Context) (time.Time, bool, error) { return w.now, true, nil }})
	policy, err := safehttp.NewPolicy(nil)
	must(t, err)
	w.store, w.tracker, w.operator = s, tr, operator.Operator{Operator: authority}
	w.Server = oauth.New(oauth.Options{Store: access.Seal(s), Tracker: tr, BaseURL: base, Policy: policy, Now: clock})
}

// pass moves the clock, and runs the jobs.
func (w *world) pass(t *testing.T, d time.Duration) {
	t.Helper()
	for _, step := range []time.Duration{d - min(d, time.Hour),
		min(d, time.Hour)} { // jobs that delete wait after a jump
		w.now = w.now.Add(step)
		w.tracker.RunJobs(t.Context())
	}
}

func from(address string) tracker.Client {
	return tracker.Client{Request: access.Request{ID: "req_1", ClientAddress: address},
		Address: netip.MustParseAddr(address)}
}

// session opens a session of a user, whose password was just proved.
func (w *world) session(t *testing.T, who string) tracker.Session {
	t.Helper()
	var opened tracker.NewSession
	must(t, w.operator.In(w.org).InTransaction(t.Context(), func(tx *tracker.OperatorTx) (err error) {
		opened, err = tx.OpenSession(w.users[who], from("192.0.2.1"))
		return err
	}))
	s, err := w.tracker.Session(t.Context(), from("192.0.2.1"), opened.Token)
	must(t, err)
	return s
}

// choice allows some scopes for 90 days.
func (w *world) choice(scopes ...string) oauth.Choice {
	return oauth.Choice{Scopes: scopes, ExpiresAt: api.At(w.now.Add(90 * 24 * time.Hour)).String()}
}

// keys returns the keys of a user that are not revoked, without the one that the world began with.
func (w *world) keys(t *testing.T, who string) (keys []api.Key) {
	t.Helper()
	v, err := input.Check(api.ListKeys{})
	must(t, err)
	listed, err := w.tracker.ListKeys(t.Context(), w.session(t, who).Caller, v)
	must(t, err)
	for _, k := range listed.Data {
		if k.CreatedBy.UserID != nil {
			keys = append(keys, k)
		}
	}
	return keys
}

// program is a client that has registered itself.
type program struct {
	id, redirect, verifier string
}

const loopback = "http://127.0.0.1/callback"

func (w *world) register(t *testing.T, name string, redirects ...string) program {
	t.Helper()
	m, err := w.Register(t.Context(), "192.0.2.9", oauth.Metadata{Name: name, Redirects: redirects})
	must(t, err)
	return program{id: m.ClientID, redirect: redirects[0], verifier: strings.Repeat("v", 43)}
}

// request returns the parameters of an authorization request. Pairs change them; an empty value removes one.
func (p program) request(pairs ...string) url.Values {
	sum := sha256.Sum256([]byte(p.verifier))
	q := url.Values{"client_id": {p.id}, "redirect_uri": {p.redirect}, "response_type": {"code"}, "state": {"s1"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"resource": {base + "/mcp"}}
	return changed(q, pairs)
}

func changed(q url.Values, pairs []string) url.Values {
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	return q
}

// approve lets a user allow a program some scopes, and returns the code that the program gets.
func (w *world) approve(t *testing.T, p program, who string, c oauth.Choice) string {
	t.Helper()
	a, err := w.Authorization(t.Context(), p.request("scope", "slices:read slices:write user:read"))
	must(t, err)
	address, err := w.Approve(t.Context(), w.session(t, who), a, c)
	must(t, err)
	u, err := url.Parse(address)
	must(t, err)
	return u.Query().Get("code")
}

// exchange asks for the tokens of a code.
func (w *world) exchange(t *testing.T, p program, code string, pairs ...string) (oauth.Tokens, error) {
	t.Helper()
	q := url.Values{"grant_type": {oauth.GrantCode}, "client_id": {p.id}, "code": {code}, "code_verifier": {p.verifier},
		"redirect_uri": {p.redirect}, "resource": {base + "/mcp"}}
	return w.Token(t.Context(), access.Request{}, changed(q, pairs))
}

// refresh asks for the next tokens.
func (w *world) refresh(p program, token string, pairs ...string) (oauth.Tokens, error) {
	q := url.Values{"grant_type": {oauth.GrantRefresh}, "client_id": {p.id}, "refresh_token": {token}}
	return w.Token(context.Background(), access.Request{}, changed(q, pairs))
}

// poll asks for the token of a device code.
func (w *world) poll(t *testing.T, code string) (oauth.Tokens, error) {
	t.Helper()
	return w.Token(t.Context(), access.Request{},
		url.Values{"grant_type": {oauth.GrantDevice}, "client_id": {oauth.CommandLine},
			"device_code": {code}})
}

// start begins the device flow of a command line.
func (w *world) start(t *testing.T, scope string) oauth.DeviceCodes {
	t.Helper()
	codes, err := w.StartDevice(t.Context(), access.Request{ClientAddress: "198.51.100.7"}, "laptop", scope)
	must(t, err)
	return codes
}

// works reports whether a token authenticates.
func (w *world) works(t *testing.T, token string) bool {
	t.Helper()
	_, err := w.tracker.Authenticate(t.Context(), token)
	if err != nil && code(err) != api.CodeUnauthorized {
		t.Fatal(err)
	}
	return err == nil
}

// code returns the code of a refusal, of a fault when it names one; empty for none.
func code(err error) string {
	var refused *oauth.Error
	var p *api.Problem
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused):
		return refused.Code
	case errors.As(err, &p) && len(p.Errors) > 0:
		return p.Errors[0].Pointer + " " + p.Errors[0].Code
	case errors.As(err, &p):
		return p.Code
	case errors.Is(err, access.ErrProofNeeded):
		return "proof"
	}
	return err.Error()
}

// refused checks the code of a refusal.
func refused(t *testing.T, what string, err error, want string) {
	t.Helper()
	if got := code(err); got != want {
		t.Errorf("%s: %q, want %q (%v)", what, got, want, err)
	}
}
