package tracker_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// keyPageCallers are callers of a key's page.
type keyPageCallers struct {
	admin, member, outsider, stranger, service, otherService access.Caller
}

func newKeyPageCallers(t *testing.T, w *world) (c keyPageCallers) {
	t.Helper()
	ctx, here := t.Context(), w.In(w.owner.Organization)
	user := func(email string, role api.Role) access.Caller {
		u, err := here.AddUser(ctx, operator.NewUser{Email: email, WithToken: true})
		must(t, err)
		if role != "" {
			must(t, here.PutMember(ctx, w.workspace, u.UserID, role))
		}
		return w.authenticate(t, u.Token)
	}
	c.admin, c.member, c.outsider = user("admin@test.example", api.RoleAdmin),
		user("member@test.example", api.RoleMember), user("out@test.example", "")
	other, err := w.Bootstrap(ctx, operator.Bootstrap{Organization: "Other",
		Workspace: "Two", Owner: operator.NewUser{Email: "stranger@test.example"}})
	must(t, err)
	c.stranger = w.authenticate(t, other.Token)
	c.service = w.authenticate(t, w.service(t).Token)
	fields := api.KeyFields{Name: "x", Type: api.WST, WorkspaceID: &other.WorkspaceID, Scopes: api.AllScopes()}
	k, err := w.CreateKey(ctx, c.stranger, valid(api.CreateKey{Body: fields}))
	must(t, err)
	c.otherService = w.authenticate(t, k.Token)
	return c
}

// detail returns what a caller is shown of a key, which its list may show or not.
func (w *world) detail(t *testing.T, c access.Caller, k api.Key) (tracker.KeyDetail, bool) {
	t.Helper()
	all, err := w.KeyDetails(t.Context(), c, []api.Key{k})
	must(t, err)
	d, ok := all[k.ID]
	return d, ok
}

// TestKeyPagesNeedTheRight: the page of a key is shown to callers who may read the key alone.
func TestKeyPagesNeedTheRight(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, c := t.Context(), newKeyPageCallers(t, w)
		wst, pat := w.service(t), w.mint(t, api.AllScopes())
		weak, unproved := w.owner, w.owner
		weak.Scopes, unproved.Credential = []api.Scope{api.SlicesRead}, nil
		tests := []keyPageTest{
			{"the owner of a PAT", w.owner, pat.Key, ""},
			{"an admin, of a PAT of another user", c.admin, pat.Key, api.CodeNotFound},
			{"a stranger, of a PAT", c.stranger, pat.Key, api.CodeNotFound},
			{"a service, of a PAT", c.service, pat.Key, api.CodeNotFound},
			{"an admin, of a WST", c.admin, wst.Key, ""},
			{"a service of the workspace, of a WST", c.service, wst.Key, ""},
			{"a member, of a WST", c.member, wst.Key, api.CodeNotFound},
			{"a user who is no member, of a WST", c.outsider, wst.Key, api.CodeNotFound},
			{"another organisation, of a WST", c.stranger, wst.Key, api.CodeNotFound},
			{"a service of another workspace, of a WST", c.otherService, wst.Key, api.CodeNotFound},
			{"a caller without the scope", weak, wst.Key, api.CodeScope},
			{"a caller without a credential", unproved, wst.Key, api.CodeUnauthorized},
		}
		for _, test := range tests {
			w.checkKeyPage(t, test)
			_, err := w.GetKey(ctx, test.caller, valid(api.GetKey{KeyID: test.key.ID}))
			if err == nil != (test.want == "") || err != nil && code(err) != test.want {
				t.Errorf("GetKey to %s: %v, want %q", test.who, err, test.want)
			}
		}
		for _, k := range []api.NewKey{wst, pat} {
			must(t, second(w.RevokeKey(ctx, w.owner, valid(api.RevokeKey{KeyID: k.ID}))))
			if err := second(w.GetKey(ctx, w.owner, valid(api.GetKey{KeyID: k.ID}))); code(err) != api.CodeNotFound {
				t.Errorf("GetKey of a revoked key: %v", err)
			}
		}
		for _, test := range tests {
			test.who += ", after it was revoked"
			w.checkKeyPage(t, test)
			ended, err := w.EndedKeys(ctx, test.caller)
			switch {
			case test.want == api.CodeScope || test.want == api.CodeUnauthorized:
				if code(err) != test.want {
					t.Errorf("EndedKeys to %s: %v, want %q", test.who, err, test.want)
				}
			case err != nil || slices.ContainsFunc(ended,
				func(k api.Key) bool { return k.ID == test.key.ID }) != (test.want == ""):
				t.Errorf("EndedKeys to %s: %+v (%v)", test.who, ended, err)
			}
		}
	})
}

