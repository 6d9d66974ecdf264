package tracker_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/blob"
	"bugslice/internal/operator"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// colleague adds a user with a role in the organisation who signs in with secretWords, as a member of the workspace
// unless role is empty, and returns the session.
func (w *world) colleague(t *testing.T, email string, inOrganization, role api.Role) tracker.Session {
	t.Helper()
	in := w.In(w.owner.Organization)
	u, err := in.AddUser(t.Context(), operator.NewUser{Email: email, Password: secretWords, Role: inOrganization})
	must(t, err)
	if role != "" {
		must(t, in.PutMember(t.Context(), w.workspace, u.UserID, role))
	}
	s, _ := w.signIn(t, email)
	return s
}

func invitationTo(email string, workspaces ...string) api.InviteUser {
	return api.InviteUser{Body: api.InvitationFields{Email: email, Role: api.RoleMember, WorkspaceRole: api.RoleMember,
		WorkspaceIDs: workspaces}}
}

// TestRightsOverPeople calls each operation on people as each kind of caller. A refused one changes nothing.
func TestRightsOverPeople(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		sessions := map[string]tracker.Session{
			"owner":   w.colleague(t, "owner2@test.example", api.RoleOwner, ""),
			"admin":   w.colleague(t, "admin@test.example", api.RoleAdmin, ""),
			"lead":    w.colleague(t, "lead@test.example", api.RoleMember, api.RoleAdmin),
			"member":  w.colleague(t, "member@test.example", api.RoleMember, api.RoleMember),
			"outside": w.colleague(t, "outside@test.example", api.RoleMember, ""),
		}
		target := w.colleague(t, "target@test.example", api.RoleMember, api.RoleMember).Caller.ID
		_, err := w.Bootstrap(ctx, operator.Bootstrap{Organization: "Elsewhere",
			Workspace: "There", Owner: operator.NewUser{Email: "there@test.example", Password: secretWords}})
		must(t, err)
		sessions["stranger"], _ = w.signIn(t, "there@test.example")
		invite := func(s tracker.Session, f api.InviteUser) error { return second(w.InviteUser(ctx, s, f)) }
		for _, c := range []struct {
			name    string
			call    func(s tracker.Session) error
			allowed string
			refused map[string]string
		}{
			{"put", func(s tracker.Session) error { return w.PutMember(ctx, s, w.workspace, target, api.RoleAdmin) },
				"owner admin lead",
				map[string]string{"member": api.CodeForbidden, "outside": api.CodeNotFound,
					"stranger": api.CodeNotFound}},
			{"lower", func(s tracker.Session) error { return w.PutMember(ctx, s, w.workspace, target, api.RoleMember) },
				"owner admin lead",
				map[string]string{"member": api.CodeForbidden, "outside": api.CodeNotFound,
					"stranger": api.CodeNotFound}},
			{"role", func(s tracker.Session) error { return w.ChangeUserRole(ctx, s, target, api.RoleAdmin) },
				"owner admin",
				map[string]string{"lead": api.CodeForbidden, "member": api.CodeForbidden,
					"outside": api.CodeForbidden, "stranger": api.CodeNotFound}},
			{"make owner", func(s tracker.Session) error { return w.ChangeUserRole(ctx, s, target, api.RoleOwner) },
				"owner",
				map[string]string{"admin": api.CodeForbidden, "lead": api.CodeForbidden,
					"member": api.CodeForbidden, "stranger": api.CodeNotFound}},
			{"lower an owner", func(s tracker.Session) error {
				return w.ChangeUserRole(ctx, s, target,
					api.RoleMember)
			}, "owner",
				map[string]string{"admin": api.CodeForbidden, "lead": api.CodeForbidden, "stranger": api.CodeNotFound}},
			{"disable", func(s tracker.Session) error { return w.DisableAccount(ctx, s, target) }, "owner admin",
				map[string]string{"lead": api.CodeForbidden, "member": api.CodeForbidden,
					"stranger": api.CodeNotFound}},
			{"enable", func(s tracker.Session) error { return w.EnableAccount(ctx, s, target) }, "owner admin",
				map[string]string{"lead": api.CodeForbidden, "member": api.CodeForbidden,
					"stranger": api.CodeNotFound}},
			{"reset", func(s tracker.Session) error { return second(w.CreateResetLink(ctx, s, target)) }, "owner admin",
				map[string]string{"lead": api.CodeForbidden, "member": api.CodeForbidden,
					"stranger": api.CodeNotFound}},
			{"reset an owner", func(s tracker.Session) error { return second(w.CreateResetLink(ctx, s, w.owner.ID)) },
				"owner",
				map[string]string{"admin": api.CodeForbidden, "lead": api.CodeForbidden, "stranger": api.CodeNotFound}},
			{"invite", func(s tracker.Session) error {
				return invite(s, invitationTo("new@test.example", w.workspace))
			}, "owner admin lead",
				map[string]string{"member": api.CodeForbidden, "outside": api.CodeNotFound,
					"stranger": api.CodeNotFound}},
			{"invite into no workspace", func(s tracker.Session) error {
				return invite(s, invitationTo("new@test.example"))
			}, "owner admin",
				map[string]string{"lead": api.CodeForbidden, "member": api.CodeForbidden}},
			{"invite an owner", func(s tracker.Session) error {
				f := invitationTo("new@test.example")
				f.Body.Role = api.RoleOwner
				return invite(s, f)
			}, "owner", map[string]string{"admin": api.CodeForbidden, "lead": api.CodeForbidden,
				"member": api.CodeForbidden}},
			{"count", func(s tracker.Session) error { return second(w.CountErasedRecords(ctx, s, target)) },
				"owner admin",
				map[string]string{"lead": api.CodeForbidden, "member": api.CodeForbidden,
					"stranger": api.CodeNotFound}},
			{"erase", func(s tracker.Session) error { return second(w.Erase(ctx, s, target, "nobody")) }, "",
				map[string]string{"owner": api.CodeInvalidBody, "lead": api.CodeForbidden,
					"member": api.CodeForbidden, "stranger": api.CodeNotFound}},
			{"remove", func(s tracker.Session) error { return w.RemoveUser(ctx, s, target) }, "owner",
				map[string]string{"lead": api.CodeForbidden, "member": api.CodeForbidden,
					"stranger": api.CodeNotFound}},
		} {
			for who, want := range c.refused {
				if err := c.call(sessions[who]); code(err) != want {
					t.Errorf("%s as %s: %v, want %s", c.name, who, err, want)
				}
			}
			key := sessions["owner"]
			key.Caller = w.owner
			if err := c.call(key); code(err) != api.CodeForbidden {
				t.Errorf("%s with a key: %v", c.name, err)
			}
			for _, who := range strings.Fields(c.allowed) {
				if err := c.call(sessions[who]); err != nil {
					t.Errorf("%s as %s: %v", c.name, who, err)
				}
			}
		}
		for who, n := range map[string]int{"owner": 7, "admin": 7, "lead": 3, "member": 3, "outside": 1,
			"stranger": 1} {
			listed, err := w.ListPeople(ctx, sessions[who])
			must(t, err)
			if len(listed.People) != n {
				t.Errorf("%s sees %d people, not %d", who, len(listed.People), n)
			}
			for _, p := range listed.People {
				if hidden := p.Email == ""; hidden != (who == "member" && !p.Self) {
					t.Errorf("%s sees the address of %s: %t", who, p.Name, !hidden)
				}
			}
		}
		_, err = w.GetPerson(ctx, sessions["outside"].Caller, valid(api.GetPerson{UserID: sessions["lead"].Caller.ID}))
		if code(err) != api.CodeNotFound {
			t.Errorf("somebody from outside of the workspace sees a member: %v", err)
		}
		w.now = w.now.Add(16 * time.Minute)
		for what, err := range map[string]error{"role": w.ChangeUserRole(ctx, sessions["owner"], target, api.RoleAdmin),
			"invite": invite(sessions["owner"], invitationTo("x@test.example", w.workspace))} {
			if !errors.Is(err, access.ErrProofNeeded) {
				t.Errorf("%s without a proof: %v", what, err)
			}
		}
	})
}

