package tracker_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
)

// auditTypes returns the types of the events that a caller reads, the newest first.
func (w *world) auditTypes(t *testing.T, c access.Caller, in api.AuditFilters) (types []string) {
	t.Helper()
	for before := ""; ; {
		list := api.ListAuditLog{AuditFilters: in, Before: before, Limit: 3}
		page, err := w.ListAuditLog(t.Context(), c, valid(list))
		must(t, err)
		for _, e := range page.Events {
			types = append(types, string(e.Type))
		}
		if page.Older == "" {
			return types
		}
		before = page.Older
	}
}

// TestAuditLog: admins of the organisation read its events and those of their workspaces, admins of a workspace read
// those of it, others and keys read nothing, and each filter selects its events.
func TestAuditLog(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		organization := w.In(w.owner.Organization)
		_, err := organization.AddUser(ctx, operator.NewUser{Email: "boss@test.example",
			Name: "Ada Boss", Password: secretWords, Role: api.RoleOwner})
		must(t, err)
		_, err = organization.AddUser(ctx, operator.NewUser{Email: "lead@test.example", Name: "Team Lead",
			Password: secretWords})
		must(t, err)
		boss, _ := w.signIn(t, "boss@test.example")
		lead, _ := w.signIn(t, "lead@test.example")
		if _, err := w.AuditLog(ctx, lead.Caller, api.AuditFilters{}, 10); code(err) != api.CodeForbidden {
			t.Errorf("a member reads it: %v", err)
		}
		must(t, organization.PutMember(ctx, w.workspace, lead.Caller.ID, api.RoleAdmin))
		if _, err := w.AuditLog(ctx, w.owner, api.AuditFilters{}, 10); code(err) != api.CodeForbidden {
			t.Errorf("a key reads it: %v", err)
		}
		key := w.owner
		key.Request = access.Request{ID: "req_1", ClientAddress: "198.51.100.4"}
		made, err := w.CreateSlice(ctx, key, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "one"}}}))
		must(t, err)
		_, err = w.UpdateSlice(ctx, key,
			valid(api.UpdateSlice{SliceID: made.ID, Patch: api.SlicePatch{"summary": "two"}}))
		must(t, err)
		hook := w.hook(t)
		_, err = w.TestWebhook(ctx, w.owner, valid(api.TestWebhook{WebhookID: hook.ID}))
		must(t, err)
		must(t, organization.RecordExport(ctx, w.workspace))
		_, err = w.CreateView(ctx, lead.Caller,
			valid(api.CreateView{Body: api.NewView{ViewFields: api.ViewFields{Name: "mine", Query: "status:open"}}}))
		must(t, err)

		ofLead, ofBoss := w.auditTypes(t, lead.Caller, api.AuditFilters{}),
			w.auditTypes(t, boss.Caller, api.AuditFilters{})
		for _, kind := range []string{"workspace.exported", "webhook.tested",
			"webhook.created", "slice.updated", "slice.created", "member.added"} {
			if !slices.Contains(ofLead, kind) || slices.Contains(ofBoss, kind) {
				t.Errorf("%s: the admin of the workspace reads %v, the owner of the organisation, who is no member, reads %v",
					kind, ofLead, ofBoss)
			}
		}
		for _, kind := range []string{"user.signed_in", "user.created", "organization.created"} {
			if slices.Contains(ofLead, kind) || !slices.Contains(ofBoss, kind) {
				t.Errorf("%s: the admin of the workspace reads %v, the owner %v", kind, ofLead, ofBoss)
			}
		}
		if slices.Contains(ofBoss, "view.created") {
			t.Error("the owner reads the private view of somebody else")
		}
		yesterday, tomorrow := api.At(time.Now().Add(-24*time.Hour)), api.At(time.Now().Add(24*time.Hour))
		for name, c := range map[string]struct {
			in   api.AuditFilters
			want string // the types, those that came first at the end
		}{
			"what":       {api.AuditFilters{Type: "slice.updated"}, "slice.updated"},
			"what, all":  {api.AuditFilters{Type: "slice"}, "slice.updated slice.created"},
			"what, none": {api.AuditFilters{Type: "slic"}, ""},
			"address":    {api.AuditFilters{Address: " 198.51.100.4 "}, "slice.updated slice.created"},
			"another":    {api.AuditFilters{Address: "203.0.113.80"}, ""},
			"who": {api.AuditFilters{Actor: "operator", Type: "workspace"},
				"workspace.exported workspace.created"},
			"nobody": {api.AuditFilters{Actor: "nobody"}, ""},
			"key": {api.AuditFilters{Key: w.owner.KeyID(), Type: "webhook"},
				"webhook.tested webhook.created"},
			"no key": {api.AuditFilters{Key: "key_none"}, ""},
			"since":  {api.AuditFilters{Since: &tomorrow}, ""},
			"until":  {api.AuditFilters{Until: &yesterday}, ""},
			"between": {api.AuditFilters{Since: &yesterday, Until: &tomorrow, Type: "webhook.tested"},
				"webhook.tested"},
			"of a workspace": {api.AuditFilters{WorkspaceID: w.workspace, Type: "slice.created"}, "slice.created"},
			"of another one": {api.AuditFilters{WorkspaceID: "wsp_none"}, ""},
		} {
			if got := strings.Join(w.auditTypes(t, lead.Caller, c.in), " "); got != c.want {
				t.Errorf("%s: %q, not %q", name, got, c.want)
			}
		}
		must(t, organization.PutMember(ctx, w.workspace, lead.Caller.ID, api.RoleMember))
		must(t, organization.PutMember(ctx, w.workspace, lead.Caller.ID, api.RoleAdmin))
		changed, err := w.AuditLog(ctx, lead.Caller, api.AuditFilters{Type: "member.changed"}, 1)
		if data := string(changed.Events[0].Data); err != nil ||
			!strings.Contains(data, `"previous":{"role":"member"}`) ||
			!strings.Contains(data, `"role":"admin"`) {
			t.Errorf("a role before and after: %s %v", data, err)
		}
		w.checkAuditExport(t, boss.Caller, ofBoss)
	})
}