// keyPageTest is a caller that asks for the page of a key, and the code of the refusal; empty for none.
type keyPageTest struct {
	who    string
	caller access.Caller
	key    api.Key
	want   string
}

// checkKeyPage holds each read of a key's page against what the caller may see.
func (w *world) checkKeyPage(t *testing.T, test keyPageTest) {
	t.Helper()
	ctx := t.Context()
	_, err := w.StoredKey(ctx, test.caller, valid(api.GetKey{KeyID: test.key.ID}))
	for what, err := range map[string]error{"StoredKey": err,
		"KeyActivity": second(w.KeyActivity(ctx, test.caller, test.key.ID)),
		"KeyRefusals": second(w.KeyRefusals(ctx, test.caller, test.key.ID, w.now))} {
		if err == nil != (test.want == "") || err != nil && code(err) != test.want {
			t.Errorf("%s to %s: %v, want %q", what, test.who, err, test.want)
		}
	}
	details, err := w.KeyDetails(ctx, test.caller, []api.Key{test.key})
	switch _, shown := details[test.key.ID]; {
	case test.want == api.CodeScope || test.want == api.CodeUnauthorized:
		if code(err) != test.want {
			t.Errorf("KeyDetails to %s: %v, want %q", test.who, err, test.want)
		}
	case err != nil || shown != (test.want == ""):
		t.Errorf("KeyDetails to %s: shown is %v (%v)", test.who, shown, err)
	}
}

// TestEndedKeys: the list has keys for 30 days after they were revoked or have expired, the last one first, with who
// revoked them.
func TestEndedKeys(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		create := func(name string, expires time.Duration) api.NewKey {
			f := api.KeyFields{Name: name, Type: api.WST, WorkspaceID: &w.workspace, Scopes: api.AllScopes()}
			if expires > 0 {
				at := api.At(w.now.Add(expires))
				f.ExpiresAt = &at
			}
			k, err := w.CreateKey(ctx, w.owner, valid(api.CreateKey{Body: f}))
			must(t, err)
			return k
		}
		const day = 24 * time.Hour
		self, expired, revoked, operated := create("self", 0), create("expired", 2*day), create("revoked", 2*day),
			create("nobody", 0)
		create("active", 0)
		list := func() string {
			keys, err := w.EndedKeys(ctx, w.owner)
			must(t, err)
			details, err := w.KeyDetails(ctx, w.owner, keys)
			must(t, err)
			var all []string
			for _, k := range keys {
				all = append(all, k.Name+" by "+details[k.ID].RevokedBy)
			}
			return strings.Join(all, ", ")
		}
		if got := list(); got != "" {
			t.Errorf("before any ended: %s", got)
		}
		must(t, second(w.RevokeSelf(ctx, w.authenticate(t, self.Token), valid(api.RevokeSelf{}))))
		w.now = w.now.Add(day)
		must(t, second(w.RevokeKey(ctx, w.owner, valid(api.RevokeKey{KeyID: revoked.ID}))))
		w.now = w.now.Add(day)
		must(t, w.store.Write(ctx, func(tx *store.Tx) error {
			return tx.RevokeKey(operated.ID,
				api.At(w.now.Add(-time.Hour)))
		}))
		if got, want := list(), "expired by , nobody by , revoked by "+w.owner.Name+", self by self"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if d, _ := w.detail(t, w.owner, expired.Key); d.RevokedAt != nil {
			t.Errorf("an expired key: %+v", d)
		}
		if d, _ := w.detail(t, w.owner, revoked.Key); d.RevokedAt == nil || *d.RevokedAt != api.At(w.now.Add(-day)) {
			t.Errorf("a revoked key: %+v", d)
		}
		w.now = w.now.Add(29*day + time.Minute)
		if got := list(); !strings.HasPrefix(got, "expired by , nobody by ") ||
			strings.Contains(got, "self") || strings.Contains(got, "revoked by") {
			t.Errorf("30 days later: %s", got)
		}
	})
}