// TestLastOwnerAndAdminStay: no change leaves an organisation without an owner or a workspace without an admin.
func TestLastOwnerAndAdminStay(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.colleague(t, "owner2@test.example", api.RoleOwner, "")
		must(t, w.Operator.DisableUser(ctx,
			w.colleague(t, "lead@test.example", api.RoleMember, api.RoleAdmin).Caller.ID)) // is not counted
		for what, err := range map[string]error{
			"lowered":                       w.PutMember(ctx, admin, w.workspace, w.owner.ID, api.RoleMember),
			"removed":                       w.RemoveMember(ctx, admin, w.workspace, w.owner.ID),
			"disabled":                      w.DisableAccount(ctx, admin, w.owner.ID),
			"removed from the organisation": w.RemoveUser(ctx, admin, w.owner.ID),
			"erased":                        second(w.Erase(ctx, admin, w.owner.ID, w.owner.Name)),
		} {
			if !tracker.HasFault(err, tracker.FaultLastAdmin) {
				t.Errorf("the last admin is %s: %v", what, err)
			}
		}
		must(t, w.ChangeUserRole(ctx, admin, w.owner.ID, api.RoleMember))
		for what, err := range map[string]error{"lowered": w.ChangeUserRole(ctx, admin, admin.Caller.ID,
			api.RoleMember),
			"gone":     w.RemoveUser(ctx, admin, admin.Caller.ID),
			"disabled": w.DisableAccount(ctx, admin, admin.Caller.ID)} {
			if !tracker.HasFault(err, tracker.FaultLastOwner) {
				t.Errorf("the last owner is %s: %v", what, err)
			}
		}
		must(t, w.PutMember(ctx, admin, w.workspace, admin.Caller.ID, api.RoleAdmin))
		must(t, w.RemoveMember(ctx, admin, w.workspace, w.owner.ID))
		if err := w.fileAs(w.owner); code(err) != api.CodeNotFound {
			t.Errorf("who was removed still files: %v", err)
		}
	})
}

