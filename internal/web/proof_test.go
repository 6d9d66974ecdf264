package web

import (
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// proved is a change of a page that needs a proof of the password.
type proved struct {
	operation string // of the tracker
	path      string
	fields    []string
	says      string   // what the page that asks for the password says that it does
	status    int      // with the password
	shows     []string // on the page after that
}

// provedChanges returns a change for each operation that needs a proof.
func (w *world) provedChanges(t *testing.T) []proved {
	t.Helper()
	hook, key := w.newWebhook(t, "https://hooks.example.com/in"),
		w.newKey(t, api.KeyFields{Name: "Nightly", Type: api.PAT, Scopes: []api.Scope{api.SlicesRead}})
	person, newest := "/settings/people/"+w.users[member], "/settings/people/"+w.users[newcomer]
	of, settings := "/settings/webhooks/"+hook.ID, "/settings/workspace?workspace=WEB"
	s, err := w.Session(t.Context(), tracker.Client{}, w.session(t, owner, tracker.Client{}))
	must(t, err)
	_, err = w.DisableUser(t.Context(), s.Caller, valid(t, api.DisableUser{UserID: w.users[newcomer]}))
	must(t, err)
	rules := "/settings/redaction?workspace=WEB"
	consent := []string{"decision", "allow", "scopes", "slices:read", "expiresAt",
		api.At(w.clock.now().AddDate(1, 0, 0)).String()}
	for name, values := range w.authorization(t, "Assistant", "http://127.0.0.1/callback") {
		consent = append(consent, name, values[0])
	}
	return []proved{
		{api.OpCreateKey, "/oauth/authorize", consent, "Allow a program to work in your account", 200,
			[]string{"is connected"}},
		{api.OpCreateKey, "/settings/keys", []string{"name", "CI", "type", "pat", "scopes", "slices:read"},
			"Create the API key CI", 200, []string{"svc_pat_"}},
		{api.OpRotateKey, "/settings/keys/" + key.ID + "/rotate", nil, "Rotate the API key Nightly", 200,
			[]string{"svc_pat_"}},
		{api.OpCreateShare, "/WEB-160/shares", nil, "Share the bug report WEB-160 with everybody who has the link", 200,
			[]string{"/s/"}},
		{api.OpCreateWebhook, "/settings/webhooks?workspace=WEB", []string{"url", "https://other.example.com/"},
			"Send events of Web shop to https://other.example.com/", 200, []string{"whsec_"}},
		{api.OpUpdateWebhook, of, []string{"choice", "1", "url", "https://third.example.com/", "eventTypes", "*"},
			"Change the webhook https://hooks.example.com/in", 303, nil},
		{api.OpUpdateWebhook, of + "/enable", nil, "Enable the webhook https://third.example.com/", 303, nil},
		{api.OpRotateSecret, of + "/rotate", nil, "Give a new secret to the webhook https://third.example.com/", 200,
			[]string{"whsec_"}},
		{api.OpRotateSourceSecret, "/settings/capture/" + w.newSource(t, "Shop").ID + "/rotate", nil,
			"Give a new secret to the source Shop", 200, []string{"svc_sgn_"}},
		{api.OpInvite, "/settings/people", []string{"email", "ada@northwind.example",
			"role", "member", "workspaceRole", "member", "workspaceIds", w.web},
			"Invite ada@northwind.example", 200, []string{"/invitations/"}},
		{api.OpPutMember, person + "/members", []string{"workspaceId", w.web, "role", "admin"},
			"Make Jonas Weber an admin of Web shop", 303, nil},
		{api.OpChangeUserRole, person + "/role", []string{"role", "admin"},
			"Make Jonas Weber an admin of the organisation", 303, nil},
		{api.OpEnableUser, newest + "/enable", nil, "Let Noor Haddad sign in again", 303, nil},
		{api.OpCreateResetLink, person + "/reset", nil, "Create a link that sets a new password of Jonas Weber", 200,
			[]string{"/reset/"}},
		{api.OpRemoveFactors, person + "/factors", nil, "Remove every second factor of Jonas Weber", 303, nil},
		{api.OpUpdatePolicies, "/settings/policies",
			[]string{"step", "save", "personalKeyScopes", "slices:read", "serviceKeyDays", "300"},
			"Change the policies of your organisation", 303, nil},
		{api.OpBeginAuthenticator, "/settings/security/authenticator", nil, "Set up an authenticator app", 200,
			[]string{"QR code"}},
		{api.OpEraseUser, newest + "/erase", []string{"name", "Noor Haddad"}, "Erase Noor Haddad", 303, nil},
		{api.OpExportWorkspace, "/settings/workspace/export?workspace=WEB", nil, "Export the workspace Web shop", 303,
			nil},
		{api.OpScheduleDeletion, "/settings/workspace/delete?workspace=WEB",
			[]string{"name", "Web shop"}, "Delete the workspace Web shop", 303, nil},
		{api.OpExportAuditLog, "/settings/audit/events.ndjson?since=2026-11-01",
			[]string{"back", "/settings/audit"}, "Download the audit log", 303, nil},
		{api.OpUpdateWorkspace, rules, []string{"fields", "", "allow", "sessionId"},
			"Change the redaction rules of Web shop", 303, nil},
		{api.OpUpdateWorkspace, settings, []string{"name", "Web shop", "key", "WEB", "keepFileMetadata", "on"},
			"Keep the metadata of pictures and videos in Web shop", 303, nil},
		{api.OpUpdateProvider, "/settings/sign-in", []string{"name", "Acme", "issuer", "http://127.0.0.1:1", "clientId", "bugslice"},
			"Change how your organisation signs in", 303, nil},
		{api.OpRemoveProvider, "/settings/sign-in/remove", nil, "Remove the sign-in at the provider", 303, nil},
	}
}

// provedElsewhere are operations that need a proof and a page of another test: pages enable a webhook by an update;
// TestFactorsAreProved calls those that need a factor, TestOnlyAtProvider the link, TestMailPages the address.
var provedElsewhere = append([]string{api.OpEnableWebhook, api.OpLinkIdentity, api.OpChangeEmail}, ofFactors...)

// TestProofOfEachOperation: the page of each operation that needs a proof of the password asks for it in a form of
// its own, which says what it confirms also after a wrong one. With the password the change is made. A download is
// started again from the page that it was asked on.
func TestProofOfEachOperation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	changes := w.provedChanges(t)
	for _, op := range slices.Concat(api.Operations, api.AccountOperations) {
		called := slices.ContainsFunc(changes, func(c proved) bool { return c.operation == op.ID })
		if op.Proof && !called && !slices.Contains(provedElsewhere, op.ID) {
			t.Errorf("no page of %s is called", op.ID)
		}
	}
	b := w.signedIn(t, owner)
	w.clock.add(16 * time.Minute)
	asked := b.get("/settings/audit/events.ndjson?since=2026-11-01").wants(403,
		"Download the audit log", `action="/settings/audit/events.ndjson?since=2026-11-01"`)
	if asked.header.Get("Content-Disposition") != "" {
		t.Error("the page that asks for the password is a download")
	}
	b.post("/settings/redaction?workspace=WEB", "fields", "iban").wants(303) // removes more
	for _, c := range changes {
		if strings.HasSuffix(c.path, "/enable") && c.operation == api.OpUpdateWebhook {
			b.post(strings.TrimSuffix(c.path, "enable") + "disable").wants(303)
		}
		w.clock.add(16 * time.Minute)
		for _, password := range []string{"", "wrong"} {
			fields, status := c.fields, 403
			if password != "" {
				fields, status = append(fields[:len(fields):len(fields)], "password", password), 422
			}
			asked := html.UnescapeString(b.post(c.path, fields...).wants(status).content())
			text := strings.NewReplacer("<bdi>", "", "</bdi>", "").Replace(asked)
			for _, want := range []string{`name="password"`, `action="` + c.path + `"`, c.says} {
				if !strings.Contains(text, want) {
					t.Errorf("%s with the password %q: no %q in %s", c.path, password, want, text)
				}
			}
		}
		b.post(c.path, append(c.fields[:len(c.fields):len(c.fields)], "password", password)...).
			wants(c.status, c.shows...)
	}
}
