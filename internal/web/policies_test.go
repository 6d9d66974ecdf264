package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/internal/tracker"
)

// allScopes are the fields of a form with every scope of personal keys.
var allScopes = func() (fields []string) {
	for _, s := range []string{"slices:read", "slices:write", "slices:delete", "workspaces:read", "workspaces:write",
		"spaces:read",
		"spaces:write", "user:read", "keys:manage", "webhooks:manage"} {
		fields = append(fields, "personalKeyScopes", s)
	}
	return fields
}()

// policyForm is the form of policies with some fields.
func policyForm(fields ...string) []string { return append(fields, allScopes...) }

// TestPoliciesPage: a form of policies shows what they would end, by name, and changes nothing; the next one saves
// them. Without script it does the same. The form keeps what was typed, with its faults.
func TestPoliciesPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.addAdmins(t)
	w.session(t, member, tracker.Client{})
	w.clock.add(9 * time.Hour)
	b := w.signedIn(t, owner)
	b.get("/settings/people").wants(200, `href="/settings/policies"`)
	b.get("/settings/policies").wants(200, "What your organisation requires", "Your address is ",
		"cannot lock yourself out")

	shown := b.post("/settings/policies", policyForm("sessionHours", "8", "sessionHoursUnit", "hours", "keyNetworks",
		"192.0.2.0/24",
		"personalKeyDays", "1")...).wants(200, "Nothing is saved yet", "session ends", "Jonas Weber",
		"keys end earlier", "in place of",
		"is in none of these networks", `name="sessionHours" value="8"`, `name="keyNetworks" value="192.0.2.0/24"`)
	b.get("/settings/policies").wants(200).lacks(`value="8"`, "192.0.2.0/24</textarea>")
	fields := policyForm("sessionHours", "8", "sessionHoursUnit", "hours", "keyNetworks", "192.0.2.0/24", "version",
		hidden(t, shown.body, "version"), "personalKeyMakers", "nobody")
	b.post("/settings/policies", append(fields, "step", "edit")...).wants(200, `value="8"`, "192.0.2.0/24</textarea>",
		"Show what this changes")
	b.post("/settings/policies", append(fields, "step", "save")...).leadsTo("/settings/policies")
	b.get("/settings/policies").wants(200, "The policies are saved.", `value="8"`, "192.0.2.0/24</textarea>")
	if err := w.sessionWorks(t, member); err != nil {
		t.Error(err)
	}
	b.post("/settings/policies", append(fields, "step", "save")...).wants(422, "Somebody else has changed the policies")
	b.get("/settings/audit?type=organization").wants(200, "Policies changed", "keyNetworks", "192.0.2.0/24")

	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf("10.%d.%d.0/24", i/256, i%256)
	}
	for want, fields := range map[string][]string{
		"ust be a whole number above 0": policyForm("sessionHours", "eight"),
		"ust be 1 to 8784 hours": policyForm("sessionIdleHours", "400", "sessionIdleHoursUnit",
			"days"),
		"10.0.0.0/8 for the network":               policyForm("keyNetworks", "10.0.0.1/8"),
		"leave the list empty to admit all":        policyForm("keyNetworks", "0.0.0.0/0"),
		"t most 200 networks, and these are 10000": policyForm("keyNetworks", strings.Join(many, "\n")),
		"is no domain":                             policyForm("invitationDomains", "nowhere"),
		"hoose at least one":                       {"personalKeyDays", "5"},
		`id="personalKeyMakers-fault"`:             policyForm("personalKeyMakers", "x"),
	} {
		for _, step := range []string{"", "save"} {
			answer := b.post("/settings/policies", append(fields, "step", step)...)
			answer.wants(422, want, "autofocus")
		}
	}
	b.get("/settings/policies").wants(200, `value="8"`) // nothing has changed
	admins := w.signedIn(t, admin)
	admins.get("/settings/policies").wants(200, "An owner can change this").lacks(`type="checkbox" name="secondFactor"`)
	admins.post("/settings/policies", policyForm("secondFactor", "on")...).wants(422,
		"nly an owner of the organisation")
}

// sessionWorks reports whether a new session of somebody works.
func (w *world) sessionWorks(t *testing.T, who string) error {
	t.Helper()
	w.signedIn(t, who).get("/my").wants(200)
	return nil
}

// TestKeyFormsFollowPolicies: the forms that make keys offer what the policies admit, and say what they do not.
func TestKeyFormsFollowPolicies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.addAdmins(t)
	b := w.signedIn(t, owner)
	b.get("/settings/keys/new").wants(200, "Never", "1 year").lacks("By the policies")
	b.post("/settings/policies", "personalKeyScopes", "slices:read", "personalKeyScopes", "user:read",
		"personalKeyDays", "45",
		"serviceKeyDays", "20", "personalKeyMakers", "admins", "step", "save").wants(303)
	b.get("/settings/keys/new").wants(200, "personal tokens last for 45 days at most",
		"those of workspaces for 20 days at most",
		"45 days", "tokens may not have").lacks(">Never<", "1 year", "90 days")
	form := []string{"name", "CI", "type", "pat", "scopes", "slices:read", "expiresAt"}
	b.post("/settings/keys", append(form, w.clock.now().Add(60*24*time.Hour).UTC().Format(time.RFC3339))...).
		wants(422, "the key may last for 45 days")
	b.post("/settings/keys", append(form, "", "scopes", "slices:write")...).wants(422,
		"no personal access tokens with slices:write")
	b.post("/settings/keys", append(form,
		w.clock.now().Add(30*24*time.Hour).UTC().Format(time.RFC3339))...).wants(200, "svc_pat_")
	b.get("/settings/keys").wants(200)

	other := w.signedIn(t, lead)
	other.get("/settings/keys/new").wants(200, "you may make none")
	other.post("/settings/keys", append(form, "")...).wants(403, "you may make no personal access tokens")
	other.post("/settings/record?workspace=WEB").wants(200, "svc_wst_")
}