// TestInvitation: a link works once, for seven days, while its inviter has the right to it, and until it is revoked
// or replaced.
func TestInvitation(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		owner, lead := w.colleague(t, "owner2@test.example", api.RoleOwner, ""),
			w.colleague(t, "lead@test.example", api.RoleMember, api.RoleAdmin)
		in := tracker.AcceptedInvitation{Name: "Ада", Password: secretWords}
		accept := func(text string) error { return second(w.AcceptInvitation(ctx, client("203.0.113.9"), text, in)) }
		f := invitationTo(" New@Test.example ", w.workspace)
		f.IdempotencyKey, f.Body.WorkspaceRole = "1", api.RoleAdmin
		first, err := w.InviteUser(ctx, lead, f)
		must(t, err)
		if err := second(w.InviteUser(ctx, lead, f)); code(err) != api.CodeReplaySecret {
			t.Errorf("the form sent again: %v", err)
		}
		f.IdempotencyKey = "2"
		text, err := w.InviteUser(ctx, lead, f)
		must(t, err)
		if err := accept(first); code(err) != api.CodeNotFound {
			t.Errorf("a replaced link: %v", err)
		}
		received, err := w.Invitation(ctx, text)
		must(t, err)
		if received.Email != "new@test.example" || received.Organization != "Test" || len(received.Workspaces) != 1 {
			t.Errorf("%+v", received)
		}
		must(t, w.PutMember(ctx, owner, w.workspace, lead.Caller.ID, api.RoleMember))
		if err := accept(text); code(err) != api.CodeNotFound {
			t.Errorf("the link of somebody who lost the right: %v", err)
		}
		must(t, w.PutMember(ctx, owner, w.workspace, lead.Caller.ID, api.RoleAdmin))
		if err := second(w.AcceptInvitation(ctx, client("203.0.113.9"),
			text, tracker.AcceptedInvitation{Password: "short"})); code(err) != api.CodeInvalidBody {
			t.Errorf("faults: %v", err)
		}
		opened, err := w.AcceptInvitation(ctx, client("203.0.113.9"), text, in)
		must(t, err)
		s, err := w.Session(ctx, client("203.0.113.9"), opened.Token)
		must(t, err)
		if s.Profile.Name != "Ада" || s.Profile.Email != "new@test.example" {
			t.Errorf("%+v", s.Profile)
		}
		must(t, w.fileAs(s.Caller))
		must(t, second(w.UpdateWorkspace(ctx, s.Caller, valid(api.UpdateWorkspace{WorkspaceID: w.workspace,
			Patch: api.WorkspacePatch{"name": "Two"}}))))
		if err := accept(text); code(err) != api.CodeNotFound {
			t.Errorf("a used link: %v", err)
		}
		if err := second(w.InviteUser(ctx, owner,
			invitationTo("new@test.example", w.workspace))); code(err) != api.CodeInvalidBody {
			t.Errorf("somebody who is there already: %v", err)
		}
		text, err = w.InviteUser(ctx, owner, invitationTo("b@test.example", w.workspace))
		must(t, err)
		listed, err := w.ListPeople(ctx, lead)
		must(t, err)
		if len(listed.Invitations) != 1 {
			t.Fatalf("%+v", listed.Invitations)
		}
		must(t, w.RevokeInvitation(ctx, lead, listed.Invitations[0].ID))
		if err := accept(text); code(err) != api.CodeNotFound {
			t.Errorf("a revoked link: %v", err)
		}
		text, err = w.InviteUser(ctx, owner, invitationTo("c@test.example", w.workspace))
		must(t, err)
		w.now = w.now.Add(7 * 24 * time.Hour)
		if err := accept(text); code(err) != api.CodeNotFound {
			t.Errorf("an old link: %v", err)
		}
	})
}