// TestKeyDetails: a key's page shows who created it, until when the former token works, and the last use.
func TestKeyDetails(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		service := w.authenticate(t, w.service(t).Token)
		byService, err := w.CreateKey(ctx, service,
			valid(api.CreateKey{Body: api.KeyFields{Name: "n", Type: api.WST, Scopes: api.AllScopes()}}))
		must(t, err)
		k := w.mint(t, api.AllScopes())
		if d, _ := w.detail(t, w.owner, k.Key); d.Creator != w.owner.Name || d.FormerUntil != nil || d.LastUse != nil {
			t.Errorf("a new key: %+v", d)
		}
		if d, _ := w.detail(t, w.owner, byService.Key); d.Creator != "CI" {
			t.Errorf("created by %q, not by the key CI", d.Creator)
		}
		own, err := w.GetKey(ctx, w.owner, valid(api.GetKey{KeyID: w.owner.KeyID()}))
		must(t, err)
		if d, ok := w.detail(t, w.owner, own); !ok || d.Creator != "" {
			t.Errorf("the key that the operator created: %+v", d)
		}

		grace := &api.RotateFields{GracePeriodSeconds: 3600}
		must(t, second(w.RotateKey(ctx, w.owner, valid(api.RotateKey{KeyID: k.ID, Body: grace}))))
		until := api.At(w.now.Add(time.Hour))
		if d, _ := w.detail(t, w.owner, k.Key); d.FormerUntil == nil || *d.FormerUntil != until {
			t.Errorf("the former token works until %v, not until %v", d.FormerUntil, until)
		}
		w.now = until.Time
		if d, _ := w.detail(t, w.owner, k.Key); d.FormerUntil != nil {
			t.Errorf("the grace period has ended at %v and is shown", d.FormerUntil)
		}
	})
}

// TestLastUse: the last use has the client's address and a harmless user agent, to the minute, and outlives the
// process.
func TestLastUse(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		k := w.mint(t, api.AllScopes())
		use := func(address, agent string) *tracker.Use {
			c := w.authenticate(t, k.Token)
			c.Request.ClientAddress = address
			w.NoteUse(c, agent)
			must(t, w.FlushUsage(t.Context()))
			w.with(t, func(*tracker.Options) {}) // another process
			d, _ := w.detail(t, w.owner, k.Key)
			return d.LastUse
		}
		first := api.At(w.now)
		if got := use("203.0.113.7", "curl/8.14.1"); got == nil ||
			*got != (tracker.Use{At: first, Address: "203.0.113.7", UserAgent: "curl/8.14.1"}) {
			t.Errorf("%+v", got)
		}
		w.now = w.now.Add(59 * time.Second)
		if got := use("203.0.113.8", "other"); got.Address != "203.0.113.7" || got.At != first {
			t.Errorf("a second use within a minute is stored: %+v", got)
		}
		for agent, want := range map[string]string{
			"":                                    "",
			"a\x00b\x1b[31m\r\nc\u202ed":          "ab[31m  cd",
			"\xff\xfeagent":                       "agent",
			strings.Repeat("購", 5000):             strings.Repeat("購", 200),
			"curl -H 'Bearer " + k.Token + "' /8": "curl -H 'Bearer [redacted:authorization]' /8",
		} {
			w.now = w.now.Add(time.Minute)
			if got := use("2001:db8::17", agent); got.UserAgent != want || got.Address != "2001:db8::17" ||
				got.At != api.At(w.now) {
				t.Errorf("%q is stored as %+v", agent, got)
			}
		}
		w.NoteUse(access.Caller{}, "nobody")
		must(t, w.FlushUsage(t.Context()))
	})
}

