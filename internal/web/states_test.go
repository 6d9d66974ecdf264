package web

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// filled returns a world with keys in every state. With hostile names everything that people or programs name is an
// attack.
func filled(t testing.TB, attack bool) *world {
	w := newWorld(t, append(slices.Clone(table), row{path: "/refused/{code}", title: "Refused", access: user, get: refused}), func(o *Options) { o.Insecure = attack })
	name := func(text string) string {
		if attack {
			return hostile + strings.Repeat("W", 100-utf8.RuneCountInString(hostile))
		}
		return text
	}
	if attack {
		c := w.tokens[email]
		c.Organization.Name = hostile
		w.tokens[email] = c
		w.profile.Name = hostile
	}
	now := time.Now()
	for i, k := range []struct {
		name   string
		kind   api.KeyType
		scopes []api.Scope
		days   int
	}{
		{"CI of the web shop", api.WST, []api.Scope{api.SlicesRead, api.SlicesWrite}, 90},
		{"Triage agent", api.PAT, []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.SpacesRead, api.UserRead}, 3},
		{"Nightly import", api.WST, api.AllScopes(), 0},
	} {
		f := api.KeyFields{Name: name(k.name), Type: k.kind, Scopes: k.scopes}
		if k.kind == api.WST {
			f.WorkspaceID = &w.wsp
		}
		if k.days > 0 {
			at := api.At(now.AddDate(0, 0, k.days))
			f.ExpiresAt = &at
		}
		made := create(t, w, w.tokens[email], f)
		if i == 2 {
			v, err := input.Check(api.RotateKey{KeyID: made.ID, Body: &api.RotateFields{GracePeriodSeconds: 3600}})
			must(t, err)
			_, err = w.RotateKey(t.Context(), w.tokens[email], v)
			must(t, err)
		}
		former := api.At(now.Add(50 * time.Minute))
		use := page.Use{At: api.At(now.Add(-3 * time.Minute)), Address: "203.0.113.7", UserAgent: name("curl/8.14.1")}
		w.details[made.Name] = []page.KeyDetail{{LastUse: &use}, {LastUse: &use}, {FormerUntil: &former}}[i]
	}
	w.activity = []page.Activity{
		{At: api.At(now.Add(-4 * time.Minute)), Type: api.EventSliceCreated, Subject: name("WEB-161 The total of the cart is wrong when a voucher is used twice"), Path: "/WEB-161", Address: "203.0.113.7"},
		{At: api.At(now.Add(-26 * time.Hour)), Type: api.EventCommentCreated, Subject: name("WEB-158 Checkout hangs on slow networks"), Path: "/WEB-158", Address: "203.0.113.7"},
		{At: api.At(now.Add(-9 * 24 * time.Hour)), Type: api.EventSliceCreated, Subject: name("WEB-142 Images of the product list are blurred"), Path: "/WEB-142", Address: "2001:db8:0:4f::17"},
	}
	w.refusals = []page.Refusal{
		{Code: api.CodeScope, Status: 403, Count: 1204, LastAt: api.At(now.Add(-2 * time.Minute)), Last: name("DELETE /v1/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz")},
		{Code: api.CodeInvalidBody, Status: 422, Count: 17, LastAt: api.At(now.Add(-7 * time.Hour)), Last: "POST /v1/slices"},
		{Code: api.CodeRateLimited, Status: 429, Count: 1, LastAt: api.At(now.Add(-3 * 24 * time.Hour)), Last: "GET /v1/slices"},
	}
	return w
}

// refused answers with the problem of a code.
func refused(q *page.Request) (page.Result, error) {
	return page.Result{}, api.NewProblem(q.PathValue("code"), "A sentence about it.")
}

func create(t testing.TB, w *world, c tracker.Caller, f api.KeyFields) api.NewKey {
	t.Helper()
	v, err := input.Check(api.CreateKey{Body: f})
	must(t, err)
	k, err := w.Tracker.CreateKey(t.Context(), c, v)
	must(t, err)
	return k
}