// checkAuditExport downloads the audit log, which begins with the download itself and has the events of the pages.
func (w *world) checkAuditExport(t *testing.T, c access.Caller, types []string) {
	t.Helper()
	var lines bytes.Buffer
	must(t, w.ExportAuditLog(t.Context(), c, &lines))
	var got []string
	for d := json.NewDecoder(&lines); d.More(); {
		var line struct {
			Type  string
			Actor struct{ Email, SessionID *string }
		}
		must(t, d.Decode(&line))
		got = append(got, line.Type)
		if line.Type == "audit_log.exported" &&
			(line.Actor.Email == nil || *line.Actor.Email != c.Email || line.Actor.SessionID == nil) {
			t.Errorf("the download is by %+v", line.Actor)
		}
	}
	if want := append([]string{"audit_log.exported"}, types...); !slices.Equal(got, want) {
		t.Errorf("the download has %v, not %v", got, want)
	}
	if err := w.ExportAuditLog(t.Context(), w.owner, &lines); code(err) != api.CodeForbidden {
		t.Errorf("a key downloads it: %v", err)
	}
}

// TestAuditWindow: pages that read few events of many end early and lead to the next ones, until every event that
// matches was listed.
func TestAuditWindow(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.SetAuditWindow(4)
		w.person(t, "admin@test.example")
		s, _ := w.signIn(t, "admin@test.example")
		for range 10 {
			w.file(t, "a slice", "")
		}
		if got := w.auditTypes(t, s.Caller, api.AuditFilters{Type: "workspace.created"}); !slices.Equal(got,
			[]string{"workspace.created"}) {
			t.Errorf("%v", got)
		}
		if got := w.auditTypes(t, s.Caller, api.AuditFilters{Type: "slice.created"}); len(got) != 10 {
			t.Errorf("%d slices", len(got))
		}
	})
}