// TestKeyActivity: a key's page shows the newest events that the key caused, newest first, with what they are about.
func TestKeyActivity(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, f := t.Context(), newFixture(t, w)
		service := f.authenticate(t, f.service(t).Token)
		service.Request = access.Request{ID: "req_1", ClientAddress: "203.0.113.7"}
		file := func(summary string) api.Slice {
			made, err := f.CreateSlice(ctx, service,
				valid(api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{Summary: summary}}}))
			must(t, err)
			return made.Slice
		}
		first := file("first")
		must(t, second(f.CreateComment(ctx, service,
			valid(api.CreateComment{SliceID: first.ID, Body: api.CommentFields{Body: "seen"}}))))
		gone := file("gone")
		must(t, second(f.DeleteSlice(ctx, service, valid(api.DeleteSlice{SliceID: gone.ID}))))
		k, err := f.CreateKey(ctx, service, valid(api.CreateKey{Body: api.KeyFields{Name: "nested",
			Type: api.WST, Scopes: []api.Scope{api.SlicesRead}}}))
		must(t, err)
		must(t, second(f.TestWebhook(ctx, service, valid(api.TestWebhook{WebhookID: f.hook}))))
		firstName := first.Reference + " first"
		goneName := gone.Reference + " gone"
		hook, err := f.GetWebhook(ctx, f.owner, valid(api.GetWebhook{WebhookID: f.hook}))
		must(t, err)
		want := []tracker.Activity{
			{Type: api.EventWebhookTested, Subject: hook.URL},
			{Type: api.EventKeyCreated, Subject: "nested", Path: "/settings/keys/" + k.ID},
			{Type: api.EventSliceDeleted, Subject: goneName},
			{Type: api.EventSliceCreated, Subject: goneName},
			{Type: api.EventCommentCreated, Subject: firstName, Path: "/" + first.Reference},
			{Type: api.EventSliceCreated, Subject: firstName, Path: "/" + first.Reference},
		}
		got, err := f.KeyActivity(ctx, f.owner, service.KeyID())
		must(t, err)
		if len(got) != len(want) {
			t.Fatalf("%d events, want %d: %+v", len(got), len(want), got)
		}
		for i, a := range got {
			want[i].At, want[i].Address = a.At, "203.0.113.7"
			if a != want[i] || a.At.IsZero() {
				t.Errorf("%+v, want %+v", a, want[i])
			}
		}
		weak := f.owner
		weak.Scopes = []api.Scope{api.KeysManage}
		if got, err = f.KeyActivity(ctx, weak, service.KeyID()); err != nil || len(got) != 1 ||
			got[0].Type != api.EventKeyCreated {
			t.Errorf("with keys:manage alone: %+v (%v)", got, err)
		}
		for range 60 {
			file("more")
		}
		if got, err = f.KeyActivity(ctx, f.owner, service.KeyID()); err != nil ||
			len(got) != 50 || !strings.HasSuffix(got[49].Subject, "more") {
			t.Errorf("%d events (%v)", len(got), err)
		}
	})
}