// TestResetLink: a link sets the password once, ends the sessions, and works for a day while its creator manages the
// user.
func TestResetLink(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		owner, admin := w.colleague(t, "owner2@test.example", api.RoleOwner, ""),
			w.colleague(t, "admin@test.example", api.RoleAdmin, "")
		u := w.colleague(t, "u@test.example", api.RoleMember, api.RoleMember)
		reset := func(text string) error {
			return second(w.ResetPassword(ctx, client("203.0.113.9"), text, "another password"))
		}
		former, err := w.CreateResetLink(ctx, admin, u.Caller.ID)
		must(t, err)
		text, err := w.CreateResetLink(ctx, admin, u.Caller.ID)
		must(t, err)
		must(t, w.ChangeUserRole(ctx, owner, admin.Caller.ID, api.RoleMember))
		for what, link := range map[string]string{"a replaced link": former, "a link of a former admin": text,
			"a guess": "x"} {
			if err := reset(link); code(err) != api.CodeNotFound {
				t.Errorf("%s: %v", what, err)
			}
		}
		must(t, w.ChangeUserRole(ctx, owner, admin.Caller.ID, api.RoleAdmin))
		must(t, reset(text))
		if err := w.fileAs(u.Caller); code(err) != api.CodeUnauthorized {
			t.Errorf("a session from before: %v", err)
		}
		if err := reset(text); code(err) != api.CodeNotFound {
			t.Errorf("a used link: %v", err)
		}
		_, err = w.SignIn(ctx, client("203.0.113.7"),
			tracker.SignIn{Email: "u@test.example", Password: "another password"})
		must(t, err)
		text, err = w.NewResetLink(ctx, u.Caller.ID)
		must(t, err)
		w.now = w.now.Add(24 * time.Hour)
		if err := reset(text); code(err) != api.CodeNotFound {
			t.Errorf("an old link: %v", err)
		}
	})
}

// TestErasure: nothing in the database names an erased user, on SQLite not even the bytes of its files. An erasure
// that was interrupted continues, the sizes and the counts stay exact, and the user has no way in.
func TestErasure(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			o, err := storetest.Migrated(engine, dir)
			must(t, err)
			s, err := store.Open(o)
			must(t, err)
			defer s.Close()
			w := newWorld(t, s)
			w.limitedTo(t, dir)
			testErasure(t, w)
			if engine == "postgres" {
				checkUnnamed(t, "the database", everyRow(t, o.URL))
				return
			}
			read := 0
			must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				content, err := os.ReadFile(path)
				checkUnnamed(t, path, string(content))
				read++
				return err
			}))
			if read < 3 { // the database, its log, and a file of a report
				t.Errorf("only %d files", read)
			}
		})
	}
}

// everyRow returns every row of every table of a database of PostgreSQL.
func everyRow(t *testing.T, url string) string {
	t.Helper()
	db, err := sql.Open("pgx", url)
	must(t, err)
	defer db.Close()
	var all string
	must(t, db.QueryRow(`SELECT string_agg(table_to_xml(c.oid::regclass, true, false, '')::text, ' ') FROM pg_class c
		WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`).Scan(&all))
	if !strings.Contains(all, store.DeletedUser) {
		t.Error("the rows are not read")
	}
	return all
}

