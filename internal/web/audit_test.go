package web

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
)

// TestAuditPage: the audit log names events in words beside their types, shows what a change replaced, and who did
// what without a session.
func TestAuditPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	must(t, w.operator.RecordCommand(t.Context(), "backup"))
	b.post("/settings/people/"+w.users[member]+"/members", "workspaceId", w.web, "role", "admin").wants(303)
	w.invite(t, "new@northwind.example")
	w.browser(t).post("/login", "email", member, "password", "this is not the one").wants(422)
	w.flush()
	shown := b.get("/settings/audit").wants(200).body
	for _, e := range api.Events {
		option := regexp.MustCompile(`<option value="` + regexp.QuoteMeta(string(e.Type)) +
			`">([^<]+) \(` + regexp.QuoteMeta(string(e.Type)) + `\)</option>`).FindStringSubmatch(shown)
		if option == nil || !strings.Contains(option[1], " ") || strings.Contains(strings.ToLower(option[1]), "slice") {
			t.Errorf("%s is offered as %q", e.Type, option)
		}
	}
	for _, group := range regexp.MustCompile(`<optgroup label="([^"]*)"`).FindAllStringSubmatch(shown, -1) {
		if group[1] == "" {
			t.Error("a group has no name")
		}
	}
	row := func(kind api.EventType) string {
		body := html.UnescapeString(b.get("/settings/audit?type=" + string(kind)).wants(200).body)
		_, rows, _ := strings.Cut(body, "<tbody>")
		return rows
	}
	for kind, want := range map[api.EventType]string{
		api.EventMemberChanged: `(?s)Role of a member changed</span>.*<dt>role</dt><dd><del>member</del> ` +
			`<ins>admin</ins>.*<code>member.changed</code>`,
		api.EventOrganizationCreated: `(?s)"audit-day"><th[^>]*>Today</th>.*Organisation created.*<bdi ` +
			`title="org_\w+">` +
			`Northwind</bdi>`,
		api.EventInvitationCreated: `(?s)Invitation created.*<bdi title="\w+">new@northwind.example</bdi>`,
		api.EventOperatorCommand:   `(?s)<code>bugslice backup</code>.*Operator`,
		api.EventUserSignInFailed:  `(?s)Sign-in failed.*Jonas Weber.*Somebody<span class="sub">not signed in`,
	} {
		if rows := row(kind); !regexp.MustCompile(want).MatchString(rows) {
			t.Errorf("%s: %s", kind, rows)
		}
	}
	s := w.file(t, w.caller(t, owner), "The total is wrong")
	_, err := w.UpdateSlice(t.Context(), w.caller(t, owner), valid(t, api.UpdateSlice{SliceID: s.ID,
		Patch: api.SlicePatch{"description": strings.Repeat("long ", 40)}}))
	must(t, err)
	w.flush()
	updated := row(api.EventSliceUpdated)
	if want := `<a href="/slices/` + s.ID + `">` + s.Reference + `</a>`; !strings.Contains(updated, want) ||
		!strings.Contains(updated, "· description") {
		t.Errorf("a changed report: %s", updated)
	}
	if filed := row(api.EventSliceCreated); !strings.Contains(filed, "<dt>summary</dt><dd>The total is wrong</dd>") ||
		strings.Contains(filed, "{\n") {
		t.Errorf("a filed report: %s", filed)
	}
	if _, err := w.ListAuditLog(t.Context(), w.caller(t, owner), valid(t, api.ListAuditLog{})); err == nil {
		t.Error("a key reads the audit log")
	}
}