// TestKeyActivityOfFormerRoles: the changes by a key of a user in a workspace are shown while the user is a member of
// it.
func TestKeyActivityOfFormerRoles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, here := t.Context(), w.In(w.owner.Organization)
		c := newKeyPageCallers(t, w).admin
		beside, err := here.AddWorkspace(ctx, api.WorkspaceFields{Name: "beside"}, c.ID)
		must(t, err)
		file := func(workspace string) {
			in := api.NewSlice{WorkspaceID: &workspace, SliceFields: api.SliceFields{Summary: "s"}}
			must(t, second(w.CreateSlice(ctx, c, valid(api.CreateSlice{Body: in}))))
		}
		pat := api.KeyFields{Name: "own", Type: api.PAT, Scopes: api.AllScopes()}
		wst := api.KeyFields{Name: "ci", Type: api.WST, WorkspaceID: &w.workspace, Scopes: api.AllScopes()}
		file(beside.ID)
		must(t, second(w.CreateKey(ctx, c, valid(api.CreateKey{Body: pat}))))
		must(t, second(w.CreateKey(ctx, c, valid(api.CreateKey{Body: wst}))))
		for range 60 {
			file(w.workspace)
		}
		shown := func() string {
			all, err := w.KeyActivity(ctx, c, c.KeyID())
			must(t, err)
			counts := map[string]int{}
			for _, a := range all {
				counts[string(a.Type)+" "+a.Subject[strings.Index(a.Subject, " ")+1:]]++
			}
			return fmt.Sprint(counts)
		}
		if got := shown(); got != "map[slice.created s:50]" {
			t.Errorf("an admin: %s", got)
		}
		must(t, here.PutMember(ctx, w.workspace, c.ID, api.RoleMember))
		if got := shown(); got != "map[slice.created s:50]" {
			t.Errorf("a member: %s", got)
		}
		must(t, here.RemoveMember(ctx, w.workspace, c.ID)) // the newest 61 events are not shown now
		if got := shown(); got != "map[api_key.created own:1 slice.created s:1]" {
			t.Errorf("no member: %s", got)
		}
	})
}

// TestKeyPagesInBackups: a backup has the last use of a key, and not the counts of its refused calls.
func TestKeyPagesInBackups(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		c := w.authenticate(t, w.mint(t, api.AllScopes()).Token)
		c.Request.ClientAddress = "203.0.113.7"
		w.NoteUse(c, "probe/1")
		w.NoteRefusal(c.KeyID(), api.CodeScope, api.OpGetMe)
		must(t, w.FlushUsage(t.Context()))
		k, err := w.GetKey(t.Context(), w.owner, valid(api.GetKey{KeyID: c.KeyID()}))
		must(t, err)
		before, _ := w.detail(t, w.owner, k)
		if len(w.refusals(t, k.ID)) != 1 {
			t.Fatal("no refusal is stored")
		}
		tables := map[string]*bytes.Buffer{}
		must(t, second(w.store.Dump(t.Context(), func(table string) (io.Writer, error) {
			tables[table] = &bytes.Buffer{}
			return tables[table], nil
		})))
		other := map[string]string{"sqlite": "postgres", "postgres": "sqlite"}[w.store.Engine()]
		o, err := storetest.Migrated(other, t.TempDir())
		must(t, err)
		w.store, err = store.Open(o)
		must(t, err)
		defer w.store.Close()
		must(t, w.store.Load(t.Context(),
			func(table string) (io.ReadCloser, error) { return io.NopCloser(tables[table]), nil }, nil))
		w.with(t, func(*tracker.Options) {})
		after, _ := w.detail(t, w.owner, k)
		if after.LastUse == nil || *after.LastUse != *before.LastUse || after.LastUse.UserAgent != "probe/1" {
			t.Errorf("restored: %+v, was %+v", after.LastUse, before.LastUse)
		}
		if got := w.refusals(t, k.ID); len(got) != 0 {
			t.Errorf("restored refusals: %+v", got)
		}
	})
}