func checkUnnamed(t *testing.T, where, content string) {
	t.Helper()
	lower := strings.ToLower(content)
	for _, marker := range []string{"zyxmarker", "formermarker"} {
		if i := strings.Index(lower, marker); i >= 0 {
			t.Errorf("%s contains the name of an erased user: %q", where,
				content[max(0, i-100):min(len(content), i+100)])
		}
	}
}

// limitedTo gives the world files in a folder, and a clock that runs.
func (w *world) limitedTo(t *testing.T, dir string) {
	t.Helper()
	files, err := blob.Open("", filepath.Join(dir, "files"), nil)
	must(t, err)
	w.blobs = files
	w.with(t, func(o *tracker.Options) {
		o.Blobs, o.Now = files, func() time.Time { w.now = w.now.Add(300 * time.Millisecond); return w.now }
	})
}

func testErasure(t *testing.T, w *world) {
	const name, formerName, email = "Zyxmarker Quux", "Formermarker Quux", "zyxmarker.q@test.example"
	ctx := t.Context()
	admin := w.colleague(t, "admin@test.example", api.RoleOwner, api.RoleAdmin)
	u, err := w.In(w.owner.Organization).AddUser(ctx, operator.NewUser{Email: email,
		Name: formerName, Password: secretWords, WithToken: true})
	must(t, err)
	must(t, w.In(w.owner.Organization).PutMember(ctx, w.workspace, u.UserID, api.RoleMember))
	c := w.authenticate(t, u.Token)
	summary := "Mail to " + email
	in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
		SliceFields: api.SliceFields{Summary: summary, AssigneeID: &u.UserID,
			Metadata: map[string]string{"seen": "by " + strings.ToUpper(email)}}}}
	in.Body.Metadata[email], in.Body.Labels = "is a key", []string{email, strings.ToUpper(email), "mail"}
	in.Body.Environment.Release, in.Body.SourceURL = new(email),
		new("https://shop.example/?next=%2F%3Fuser%3D"+url.QueryEscape(email))
	fingerprint := "mail"
	in.Body.Fingerprint = &fingerprint
	in.IdempotencyKey = "once"
	made, err := w.CreateSlice(ctx, c, valid(in))
	must(t, err)
	in.IdempotencyKey = ""
	session, _ := w.signIn(t, email)
	p := session.Profile.ProfileFields
	p.Name = name
	must(t, second(w.UpdateProfile(ctx, session, "1", p)))
	c = w.authenticate(t, u.Token)
	must(t, second(w.CreateSlice(ctx, c, valid(in)))) // again: an occurrence
	for range 120 {
		must(t, second(w.CreateComment(ctx, c,
			valid(api.CreateComment{SliceID: made.ID, Body: api.CommentFields{Body: "I am " + email}}))))
	}
	body := api.CommentFields{Body: "Ask @" + email + "."}
	must(t, second(w.CreateComment(ctx, w.owner, valid(api.CreateComment{SliceID: made.ID, Body: body}))))
	must(t, second(w.attach(ctx, made.ID, "a text")))
	w.view(t, &w.workspace, "assignee:"+email)
	must(t, second(w.UpdateSlice(ctx, w.owner, valid(api.UpdateSlice{SliceID: made.ID,
		Patch: api.SlicePatch{"priority": "high"}}))))
	must(t, second(w.InviteUser(ctx, admin, invitationTo("other@test.example", w.workspace))))
	w.space(t, "Of "+email)
	must(t, second(w.UpdateWebhook(ctx, w.owner, valid(api.UpdateWebhook{WebhookID: w.hook(t).ID,
		Patch: api.WebhookPatch{"description": "Ask " + email}}))))
	must(t, second(w.CreateKey(ctx, w.owner, valid(api.CreateKey{Body: api.KeyFields{Name: "CI of " + email,
		Type: api.WST, WorkspaceID: &w.workspace, Scopes: api.AllScopes()}}))))
	must(t, second(w.UpdateWorkspace(ctx, w.owner, valid(api.UpdateWorkspace{WorkspaceID: w.workspace,
		Patch: api.WorkspacePatch{"description": "Led by " + email,
			"metadataKeys": []any{"seen"}, "redaction": map[string]any{"allow": []any{email}}}}))))
	counts, err := w.CountErasedRecords(ctx, admin, u.UserID)
	must(t, err)
	if counts.Slices != 1 || counts.Occurrences != 2 || counts.Comments != 121 ||
		counts.Keys != 1 || counts.Sessions != 1 || counts.Memberships != 1 || counts.Events < 120 {
		t.Errorf("%+v", counts)
	}

	known := map[string]bool{}
	w.audited(t, known)
	if complete, err := w.Erase(ctx, admin, u.UserID, name); err != nil || complete {
		t.Errorf("the erasure is complete at once (%t): %v", complete, err)
	}
	for _, err := range []error{w.sessionOf(u.Token), second(w.Authenticate(ctx, u.Token)),
		second(w.SignIn(ctx, client("203.0.113.7"), tracker.SignIn{Email: email, Password: secretWords}))} {
		if code(err) != api.CodeUnauthorized {
			t.Errorf("an erased user has a way in: %v", err)
		}
	}
	erased := 0
	for _, e := range w.audited(t, known) {
		if e.Type == api.EventUserErased {
			erased++
		}
	}
	if erased != 1 {
		t.Errorf("%d events of the erasure", erased)
	}
	w.RunJobs(ctx)
	w.checkByteCounts(t)
	w.checkCounts(t, api.SliceFilters{WorkspaceID: w.workspace})
	today := w.now.UTC().Format(time.DateOnly)
	releases := w.statistics(t, api.GetStatistics{From: today, To: today, TimeZone: "UTC"}).Releases
	assert.Equal(t, "releases", releases.Data, []api.ValueCount{{Value: store.DeletedUser, Count: 1}})
	found, err := w.withMetadata(t, w.owner, w.workspace, map[string][]string{"seen": {"by " + store.DeletedUser}})
	must(t, err)
	assert.Equal(t, "the slices with the metadata that was erased", len(found), 1)
	read, err := w.GetSlice(ctx, w.owner, valid(api.GetSlice{SliceID: made.ID}))
	must(t, err)
	if read.Reporter.Name != store.DeletedUser || read.Summary != "Mail to "+store.DeletedUser ||
		read.AssigneeID != nil {
		t.Errorf("%s", asJSON(read))
	}
	comments, err := w.ListComments(ctx, w.owner,
		valid(api.ListComments{SliceID: made.ID, Paging: api.Paging{Limit: 1}}))
	must(t, err)
	if m := comments.Data[0]; m.Body != "I am "+store.DeletedUser || m.Author.Name != store.DeletedUser {
		t.Errorf("%s", asJSON(m))
	}
	listed, err := w.ListPeople(ctx, admin)
	must(t, err)
	for _, p := range listed.People {
		if p.ID == u.UserID {
			t.Errorf("an erased user is listed: %+v", p)
		}
	}
}