// states lists every page in every state that it can be in.
func states(w *world) []state {
	keys, err := w.keys()
	if err != nil {
		panic(err)
	}
	ci := "/settings/keys/" + keys[1].ID
	inGrace := "/settings/keys/" + keys[3].ID
	if w.profile.Name == hostile {
		return []state{
			{name: "keys", who: email, path: "/settings/keys"},
			{name: "key", who: email, path: ci},
			{name: "key-refusals", who: email, path: ci + "?tab=refusals"},
			{name: "key-revoke", who: email, path: ci, click: []string{"[commandfor=revoke]"}},
			{name: "account", who: email, path: "/settings/profile", click: []string{"#sidebar [popovertarget=account]"}},
			{name: "confirm", who: "stale@northwind.example", path: "/settings/keys", post: []string{"name", hostile, "type", "pat", "scopes", "slices:read"}},
			{name: "newkey-faults", who: email, path: "/settings/keys", post: []string{"name", hostile, "type", hostile, "scopes", hostile, "expiresAt", hostile}},
			{name: "newkey-created", who: email, path: "/settings/keys", post: []string{"name", hostile, "type", "pat", "scopes", "slices:read"}},
		}
	}
	return []state{
		{name: "login", path: "/login"},
		{name: "login-wrong", path: "/login", post: []string{"email", email, "password", "wrong"}},
		{name: "setup", path: "/setup/setup-token"},
		{name: "setup-faults", path: "/setup/setup-token", post: []string{"organization", "Northwind", "email", email, "password", "short"}},
		{name: "setup-done", path: "/setup/setup-token", post: []string{"organization", "Northwind", "email", email, "password", password}},
		{name: "problem-stranger", path: "/nowhere/at/all"},

		{name: "keys", who: email, path: "/settings/keys"},
		{name: "keys-empty", who: "empty@northwind.example", path: "/settings/keys"},
		{name: "newkey", who: email, path: "/settings/keys/new"},
		{name: "newkey-wst", who: email, path: "/settings/keys/new?type=wst&preset=ci&expiresAt=date&workspace=WEB"},
		{name: "newkey-member", who: "member@northwind.example", path: "/settings/keys/new?expiresAt="},
		{name: "newkey-faults", who: email, path: "/settings/keys", post: []string{"name", "", "type", "wst", "expiresAt", "2020-01-01"}},
		{name: "newkey-created", who: email, path: "/settings/keys", post: []string{"name", "Laptop", "type", "pat", "scopes", "slices:read"}},
		{name: "confirm", who: "stale@northwind.example", path: "/settings/keys", post: []string{"name", "Laptop", "type", "pat", "scopes", "slices:read"}},
		{name: "confirm-wrong", who: "stale@northwind.example", path: "/settings/keys", post: []string{"name", "Laptop", "type", "pat", "scopes", "slices:read", "password", "wrong"}},
		{name: "key", who: email, path: ci},
		{name: "key-refusals", who: email, path: ci + "?tab=refusals"},
		{name: "key-grace", who: email, path: inGrace},
		{name: "key-rotate", who: email, path: ci, click: []string{"[commandfor=rotate]"}},
		{name: "key-revoke", who: email, path: ci, click: []string{"[commandfor=revoke]"}},
		{name: "profile", who: email, path: "/settings/profile"},
		{name: "profile-faults", who: email, path: "/settings/profile", post: []string{"version", "1", "name", "Mara", "theme", "system", "timeZone", "Mars/Olympus"}},
		{name: "security", who: email, path: "/settings/security"},
		{name: "report", who: email, path: "/WEB-161"},
		{name: "problem", who: email, path: "/WEB-999"},
		{name: "problem-forbidden", who: email, path: "/refused/forbidden"},
		{name: "problem-failed", who: email, path: "/refused/internal"},
		{name: "problem-unavailable", who: email, path: "/refused/unavailable"},
		{name: "problem-limited", who: email, path: "/refused/rate_limited"},
		{name: "problem-large", who: email, path: "/settings/profile", post: []string{"name", strings.Repeat("x", maxForm)}},
		{name: "problem-method", who: email, path: "/logout"},
		{name: "switcher", who: email, path: "/settings/security", click: []string{"#sidebar [popovertarget=workspaces]"}},
		{name: "account", who: email, path: "/settings/security", click: []string{"#sidebar [popovertarget=account]"}},
		{name: "drawer", who: email, path: "/settings/keys", click: []string{"[popovertarget=sidebar]"}},
	}
}

// keys returns the owner's keys, oldest first.
func (w *world) keys() ([]api.Key, error) {
	v, err := input.Check(api.ListKeys{})
	if err != nil {
		return nil, err
	}
	listed, err := w.Tracker.ListKeys(context.Background(), w.tokens[email], v)
	return listed.Data, err
}