// TestErasureOfUnusualAddresses: an address is found in capital letters of any alphabet, and where JSON and URLs
// escape it. A longer address stays.
func TestErasureOfUnusualAddresses(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		const email, longer = "zyxwvutsr&marker+ö@test.example", "not-zyxwvutsr&marker+ö@test.example"
		ctx := t.Context()
		w.limited(t, 0, 0)
		u := w.colleague(t, email, api.RoleMember, api.RoleMember)
		escaped := url.QueryEscape(email)
		made, err := w.CreateSlice(ctx, w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{
				Summary:  strings.ToUpper(email) + " and " + longer,
				Metadata: map[string]string{"by": email, escaped: escaped}}}}))
		must(t, err)
		must(t, w.Operator.EraseUser(ctx, u.Caller.ID))
		read, err := w.GetSlice(ctx, w.owner, valid(api.GetSlice{SliceID: made.ID}))
		must(t, err)
		if want := store.DeletedUser + " and " + longer; read.Summary != want {
			t.Errorf("%q, want %q", read.Summary, want)
		}
		assert.Equal(t, "metadata", read.Metadata,
			map[string]string{"by": store.DeletedUser, store.DeletedUser: store.DeletedUser})
		named := regexp.MustCompile(`(?i)[^-]zyxwvutsr`)
		for line := range strings.Lines((&fixture{world: w}).stored(t)) {
			if named.MatchString(line) {
				t.Errorf("%s", line)
			}
		}
	})
}

// TestErasureInNamesOfFiles: an address is found before the extension of a file, as recorders name what they save. An
// address of a longer domain stays.
func TestErasureInNamesOfFiles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		const email = "zyxwvutsr.q@test.example"
		ctx := t.Context()
		u := w.colleague(t, email, api.RoleMember, api.RoleMember)
		made, err := w.CreateSlice(ctx, w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{
				Summary: email + ".har, " + email + ".LOG.gz and " + email + ".png. Not " + email + ".uk or " + email +
					".log.uk"}}}))
		must(t, err)
		must(t, w.Operator.EraseUser(ctx, u.Caller.ID))
		read, err := w.GetSlice(ctx, w.owner, valid(api.GetSlice{SliceID: made.ID}))
		must(t, err)
		assert.Equal(t, "the summary", read.Summary,
			"Deleted user.har, Deleted user.LOG.gz and Deleted user.png. Not "+email+".uk or "+email+".log.uk")
	})
}

// TestErasureInViews: the id takes the place of an address in the query of a view, which still means the user, and
// not in its name.
func TestErasureInViews(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		const email = "zyx.q@test.example"
		ctx := t.Context()
		u := w.colleague(t, email, api.RoleMember, api.RoleMember)
		in := api.CreateView{Body: api.NewView{WorkspaceID: &w.workspace,
			ViewFields: api.ViewFields{Name: "Of " + email, Query: "assignee:" + email}}}
		view, err := w.CreateView(ctx, w.owner, valid(in))
		must(t, err)
		must(t, w.Operator.EraseUser(ctx, u.Caller.ID))
		listed, err := w.ListViews(ctx, w.owner, valid(api.ListViews{Paging: api.Paging{Limit: 10}}))
		must(t, err)
		assert.Equal(t, "the view", listed.Data[0].ViewFields, api.ViewFields{Name: "Of " + store.DeletedUser,
			Query: "assignee:" + u.Caller.ID})
		assert.Equal(t, "its id", listed.Data[0].ID, view.ID)
	})
}

// TestWorkspaceDeletion: a workspace works for 30 days after its name was typed, and can be kept. Then nothing of it
// is left but an event of the organisation.
func TestWorkspaceDeletion(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		ctx := t.Context()
		admin, member := w.colleague(t, "lead@test.example", api.RoleMember, api.RoleAdmin),
			w.colleague(t, "m@test.example", api.RoleOwner, api.RoleMember)
		for want, err := range map[string]error{
			api.CodeForbidden:   w.ScheduleDeletion(ctx, member, f.workspace, "One"),
			api.CodeInvalidBody: w.ScheduleDeletion(ctx, admin, f.workspace, "Two"),
		} {
			if code(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if _, err := w.BeginExport(ctx, member, f.workspace); code(err) != api.CodeForbidden {
			t.Errorf("a member exports: %v", err)
		}
		must(t, w.ScheduleDeletion(ctx, admin, f.workspace, "One"))
		must(t, w.CancelDeletion(ctx, admin, f.workspace))
		must(t, w.ScheduleDeletion(ctx, admin, f.workspace, "One"))
		must(t, w.fileAs(w.owner))
		u, err := w.GetUsage(ctx, admin.Caller, valid(api.GetUsage{WorkspaceID: f.workspace}))
		must(t, err)
		if u.DeleteAt == nil || u.StoredBytes == 0 || !u.DeleteAt.Equal(api.At(w.now.Add(30*24*time.Hour)).Time) {
			t.Errorf("%+v", u)
		}
		w.RunJobs(ctx) // a job that deletes is suspended when its first run is after a leap of the clock
		w.now = w.now.Add(30*24*time.Hour + time.Minute)
		w.RunJobs(ctx)
		left := 0
		for line := range strings.Lines(f.stored(t)) {
			if strings.Contains(line, f.workspace) {
				if left++; !strings.Contains(line, string(api.EventWorkspaceRemoved)) {
					t.Errorf("%s", line)
				}
			}
		}
		if left != 1 {
			t.Errorf("%d rows name the workspace", left)
		}
	})
}
